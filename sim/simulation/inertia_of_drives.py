"""What a drive moves must have inertia: said before a run begins, with the joint and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sim.dynamics.lagrange import terms
from sim.errors import ScenarioError
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.robots.inertia import NOISE
from sim.robots.robot import Robot


def require_some_mass(robot: Robot) -> None:
    """Check that anything of a robot that moves has mass.

    Raises
    ------
    ScenarioError
        If nothing has: every torque would be zero, and a verdict on it would say nothing.
    """
    if robot.tree_joints and not tree_of(robot).masses:
        raise ScenarioError(
            f"No link of robot {robot.name!r} that moves has mass, so every torque would be 0; "
            f"give its links an <inertial>, first {robot.tree_joints[0].child!r}"
        )


def require_inertia_of_drives(
    robot: Robot, stages: Iterable[Robot], driven: Mask, q_tree: Array
) -> None:
    """Check that each driven joint has inertia along it, so that an engine can march.

    A joint that moves nothing with mass is none of these: its repair gives the engine some.

    Parameters
    ----------
    robot : Robot
        As the engine has it, with all payloads.
    stages : iterable of Robot
        The same with the payloads of each stage of the run.
    driven : ndarray of bool, shape (n_tree,)
    q_tree : ndarray, shape (n_tree, 1)
        The start [rad or m].

    Raises
    ------
    ScenarioError
        Names the joint, the link and what to give.
    """
    known = {repair.part for repair in robot.repairs}
    for stage in stages:
        inertias = _along(stage, q_tree)
        for joint, inertia, is_driven in zip(robot.tree_joints, inertias, driven, strict=True):
            nothing = inertia <= NOISE * _carried(stage, joint.child)
            if is_driven and nothing and f"joint {joint.name!r}" not in known:
                unit = "kg" if joint.is_prismatic else "kg·m² about its axis"
                raise ScenarioError(
                    f"Joint {joint.name!r} is driven and what it moves has no inertia along it; "
                    f"no step can be small enough: give link {joint.child!r} some, such as "
                    f"1e-6 {unit}, or use method 'ideal'"
                )


def _along(robot: Robot, q_tree: Array) -> Array:
    """What each tree joint moves along itself, (n_tree,) [kg·m² or kg], as if none followed."""
    alone = replace(
        robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints), loops=()
    )
    M = terms(alone, q_tree, np.zeros_like(q_tree)).M
    return np.asarray(np.diagonal(M[:, :, 0]))


def _carried(robot: Robot, link: str) -> float:
    """Mass of a link and of all that hangs on it [kg]."""
    on = {link}
    for joint in robot.joints:  # every parent before its children
        if joint.parent in on:
            on.add(joint.child)
    bodies = (one.inertia for one in robot.links if one.name in on)
    return sum(body.mass for body in bodies if body is not None)
