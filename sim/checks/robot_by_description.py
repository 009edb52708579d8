"""The robot and its loads in a run's description, as a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from msgspec import structs

from sim.checks.run_view import RunView
from sim.dynamics.element_sum import ElementSum
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
    """Return the run's own URDF with the joint elements in the description.

    Every payload of the run is a link; loops are open.

    Raises
    ------
    RecordingError
        If the description has no such law or element.
    ModelError
        If a joint cannot have the element.
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
    """Return the friction law in the description, where an infinite torque is null."""
    law = {name: value for name, value in (joint.friction_law or {}).items() if value is not None}
    try:
        return JointFriction(**law)  # type: ignore[arg-type]
    except (TypeError, ModelError) as error:
        raise RecordingError(
            f"The run's description has no law of friction for joint {joint.name!r}: {error}"
        ) from None


def drive_of(joint: JointFacts) -> DriveTrain:
    """Return the drive train in the description."""
    return drive_of_fields(joint.name, joint.drive or {})


def drive_of_fields(joint: str, fields: Mapping[str, float | bool | None]) -> DriveTrain:
    """Return the drive train of a joint from its fields in the description."""
    try:
        return DriveTrain(**fields)  # type: ignore[arg-type]
    except (TypeError, ModelError) as error:
        raise RecordingError(
            f"The run's description has no drive train for joint {joint!r}: {error}"
        ) from None


def motor_ratios(view: RunView) -> dict[str, float]:
    """Return motor speed over joint speed for joints with a drive train, by name."""
    return {one.name: drive_of(one).ratio for one in view.joints if one.drive is not None}


def known_elements(view: RunView, robot: Robot) -> ElementSum:
    """Return the force elements of a described robot, except those defined by Python functions.

    Raises
    ------
    SimError
        If an element is impossible: an unknown frame, or invalid numbers.
    """
    on_links = (element for element in view.elements_on_links if element is not None)
    return ElementSum(robot, (*joint_elements(robot), *on_links))


def unknown_forces(view: RunView) -> list[str]:
    """Return the frames with forces that the description does not contain."""
    if None not in view.elements_on_links:
        return []
    from sim.dynamics.force import Force

    return [force.frame for force in view.run.forces if class_of(force) is Force]


def stages(robot: Robot, events: Sequence[EventFacts], t: Array) -> Iterator[tuple[slice, Robot]]:
    """Yield parts of ascending times `t` [s], each with the robot and its current payloads.

    A sample at an event belongs to the following part; payloads not carried have no mass.
    """
    times = sorted({event.t for event in events})
    edges = [0, *np.searchsorted(t, np.array(times) - SAME_TIME).tolist(), t.size]
    for now, (begin, end) in zip([-np.inf, *times], pairwise(edges), strict=True):
        if end > begin:
            yield slice(begin, end), _with_payloads(robot, events, now)


def _with_payloads(robot: Robot, events: Sequence[EventFacts], now: float) -> Robot:
    """Return the robot with the payloads picked up until `now` [s], without the others."""
    carried: set[str] = set()
    for event in sorted(events, key=lambda event: event.t):
        if event.t <= now:
            (carried.add if event.kind == "pick up" else carried.discard)(event.link)
    absent = {event.link for event in events} - carried
    if not absent:
        return robot
    links = (structs.replace(k, inertia=None) if k.name in absent else k for k in robot.links)
    return replace(robot, links=tuple(links))
