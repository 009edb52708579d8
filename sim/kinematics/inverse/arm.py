"""Steps shared by all families: rotation of the arm's plane, and closure of its two links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array, Mask

FREE = 1e-11  # m or 1: below it a direction is rounding, and its joint is free
_ROUNDING = 4e-15  # m; rounding of a point at the end of its range


@dataclass(frozen=True, eq=False)
class Shoulder:
    """Both rotations of the arm's plane through a point.

    Parameters
    ----------
    phi, c, s, r : ndarray, shape (2, N)
        Angle of axis 1, its cosine and sine, and the point's radial coordinate in the plane [m].
    gap : ndarray, shape (N,)
        Distance of the point inside the cylinder that the plane cannot enter [m].
    free : ndarray of bool, shape (N,)
        Whether the point is on axis 1, where that is reachable.
    """

    phi: Array
    c: Array
    s: Array
    r: Array
    gap: Array
    free: Mask


def shoulder(x: Array, y: Array, lateral: float, hint: Array) -> Shoulder:
    """Solve ``s1 x - c1 y = lateral`` for φ1, first with positive radial coordinate c1 x + s1 y.

    Parameters
    ----------
    x, y : ndarray, shape (N,)
        Coordinates of the point in the arm frame [m].
    lateral : float
        Distance of the point from the plane through axis 1 [m].
    hint : ndarray, shape (1,) or (N,)
        φ1 if the point is on the axis.
    """
    rho2 = x * x + y * y
    rho = np.sqrt(rho2)
    free = rho <= FREE
    if lateral == 0.0:
        d, gap = np.zeros(()), np.zeros_like(x)
        root = rho
    else:
        d = np.copysign(np.where(rho <= abs(lateral) + _ROUNDING, rho, abs(lateral)), lateral)
        gap = np.maximum(abs(lateral) - rho, 0.0)
        root = np.sqrt((rho - d) * (rho + d))
    if free.any():
        rho2 = np.where(free, 1.0, rho2)
    r = np.stack([root, -root])
    c = (x * r - y * d) / rho2
    s = (y * r + x * d) / rho2
    if free.any():
        turned = np.stack([hint, hint + np.pi])
        c, s = np.where(free, np.cos(turned), c), np.where(free, np.sin(turned), s)
    return Shoulder(np.arctan2(s, c), c, s, r, gap, free & (gap <= FREE))


@dataclass(frozen=True, eq=False)
class Elbow:
    """Both closures of two links on a point of the plane; axes shoulder, elbow, wrist, sample.

    Parameters
    ----------
    first : ndarray, shape (2, 2, W, N)
        Direction of the first link, from radial towards up [rad].
    bend : ndarray, shape (2, 2, W, N)
        Angle from the first link to the second [rad].
    sine : ndarray, shape (2, 1, W, N)
        Sine of the bend, not negative.
    gap : ndarray, shape (2, 1, W, N)
        Distance of the point beyond the reach, or within the unreachable centre [m].
    free : ndarray of bool, shape (2, 1, W, N)
        Whether two equal links are folded with the point at the shoulder.
    """

    first: Array
    curvature: Array
    sine: Array
    gap: Array
    free: Mask


def elbow(radial: Array, up: Array, lengths: tuple[float, float], hint: Array) -> Elbow:
    """Close two links on the point (radial, up) relative to the shoulder.

    Parameters
    ----------
    radial, up : ndarray, shape (2, 1, W, N)
        [m]; out of reach, the links point straight towards it.
    lengths : tuple of float
        [m]
    hint : ndarray, shape (1,) or (N,)
        Direction of the first link if it is free.
    """
    L2, L3 = lengths
    shortest, longest = abs(L2 - L3), L2 + L3
    distance = np.sqrt(radial * radial + up * up)
    beyond_fold, before_end = distance - shortest, longest - distance
    gap = -np.minimum(np.minimum(beyond_fold, before_end), 0.0)
    # Squared cosine and sine of half the bend, as products: differences of squares would cancel.
    # One of them is zero at an end of the reach, so that rounding does not bend a straight arm, nor
    # beyond it, where the arm points straight towards the point.
    cos2 = np.where(beyond_fold > _ROUNDING, beyond_fold * (distance + shortest), 0.0)
    sin2 = np.where(before_end > _ROUNDING, before_end * (distance + longest), 0.0)
    cos2 *= 0.25 / (L2 * L3)
    sin2 *= 0.25 / (L2 * L3)
    sin = 2.0 * np.sqrt(cos2 * sin2)
    bend = np.arctan2(sin, cos2 - sin2)
    towards = np.arctan2(up, radial)
    offset = np.arctan2(L3 * sin, L2 - L3 + 2.0 * L3 * cos2)
    first, turn = (np.empty((2, 2, *bend.shape[2:])) for _ in range(2))
    # Elbow 0 is above the line from the shoulder to the wrist, seen with the wrist ahead: on its
    # left, but on its right if the arm reaches over its back (shoulder 1).
    for s, (left, right) in enumerate(((0, 1), (1, 0))):
        np.add(towards[s, 0], offset[s, 0], out=first[s, left])
        np.subtract(towards[s, 0], offset[s, 0], out=first[s, right])
        np.negative(bend[s, 0], out=turn[s, left])
        turn[s, right] = bend[s, 0]
    free = (distance <= FREE) & (gap <= FREE)
    if free.any():
        first = np.where(free, hint, first)
    return Elbow(first, turn, sin, gap, free)
