"""Twists, screws and the exponential map of SE(3).

A twist is ``V = (v, w)``, linear part first [m/s, rad/s]: a body with this twist moves its point p
with ``v + w × p``. A screw is the twist of a joint at unit rate. Every function takes a single
value, shape (6,) or (4, 4), or any number of trailing axes, time last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sim.maths.arrays import Array
from sim.maths.rotations import cross, pose, quaternion_xyzw, skew

_SERIES = 0.1  # rad; below it the closed forms lose digits, but four terms of the series do not


def rotary_screw(axis: ArrayLike, point: ArrayLike) -> Array:
    """Return ξ = (q × w, w) of a rotation about unit vector w through point q [m], shape (6,)."""
    w, q = np.asarray(axis, dtype=np.float64), np.asarray(point, dtype=np.float64)
    return np.concatenate([np.cross(q, w), w])


def sliding_screw(axis: ArrayLike) -> Array:
    """Return ξ = (u, 0) of a translation along unit vector u, shape (6,)."""
    return np.concatenate([np.asarray(axis, dtype=np.float64), np.zeros(3)])


def compose(T_ab: Array, T_bc: Array) -> Array:
    """Return T_ac = T_ab T_bc at each sample, shape (4, 4, ...)."""
    return np.einsum("ab...,bc...->ac...", T_ab, T_bc)


def exp_rotation(w: Array) -> Array:
    """Return R = exp([w]×), the rotation by |w| rad about w (Rodrigues' formula), (3, 3, ...)."""
    angle = _norm(w)
    W = skew(w)
    return _identity(W) + _sine_ratio(angle) * W + _cosine_ratio(angle) * _square(W)


def log_rotation(R: Array) -> Array:
    """Return the rotation vector w with ``exp_rotation(w) = R``, |w| ≤ π, shape (3, ...) [rad]."""
    q = quaternion_xyzw(R.reshape(3, 3, -1)).reshape(4, *R.shape[2:])
    q = np.where(q[3] < 0, -q, q)
    length = _norm(q[:3])
    small = length < 1e-150  # its square is zero in floating point
    safe = np.where(small, 1.0, length)
    return np.where(small, 2.0, 2.0 * np.arctan2(length, q[3]) / safe) * q[:3]


def exp_pose(V: Array) -> Array:
    """Return T = exp([V]), the pose after one unit of time with twist V, (4, 4, ...).

    Murray, Li, Sastry 1994, eq. 2.36, in a form that is also valid for w = 0.
    """
    v, w = V[:3], V[3:]
    angle = _norm(w)
    W = skew(w)
    WW = _square(W)
    G = _identity(W) + _cosine_ratio(angle) * W + _cubic_ratio(angle) * WW
    R = _identity(W) + _sine_ratio(angle) * W + _cosine_ratio(angle) * WW
    return pose(R, np.einsum("ab...,b...->a...", G, v))


def log_pose(T: Array) -> Array:
    """Return the twist V with ``exp_pose(V) = T`` and |w| ≤ π, shape (6, ...)."""
    w = log_rotation(T[:3, :3])
    G_inverse = inverse_left_jacobian(w)
    return np.concatenate([np.einsum("ab...,b...->a...", G_inverse, T[:3, 3]), w])


def inverse_left_jacobian(w: Array) -> Array:
    """Return G⁻¹ with ``dw/dt = G⁻¹ ω`` for R = exp([w]×), ``dR/dt = [ω]× R``, (3, 3, ...)."""
    W = skew(w)
    return _identity(W) - 0.5 * W + _inverse_ratio(_norm(w)) * _square(W)


def adjoint(T_ab: Array) -> Array:
    """Return Ad with ``V_a = Ad V_b`` for one twist seen from two frames, shape (6, 6, ...)."""
    R, p = T_ab[:3, :3], T_ab[:3, 3]
    Ad = np.zeros((6, 6, *T_ab.shape[2:]))
    Ad[:3, :3] = Ad[3:, 3:] = R
    Ad[:3, 3:] = np.einsum("ab...,bc...->ac...", skew(p), R)
    return Ad


def bracket(V: Array, X: Array) -> Array:
    """Return the Lie bracket [V, X] = (w × x_v + v × x_w, w × x_w) of twists, shape (6, ...)."""
    v, w = V[:3], V[3:]
    return np.concatenate([cross(w, X[:3]) + cross(v, X[3:]), cross(w, X[3:])])


def _identity(W: Array) -> Array:
    return np.eye(3).reshape(3, 3, *([1] * (W.ndim - 2)))


def _square(W: Array) -> Array:
    return np.einsum("ab...,bc...->ac...", W, W)


def _norm(v: Array) -> Array:
    largest: Array = np.max(np.abs(v), axis=0)
    scale = np.where(largest > 0, largest, 1.0)
    length: Array = scale * np.sqrt(np.sum((v / scale) ** 2, axis=0))
    return length


def _sine_ratio(angle: Array) -> Array:
    """Return sin θ / θ."""
    ratio: Array = np.sinc(angle / np.pi)
    return ratio


def _cosine_ratio(angle: Array) -> Array:
    """Return (1 - cos θ) / θ² = sinc²(θ/2) / 2, free of cancellation."""
    ratio: Array = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return ratio


def _cubic_ratio(angle: Array) -> Array:
    """Return (θ - sin θ) / θ³."""
    x = angle * angle
    series = 1 / 6 - x / 120 * (1 - x / 42 * (1 - x / 72))
    safe = np.maximum(angle, _SERIES)
    return np.where(angle < _SERIES, series, (safe - np.sin(safe)) / safe**3)


def _inverse_ratio(angle: Array) -> Array:
    """Return (1 - θ/2 cot(θ/2)) / θ², the coefficient of [w]×² in the inverse of G."""
    x = angle * angle
    series = 1 / 12 + x / 720 * (1 + x / 42 * (1 + x / 40))
    safe = np.maximum(angle, _SERIES)
    half = safe / 2
    return np.where(angle < _SERIES, series, (1 - half * np.cos(half) / np.sin(half)) / safe**2)
