"""Revolute axes of a chain as lines in space, in the frame in which an arm is plain.

All families here have a first axis and, perpendicular to it, the parallel axes of an arm. In the
arm frame the first axis is z, and at φ1 = 0 the arm moves in the plane of x (radial) and z (up),
about n = -y. A point of that plane is the complex number ``radial + i·up``, which a rotation about
n by Φ multiplies by ``e^{iΦ}``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from sim.kinematics.inverse.arm_frame import drop_rounding
from sim.kinematics.poe import Screws
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import inverse_pose, pose

LARGEST_DEVIATION = 1e-3  # rad and m; arms that deviate more do not belong to a family


class Placement(TypedDict):
    """Frames of the arm's base and tool; see `Family`."""

    T_0a: Array
    E: Array
    tool: Array


@dataclass(frozen=True, eq=False)
class Lines:
    """Revolute axes in the arm frame at q = 0.

    Parameters
    ----------
    T_0a : ndarray, shape (4, 4)
        Pose of the arm frame in the world [m].
    w, c : ndarray, shape (k, 3)
        Unit direction and a point [m] of each axis.
    T_ae : ndarray, shape (4, 4)
        Pose of the tool frame in the arm frame [m].
    coupling : ndarray, shape (k, n)
        S of ``θ = S q``, for the joints that move the tool.
    """

    T_0a: Array
    w: Array
    c: Array
    T_ae: Array
    coupling: Array

    @property
    def k(self) -> int:
        """Number of axes."""
        return len(self.w)

    @property
    def signs(self) -> Array:
        """+1 if axis 1 rotates about z and an axis normal to the plane about n, else -1."""
        return np.where(np.append(self.w[0, 2], -self.w[1:, 1]) < 0, -1.0, 1.0)

    @property
    def deviation(self) -> float:
        """Deviation of axes 1 and 2 from a right angle [rad]."""
        return float(abs(self.w[0] @ self.w[1]))

    def are_parallel(self, *axes: int) -> bool:
        """Whether the axes are normal to the arm's plane."""
        return bool(np.abs(self.w[list(axes)][:, [0, 2]]).max() <= LARGEST_DEVIATION)

    def plane_point(self, i: int) -> complex:
        """Return the intersection of axis i with the arm's plane: radial + i·up [m]."""
        return complex(self.c[i, 0], self.c[i, 2])

    def placement(self, turned: Array, centre: Array) -> Placement:
        """Return the placement for which the family's rotations give `turned` at q = 0.

        Parameters
        ----------
        turned : ndarray, shape (3, 3)
        centre : ndarray, shape (3,)
            Wrist centre in the arm frame at q = 0 [m].
        """
        R_ae, p_ae = self.T_ae[:3, :3], self.T_ae[:3, 3]
        tool = turned.T @ (p_ae - centre)
        return {
            "T_0a": self.T_0a,
            "E": frozen(_round(R_ae.T @ turned)),
            "tool": frozen([drop_rounding(length) for length in tool]),
        }


def lines_of(screws: Screws, up: Array) -> Lines | None:
    """Return the axes of a chain in its arm frame; None without one, or with a prismatic joint.

    z is the first axis, in the sense of `up`; the origin is on it at the height of the second axis;
    x points towards the second axis or, if the two intersect, such that the second joint rotates
    about n.
    """
    v, w = screws.xi[:3].T, screws.xi[3:].T
    rotary = np.abs(np.linalg.norm(w, axis=1) - 1) < 1e-9
    if len(w) < 4 or not rotary.all() or abs(w[0] @ w[1]) > LARGEST_DEVIATION:
        return None
    c = np.cross(w, v)
    z = -w[0] if w[0] @ up < -1e-9 else w[0]
    n = w[1] - (w[1] @ z) * z
    n /= np.linalg.norm(n)
    offset = c[1] - c[0]
    x = np.cross(z, n)
    if offset @ x < -LARGEST_DEVIATION:
        x, n = -x, -n
    T_0a = pose(_round(np.column_stack([x, -n, z])), c[0] + (offset @ z) * z)
    T_a0 = inverse_pose(T_0a)
    R, p = T_a0[:3, :3], T_a0[:3, 3]
    moving = np.any(screws.coupling != 0, axis=0)
    return Lines(frozen(T_0a), w @ R.T, c @ R.T + p, T_a0 @ screws.T_0e, screws.coupling[:, moving])


def meeting_point(c_a: Array, w_a: Array, c_b: Array, w_b: Array) -> tuple[Array, float]:
    """Return the midpoint of the common normal of two skew lines, and its length [m]."""
    normal = np.cross(w_a, w_b)
    along = np.linalg.solve(np.column_stack([w_a, -w_b, normal]), c_b - c_a)
    on_a, on_b = c_a + along[0] * w_a, c_b + along[1] * w_b
    return (on_a + on_b) / 2, float(np.linalg.norm(on_b - on_a))


def foot(point: Array, c: Array, w: Array) -> Array:
    """Return the point of a line that is nearest to `point` [m]."""
    return c + ((point - c) @ w) * w


def _round(rotation: Array) -> Array:
    """Return the rotation with entries within rounding of 0, 1 and -1 made exact."""
    near = np.rint(rotation)
    return np.where(np.abs(rotation - near) < 1e-15, near, rotation)
