"""Points of a recorded curve from which an ADAMS spline reproduces it."""

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

STEPS = (32, 16, 8, 4, 2, 1)  # distances in samples between points of such a spline
ONWARDS = 4  # points added beyond either end

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
    """Spline through selected samples.

    Parameters
    ----------
    function : {"CUBSPL", "AKISPL"}
        ADAMS function that interpolates them.
    t, y : ndarray, shape (m,)
        Times [s] and values.
    taken, samples : int
        Number of samples among the points, and of all samples; the other points lie before and
        after the run.
    errors : tuple of float
        Largest differences from the samples of the curve and, where known, of its derivatives.
    order : int
        Order of the derivative of the curve that the spline represents.
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
    """Return the smallest tried set of points that reproduces the curve within the tolerance.

    If the curve is itself a spline through some of the samples, those are used. Otherwise evenly
    spread samples, corners included, are tried in growing number, up to all samples.

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
    if (exact_points := _own_points(t, curves, marked if hit else None)) is not None:
        return exact_points
    count = 8
    while count < t.size:
        even = np.rint(np.linspace(0, t.size - 1, count)).astype(np.intp)
        points = _spline_through("CUBSPL", t, curves, np.union1d(even, marked), BEYOND)
        if points.errors[0] <= tolerance:
            return points
        count = count * 3 // 2
    return _spline_through("CUBSPL", t, curves, np.arange(t.size), BEYOND)


def acceleration_points(t: Array, curves: tuple[Array, ...]) -> SplinePoints:
    """Return the smallest tried set of points of an acceleration that reproduces a smooth motion.

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
    """Return points of a curve, extended at both ends by the cubic through its end points."""
    from scipy.interpolate import KroghInterpolator

    away = np.arange(1, 2 * BEYOND + 1)
    before, after = x[0] - away[::-1] * (x[1] - x[0]), x[-1] + away * (x[-1] - x[-2])
    first, last = (
        KroghInterpolator(x[part], y[part]) for part in (slice(ONWARDS), slice(-ONWARDS, None))
    )
    return np.concatenate([before, x, after]), np.concatenate([first(before), y, last(after)])


def _mark_corners(t: Array, corners: Array) -> tuple[Indices, bool]:
    """Return the samples nearest to corners and both ends, and whether all corners are samples."""
    inside = corners[(corners > t[0]) & (corners < t[-1])]
    right = np.clip(np.searchsorted(t, inside), 1, t.size - 1)
    nearest = np.where(inside - t[right - 1] < t[right] - inside, right - 1, right)
    hit = bool(inside.size) and bool(np.all(np.abs(t[nearest] - inside) <= SAME_TIME))
    return np.union1d(nearest, [0, t.size - 1]), hit


def _own_points(t: Array, curves: tuple[Array, ...], marked: Indices | None) -> SplinePoints | None:
    """Return the spline that the curve is, through the corners or through an even grid of samples.

    None if no acceleration is known, or the curve is not a spline.
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
            spline = _spline_through(name, t, curves, points)
            if _is_exact(spline, t, curves, points):
                return spline
    return None


def _is_exact(
    points_of_spline: SplinePoints, t: Array, curves: tuple[Array, ...], points: Indices
) -> bool:
    """Whether position and acceleration equal those of the curve between the points.

    The acceleration of Akima's spline jumps at the points, where the rounding of the times decides
    which side is evaluated.
    """
    spline = Spline(points_of_spline.t, points_of_spline.y, KINDS[points_of_spline.function])
    between = np.delete(np.arange(t.size), points)
    return all(
        np.abs(spline.derivative(t[between], order) - curves[order][between]).max()
        <= EXACT * max(1.0, np.abs(curves[order]).max())
        for order in (0, 2)
    )


def _spline_through(
    name: Literal["CUBSPL", "AKISPL"],
    t: Array,
    curves: tuple[Array, ...],
    points: Indices,
    beyond: int = 0,
) -> SplinePoints:
    """Return a spline through samples, and through `beyond` points past either end of the run."""
    x, y = t[points], curves[0][points]
    if len(curves) == 3:
        away = np.arange(1, beyond + 1)
        before, after = -away[::-1] * (x[1] - x[0]), away * (x[-1] - x[-2])
        ends = [_extrapolate(curves, end, dt) for end, dt in ((0, before), (-1, after))]
        x = np.concatenate([x[0] + before, x, x[-1] + after])
        y = np.concatenate([ends[0], y, ends[1]])
    spline = Spline(x, y, KINDS[name])
    errors = tuple(
        float(np.abs(spline.derivative(t, order) - curve).max())
        for order, curve in enumerate(curves)
    )
    return SplinePoints(name, x, y, points.size, t.size, errors)


def _extrapolate(curves: tuple[Array, ...], end: int, dt: Array) -> Array:
    """Return the curve beyond an end, extrapolated with the acceleration at that end."""
    q, qd, qdd = (float(curve[end]) for curve in curves)
    return q + qd * dt + qdd * dt**2 / 2
