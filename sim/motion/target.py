"""Prescribed motion of a frame: position and Body-123 angles as functions of time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from sim.functions.time_function import TimeFunction
from sim.maths.arrays import Array

POSITION = ("x", "y", "z")
ANGLES = ("b1", "b2", "b3")
COMPONENTS = POSITION + ANGLES


class Target(Struct, frozen=True, eq=False):
    """Prescribed components at N times; free ones are zero.

    Parameters
    ----------
    value, rate, acceleration : ndarray, shape (6, N)
        x y z [m], b1 b2 b3 [rad] and their first and second time derivatives.
    """

    value: Array
    rate: Array
    acceleration: Array

    @property
    def poses(self) -> Array:
        """Poses with the positions and angles of `value`, shape (4, 4, N) [m]."""
        T = np.zeros((4, 4, self.value.shape[1]))
        T[:3, :3], T[:3, 3], T[3, 3] = rotation_123(self.value[3:]), self.value[:3], 1.0
        return T


def target(functions: Mapping[str, TimeFunction], t: Array) -> Target:
    """Return values and exact derivatives of the prescribed components at times `t` [s]."""
    parts = np.zeros((3, 6, t.size))
    for row, name in enumerate(COMPONENTS):
        if name in functions:
            parts[:, row] = functions[name].derivatives(t)
    return Target(*parts)


def rotation_123(b: Array) -> Array:
    """Return R = Rx(b1) Ry(b2) Rz(b3), ADAMS's Body 1-2-3 angles, (3, N) -> (3, 3, N)."""
    (c1, c2, c3), (s1, s2, s3) = np.cos(b), np.sin(b)
    return np.array(
        [
            [c2 * c3, -c2 * s3, s2],
            [c1 * s3 + s1 * s2 * c3, c1 * c3 - s1 * s2 * s3, -s1 * c2],
            [s1 * s3 - c1 * s2 * c3, s1 * c3 + c1 * s2 * s3, c1 * c2],
        ]
    )


def angles_123(R: Array) -> Array:
    """Return Body 1-2-3 angles of rotations, (3, 3, N) -> (3, N) [rad]; b2 in [-90°, 90°]."""
    b1 = np.arctan2(-R[1, 2], R[2, 2])
    b2 = np.arctan2(R[0, 2], np.hypot(R[0, 0], R[0, 1]))
    # Undoing b1 first keeps the digits of b3 at b2 = ±90°, where only b1 and b3 together matter.
    c1, s1 = np.cos(b1), np.sin(b1)
    b3 = np.arctan2(c1 * R[1, 0] + s1 * R[2, 0], c1 * R[1, 1] + s1 * R[2, 1])
    return np.stack([b1, b2, b3])


def rate_matrix(b: Array) -> Array:
    """Return E with ω = E(b) ḃ, ω along the reference axes; shape (3, 3, N).

    The columns are the axes of the three rotations: x, then y rotated by b1, then z rotated by
    both. E is singular at b2 = ±90°.
    """
    c1, s1, c2, s2 = np.cos(b[0]), np.sin(b[0]), np.cos(b[1]), np.sin(b[1])
    one, zero = np.ones_like(c1), np.zeros_like(c1)
    return np.array([[one, zero, s2], [zero, c1, -s1 * c2], [zero, s1, c1 * c2]])


def rate_matrix_rate(b: Array, bd: Array) -> Array:
    """Return dE/dt, so that the angular acceleration is E b̈ + Ė ḃ; shape (3, 3, N)."""
    c1, s1, c2, s2 = np.cos(b[0]), np.sin(b[0]), np.cos(b[1]), np.sin(b[1])
    zero = np.zeros_like(c1)
    return np.array(
        [
            [zero, zero, c2 * bd[1]],
            [zero, -s1 * bd[0], -c1 * c2 * bd[0] + s1 * s2 * bd[1]],
            [zero, c1 * bd[0], -s1 * c2 * bd[0] - c1 * s2 * bd[1]],
        ]
    )
