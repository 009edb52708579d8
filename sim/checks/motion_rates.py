"""Consistency of the model's positions, velocities and accelerations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sim.checks.judgement import Judgement
from sim.checks.limits import EPS
from sim.checks.run_view import RunView
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import displace_rows, turns_between
from sim.maths.rotations import cross
from sim.maths.sampling import SAME_TIME

# Accuracy of the joints of a solved tool path or closed loop [rad or m], and of their velocities
# between instants [rad/s or m/s]. 5e-16 was observed.
SOLVED_FOR = 1e-10

# Roundings relative to the largest position or velocity in a difference of two, and in the series
# of a velocity's integral.
ROUNDINGS = 8 * EPS

BOUND = 1e100  # [rad, rad/s] smaller values have finite squares

FEWEST = 4  # samples; with fewer, second differences do not show the bend of a curve


def motion_rates(view: RunView) -> Iterator[Judgement]:
    """Check each position against the integral of its velocity, and each velocity likewise.

    Each step is integrated by the trapezoidal rule, whose error is a twelfth of the step times the
    second difference of the rate; this error is allowed, and the limit applies to the rest. A curve
    with two samples per period or fewer fails: its table does not resolve it.

    Joints whose motion is due to loads are not judged, since a stop may reverse them between two
    samples, nor are the steps at a corner or a bend of the drives, where a table has one of two
    values. The recorded table needs no such check: it is compared with this one.

    Raises
    ------
    RecordingError
        If a position, velocity or acceleration is missing.
    """
    if view.t.size >= FEWEST:
        yield from rates_of(view, prescribed_joints(view))


def rates_of(view: RunView, joints: Iterable[str]) -> Iterator[Judgement]:
    """Run both checks for some joints."""
    broken = _steps_at_breaks(view)
    for joint in joints:
        for name, group, rate in (
            ("position from velocity", "q", "qd"),
            ("velocity from acceleration", "qd", "qdd"),
        ):
            channel = f"{group}.{joint}"
            values = view.analytic(channel)
            rotation = view.rotations.get(channel)
            if rotation is None:
                beyond = beyond_trapezoid(view.t, values, view.analytic(f"{rate}.{joint}"))
            else:
                q, w = (
                    np.stack([view.analytic(of + c[1:]) for c in rotation]) for of in ("q", "qd")
                )
                beyond = beyond_turning(view.t, q, w)[rotation.index(channel)]
            error = np.concatenate([[0.0], np.where(broken, 0.0, beyond)])
            limit = SOLVED_FOR + ROUNDINGS * view.peak(channel)
            yield view.judge_errors(name, channel, error, limit)


def beyond_trapezoid(t: Array, values: Array, rate: Array) -> Array:
    """Return the difference of a curve's steps from its rate's integral, less the trapezoid error.

    Parameters
    ----------
    t, values, rate : ndarray, shape (N,)
        At least four samples of a curve and of its derivative, at times t [s].

    Returns
    -------
    ndarray, shape (N - 1,)
        For each step between samples, in the unit of `values`; never negative.
    """
    h = np.diff(t)
    missed = np.abs(np.diff(values) - 0.5 * h * (rate[1:] + rate[:-1]))
    return np.maximum(missed - _may_miss(h, np.abs(np.diff(rate, 2))), 0.0)


def beyond_turning(t: Array, q: Array, w: Array) -> Array:
    """Return the differences of a ball's rotations, R(t + h) against R(t) exp(Ω), (3, N - 1).

    ``Ω = h (ω₀ + ω₁) / 2 + h² ω₀ × ω₁ / 12`` is the trapezoidal rule with the effect of a turning
    axis; further terms are smaller by (h ω)², and vanish for a fixed axis, however large the
    rotation. Differences are reduced by the trapezoid error.

    Parameters
    ----------
    t : ndarray, shape (N,)
        At least four [s].
    q : ndarray, shape (3, N)
        Rotation vectors, either of the two of each rotation [rad]; a value that is not finite gives
        NaN.
    w : ndarray, shape (3, N)
        Angular velocity in body axes [rad/s].

    References
    ----------
    Magnus 1954, On the exponential solution of differential equations for a linear operator.
    """
    h, ball = np.diff(t), [slice(0, 3)]
    is_known = np.asarray((np.abs([*q, *w]) < BOUND).all(axis=0))
    q, w = (np.where(is_known, of, 0.0) for of in (q, w))  # SciPy cannot rotate by NaN
    before, after = w[:, :-1], w[:, 1:]
    aside = h**2 / 12.0 * cross(before, after)
    turn = 0.5 * h * (before + after) + aside
    missed = np.abs(turns_between(ball, displace_rows(ball, q[:, :-1], turn), q[:, 1:]))
    missed[:, ~(is_known[1:] & is_known[:-1])] = np.nan
    bent = np.linalg.norm(np.diff(w, 2), axis=0)
    further = np.linalg.norm(aside, axis=0) * np.sum((h * before) ** 2, axis=0)
    return np.maximum(missed - _may_miss(h, bent) - further, 0.0)


def _may_miss(h: Array, bent: Array) -> Array:
    """Return the trapezoid error in each step h (N - 1,), from second differences (N - 2,).

    Those at its ends and the next ones count: near an inflection only the latter may be nonzero.
    """
    bent = np.concatenate([[np.max(bent[:2])], bent, [np.max(bent[-2:])]])
    return np.asarray(h * np.maximum(bent[:-1], bent[1:]))


def prescribed_joints(view: RunView) -> list[str]:
    """Return the joints whose motion is prescribed by drives, couplings or loops."""
    free, robot = view.run.settings.free, view.run.robot
    is_solved = [row.name in free for row in robot.coordinates]
    weights = np.asarray(robot.coupling, dtype=np.float64)[:, is_solved]
    names = zip(view.tree_row_names, weights, strict=True)
    return [name for name, of_rows in names if not of_rows.any()]


def _steps_at_breaks(view: RunView) -> Mask:
    """Return the steps during which, or at whose ends, a drive is not smooth, shape (N - 1,)."""
    breaks = np.sort([*view.run.settings.corners, *view.run.settings.bends])
    first = np.searchsorted(breaks, view.t[:-1] - SAME_TIME)
    after = np.searchsorted(breaks, view.t[1:] + SAME_TIME, side="right")
    return np.asarray(after > first)
