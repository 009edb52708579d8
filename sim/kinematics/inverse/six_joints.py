"""Six-joint chain of a robot, for `general`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.arm_study import GeneralArm, study_arm
from sim.kinematics.inverse.joint_axes import JointAxes
from sim.kinematics.poe import Screws, screws_of
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.robot import Robot

_SLIDES = 1e-12  # largest angular part of a prismatic unit screw


@dataclass(frozen=True, eq=False)
class SixJoints:
    """A chain of six independent joints from the world to a frame.

    Parameters
    ----------
    arm : GeneralArm
    T_0e : ndarray, shape (4, 4)
        Pose of the frame at zero [m].
    moving : ndarray of int, shape (6,)
        Indices of the chain's joints among the robot's independent ones.
    """

    arm: GeneralArm
    T_0e: Array
    moving: NDArray[np.int64]

    def displacements(self, T: Array) -> Array:
        """Return the required products of joint motions for poses (4, 4, N); shape (N, 4, 4)."""
        return self.arm.in_arm_units(
            np.moveaxis(T, -1, 0) @ inverse_pose(self.T_0e[..., None])[..., 0]
        )

    def positions(self, q: Array, start: Array) -> Array:
        """Return the robot's positions (n, m) from the chain's (m, 6), others at the start."""
        out = np.repeat(start[:, None], len(q), axis=1)
        out[self.moving] = self.arm.in_metres(q).T
        return out


def axes_of(screws: Screws) -> JointAxes:
    """Return the axes of a chain at zero [m]."""
    v, w = screws.xi[:3].T, screws.xi[3:].T
    slides = np.abs(w).max(axis=1) < _SLIDES
    h = np.where(slides[:, None], v, w)
    return JointAxes(h, np.where(slides[:, None], 0.0, np.cross(w, v)), slides)


def independent_axes(
    robot: Robot, frame: str | None, count: int
) -> tuple[JointAxes, Array, NDArray[np.int64]] | None:
    """Return axes of a chain of `count` joints, its frame's pose at zero, and joint indices.

    None if more or fewer joints move the frame, or if they are coupled.
    """
    screws = screws_of(robot, frame)
    moving = np.flatnonzero(np.any(screws.coupling != 0, axis=0))
    if screws.coupling.shape[0] != count or len(moving) != count:
        return None
    if not np.array_equal(screws.coupling[:, moving], np.eye(count)):
        return None
    return axes_of(screws), screws.T_0e, moving


@lru_cache(maxsize=64)
def six_joints_of(robot: Robot, frame: str | None = None) -> SixJoints | None:
    """Return the six joints that move a frame; None if their number differs or they are coupled."""
    chain = independent_axes(robot, frame, 6)
    if chain is None:
        return None
    axes, T_0e, moving = chain
    arm = study_arm(axes)
    return SixJoints(arm, T_0e, moving) if arm is not None and arm.degree else None
