"""Lagrange's equation against the Newton–Euler equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sim.checks.acceleration_rounding import equation_rounding
from sim.checks.allowed_error import AllowedError
from sim.checks.judgement import Judgement
from sim.checks.limits import FORMULATIONS, FORMULATIONS_FLOOR, FORMULATIONS_ROUNDING
from sim.checks.run_view import RunView
from sim.maths.arrays import Array
from sim.recording.held_tables import analytic_of
from sim.recording.schema.channels import group_of, joint_forces
from sim.robots.coordinate import Coordinate


def formulations(view: RunView) -> Iterator[Judgement]:
    """Check torques by Lagrange's equation against the axis component of Newton–Euler reactions."""
    peaks, highest = view.peaks("tau", view.row_names)
    scale = max(highest, view.peak("ke"), view.peak("pe"))
    # loads on links, as of contacts, may be in no joint's reaction, but cancel in the torque
    floor = FORMULATIONS_FLOOR * scale + FORMULATIONS_ROUNDING * largest_load(view)
    rounded, _ = rounding_of_motion(view)
    for name, error in imbalance(view, view.analytic):
        limit = AllowedError.of(exact=FORMULATIONS * peaks[name], rounding=floor + rounded[name])
        yield view.judge_errors("Lagrange and Newton-Euler", f"tau.{name}", error, limit)


def rounding_of_motion(view: RunView) -> tuple[dict[str, float], dict[str, float]]:
    """Return `equation_rounding` of the model's motion: by joint, and of reactions.

    It is zero if the run's URDF is missing or has other joints, which fails in another check.
    """
    if view.recording.urdf is None or view.robot.row_names != view.row_names:
        return dict.fromkeys(view.row_names, 0.0), dict.fromkeys("fm", 0.0)
    torques, reactions = equation_rounding(view.robot, *view.analytic_rows("q", "qd", "qdd"))
    return dict(zip(view.row_names, torques.tolist(), strict=True)), reactions


def largest_load(view: RunView) -> float:
    """Return the largest force [N], moment [N·m] or energy [J]: a flying body has no reaction.

    Its energy is of the order of the moments that rotate it.
    """
    forces = (name for name in view.run.units if view.unit(name) in ("N", "N·m"))
    loads = (name for name in forces if group_of(name).name != "request" and view.has(name))
    return max(view.weight, *(_largest_number(view, c) for c in (*loads, "ke", "pe")))


def _largest_number(view: RunView, channel: str) -> float:
    """Return the peak of a channel without its NaN, which another check reports."""
    if np.isnan(peak := view.peak(channel)):
        return float(np.fmax.reduce(np.abs(view.analytic(channel))))
    return peak


def imbalance(view: RunView, values: Callable[[str], Array]) -> Iterator[tuple[str, Array]]:
    """Yield the residual magnitudes (N,) of each joint's effort against Newton–Euler.

    `values` returns the channels of one table, which has both.
    """
    coupling = np.asarray(view.run.robot.coupling, dtype=np.float64)
    for name, shares in zip(view.row_names, coupling.T, strict=True):
        acting = values(f"tau.{name}") - values(f"friction.{name}")
        for force in joint_forces(analytic_of(view.recording).columns, name):
            acting = acting + values(force)  # acts in addition to the drive
        for row, share in zip(view.tree_coordinates, shares, strict=True):
            if share:
                acting = acting - share * _axis_component(row, values)
        yield name, np.abs(acting)


def _axis_component(row: Coordinate, values: Callable[[str], Array]) -> Array:
    return np.asarray(np.asarray(row.axis) @ _reaction(row, values))


def _reaction(row: Coordinate, values: Callable[[str], Array]) -> Array:
    """Return the force of a slide or moment of a hinge, in the joint's axes (3, N) [N or N·m]."""
    return np.stack([values(f"reaction.{row.joint}.{row.reaction}{c}") for c in "xyz"])
