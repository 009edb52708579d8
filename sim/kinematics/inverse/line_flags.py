"""The flag of a line: 14 numbers that a joint's motion changes linearly in (1, cos, sin).

A line with direction l and a point p that moves with it has l, p×l, p·l, (p·p)l - 2(p·l)p, p and
p·p: the 14 equations of Raghavan and Roth. With a last number 1, any rigid motion multiplies them
by a 15×15 matrix, so that parallel and intersecting axes need no special cases, as they would with
Denavit-Hartenberg parameters.

References
----------
Raghavan, Roth 1993, J. Mech. Design 115, 502-508.
"""

from __future__ import annotations

import numpy as np

from sim.kinematics.inverse.joint_axes import cross, skew
from sim.maths.arrays import Array

ROWS = 14
_VECTORS = (0, 3, 7, 10)  # first indices of l, p×l, (p·p)l - 2(p·l)p and p
_SCALARS = (6, 13, 14)  # indices of p·l, p·p and 1


def flag_of(h: Array, c: Array) -> Array:
    """Return the flag of lines with directions h through points c, (..., 3) each, (..., 15)."""
    p2, d = (c * c).sum(-1, keepdims=True), (c * h).sum(-1, keepdims=True)
    return np.concatenate([h, cross(c, h), d, p2 * h - 2 * d * c, c, p2, np.ones_like(d)], -1)


def motion_coefficients(h: Array, c: Array, slides: bool, sign: float = 1.0) -> Array:
    """Return matrices C of a joint with Σ Cᵢ fᵢ the change of flags by its motion.

    Parameters
    ----------
    h, c : ndarray, shape (..., 3)
        Axis of the joint.
    slides : bool
        Whether the joint is prismatic: f is (1, q, q²), else (1, cos q, sin q).
    sign : float
        -1 for the inverse motion.

    Returns
    -------
    ndarray, shape (..., 3, 15, 15)
    """
    C = np.zeros((*h.shape[:-1], 3, 15, 15))
    if slides:
        ahead, back = _shift(sign * h), _shift(-sign * h)
        C[..., 0, :, :] = np.eye(15)
        C[..., 1, :, :] = (ahead - back) / 2
        C[..., 2, :, :] = (ahead + back) / 2 - np.eye(15)
        return C
    along = h[..., :, None] * h[..., None, :]
    for k, R in enumerate((along, np.eye(3) - along, sign * skew(h))):
        for i in _VECTORS:
            C[..., k, i : i + 3, i : i + 3] = R
    C[..., 0, _SCALARS, _SCALARS] = 1
    return _shift(c)[..., None, :, :] @ C @ _shift(-c)[..., None, :, :]


def _shift(t: Array) -> Array:
    """Return the 15×15 matrix that displaces a flag by t, shape (..., 15, 15)."""
    M = np.zeros((*t.shape[:-1], 15, 15))
    M[..., range(15), range(15)] = 1
    S, square = skew(t), (t * t).sum(-1)
    M[..., 3:6, 0:3] = S
    M[..., 6, 0:3] = t
    M[..., 7:10, 0:3] = square[..., None, None] * np.eye(3) - 2 * t[..., :, None] * t[..., None, :]
    M[..., 7:10, 3:6] = -2 * S
    M[..., 7:10, 6] = -2 * t
    M[..., 10:13, 14] = t
    M[..., 13, 10:13] = 2 * t
    M[..., 13, 14] = square
    return M
