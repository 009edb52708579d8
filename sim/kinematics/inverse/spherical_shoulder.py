"""Seven hinges with a spherical shoulder and wrist, such as the KUKA iiwa: eight branches.

Axes 1 to 3 intersect in the shoulder and axes 5 to 7 in the wrist. With joint 3 locked, joint 4
alone determines their distance, joints 1 and 2 the direction between them, and joints 5 to 7 the
rotation of the tool: subproblems 3, 2 and 1 of Murray, Li, Sastry 1994, section 3.2. Elimination
fails for these arms, whose equations are singular at every pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.inverse.joint_axes import JointAxes, cross
from sim.kinematics.inverse.lines import meeting_point
from sim.maths.arrays import Array

LOCKED = 2
_SAME = 1e-9  # m and rad; deviation of axes that intersect or are parallel
_FREE = 1e-11  # of the squared length of a vector; below it the vector is along the axis


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
