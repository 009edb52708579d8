"""Checks, before a run, that the links moved by a drive have a physical inertia."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.light_motion import INERTIA, lightest_motion
from sim.engine_names import ENGINES
from sim.errors import ScenarioError
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.robots.inertia import NOISE, SLIGHT, least_moment
from sim.robots.joint import Joint
from sim.robots.robot import Robot
from sim.simulation.problem import Problem

LOST = 1 / INERTIA  # condition number of a mass matrix that is only rounding
LOOKED_AT = 20  # samples of a run that are checked


def require_some_mass(robot: Robot) -> None:
    """Check that some moving part of a robot has mass.

    Raises
    ------
    ScenarioError
        If none has: every torque would be zero, and a check of it meaningless.
    """
    if robot.tree_joints and not tree_of(robot).masses:
        raise ScenarioError(
            f"No link of robot {robot.name!r} that moves has mass, so every torque would be 0; "
            f"give its links an <inertial>, first {robot.tree_joints[0].child!r}"
        )


def require_possible_moments(robot: Robot) -> None:
    """Check that no rotating link has a negative principal moment, beyond the rounding of its file.

    Moments that only violate the triangle inequality are merely reported: energy stays positive.

    Raises
    ------
    ScenarioError
        If one has; names the link and its moments: its energy about that axis would be negative.
    """
    parts = {one.part for one in robot.repairs if one.kind == "impossible body" and one.joints}
    for link in robot.links:
        if link.inertia is None or f"link {link.name!r}" not in parts:
            continue
        if least_moment(link.inertia.tensor) < -SLIGHT:
            moments = ", ".join(f"{m:.3g}" for m in np.linalg.eigvalsh(link.inertia.tensor))
            raise ScenarioError(
                f"Link {link.name!r} has the principal moments of inertia ({moments}) kg·m², one "
                "of them negative, which is impossible: rotation about that axis would have "
                "negative energy; see sim audit, and use the tensor from CAD"
            )


def require_inertia_of_drives(
    robot: Robot, stages: Iterable[Robot], driven: Mask, q_tree: Array, *, marches: bool
) -> None:
    """Check that each motion of the driven joints has inertia, so that an engine can solve it.

    A joint that moves no mass is exempt: its repair gives the engine some.

    Parameters
    ----------
    robot : Robot
        Robot of the engine, with all payloads.
    stages : iterable of Robot
        Robots with the payloads of each stage of the run.
    driven : ndarray of bool, shape (n_tree,)
    q_tree : ndarray, shape (n_tree, 1)
        Start [rad or m].
    marches : bool
        Whether the engine steps through time; then a single joint without inertia is an error.

    Raises
    ------
    ScenarioError
        If one has none; names the joint, the link and a remedy.
    """
    for stage in stages:
        joints = [
            (k, joint)
            for k, joint in enumerate(robot.tree_row_joints)
            if driven[k] and joint.child not in robot.lone_frames
        ]
        M = _mass_matrices(stage, q_tree)[:, :, 0]
        heavy = []
        for k, joint in joints:
            if M[k, k] < -NOISE * _mass_beyond(stage, joint.child):
                raise ScenarioError(
                    f"Joint {joint.name!r} has a negative effective inertia at the start, "
                    f"{M[k, k]:.3g} kg·m² or kg, because a tensor beyond it is impossible; see "
                    "robot.repairs or sim audit, and correct the tensor"
                )
            if M[k, k] > NOISE * _mass_beyond(stage, joint.child):
                heavy.append((k, joint))
            elif marches:
                raise ScenarioError(_lacking(joint) + ", or use method 'ideal'")
        rows = [k for k, _ in heavy]
        if rows and (light := lightest_motion(M[np.ix_(rows, rows)][:, :, None])).condition > LOST:
            *others, last = (heavy[row][1] for row in light.rows)
            raise ScenarioError(_lacking(last, others) + ", or start from another pose")


def light_motion_notes(problem: Problem) -> tuple[str, ...]:
    """Return a note if the engine loses digits because a motion has next to no inertia.

    A prescribed motion is checked at `LOOKED_AT` times, others at the start.
    """
    robot, t = problem.robot, problem.t
    if problem.method.solves_motion:
        return ()
    if problem.path.free.any():
        t = t[:1]
    t = t[np.linspace(0, t.size - 1, min(t.size, LOOKED_AT)).astype(int)]
    joints = robot.tree_row_joints
    rows = [
        k
        for k, joint in enumerate(joints)
        if problem.driven[k] and joint.drive is None and joint.child not in robot.lone_frames
    ]
    q = robot.q_tree(problem.prescribed_motion(t).q)
    M = _mass_matrices(robot, q)[np.ix_(rows, rows)]
    if not rows or (np.diagonal(M) <= 0).any():
        return ()
    light = lightest_motion(M)
    if not light.is_near_singular:
        return ()
    together = [joints[rows[row]] for row in light.rows]
    names = ", ".join(joint.name for joint in together)
    return (
        f"Moved together, {names} have next to no inertia at t = {t[light.sample]:.4g} s: the "
        f"mass matrix has the condition {light.condition:.0e}, so that "
        f"{ENGINES[problem.scenario.engine].title} loses {math.log10(light.condition):.0f} digits; "
        f"give link {together[-1].child!r} a larger tensor",
    )


def _lacking(joint: Joint, others: Sequence[Joint] = ()) -> str:
    row = joint.coordinates[0]
    unit = row.units.inertia + (" about its axis" if row.is_angle else "")
    names = ", ".join(repr(other.name) for other in others)
    return (
        f"Joint {joint.name!r} is driven and can move {f'together with {names} ' if names else ''}"
        f"at the start without moving any mass, so that no engine can hold it, however small its "
        f"step; give link {joint.child!r} inertia, such as 1e-6 {unit}"
    )


def _mass_matrices(robot: Robot, q_tree: Array) -> Array:
    """Return mass matrices of the tree joints, (n_tree, n_tree, N), without followers."""
    alone = replace(
        robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints), loops=()
    )
    return mass_matrix(alone, q_tree)


def _mass_beyond(robot: Robot, link: str) -> float:
    """Return the mass of a link and of all links beyond it [kg]."""
    on = {link}
    for joint in robot.joints:  # every parent before its children
        if joint.parent in on:
            on.add(joint.child)
    bodies = (one.inertia for one in robot.links if one.name in on)
    return sum(body.mass for body in bodies if body is not None)
