"""Seven joints: one is locked at many positions, and the other six are solved.

Seven hinges with a spherical shoulder and wrist, such as the KUKA iiwa, have eight branches: axes 1
to 3 intersect in the shoulder and axes 5 to 7 in the wrist. With joint 3 locked, joint 4 alone
determines their distance, joints 1 and 2 the direction between them, and joints 5 to 7 the rotation
of the tool: subproblems 3, 2 and 1 of Murray, Li, Sastry 1994, section 3.2. Elimination fails for
these arms, whose equations are singular at every pose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim.kinematics.inverse.arm_study import GeneralArm, study_arm
from sim.kinematics.inverse.general import PoseRoots, solve_poses
from sim.kinematics.inverse.joint_axes import JointAxes, cross
from sim.kinematics.inverse.lines import meeting_point
from sim.kinematics.inverse.roots import miss_of, newton
from sim.kinematics.inverse.six_joints import independent_axes
from sim.kinematics.inverse.travel import inside_limits, joint_limits, nearest_copy
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose
from sim.robots.robot import Robot

LOCKED = 2
_SAME = 1e-9  # m and rad; deviation of axes that intersect or are parallel
_FREE = 1e-11  # of the squared length of a vector; below it the vector is along the axis

_VALUES = 24
_REFERENCE = 0.4  # rad or m; position of the locked joint for the analysis of the arm
_ORDER = (2, 3, 1, 4, 5, 6, 0)  # order of joints to lock; the outer ones leave the fewest solutions
_TRIED = 3  # number of joints tried
_RANGE = np.pi  # rad or m to either side

_NEAR, _MET = 1e-6, 1e-11  # relative residual of a branch before and after Newton's method


@dataclass(frozen=True, eq=False)
class SphericalShoulder:
    """An arm whose first and last three axes intersect.

    Parameters
    ----------
    axes : JointAxes
        Axes of all seven joints [m].
    shoulder, wrist : ndarray, shape (3,)
        Points at zero in which the axes intersect [m].
    """

    axes: JointAxes
    shoulder: Array
    wrist: Array

    def branches(self, G: Array, values: Array, start: Array) -> Array:
        """Return all branches for a displacement G (4, 4), shape (N, 8, 7) [rad].

        Branches out of reach miss the pose; joints that are free there stay at the start.

        Parameters
        ----------
        values : ndarray, shape (N,)
            Positions of joint 3 [rad].
        start : ndarray, shape (7,)
        """
        h, N = self.axes.h, len(values)
        v = G[:3, :3] @ self.wrist + G[:3, 3] - self.shoulder
        arm = self.wrist - self.axes.c[3]
        along = (arm @ h[3]) * h[3]
        base = self.axes.c[3] + along - self.shoulder
        x, y = arm - along, np.cross(h[3], arm)
        # |base + x cos + y sin| is the length of v
        A, B, C = 2 * (base @ x), 2 * (base @ y), v @ v - base @ base - x @ x
        bend = np.arccos(np.clip(C / np.hypot(A, B), -1.0, 1.0))
        q4 = np.arctan2(B, A) + np.array([bend, -bend])
        u = base + np.cos(q4)[:, None] * x + np.sin(q4)[:, None] * y
        R3 = self.axes.motion(2, values)[:, None, :3, :3]
        q1, q2 = _two_rotations(h[0], h[1], (R3 @ u[..., None])[..., 0], v, start[:2])
        q3, q4 = values[:, None, None], q4[:, None]
        R = np.eye(3)
        for joint, q in enumerate((q1, q2, q3, q4)):
            R = R @ self.axes.motion(joint, q)[..., :3, :3]
        R = np.swapaxes(R, -1, -2) @ G[:3, :3]  # of the wrist
        q5, q6 = _two_rotations(
            h[4], h[5], np.broadcast_to(h[6], R.shape[:-1]), R @ h[6], start[4:6]
        )
        side = np.cross(h[6], h[5])  # any vector off axis 7
        R56 = self.axes.motion(4, q5)[..., :3, :3] @ self.axes.motion(5, q6)[..., :3, :3]
        turned = (np.swapaxes(R56, -1, -2) @ (R @ side)[..., None, :, None])[..., 0]
        q7 = _angle(h[6], np.broadcast_to(side, turned.shape), turned, start[6])
        parts = (q1[..., None], q2[..., None], q3[..., None], q4[..., None], q5, q6, q7)
        return np.stack(np.broadcast_arrays(*parts), axis=-1).reshape(N, 8, 7)


def spherical_shoulder(axes: JointAxes) -> SphericalShoulder | None:
    """Return the arm of seven axes at zero; None if it has another geometry."""
    h, c = axes.h, axes.c
    pairs = ((0, 1), (1, 2), (4, 5), (5, 6))
    if axes.slides.any() or min(np.linalg.norm(np.cross(h[i], h[j])) for i, j in pairs) < 1e-3:
        return None
    points, gaps = zip(*(meeting_point(c[i], h[i], c[j], h[j]) for i, j in pairs), strict=True)
    shoulder, wrist = points[0], points[2]
    distance = max(*gaps, *(np.linalg.norm(p - q) for p, q in (points[:2], points[2:])))
    levers = [np.linalg.norm(np.cross(point - c[3], h[3])) for point in (shoulder, wrist)]
    if distance > _SAME or min(levers) < 1e-3:
        return None
    return SphericalShoulder(axes, shoulder, wrist)


def _two_rotations(a: Array, b: Array, u: Array, v: Array, start: Array) -> tuple[Array, Array]:
    """Return both pairs of angles (..., 2) about a, then b, that bring u (..., 3) to v."""
    cos, normal = a @ b, np.cross(a, b)
    av, bu, size = (v @ a), (u @ b), normal @ normal
    x, y = (av - cos * bu) / size, (bu - cos * av) / size
    rest = (u * u).sum(-1) - x * x - y * y - 2 * cos * x * y
    t = np.sqrt(np.maximum(rest, 0.0) / size)
    between = (x[..., None] * a + y[..., None] * b)[..., None, :]
    between = between + np.stack([t, -t], -1)[..., None] * normal
    u, v = u[..., None, :], np.broadcast_to(v[..., None, :], between.shape)
    second = _angle(b, np.broadcast_to(u, between.shape), between, start[1])
    return _angle(a, between, v, start[0]), second


def _angle(axis: Array, u: Array, v: Array, start: float) -> Array:
    """Return the angle about an axis from u to v (..., 3); the start where they are along it."""
    sin = cross(u, v) @ axis
    cos = (u * v).sum(-1) - (u @ axis) * (v @ axis)
    is_free = np.hypot(sin, cos) < _FREE * (u * u).sum(-1)
    return np.where(is_free, start, np.arctan2(sin, cos))


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
