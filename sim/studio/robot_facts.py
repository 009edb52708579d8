"""Facts about a robot for the window: joints with limits and ratings, links, poses, notes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from sim import shipped
from sim.errors import SimError
from sim.reports.page.teach_page import joint_rows, teach_facts, tree_joints
from sim.robots.drive_train import DriveTrain
from sim.robots.robot import Robot
from sim.sizing.catalogue import read_gears, read_motors
from sim.sizing.pair import Pair
from sim.studio.preview import poses

MOTORS, GEARS = "made_up_motors.csv", "made_up_gears.csv"  # shipped with the scenarios


def robot_facts(robot: Robot) -> dict[str, Any]:
    """Return facts of a robot as plain values for JSON.

    `teach` has those of the panel that moves the robot, or the reason why there is none. The panel
    closes loops, which the forms leave to the run.
    """
    named = poses(robot)
    start = "home" if "home" in named else "zero"
    rows = _plain(joint_rows(robot, np.asarray(named[start])))
    for row, one in zip(rows, robot.coordinates, strict=True):
        limits = one.limits
        row |= {
            "ball": None if one.name == one.joint else one.joint,
            "velocity": _finite_or_none(limits.velocity),
            "effort": _finite_or_none(limits.effort),
            "ends": [_finite_or_none(limits.lower), _finite_or_none(limits.upper)],
        }
    parents = {joint.parent for joint in robot.joints}
    try:
        teach = _plain(teach_facts(robot, robot.name, None, {}))
    except SimError as error:
        teach = str(error)
    return {
        "name": robot.name,
        "tool": robot.tool,
        "tools": [link.name for link in robot.links if link.name not in parents],
        "links": [link.name for link in robot.links],
        "mass": sum(link.inertia.mass for link in robot.links if link.inertia is not None),
        "rows": rows,
        "tree": _plain(tree_joints(robot)),
        "poses": named,
        "start": start,
        "repairs": [f"{one.part}: {one.says}; used: {one.taken}" for one in robot.repairs],
        "teach": teach,
    }


def _plain(facts: Any) -> Any:
    return msgspec.to_builtins(facts, enc_hook=float)


def catalogue() -> dict[str, Any]:
    """Return the drive trains of the shipped fictitious catalogues: numbers by motor and gear."""
    motors = read_motors(shipped.scenarios() / MOTORS)
    gears = read_gears(shipped.scenarios() / GEARS)
    return {
        motor.name: {gear.name: _numbers(Pair(motor, gear).train) for gear in gears}
        for motor in motors
    }


def _numbers(train: DriveTrain) -> dict[str, float]:
    """Return the arguments of a drive train that are not its defaults."""
    rows = {one.name: (getattr(train, one.name), one.default) for one in fields(train)}
    return {name: float(x) for name, (x, usual) in rows.items() if x is not None and x != usual}


def _finite_or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
