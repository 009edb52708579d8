"""Acceleration of any frame of a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.kinematics.arrays import columns
from sim.kinematics.jacobian import jacobian, jacobian_rate
from sim.robots.model import Robot
from sim.spatial import Array


def frame_acceleration(
    robot: Robot, link: str | None, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> Array:
    """Acceleration ``J qdd + Jd qd`` of a link's frame, shape (6, N) [m/s², rad/s²].

    The second time derivative of the position of the frame's origin, and the time derivative of
    the frame's angular velocity; world axes.

    Parameters
    ----------
    link : str or None
        The tool frame for None.
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])

    Raises
    ------
    ModelError
        If the robot has no such link.
    ValueError
        If a shape is not (n, N).
    """
    q, qd, qdd = columns(len(robot.joint_names), q=q, qd=qd, qdd=qdd)
    J, Jd = jacobian(robot, q, link), jacobian_rate(robot, q, qd, link)
    return np.einsum("anN,nN->aN", J, qdd) + np.einsum("anN,nN->aN", Jd, qd)
