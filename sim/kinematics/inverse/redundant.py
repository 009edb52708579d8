"""Seven joints: one is locked at many positions, and the other six are solved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.arm_study import GeneralArm, study_arm
from sim.kinematics.inverse.complex_newton import miss_of, newton
from sim.kinematics.inverse.general import PoseRoots, solve_poses
from sim.kinematics.inverse.joint_axes import JointAxes
from sim.kinematics.inverse.six_joints import independent_axes
from sim.kinematics.inverse.spherical_shoulder import (
    LOCKED,
    SphericalShoulder,
    spherical_shoulder,
)
from sim.kinematics.inverse.travel import inside_limits, joint_limits, nearest_copy
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.robot import Robot

_VALUES = 24
_REFERENCE = 0.4  # rad or m; position of the locked joint for the analysis of the arm
_ORDER = (2, 3, 1, 4, 5, 6, 0)  # order of joints to lock; the outer ones leave the fewest solutions
_TRIED = 3  # number of joints tried
_RANGE = np.pi  # rad or m to either side
_NEAR, _MET = 1e-6, 1e-11  # relative residual of a branch before and after Newton's method


@dataclass(frozen=True, eq=False)
class SevenJoints:
    """A chain of seven independent joints, one of them locked.

    Parameters
    ----------
    axes : JointAxes
        Axes of all seven [m].
    locked : int
        Index of the locked joint.
    arm : GeneralArm or SphericalShoulder
        The other six, with the locked joint at a reference position; or all, in closed form.
    T_0e : ndarray, shape (4, 4)
        Pose of the frame at zero [m].
    moving : ndarray of int, shape (7,)
        Indices of the chain's joints among the robot's independent ones.
    """

    axes: JointAxes
    locked: int
    arm: GeneralArm | SphericalShoulder
    T_0e: Array
    moving: NDArray[np.int64]

    def solve(self, T: Array, values: Array, start: Array) -> list[tuple[Array, PoseRoots | None]]:
        """Return positions (n, m) at a pose (4, 4), with the locked joint at each of the values.

        Each with the roots that were counted; None in closed form.
        """
        axes, fixed = _lock(self.axes, self.locked, values)
        arm, roots = self.arm, list[PoseRoots | None]([None] * len(values))
        T_0e = np.moveaxis(fixed @ self.T_0e, 0, -1)
        G = T @ np.moveaxis(inverse_pose(T_0e), -1, 0)
        if isinstance(arm, SphericalShoulder):
            G_7 = T @ inverse_pose(self.T_0e[..., None])[..., 0]
            others = arm.branches(G_7, values, start[self.moving])
            solutions = _polish(axes, G, np.delete(others, self.locked, axis=2))
        else:
            unit = JointAxes(axes.h, (axes.c - arm.centre) / arm.size, axes.slides)
            counted = solve_poses(replace(arm, axes=unit), arm.in_arm_units(G))[1]
            solutions = [arm.in_metres(one.q) for one in counted]
            roots = [*counted]
        positions = []
        for value, q_6 in zip(values, solutions, strict=True):
            q = np.repeat(start[:, None], len(q_6), axis=1)
            q[self.moving[self.locked]] = value
            q[np.delete(self.moving, self.locked)] = q_6.T
            positions.append(q)
        return list(zip(positions, roots, strict=True))


def _polish(axes: JointAxes, G: Array, q: Array) -> list[Array]:
    """Return the branches of q (N, B, 6) that reach G (N, 4, 4), each (m, 6)."""
    owner = np.repeat(np.arange(len(q)), q.shape[1])
    q = q.reshape(-1, 6)
    near = miss_of(axes.of_lanes(owner), G[owner], q) < _NEAR
    owner, q = owner[near], q[near]
    ends, miss = newton(axes.of_lanes(owner), G[owner], q)
    met = miss < _MET
    return [ends.real[met & (owner == k)] for k in range(len(G))]


def _lock(axes: JointAxes, joint: int, values: Array) -> tuple[JointAxes, Array]:
    """Return axes (N, 6, 3) of the others with a joint at positions (N,), and its motion."""
    motion = axes.motion(joint, values)
    behind = JointAxes(axes.h[joint + 1 :], axes.c[joint + 1 :], axes.slides[joint + 1 :])
    displaced, N = behind.move(motion), len(values)
    h, c = (
        np.concatenate([np.broadcast_to(x[:joint], (N, joint, 3)), y], axis=1)
        for x, y in ((axes.h, displaced.h), (axes.c, displaced.c))
    )
    return JointAxes(h, c, np.delete(axes.slides, joint)), motion


@lru_cache(maxsize=64)
def seven_joints_of(robot: Robot, frame: str | None = None) -> SevenJoints | None:
    """Return the seven joints that move a frame, at most one prismatic; None for other chains."""
    chain = independent_axes(robot, frame, 7)
    if chain is None or chain[0].slides.sum() > 1:
        return None
    axes, T_0e, moving = chain
    if (closed := spherical_shoulder(axes)) is not None:
        return SevenJoints(axes, LOCKED, closed, T_0e, moving)
    slides = np.flatnonzero(axes.slides).tolist()
    for joint in (slides or _ORDER)[:_TRIED]:
        others, _ = _lock(axes, joint, np.array([_REFERENCE]))
        arm = study_arm(JointAxes(others.h[0], others.c[0], others.slides))
        if arm is not None and arm.degree:
            return SevenJoints(axes, joint, arm, T_0e, moving)
    return None


def sweep(
    robot: Robot, chain: SevenJoints, T: Array, start: Array
) -> tuple[Array, PoseRoots | None] | None:
    """Return solutions with the locked joint as close to the start as the limits allow.

    Returns
    -------
    tuple of ndarray, shape (n, m), and PoseRoots or None, or None
        All at one position of the locked joint; None if no solution is inside the limits.
    """
    joint = chain.moving[chain.locked]
    lower, upper = (float(limit[joint]) for limit in joint_limits(robot))
    first = float(np.clip(start[joint], lower, upper))
    low, high = max(lower, first - _RANGE), min(upper, first + _RANGE)
    values = np.array([first, *np.linspace(low, high, _VALUES)])
    values = values[np.argsort(np.abs(values - first), kind="stable")]
    for part in (values[:1], values[1:]):
        for q, one in chain.solve(T, part, start):
            if inside_limits(robot, nearest_copy(robot, q, start)).any():
                return q, one
    return None
