"""A run by itself: what its tables say twice, and what its description says of its robot."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import asdict

from sim.checks.judgement import Judgement, share
from sim.checks.limits import CANCELLED, EPS
from sim.checks.run_view import RunView, column
from sim.recording.facts import JointFacts
from sim.recording.verdicts import Check
from sim.robots.joint import Joint
from sim.robots.repair import Repair

# Of a product, or of a sum of a few dozen terms: roundings.
ROUNDINGS = 64 * EPS


def consistency(view: RunView) -> Iterator[Judgement]:
    """Power as torque times speed, the sum of kinetic energies; and the robot as its text has it.

    Each of both tables by itself, so that what is wrong in both alike is seen: they agree.
    """
    for analytic in (False, True):
        table, of = view.table(analytic=analytic), " of model" if analytic else ""
        for name in view.own_joints:
            power = column(table, f"tau.{name}") * column(table, f"qd.{name}")
            error = np.abs(column(table, f"power.{name}") - power)
            limit = ROUNDINGS * float(np.max(np.abs(power)))
            yield view.judged(f"torque by speed{of}", f"power.{name}", error, limit)
        links = [c for c in map(str, table.columns) if c.startswith("ke.")]
        if links:
            whole = np.sum([column(table, link) for link in links], axis=0)
            limit = ROUNDINGS * float(np.max(whole))
            error = np.abs(column(table, "ke") - whole)
            yield view.judged(f"sum of energies{of}", "ke", error, limit)
    yield _robot(view)


def _robot(view: RunView) -> Judgement:
    """How many masses, axes, limits and repairs of the description are not those of the text."""
    robot, facts = view.robot, view.run.robot
    masses = {link.name: link.inertia.mass for link in robot.links if link.inertia}
    wrong = sum(
        not np.isclose(masses.get(name, np.nan), facts.masses.get(name, np.nan), rtol=CANCELLED)
        for name in {**masses, **facts.masses}
    )
    joints = {joint.name: joint for joint in robot.tree_joints}
    wrong += len(joints.keys() ^ {joint.name for joint in facts.joints})
    wrong += sum(_differs(joints[one.name], one) for one in facts.joints if one.name in joints)
    # A repair that is told and was not made, or made and not told.
    wrong += len({Repair(**asdict(r)) for r in facts.repairs} ^ set(robot.repairs))
    channel, at = f"q.{view.own_joints[0]}", float(view.t[0])
    used = share(float(wrong), 0.0)
    return Judgement(Check("robot", channel, float(wrong), 0.0, "1", at, wrong == 0, used, channel))


def _differs(joint: Joint, facts: JointFacts) -> bool:
    limits = joint.limits
    typed = (limits.lower, limits.upper, limits.velocity, limits.effort)
    told = (facts.lower, facts.upper, facts.velocity, facts.effort)
    same = all(np.isinf(a) if b is None else a == b for a, b in zip(typed, told, strict=True))
    return not (same and joint.kind == facts.kind and np.allclose(joint.axis, facts.axis))
