"""Joint reactions by Lagrange's equation, as the forces that lock six added joints.

Between each joint and its child six joints are inserted, three prismatic and three revolute along
the axes of the child's frame. They are held at zero, so that the motion is unchanged; the efforts
that hold them are the joint's reaction. They follow from Lagrange's equation of the longer tree,
which shares nothing but the robot with the Newton-Euler recursion.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from sim.dynamics import lagrange
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.wrench import Acting, joint_torque
from sim.maths.arrays import Array, columns
from sim.robots.inertia import Link
from sim.robots.joint import Joint, JointKind
from sim.robots.robot import Robot

# Suffixes of the names of links and joints: no name in a URDF ends with them.
CUTS = tuple(f"\ncut {c}" for c in ("fx", "fy", "fz", "mx", "my", "mz"))


def cut_reactions(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY, external: Acting = ()
) -> Array:
    """Return reactions of all tree joints, by the parent on the child, at and along its frame.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        All independent joints [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]).
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        External wrenches on the links; for a robot with closed loops including those of their pins
        (`sim.dynamics.wrench.pin_wrenches`).

    Returns
    -------
    ndarray, shape (n_tree, 6, N)
        Force [N] and moment [N·m] of each joint.

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    n = len(robot.coordinates)
    motion = columns(n, q=q, qd=qd, qdd=qdd)
    opened = _with_cut_joint(robot)
    of_robot = [name in robot.row_names for name in opened.row_names]
    wide = []
    for rows in motion:
        held = np.zeros((len(of_robot), q.shape[1]))
        held[of_robot] = rows
        wide.append(held)
    wide_q, wide_qd, wide_qdd = wide
    tau = lagrange.inverse_dynamics(opened, wide_q, wide_qd, wide_qdd, gravity)
    tau -= joint_torque(opened, wide_q, external)
    of_joints = tau[np.logical_not(of_robot)].reshape(len(robot.tree_joints), len(CUTS), -1)
    return np.repeat(of_joints, [len(joint.coordinates) for joint in robot.tree_joints], axis=0)


@lru_cache(maxsize=64)
def _with_cut_joint(robot: Robot) -> Robot:
    """Return the robot with six held joints between each joint and its child, without its loops."""
    links, joints = [robot.links[0]], []
    for joint, link in zip(robot.joints, robot.links[1:], strict=True):
        if not joint.is_movable:
            joints.append(joint)
            links.append(link)
            continue
        frames = [f"{link.name}{cut}" for cut in CUTS]
        joints.append(replace(joint, child=frames[0]))
        ways = zip(frames, [*frames[1:], link.name], np.tile(np.eye(3), (2, 1)), strict=True)
        for number, (parent, child, axis) in enumerate(ways):
            kind: JointKind = "prismatic" if number < 3 else "revolute"
            joints.append(
                Joint(f"{joint.name}{CUTS[number]}", kind, parent, child, np.eye(4), axis)
            )
        links += [*(Link(frame) for frame in frames), link]
    return replace(robot, links=tuple(links), joints=tuple(joints), loops=())
