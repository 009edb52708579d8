"""Adding drive trains and rotors to the joints of a robot, and removing them.

A rotor that is a body is written into the URDF text, which is parsed again, so that all readers of
the text have the same body.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from sim.errors import ModelError
from sim.robots.coupled_rotor import CoupledRotor
from sim.robots.drive_train import DriveTrain
from sim.robots.gear_spring import GearSpring
from sim.robots.joint import Joint
from sim.robots.payload import (
    motor_of,
    require_same_rotor,
    rotor_link,
    spin_joint,
    with_coupled_rotor,
    with_free_rotor,
    with_rotor,
    without_free_rotor,
)
from sim.robots.transmissions import transmissions_of
from sim.robots.urdf import reread
from sim.robots.urdf_tree import UrdfTree

R = TypeVar("R", bound=UrdfTree)


def fit_drives(robot: R, drives: Mapping[str, DriveTrain]) -> R:
    """Return the robot with these drive trains, by joint name; see `Robot.with_drives`."""
    joints = []
    for name, drive in drives.items():
        joint = _require_own_drive(robot, name)
        if joint.drive is not None and joint.drive.is_elastic and joint.drive != drive:
            robot = remove_drives(robot, {name})
            joint = robot.joint(name)
        if drive.has_rotor_body:
            robot = _fit_rotor(robot, joint, drive)
        joints.append(_with_gear(joint, drive))
    return robot.with_joints(joints)


def drives_in_text(robot: UrdfTree) -> dict[str, DriveTrain]:
    """Return the drive trains given by the ratios in its text; see `Robot.with_transmissions`."""
    undriven = {joint.name for joint in robot.independent_joints if joint.drive is None}
    transmissions = transmissions_of(robot.text, f"robot {robot.name!r}")
    ratios = {one.joint: one.ratio for one in transmissions if one.ratio and one.joint in undriven}
    if not ratios:
        raise ModelError(
            f"No <transmission> of robot {robot.name!r} gives one of its joints a ratio other "
            f"than 1; elements: {len(transmissions)}. Use with_drives(…)"
        )
    return {name: DriveTrain(ratio) for name, ratio in ratios.items()}


def remove_drives(robot: R, names: Collection[str] | None = None) -> R:
    """Return the robot without the drive trains of some joints; see `Robot.without_drives`."""
    chosen = [
        joint
        for joint in robot.joints
        if joint.drive is not None and (names is None or joint.name in names)
    ]
    text, source = robot.text, f"robot {robot.name!r}"
    for joint in chosen:
        if joint.drive is None or not joint.drive.is_elastic:
            continue
        if joint.drive.gyroscopic:
            raise ModelError(
                f"The rotor of joint {joint.name!r} of robot {robot.name!r} is a body on link "
                f"{joint.parent!r}, which gave it its moments; start from a robot without a rotor"
            )
        text = without_free_rotor(text, source, joint.name)
    if text is not robot.text:
        robot = reread(robot, text, f"{source} without rotors")
    return robot.with_joints(_with_gear(joint, None) for joint in chosen)


def fit_coupled_rotors(robot: R, rotors: Mapping[str, CoupledRotor]) -> R:
    """Return the robot with rotors coupled to several joints; see `Robot.with_coupled_rotors`."""
    for motor, rotor in rotors.items():
        for name in rotor.ratios:
            joint = robot.movable_joint(name, "coupled rotor")
            if joint.mimic is not None:
                raise ModelError(
                    f"Rotor {motor!r} of robot {robot.name!r} turns with joint {name!r}, which "
                    f"follows {joint.mimic.leaders}; name these instead"
                )
        if {rotor_link(motor), spin_joint(motor)} & robot.taken_names:
            raise ModelError(
                f"Robot {robot.name!r} has {rotor_link(motor)!r} already; name another motor"
            )
        source = f"robot {robot.name!r}"
        text = with_coupled_rotor(robot.text, source, robot.links[0].name, motor, rotor)
        robot = reread(robot, text, f"{source} with the rotor of {motor!r}")
    return robot


def _require_own_drive(robot: UrdfTree, name: str) -> Joint:
    """Return the joint of a name, which can have a drive train of its own."""
    joint = robot.movable_joint(name, "drive train")
    if joint.mimic is not None:
        raise ModelError(
            f"Joint {name!r} of robot {robot.name!r} follows {joint.mimic.joint!r} and has "
            f"no motor; give the drive train to {joint.mimic.joint!r}"
        )
    if len(joint.coordinates) != 1:
        raise ModelError(
            f"Joint {name!r} of robot {robot.name!r} has {len(joint.coordinates)} "
            "coordinates, and a drive train moves one"
        )
    if motor_of(name) != name and any(one.name == motor_of(name) for one in robot.joints):
        raise ModelError(
            f"Joint {name!r} of robot {robot.name!r} is a motor's angle; give the drive "
            f"train to joint {motor_of(name)!r}"
        )
    return joint


def _with_gear(joint: Joint, drive: DriveTrain | None) -> Joint:
    """Return the joint with a drive train; an elastic gear adds its spring as force element."""
    forces = tuple(one for one in joint.forces if not isinstance(one, GearSpring))
    if drive is not None and drive.is_elastic:
        law, motor = vars(drive.twist_law), spin_joint(joint.name)
        forces += (GearSpring(**law, motor=motor, ratio=drive.ratio),)
    return replace(joint, drive=drive, forces=forces)


def _fit_rotor(robot: R, joint: Joint, drive: DriveTrain) -> R:
    """Return the robot with a joint's rotor as a body; itself if it already has this rotor."""
    name, source = rotor_link(joint.name), f"robot {robot.name!r}"
    spin = next((one for one in robot.joints if one.child == name), None)
    if spin is not None:
        require_same_rotor(joint, spin, robot.link(name).inertia, drive)
        return robot
    if drive.gyroscopic:
        moving = {robot.links[0].name: False}
        for one in robot.joints:
            moving[one.child] = one.is_movable or moving[one.parent]
        text = with_rotor(
            robot.text, source, joint, drive, robot.link(joint.parent).inertia,
            stands=not moving[joint.parent],
        )  # fmt: skip
    else:
        text = with_free_rotor(robot.text, source, robot.links[0].name, joint, drive)
    return reread(robot, text, f"{source} with the rotor of {joint.name!r}")
