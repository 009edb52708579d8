"""Channels required by a run's description; missing ones are reported."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import UNSET

from sim.checks.judgement import Judgement
from sim.checks.robot_by_description import known_elements, robot_by_description
from sim.checks.run_view import RunView
from sim.dynamics.coupled_motors import coupled_motors_of
from sim.kinematics.forward import frame_of
from sim.kinematics.tree import tree_of
from sim.recording.schema.channels import LOOP_SINGULAR_VALUE, MOTORS
from sim.recording.schema.element_facts import NamesFacts
from sim.recording.schema.facts import JointFacts
from sim.robots.loop_kinds import components_of

CONTROL = ("reference", "reference_qd", "tracking", "sensed", "sensed_qd", "command", "saturated")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
TOOL = "x y z qx qy qz qw vx vy vz wx wy wz ax ay az wdx wdy wdz".split()


def expected_channels(view: RunView) -> Iterator[Judgement]:
    """Count the channels that the description implies but no table has, and name the first.

    This makes the number of checks fixed: each of them judges channels that exist.
    """
    missing = [channel for channel in _channel_names(view) if not view.has(channel)]
    first = (missing or [f"q.{view.row_names[0]}"])[0]
    yield view.judge_count("channels", first, len(missing))


def is_elastic(joint: JointFacts) -> bool:
    """Whether a spring connects the joint and its motor."""
    return joint.drive is not None and joint.drive.get("stiffness") is not None


def _channel_names(view: RunView) -> Iterator[str]:
    run, robot = view.run, view.robot
    joints = [joint.name for joint in run.robot.joints]
    groups = {group for joint in run.robot.joints for group in joint.forces}
    yield from (f"{group}.{name}" for group in ("q", "qd", "qdd") for name in view.tree_row_names)
    of_rows = ("tau", "power", "friction", "tau_error", "work", "loss", *sorted(groups))
    yield from (f"{group}.{name}" for group in of_rows for name in view.row_names)
    rubbing = zip(view.tree_row_names, run.robot.tree_row_joints, strict=True)
    yield from (f"regime.{name}" for name, joint in rubbing if joint.friction_law is not None)
    with_drive = [joint.name for joint in run.robot.joints if joint.drive is not None]
    coupled = coupled_motors_of(robot_by_description(view))
    motors = [*with_drive, *(() if coupled is None else coupled.names)]
    yield from (f"{group}.{name}" for name in motors for group in MOTORS)
    yield from (f"ke.rotor_of_{name}" for name in with_drive)
    yield from (f"twist.{joint.name}" for joint in run.robot.joints if is_elastic(joint))
    laws = [drive.names for drive in run.drives if isinstance(drive.names, NamesFacts)]
    yield from dict.fromkeys(f"dif.{name}" for facts in laws for name in facts.states)
    if run.controller is not UNSET:
        yield from (f"{group}.{name}" for group in CONTROL for name in view.row_names)
    yield from (f"reaction.{name}.{c}" for name in joints for c in WRENCH)
    yield from (
        f"loop.{name.replace(' ', '_')}.{c}"
        for name, kind in run.robot.kinds_of_loops
        for c in components_of(kind)
    )
    if run.settings.passive and run.settings.free:
        yield LOOP_SINGULAR_VALUE
    yield from (f"measure.{measure.name}.{c}" for measure in run.measures for c in WRENCH)
    yield from run.units_of_requests
    yield from (f"ke.{mass.link}" for mass in tree_of(robot).masses)
    yield from ("ke", "pe")
    if run.elements or groups:
        yield "external"
    elements, t = known_elements(view, robot_by_description(view)), view.t[:1]
    q, qd = (np.zeros((len(view.row_names), 1)) for _ in range(2))
    yield from (f"state.{row}" for row in range(elements.states))
    yield from (name for element in elements.elements for name in element.channel_names)
    if elements.stored_energy(elements.at(t, q, qd, elements.start[:, None])) is not None:
        yield "stored"
    if robot.tool is not None and frame_of(robot, robot.tool)[0] >= 0:
        yield from (f"tool.{c}" for c in TOOL)
    if run.settings.clearance is not None:
        yield from run.settings.clearance.channels
