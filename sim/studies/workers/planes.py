"""find_plane: curves of all cases in a box of numbers, if torques are linear in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sim.maths.arrays import Array
from sim.studies.workers.model_curves import ModelCurves

BETWEEN = (0.2360679775, 0.5, 0.7639320225)  # fractions of the range that must be on the line
ON_LINE = 1e-9  # of the largest torque: rounding

At = Callable[[Array], ModelCurves]  # curves of the case at x (m,)


def find_plane(at: At, origin: Array, ends: Array, between: Array) -> ModelCurves | None:
    """Return the curves of all cases in a box, if those in between are on the plane, else None.

    Parameters
    ----------
    at : callable
    origin, ends : ndarray, shape (m,)
        Opposite corners of a box; `origin` and its neighbouring corners define the plane.
    between : ndarray, shape (K, m)
        Cases that must be on it too.

    Raises
    ------
    SimError
        If one of them has no curves.
    """
    first, slopes = at(origin), []
    size, base = float(np.max(np.abs(first.base))), first.base.copy()
    for k, reach in enumerate(ends - origin):
        x = origin.copy()
        x[k] = ends[k]
        other = at(x)
        if not same_motion(first, other):
            return None
        slopes.append((other.base - first.base) / reach)
        base -= origin[k] * slopes[k]
        size = max(size, float(np.max(np.abs(other.base))))
    plane = replace(first, base=base, slope=np.stack(slopes), low=origin, high=ends)
    for x in between:
        true = at(x)
        if not same_motion(first, true):
            return None
        off = np.max(np.abs(base + np.tensordot(x, plane.slope, 1) - true.base))
        if not off <= ON_LINE * size:
            return None
    return plane


def find_line(at: Callable[[float], ModelCurves], low: float, high: float) -> ModelCurves | None:
    """Return the curves of all cases from `low` to `high`, if three in between are on the line.

    Raises
    ------
    SimError
        If one of the five has none.
    """
    origin, ends = np.array([low]), np.array([high])
    between = origin + np.outer(BETWEEN, ends - origin)
    return find_plane(lambda x: at(float(x[0])), origin, ends, between)


def same_motion(one: ModelCurves, other: ModelCurves) -> bool:
    """Whether two cases have bitwise equal motions, and equal ratings."""
    a, b = one.motion, other.motion
    if a.t.shape != b.t.shape or len(a.q) != len(b.q):
        return False
    same = all(
        np.array_equal(x, y) for x, y in ((a.t, b.t), (a.q, b.q), (a.qd, b.qd), (a.qdd, b.qdd))
    )
    ratings = (
        [(row.name, row.limits) for row in curves.problem.robot.tree_coordinates]
        for curves in (one, other)
    )
    return same and next(ratings) == next(ratings)
