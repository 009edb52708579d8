"""Lagrange's equation against Newton and Euler's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.checks.judgement import Judgement
from sim.checks.limits import FORMULATIONS, FORMULATIONS_FLOOR
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.channels import joint_forces
from sim.recording.facts import JointFacts


def formulations(view: RunView) -> Iterator[Judgement]:
    """Torque by Lagrange's equation against the axis component of the Newton–Euler reaction."""
    tree = np.stack([_axis_component(view, joint) for joint in view.joints])
    newton_euler = np.asarray(view.run.robot.coupling, dtype=np.float64).T @ tree
    peaks, highest = view.peaks("tau", view.own_joints)
    scale = max(highest, *(float(np.max(np.abs(view.analytic(c)))) for c in ("ke", "pe")))
    for name, row in zip(view.own_joints, newton_euler, strict=True):
        lagrange = view.analytic(f"tau.{name}") - view.analytic(f"friction.{name}")
        for force in joint_forces(view.recording.analytic.columns, name):
            lagrange = lagrange + view.analytic(force)  # it acts with the drive
        limit = FORMULATIONS * peaks[name] + FORMULATIONS_FLOOR * scale
        error = np.abs(lagrange - row)
        yield view.judged("Lagrange and Newton-Euler", f"tau.{name}", error, limit)


def _axis_component(view: RunView, joint: JointFacts) -> Array:
    kind = "f" if joint.is_prismatic else "m"
    rows = [view.analytic(f"reaction.{joint.name}.{kind}{c}") for c in "xyz"]
    return np.asarray(np.asarray(joint.axis) @ np.stack(rows))
