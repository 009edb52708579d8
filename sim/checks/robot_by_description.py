"""The robot and the loads that a run's description contains, as a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sim.checks.run_view import RunView
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force import Force
from sim.dynamics.joint_forces import joint_elements
from sim.errors import ModelError, RecordingError
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.recording.recorded_robot import joint_law
from sim.recording.schema.element_facts import class_of
from sim.recording.schema.facts import EventFacts, JointFacts
from sim.robots.drive_train import DriveTrain
from sim.robots.joint_friction import JointFriction
from sim.robots.robot import Robot


def robot_by_description(view: RunView) -> Robot:
    """The run's own URDF, with what the description puts into its joints.

    Every payload of the run is a link of it; its loops are open.

    Raises
    ------
    RecordingError
        If the description has no such law or element.
    ModelError
        If a joint cannot have it.
    """
    laws = {joint.name: law_of(joint) for joint in view.joints if joint.friction_law is not None}
    robot = view.robot.with_friction(laws)
    for joint in view.joints:
        for channel, fields in joint.forces.items():
            try:
                robot = robot.with_forces({joint.name: joint_law(channel, fields)})
            except (ModelError, RecordingError) as error:
                raise RecordingError(
                    f"The run's description is inconsistent for joint {joint.name!r}: {error}"
                ) from None
    drives = {joint.name: drive_of(joint) for joint in view.joints if joint.drive is not None}
    return robot.with_drives(drives)


def law_of(joint: JointFacts) -> JointFriction:
    """The law of friction in the description, which writes an infinite torque as null."""
    law = {name: value for name, value in (joint.friction_law or {}).items() if value is not None}
    try:
        return JointFriction(**law)  # type: ignore[arg-type]
    except (TypeError, ModelError) as error:
        raise RecordingError(
            f"The run's description has no law of friction for joint {joint.name!r}: {error}"
        ) from None


def drive_of(joint: JointFacts) -> DriveTrain:
    """The drive train in the description."""
    return drive_of_fields(joint.name, joint.drive or {})


def drive_of_fields(joint: str, fields: Mapping[str, float | bool | None]) -> DriveTrain:
    """The drive train of a joint by its fields in the description."""
    try:
        return DriveTrain(**fields)  # type: ignore[arg-type]
    except (TypeError, ModelError) as error:
        raise RecordingError(
            f"The run's description has no drive train for joint {joint!r}: {error}"
        ) from None


def motor_ratios(view: RunView) -> dict[str, float]:
    """Motor speed over joint speed of the joints with a drive train, by their names."""
    return {one.name: drive_of(one).ratio for one in view.joints if one.drive is not None}


def known_elements(view: RunView, robot: Robot) -> ElementSum:
    """The force elements of a described robot, but for those that are a program's function.

    Raises
    ------
    SimError
        If one of them cannot be: of an unknown frame, or with numbers that no force has.
    """
    on_links = (element for element in view.elements_on_links if element is not None)
    return ElementSum(robot, (*joint_elements(robot), *on_links))


def unknown_forces(view: RunView) -> list[str]:
    """Frames on which forces act that the description alone does not contain."""
    if None not in view.elements_on_links:
        return []
    return [force.frame for force in view.run.forces if class_of(force) is Force]


def stages(robot: Robot, events: Sequence[EventFacts], t: Array) -> Iterator[tuple[slice, Robot]]:
    """The parts of ascending times `t` [s], with the robot that carries what it does then.

    A sample at an event belongs to what comes after it; what is not carried has no mass.
    """
    times = sorted({event.t for event in events})
    edges = [0, *np.searchsorted(t, np.array(times) - SAME_TIME).tolist(), t.size]
    for now, (begin, end) in zip([-np.inf, *times], pairwise(edges), strict=True):
        if end > begin:
            yield slice(begin, end), _carrying(robot, events, now)


def _carrying(robot: Robot, events: Sequence[EventFacts], now: float) -> Robot:
    """The robot with what it has picked up until `now` [s], and without the other payloads."""
    carried: set[str] = set()
    for event in sorted(events, key=lambda event: event.t):
        if event.t <= now:
            (carried.add if event.kind == "pick up" else carried.discard)(event.link)
    absent = {event.link for event in events} - carried
    if not absent:
        return robot
    kept = (replace(k, inertia=None) if k.name in absent else k for k in robot.links)
    return replace(robot, links=tuple(kept))
