"""Internal consistency of a run: redundant channels, and the description of the robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict as fields_of
from functools import reduce

import numpy as np
from msgspec import UNSET

from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED, EPS
from sim.checks.robot_by_description import robot_by_description
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.friction import regime
from sim.recording.files.table_files import Table
from sim.recording.schema.description import Run
from sim.recording.schema.facts import JointFacts
from sim.robots.gear_spring import GearSpring
from sim.robots.joint import Joint
from sim.robots.payload import spin_joint

# Rounding of a product, or of a sum of a few dozen terms.
ROUNDINGS = 64 * EPS


def consistency(view: RunView) -> Iterator[Judgement]:
    """Check each table by itself: power as torque times speed, kinetic energies, friction regimes.

    The robot in the description is compared with the URDF, and the free joints with the drives. An
    error common to both tables is found here.
    """
    for table, of in view.tables:
        yield from _regimes(view, table, of)
        for name in view.row_names:
            power = column(table, f"tau.{name}") * column(table, f"qd.{name}")
            error = np.abs(column(table, f"power.{name}") - power)
            limit = ROUNDINGS * float(np.max(np.abs(power)))
            yield view.judge_errors(f"torque times speed{of}", f"power.{name}", error, limit)
        links = [c for c in map(str, table.columns) if c.startswith("ke.")]
        if links:
            whole = reduce(np.add, (column(table, link) for link in links))
            limit = ROUNDINGS * float(np.max(whole))
            error = np.abs(column(table, "ke") - whole)
            yield view.judge_errors(f"sum of energies{of}", "ke", error, limit)
    yield _robot(view)
    yield from _gear_springs(view)


def _regimes(view: RunView, table: Table, of: str) -> Iterator[Judgement]:
    """Check the friction regime of each joint with a friction law, by the table's own speed."""
    robot = view.run.robot
    if all(joint.friction_law is None for joint in robot.tree_row_joints):
        return
    qd = np.stack([column(table, f"qd.{row.name}") for row in robot.tree_coordinates])
    rows = regime(robot_by_description(view), qd)
    each = zip(robot.tree_coordinates, robot.tree_row_joints, rows, strict=True)
    for row, joint, expected in each:
        if joint.friction_law is None:
            continue
        channel = f"regime.{row.name}"
        error = np.abs(column(table, channel) - expected)
        yield view.judge_errors(f"friction regime{of}", channel, error, 0.0)


def _gear_springs(view: RunView) -> Iterator[Judgement]:
    """Count the fields of each elastic gear that differ from its drive train."""
    robot = robot_by_description(view)
    for joint in view.joints:
        springs = [one for one in robot.joint(joint.name).forces if isinstance(one, GearSpring)]
        stated = joint.forces.get(GearSpring.channel, {})
        fields = fields_of(springs[0]) if joint.drive is not None and springs else {}
        if not (stated or fields):
            continue
        wrong = sum(stated.get(n) != fields.get(n) for n in stated.keys() | fields.keys())
        channel = f"{GearSpring.channel}.{joint.name}"
        plot = channel if view.has(channel) else f"q.{joint.name}"
        yield view.judge_count("gear spring by its drive train", plot, wrong)


def _robot(view: RunView) -> Judgement:
    """Count errors in the description: masses, joints, couplings, repairs, free joints."""
    robot, facts = view.robot, view.run.robot
    masses = {link.name: link.inertia.mass for link in robot.links if link.inertia}
    wrong = 0
    for name in {**masses, **facts.masses}:
        typed, recorded = masses.get(name, np.nan), facts.masses.get(name, np.nan)
        wrong += not np.isclose(typed, recorded, rtol=CANCELLED, atol=0.0)  # however small the mass
    wrong += sum(event.mass != facts.masses.get(event.link) for event in view.run.events)
    joints = {joint.name: joint for joint in robot.tree_joints}
    wrong += len(joints.keys() ^ {joint.name for joint in facts.joints})
    wrong += sum(_is_different(joints[one.name], one) for one in facts.joints if one.name in joints)
    wrong += not np.array_equal(np.asarray(facts.coupling, dtype=np.float64), robot.coupling[0])
    # Repairs that are recorded but were not made, or the reverse.
    of_text = {one for one in facts.repairs if one.kind != "left out"}  # of MJCF
    wrong += len(of_text ^ set(robot.repairs))
    wrong += _wrongly_free(view.run)
    return view.judge_count("robot", f"q.{view.row_names[0]}", wrong)


def _wrongly_free(run: Run) -> int:
    """Count the joints listed as free although a drive prescribes their motion, or the reverse.

    A free joint has a drive with a torque, or none; none is free if the tool is moved. Under a
    controller all are free: the drives are its reference.
    """
    free, names = set(run.settings.free), {row.name for row in run.robot.coordinates}
    if run.controller is not UNSET:
        return len(free ^ names) + sum(drive.level == "torque" for drive in run.drives)
    # an elastic gear's drive acts on its motor
    moves = {one: spin_joint(one) if spin_joint(one) in names else one for one in names}
    loose = [one for one in run.drives if one.level == "torque" or one.switched is not UNSET]
    motors = {moves.get(one.joint, one.joint) for one in loose}
    prescribed = {moves.get(one.joint, one.joint) for one in run.drives} - motors
    held = prescribed if prescribed <= names else names
    return len(free & held) + len(motors - free) + len(free - names)


def _is_different(joint: Joint, facts: JointFacts) -> bool:
    limits = joint.limits
    typed = (limits.lower, limits.upper, limits.velocity, limits.effort)
    recorded = (facts.lower, facts.upper, facts.velocity, facts.effort)
    same = all(np.isinf(a) if b is None else a == b for a, b in zip(typed, recorded, strict=True))
    has_same_friction = (joint.damping, joint.friction) == (facts.damping, facts.friction)
    follows = (joint.mimic.leaders if joint.mimic else None) == facts.mimic
    same &= has_same_friction and follows and joint.kind == facts.kind
    return not (same and np.allclose(joint.axis, facts.axis))
