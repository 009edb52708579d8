"""Axes of a chain of joints as screws, with complex joint positions.

Batch axes come first: poses or lanes, (…, 4, 4) and (…, 6), as NumPy's linear algebra expects for
many small matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask

Complex = NDArray[np.complex128]
Numbers = NDArray[Any]  # real or complex

TAU = 2 * np.pi
_YZX, _ZXY = [1, 2, 0], [2, 0, 1]


@dataclass(frozen=True, eq=False)
class JointAxes:
    """Axes of a chain at zero.

    Parameters
    ----------
    h, c : ndarray, shape (..., k, 3)
        Unit direction and a point of each axis.
    slides : ndarray of bool, shape (k,)
        Mask of prismatic joints.
    """

    h: Array
    c: Array
    slides: Mask

    def motion(self, joint: int, q: Numbers) -> Numbers:
        """Return the displacement by one joint, for positions (...), shape (..., 4, 4)."""
        h, c = self.h[..., joint, :], self.c[..., joint, :]
        shape = np.broadcast_shapes(q.shape, h.shape[:-1])
        T = np.zeros((*shape, 4, 4), np.result_type(q, np.float64))
        T[..., 3, 3] = 1
        if self.slides[joint]:
            T[..., range(3), range(3)] = 1
            T[..., :3, 3] = h * q[..., None]
            return T
        along = h[..., :, None] * h[..., None, :]
        cos, sin = np.cos(q)[..., None, None], np.sin(q)[..., None, None]
        R = along + cos * (np.eye(3) - along) + sin * skew(h)
        T[..., :3, :3] = R
        T[..., :3, 3] = c - (R @ c[..., None])[..., 0]
        return T

    def move(self, T: Array) -> JointAxes:
        """Return the axes displaced by T, shape (..., 4, 4)."""
        R = np.swapaxes(T[..., :3, :3], -1, -2)
        return JointAxes(self.h @ R, self.c @ R + T[..., None, :3, 3], self.slides)

    def of_lanes(self, lanes: NDArray[np.intp] | int) -> JointAxes:
        """Return the axes of some lanes, if each lane has its own."""
        return self if self.h.ndim == 2 else JointAxes(self.h[lanes], self.c[lanes], self.slides)

    def wrap(self, q: Numbers) -> Numbers:
        """Return positions (..., 6) with real parts of angles in [-π, π]."""
        return q - np.where(self.slides, 0.0, TAU * np.rint(q.real / TAU))

    def distance(self, a: Numbers, b: Numbers) -> Array:
        """Return the largest difference of positions (..., 6), modulo whole turns [rad or m]."""
        return np.abs(self.wrap(a - b)).max(-1)


def displacement(axes: JointAxes, q: Numbers) -> tuple[Numbers, Numbers]:
    """Return the product of all joint motions and the space Jacobian, angular part first.

    Murray, Li, Sastry 1994, eq. 3.54.

    Parameters
    ----------
    q : ndarray, shape (..., k)
        Real or complex [rad or m].

    Returns
    -------
    ndarray, shape (..., 4, 4) and (..., 6, k)
    """
    count = len(axes.slides)
    shape = np.broadcast_shapes(q.shape[:-1], axes.h.shape[:-2])
    J = np.zeros((*shape, 6, count), np.result_type(q, np.float64))
    T = np.broadcast_to(np.eye(4, dtype=J.dtype), (*shape, 4, 4))
    for joint in range(count):
        R = T[..., :3, :3]
        h = (R @ axes.h[..., joint, :, None])[..., 0]
        if axes.slides[joint]:
            J[..., 3:, joint] = h
        else:
            c = (R @ axes.c[..., joint, :, None])[..., 0] + T[..., :3, 3]
            J[..., :3, joint] = h
            J[..., 3:, joint] = cross(c, h)
        T = T @ axes.motion(joint, q[..., joint])
    return T, J


def least_singular_value(axes: JointAxes, q: Numbers) -> Array:
    """Return the least singular value of the space Jacobian at positions (..., 6), (...)."""
    J = displacement(axes, q)[1]
    return np.linalg.svd(J, compute_uv=False)[..., -1]


def twist_between(A: Numbers, G: Numbers) -> tuple[Numbers, Array]:
    """Return the first-order twist from A to G, (..., 6), and the largest entry of A - G, (...)."""
    X = G @ inverse(A)
    return np.concatenate([sine_axis(X[..., :3, :3]), X[..., :3, 3]], -1), largest_entry(A - G)


def largest_entry(T: Numbers) -> Array:
    """Return the largest magnitude in each matrix of (..., 4, 4)."""
    return np.abs(T).max(axis=(-1, -2))


def sine_axis(R: Numbers) -> Numbers:
    """Return the rotation axis times the sine of the angle, of (..., 3, 3)."""
    A = R - np.swapaxes(R, -1, -2)
    return 0.5 * np.stack([A[..., 2, 1], A[..., 0, 2], A[..., 1, 0]], -1)


def skew(v: Numbers) -> Numbers:
    """Return matrices S with S x = v × x, shape (..., 3, 3)."""
    S = np.zeros((*v.shape[:-1], 3, 3), v.dtype)
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    S[..., 1, 0], S[..., 2, 0], S[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return S


def cross(a: Numbers, b: Numbers) -> Numbers:
    """Return a × b over the last axis; `numpy.cross` is three times slower for few vectors."""
    return a[..., _YZX] * b[..., _ZXY] - a[..., _ZXY] * b[..., _YZX]


def inverse(T: Numbers) -> Numbers:
    """Return the inverse of rigid displacements, real or complex, shape (..., 4, 4)."""
    out = np.zeros_like(T)
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, :3] = R
    out[..., :3, 3] = -(R @ T[..., :3, 3, None])[..., 0]
    out[..., 3, 3] = 1
    return out
