"""Joint friction as the URDF gives it: viscous and Coulomb."""

from __future__ import annotations

import numpy as np

from sim.robots.model import Robot
from sim.spatial import Array


def friction_torque(robot: Robot, qd: Array) -> Array:
    """Torque that the drive of each tree joint spends on friction, d qd + f sign(qd).

    Parameters
    ----------
    qd : ndarray, shape (n_tree, N)
        Velocities of all tree joints [rad/s or m/s].

    Returns
    -------
    ndarray, shape (n_tree, N)
        [N·m or N], positive along the motion; zero at rest.
    """
    viscous = np.array([joint.damping for joint in robot.tree_joints])
    coulomb = np.array([joint.friction for joint in robot.tree_joints])
    return np.asarray(viscous[:, None] * qd + coulomb[:, None] * np.sign(qd))
