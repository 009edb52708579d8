"""Sums over the force elements in the joints of a robot, none of which is known by name here."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array, columns
from sim.robots.robot import Robot


def has_joint_forces(robot: Robot) -> bool:
    """True if a joint has an end stop, a spring or another such element."""
    return any(joint.forces for joint in robot.tree_joints)


def joint_forces(robot: Robot, q: Array, qd: Array) -> dict[str, Array]:
    """Torque of the force elements on each tree joint, (n_tree, N) [N·m or N], by their channel.

    They act with the drives, ``M qdd + C qd + g = tau + Σ forces``; zero where a joint has none of
    a kind. A kind that no joint has is not there.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
        Of all tree joints [rad or m], [rad/s or m/s].

    Raises
    ------
    ValueError
        If a shape is not (n_tree, N).
    """
    q, qd = columns(len(robot.tree_joints), q=q, qd=qd)
    torques: dict[str, Array] = {}
    for row, joint in enumerate(robot.tree_joints):
        for force in joint.forces:
            torque = torques.setdefault(force.channel, np.zeros_like(q))
            torque[row] = force.effort(joint, q[row], qd[row])
    return torques


def joint_force(robot: Robot, q: Array, qd: Array) -> Array:
    """Sum of all `joint_forces`, shape (n_tree, N); zeros for a robot without any."""
    return sum(joint_forces(robot, q, qd).values(), np.zeros_like(q))
