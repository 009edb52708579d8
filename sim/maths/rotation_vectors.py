"""Rotation vectors q of balls: R = exp(q), the angle |q| about the axis q/|q|; dq/dt = B(q) ω.

ω is the angular velocity along the axes of the rotating body. R(q) is smooth for every q; B is
singular at whole turns but not at zero. The vectors q and ``q (1 - 2π/|q|)`` are the same rotation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import cross, skew

SMALL = 1e-2  # rad; below it the first terms of the series are exact to rounding
TURN = 2.0 * np.pi

FAR = 1.2 * np.pi
"""Where a solver takes the other vector of a rotation [rad]: far from whole turns, and not where
rounding would send it to and fro."""


def rotations_of_vectors(q: Array) -> Array:
    """Return R = 1 + sin θ/θ [q]× + (1 - cos θ)/θ² [q]×², θ = |q|; (3, N) -> (3, 3, N)."""
    square = np.sum(q * q, axis=0)
    angle = np.sqrt(square)
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    half = np.sin(0.5 * safe) / safe
    sine = np.where(is_small, 1 - square / 6 * (1 - square / 20), np.sin(safe) / safe)
    versine = np.where(is_small, 0.5 - square / 24 * (1 - square / 30), 2.0 * half * half)
    K = skew(q)
    R = sine * K + versine * (q[:, None] * q)
    R[[0, 1, 2], [0, 1, 2]] += 1.0 - versine * square  # [q]×² = q qᵀ - θ²
    return np.asarray(R)


def quaternions_of_vectors(q: Array) -> Array:
    """Return unit quaternions x y z w of rotation vectors, (3, N) -> (4, N); w < 0 beyond π."""
    angle = np.sqrt(np.sum(q * q, axis=0))
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    share = np.where(is_small, 0.5 - angle**2 / 48 * (1 - angle**2 / 80), np.sin(0.5 * safe) / safe)
    return np.concatenate([share * q, np.cos(0.5 * angle)[None]])


def quaternion_of_vector(q: Sequence[float]) -> list[float]:
    """Return `quaternions_of_vectors` of one vector, bit by bit; faster than NumPy for one."""
    x, y, z = q
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < SMALL:
        share = 0.5 - angle * angle / 48 * (1 - angle * angle / 80)
    else:
        share = float(np.sin(0.5 * angle)) / angle
    return [share * x, share * y, share * z, float(np.cos(0.5 * angle))]


def steady_quaternions(q: Array) -> Array:
    """Return unit quaternions x y z w of a motion, without sign changes, (3, N) -> (4, N).

    Their curves are as smooth as the motion, even if its vectors switch to the opposite rotation.
    """
    Q = quaternions_of_vectors(q)
    displace_rows = np.sum(Q[:, 1:] * Q[:, :-1], axis=0) < 0
    return np.asarray(Q * np.cumprod(np.concatenate([[1.0], np.where(displace_rows, -1.0, 1.0)])))


def vectors_of_quaternions(Q: Array) -> Array:
    """Return rotation vectors of nonzero quaternions x y z w of any length, (4, N) -> (3, N)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_quat(Q.T).as_rotvec().T)


def at_other_times(q: Array, read: Callable[[Array], Array]) -> Array:
    """Interpolate rotation vectors (3, M) of samples q (3, N), by the curves of quaternions.

    Parameters
    ----------
    read : callable
        Interpolates one curve: values at the samples (N,) -> those at the times (M,).
    """
    return vectors_of_quaternions(np.stack([read(one) for one in steady_quaternions(q)]))


def rates_of_vectors(q: Array, w: Array) -> Array:
    """Return dq/dt = B(q) ω = ω + ½ q × ω + (1 - θ/2 cot θ/2)/θ² q × (q × ω), (3, N) [rad/s].

    Parameters
    ----------
    q : ndarray, shape (3, N)
        [rad]
    w : ndarray, shape (3, N)
        Angular velocity along the axes of the rotating body [rad/s].

    Source: Bullo and Murray 1995, Proportional derivative control on the Euclidean group, the
    derivative of the logarithm on SO(3).
    """
    square = np.sum(q * q, axis=0)
    angle = np.sqrt(square)
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    exact = (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / (safe * safe)
    factor = np.where(is_small, (1 + square / 60 * (1 + square / 42)) / 12, exact)
    qw = cross(q, w)
    return np.asarray(w + 0.5 * qw + factor * cross(q, qw))


def rate_of_vector(q: Sequence[float], w: Sequence[float]) -> list[float]:
    """Return `rates_of_vectors` of one vector, bit by bit, like `quaternion_of_vector`."""
    x, y, z = q
    p, s, r = w
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    if angle < SMALL:
        factor = (1 + square / 60 * (1 + square / 42)) / 12
    else:
        factor = (1.0 - 0.5 * angle / float(np.tan(0.5 * angle))) / (angle * angle)
    a, b, c = y * r - z * s, z * p - x * r, x * s - y * p  # q × ω
    return [
        p + 0.5 * a + factor * (y * c - z * b),
        s + 0.5 * b + factor * (z * a - x * c),
        r + 0.5 * c + factor * (x * b - y * a),
    ]


def velocities_of_vectors(q: Array, dq: Array) -> Array:
    """Return ω = B⁻¹ q' = q' - (1 - cos θ)/θ² q × q' + (θ - sin θ)/θ³ q × (q × q'), (3, N) [rad/s].

    This is the angular velocity along the axes of the rotating body, for rates q' = dq/dt of its
    vector; ``|ω| <= |q'|``. The arguments are those of `rates_of_vectors`.
    """
    square = np.sum(q * q, axis=0)
    angle = np.sqrt(square)
    is_small = angle < SMALL
    safe = np.where(is_small, 1.0, angle)
    versine = 2.0 * (np.sin(0.5 * safe) / safe) ** 2
    first = np.where(is_small, 0.5 - square / 24 * (1 - square / 30), versine)
    rest = np.where(is_small, (1 - square / 20) / 6, (safe - np.sin(safe)) / safe**3)
    sideways = cross(q, dq)
    return np.asarray(dq - first * sideways + rest * cross(q, sideways))


def other_vectors(q: Array) -> Array:
    """Return q (1 - 2π/|q|), the same rotation in the other sense, (3, N) [rad]; 0 for zero."""
    angle = np.sqrt(np.sum(q * q, axis=0))
    return np.asarray(q * (1.0 - TURN / np.where(angle == 0.0, TURN, angle)))


def short_vectors(q: Array) -> Array:
    """Return equal rotations by at most half a turn, |q| <= π, shape (3, N) [rad]."""
    angle = np.sqrt(np.sum(q * q, axis=0))
    turns = np.round(angle / TURN)
    scale = 1.0 - TURN * turns / np.where(angle == 0.0, 1.0, angle)
    return np.where(turns == 0.0, q, q * scale)


def nearest_vectors(target: Array, q: Array) -> Array:
    """Return equivalents of q (3, N), |q| <= 2π, that are nearest to `target` (3, N)."""
    other = other_vectors(q)
    gaps = (np.sum((x - target) ** 2, axis=0) for x in (q, other))
    here, there = gaps
    return np.where(there < here, other, q)


def between_vectors(t: Array, q: Array, at: Array) -> Array:
    """Interpolate rotation vectors (3, M) between samples q (3, N), by uniform rotation ("slerp").

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending, at least one [s].
    q : ndarray, shape (3, N)
        [rad]
    at : ndarray, shape (M,)
        Times; before the first and after the last sample these are taken [s].

    Source: Shoemake 1985, Animating rotation with quaternion curves.
    """
    from scipy.spatial.transform import Rotation

    begin = np.clip(np.searchsorted(t, at, side="right") - 1, 0, max(t.size - 2, 0))
    end = np.minimum(begin + 1, t.size - 1)
    step = np.where(end > begin, t[end] - t[begin], 1.0)
    share = np.clip((at - t[begin]) / step, 0.0, 1.0)
    before, after = (Rotation.from_rotvec(q[:, rows].T) for rows in (begin, end))
    turn = share[:, None] * (before.inv() * after).as_rotvec()
    return np.asarray((before * Rotation.from_rotvec(turn)).as_rotvec().T)


def position_rates(balls: Sequence[slice], q: Array, qd: Array) -> Array:
    """Return dq/dt for velocities qd: the same rows, but B(q) ω for balls, shape (n, N).

    Parameters
    ----------
    balls : sequence of slice
        The three rows of each ball.
    q, qd : ndarray, shape (n, N)
        [rad or m], [rad/s or m/s]; for small displacements instead of velocities, the steps of q.
    """
    if not balls:
        return qd
    rates = qd.copy()
    for rows in balls:
        if q.shape[1] == 1:
            rates[rows, 0] = rate_of_vector(q[rows, 0].tolist(), qd[rows, 0].tolist())
        else:
            rates[rows] = rates_of_vectors(q[rows], qd[rows])
    return rates


def with_short_vectors(balls: Sequence[slice], q: Array) -> Array:
    """Return positions (n, N) with the rotations of the balls by at most half a turn."""
    if not balls:
        return q
    q = q.copy()
    for rows in balls:
        q[rows] = short_vectors(q[rows])
    return q


def displace_rows(balls: Sequence[slice], q: Array, small: Array) -> Array:
    """Return positions q (n, N) moved by `small` (n, N): sums, but R(q) exp(small) for balls."""
    displaced = q + small
    for rows in balls:
        displaced[rows] = _product(q[rows], small[rows])
    return displaced


def turns_between(balls: Sequence[slice], q: Array, to: Array) -> Array:
    """Return `small` (n, N) from q (n, N) to other positions; at most half a turn of balls."""
    small = to - q
    for rows in balls:
        small[rows] = _product(-q[rows], to[rows])
    return small


def cross_balls(balls: Sequence[slice], a: Array, b: Array) -> Array:
    """Return a × b (n, N) for the rows of each ball; zero for the others."""
    result = np.zeros(np.broadcast_shapes(a.shape, b.shape))
    for rows in balls:
        result[rows] = np.cross(a[rows], b[rows], axis=0)
    return result


def _product(a: Array, b: Array) -> Array:
    """Return the rotation vectors of R(a) R(b), (3, N)."""
    from scipy.spatial.transform import Rotation

    first, second = (Rotation.from_rotvec(np.array(each.T)) for each in (a, b))
    return np.asarray((first * second).as_rotvec().T)
