"""Robot reduced to its rigid bodies, as in an engine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from sim.engines.bullet.welding import weld_fixed_links
from sim.robots.robot import Robot
from sim.robots.urdf import PLUS_MIMIC, reread
from sim.robots.xml_text import parse, text_of


def without_couplings(robot: Robot) -> Robot:
    """Return the robot with independent tree joints, as in an engine that ignores ``<mimic>``."""
    if robot.is_plain and not robot.loops:
        return robot
    root = parse(robot.text, f"robot {robot.name!r}")
    for joint in root.findall("joint"):
        for mimic in [*joint.findall("mimic"), *joint.findall(PLUS_MIMIC)]:
            joint.remove(mimic)
    text = text_of(root)
    alone = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    return replace(reread(alone, text, f"robot {robot.name!r}"), loops=())


def bare_robot(robot: Robot) -> Robot:
    """Return the robot without friction, damping, springs, stops and drive trains."""
    joints = tuple(
        replace(joint, damping=0.0, friction=0.0, friction_law=None, forces=(), drive=None)
        for joint in robot.joints
    )
    return replace(robot, joints=joints)


def with_links(robot: Robot, present: Collection[str]) -> Robot:
    """Return the robot with the fixed links that an engine has not merged into others."""
    if all(link.name in present for link in robot.links):
        return robot
    return weld_fixed_links(robot, present).robot
