"""What a drive moves must have a possible inertia: checked before a run, with the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from sim.dynamics.hybrid import INERTIA
from sim.dynamics.lagrange import mass_matrix
from sim.errors import ScenarioError
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.robots.inertia import NOISE, SLIGHT, least_moment
from sim.robots.joint import Joint
from sim.robots.robot import Robot


def require_some_mass(robot: Robot) -> None:
    """Check that anything of a robot that moves has mass.

    Raises
    ------
    ScenarioError
        If nothing has: every torque would be zero, and a verdict on it would mean nothing.
    """
    if robot.tree_joints and not tree_of(robot).masses:
        raise ScenarioError(
            f"No link of robot {robot.name!r} that moves has mass, so every torque would be 0; "
            f"give its links an <inertial>, first {robot.tree_joints[0].child!r}"
        )


def require_possible_moments(robot: Robot) -> None:
    """Check that no link that a joint turns has a principal moment below zero, beyond its print.

    Moments that only violate the triangle inequality are reported only: energy stays positive.

    Raises
    ------
    ScenarioError
        Names the link and its moments: turned about that axis it would have less than no energy.
    """
    parts = {one.part for one in robot.repairs if one.kind == "impossible body" and one.joints}
    for link in robot.links:
        if link.inertia is None or f"link {link.name!r}" not in parts:
            continue
        if least_moment(link.inertia.tensor) < -SLIGHT:
            moments = ", ".join(f"{m:.3g}" for m in np.linalg.eigvalsh(link.inertia.tensor))
            raise ScenarioError(
                f"Link {link.name!r} has the principal moments of inertia ({moments}) kg·m², and "
                "no body has one below 0: turned about that axis it would have less than no "
                "energy; see sim audit, and write the tensor that CAD gives"
            )


def require_inertia_of_drives(
    robot: Robot, stages: Iterable[Robot], driven: Mask, q_tree: Array, *, marches: bool
) -> None:
    """Check that each motion of the driven joints moves some mass, so that an engine can answer.

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
    marches : bool
        The engine steps through time; then one joint that moves nothing along itself is too much.

    Raises
    ------
    ScenarioError
        Names the joint, the link and what to give.
    """
    for stage in stages:
        joints = [
            (k, joint)
            for k, joint in enumerate(robot.tree_row_joints)
            if driven[k] and joint.child not in robot.lone_frames
        ]
        M = _mass_matrix(stage, q_tree)
        heavy = []
        for k, joint in joints:
            if M[k, k] < -NOISE * _mass_beyond(stage, joint.child):
                raise ScenarioError(
                    f"Joint {joint.name!r} would move less than nothing at the start, "
                    f"{M[k, k]:.3g} kg·m² or kg, because a tensor beyond it is impossible; see "
                    "robot.repairs or sim audit, and write a body's"
                )
            if M[k, k] > NOISE * _mass_beyond(stage, joint.child):
                heavy.append((k, joint))
            elif marches:
                raise ScenarioError(_lacking(joint) + ", or use method 'ideal'")
        if (lightest := _lightest(M, [k for k, _ in heavy])) is not None:
            raise ScenarioError(_lacking(heavy[lightest][1]) + ", or start from another pose")


def _lacking(joint: Joint) -> str:
    row = joint.coordinates[0]
    unit = row.units.inertia + (" about its axis" if row.is_angle else "")
    return (
        f"Joint {joint.name!r} is driven and can move at the start without moving any mass, so "
        f"that no engine can hold it, however small its step; give link {joint.child!r} inertia, "
        f"such as 1e-6 {unit}"
    )


def _lightest(M: Array, rows: list[int]) -> int | None:
    """Which of these joints has most of a motion that moves nothing; None if there is none."""
    if not rows:
        return None
    part = M[np.ix_(rows, rows)]
    size = np.sqrt(np.diag(part))
    values, vectors = np.linalg.eigh(part / np.outer(size, size))
    return None if values[0] > INERTIA else int(np.argmax(np.abs(vectors[:, 0])))


def _mass_matrix(robot: Robot, q_tree: Array) -> Array:
    """Mass matrix of the tree joints, (n_tree, n_tree), as if none followed another."""
    alone = replace(
        robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints), loops=()
    )
    return mass_matrix(alone, q_tree)[:, :, 0]


def _mass_beyond(robot: Robot, link: str) -> float:
    """Mass of a link and of all that hangs on it [kg]."""
    on = {link}
    for joint in robot.joints:  # every parent before its children
        if joint.parent in on:
            on.add(joint.child)
    bodies = (one.inertia for one in robot.links if one.name in on)
    return sum(body.mass for body in bodies if body is not None)
