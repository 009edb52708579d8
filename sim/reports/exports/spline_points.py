"""Points of a recorded curve from which a spline of ADAMS gives it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.functions.spline import FEWEST, Kind, Spline
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME

TOLERANCE = 1e-6
"""How far a spline may be from a sample: 1e-6 rad at an arm of 3 m move its tool by 3 µm, less than
a tenth of what such a robot repeats; of a torque, this part of its peak."""

FINE = 1e-10
"""How far a spline of an acceleration may be from a sample, of the peak or of 1 rad/s², m/s²: what
is left of the positions after two integrations is then below 1e-9."""

STEPS = (32, 16, 8, 4, 2, 1)  # samples from point to point of such a spline
ONWARDS = 4  # points by which it is drawn out at its ends

EXACT = 1e-9
"""What rounding makes of a spline at most, of the peak or of 1 rad, m and their accelerations. A
smooth curve that is no spline has another acceleration between the points."""

BEYOND = 6
"""Points before and after the run. A natural cubic spline has no curvature at its ends, and what
that spoils fades by 2 - √3 from point to point: six leave 4e-4 of it at the ends of the run."""

Indices = NDArray[np.intp]
KINDS: dict[Literal["CUBSPL", "AKISPL"], Kind] = {"CUBSPL": "cubic", "AKISPL": "akima"}


@dataclass(frozen=True, eq=False)
class SplinePoints:
    """A spline through some samples.

    Parameters
    ----------
    function : {"CUBSPL", "AKISPL"}
        The function of ADAMS that reads them.
    t, y : ndarray, shape (m,)
        Times [s] and values.
    taken, samples : int
        How many samples are among the points, and how many there are; other points lie before and
        after the run.
    errors : tuple of float
        Largest distances from the samples of the curve, and of its derivatives where those are
        known.
    order : int
        Which derivative of the curve the spline is.
    """

    function: Literal["CUBSPL", "AKISPL"]
    t: Array
    y: Array
    taken: int
    samples: int
    errors: tuple[float, ...]
    order: int = 0


def spline_points(
    t: Array, curves: tuple[Array, ...], corners: Array, tolerance: float = TOLERANCE
) -> SplinePoints:
    """The fewest points that are tried from which the curve comes back within the tolerance.

    If the curve is a spline through some of the samples, those. Else ever more samples, evenly
    spread, with the corners among them; all of them at last.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending times [s], at least `FEWEST`.
    curves : tuple of ndarray, each of shape (N,)
        The curve and, if known, its first and second derivative.
    corners : ndarray
        Times at which a derivative of the curve may jump [s].
    tolerance : float
        In the curve's unit.
    """
    marked, hit = _mark_corners(t, corners)
    own = _own_points(t, curves, marked if hit else None)
    if own is not None:
        return own
    count = 8
    while count < t.size:
        even = np.rint(np.linspace(0, t.size - 1, count)).astype(np.intp)
        points = _through("CUBSPL", t, curves, np.union1d(even, marked), BEYOND)
        if points.errors[0] <= tolerance:
            return points
        count = count * 3 // 2
    return _through("CUBSPL", t, curves, np.arange(t.size), BEYOND)


def acceleration_points(t: Array, curves: tuple[Array, ...]) -> SplinePoints:
    """The fewest points that are tried of an acceleration from which a smooth motion comes back.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Ascending times [s], at least `FEWEST`.
    curves : tuple of ndarray, each of shape (N,)
        Position and its first and second derivative.
    """
    q, qd, qdd = curves
    for step in STEPS:
        points = np.union1d(np.arange(0, t.size, step), t.size - 1)
        if points.size < FEWEST and step > 1:
            continue
        x, y = _drawn_out(t[points], qdd[points])
        spline = Spline(x, y)
        errors = [float(np.abs(spline.value(t) - qdd).max())]
        if errors[0] <= FINE * max(1.0, float(np.abs(qdd).max())):
            break
    for start, curve, order in ((0.0, qd, 1), (float(qd[0]), q, 2)):
        rise = spline.polynomial.antiderivative(order)
        slope = spline.polynomial.antiderivative(1)(t[0]) if order == 2 else 0.0
        integral = curve[0] + (start - slope) * (t - t[0]) + rise(t) - rise(t[0])
        errors.insert(0, float(np.abs(integral - curve).max()))
    return SplinePoints("CUBSPL", x, y, points.size, t.size, tuple(errors), order=2)


def _drawn_out(x: Array, y: Array) -> tuple[Array, Array]:
    """Points of a curve with more of them before and after, on the cubic through its ends."""
    from scipy.interpolate import KroghInterpolator

    away = np.arange(1, 2 * BEYOND + 1)
    before, after = x[0] - away[::-1] * (x[1] - x[0]), x[-1] + away * (x[-1] - x[-2])
    first, last = (
        KroghInterpolator(x[part], y[part]) for part in (slice(ONWARDS), slice(-ONWARDS, None))
    )
    return np.concatenate([before, x, after]), np.concatenate([first(before), y, last(after)])


def _mark_corners(t: Array, corners: Array) -> tuple[Indices, bool]:
    """Samples nearest to the corners inside the run, both ends among them; whether all are hit."""
    inside = corners[(corners > t[0]) & (corners < t[-1])]
    right = np.clip(np.searchsorted(t, inside), 1, t.size - 1)
    nearest = np.where(inside - t[right - 1] < t[right] - inside, right - 1, right)
    hit = bool(inside.size) and bool(np.all(np.abs(t[nearest] - inside) <= SAME_TIME))
    return np.union1d(nearest, [0, t.size - 1]), hit


def _own_points(t: Array, curves: tuple[Array, ...], marked: Indices | None) -> SplinePoints | None:
    """The spline that the curve is, through the corners or through an even grid of samples.

    A curve of which no acceleration is known is not taken for one.
    """
    if len(curves) < 3:
        return None
    last = t.size - 1
    steps = (step for step in range(last // (FEWEST - 1), 1, -1) if last % step == 0)
    grids = [np.arange(0, t.size, step) for step in steps]
    if marked is not None and FEWEST <= marked.size < t.size:
        grids.insert(0, marked)
    for points in grids:
        for name in KINDS:
            spline = _through(name, t, curves, points)
            if _is_exact(spline, t, curves, points):
                return spline
    return None


def _is_exact(
    points_of_spline: SplinePoints, t: Array, curves: tuple[Array, ...], points: Indices
) -> bool:
    """Whether position and acceleration are the curve's own between the points.

    At the points the acceleration of Akima's spline jumps, and rounding of the times decides on
    which side it is taken.
    """
    spline = Spline(points_of_spline.t, points_of_spline.y, KINDS[points_of_spline.function])
    between = np.delete(np.arange(t.size), points)
    return all(
        np.abs(spline.derivative(t[between], order) - curves[order][between]).max()
        <= EXACT * max(1.0, np.abs(curves[order]).max())
        for order in (0, 2)
    )


def _through(
    name: Literal["CUBSPL", "AKISPL"],
    t: Array,
    curves: tuple[Array, ...],
    points: Indices,
    beyond: int = 0,
) -> SplinePoints:
    """A spline through some samples, and through so many points beyond either end of the run."""
    x, y = t[points], curves[0][points]
    if len(curves) == 3:
        away = np.arange(1, beyond + 1)
        before, after = -away[::-1] * (x[1] - x[0]), away * (x[-1] - x[-2])
        ends = [_onwards(curves, end, dt) for end, dt in ((0, before), (-1, after))]
        x = np.concatenate([x[0] + before, x, x[-1] + after])
        y = np.concatenate([ends[0], y, ends[1]])
    spline = Spline(x, y, KINDS[name])
    errors = tuple(
        float(np.abs(spline.derivative(t, order) - curve).max())
        for order, curve in enumerate(curves)
    )
    return SplinePoints(name, x, y, points.size, t.size, errors)


def _onwards(curves: tuple[Array, ...], end: int, dt: Array) -> Array:
    """The curve beyond an end, with the acceleration that it has there."""
    q, qd, qdd = (float(curve[end]) for curve in curves)
    return q + qd * dt + qdd * dt**2 / 2
