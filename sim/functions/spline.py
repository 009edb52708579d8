"""Splines through data points, as functions of time and as ADAMS's spline functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.showing.one_line import one_line

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

Kind = Literal["cubic", "notaknot", "akima", "hermite", "linear", "hold"]
Extrapolation = Literal["polynomial", "linear", "none", "parabola", "line"]
KINDS: tuple[str, ...] = get_args(Kind)
EXTRAPOLATIONS: tuple[str, ...] = get_args(Extrapolation)

FEWEST = 4  # points; ADAMS's rule
THROUGH = {"parabola": 3, "line": 2}  # number of end points that define the extrapolating curve
END = 1e-12  # relative to the range; a rounded x within it is still at the end point

# The first derivative, by kind, that jumps at the points and is not reliable.
JUMPS = {"hold": 0, "linear": 1, "akima": 2, "hermite": 2}


@dataclass(frozen=True, eq=False)
class Spline:
    """A spline y(x) through points; a `TimeFunction` if x is time [s].

    Parameters
    ----------
    knots, values : ndarray, shape (m,)
    kind : {"cubic", "notaknot", "akima", "hermite", "linear", "hold"}
        Natural cubic (ADAMS's CUBSPL), cubic with the not-a-knot end condition, Akima 1970
        (AKISPL), monotone piecewise cubic of Fritsch and Butland 1984, piecewise linear, piecewise
        constant from each point to the next.
    extrapolate : {"polynomial", "linear", "none", "parabola", "line"}
        Beyond the points: polynomial of the end, its tangent, or undefined; the parabola through
        the three end points or the line through two, as for ADAMS's SPLINE.
    """

    knots: Array
    values: Array
    kind: Kind = "cubic"
    extrapolate: Extrapolation = "polynomial"

    def __repr__(self) -> str:
        ends = f"from {self.knots[0]:g} to {self.knots[-1]:g}" if self.knots.size else ""
        return one_line("Spline:", f"{self.text} {ends}")

    def through(self, kind: Kind) -> Spline:
        """Return a spline of another kind through the same points."""
        return Spline(self.knots, self.values, kind, self.extrapolate)

    @property
    def text(self) -> str:
        """Text of the spline for a description."""
        return f"{self.kind} spline through {self.knots.size} points"

    def derivative(self, x: ArrayLike, order: int) -> Array:
        """Return the derivative of this order (0: the value) at `x`; at a knot from the right."""
        x = np.asarray(x, dtype=np.float64)
        inside = self.polynomial(x, nu=order)
        low, high = self.knots[0], self.knots[-1]
        if self.extrapolate == "none":
            return np.where((x < low) | (x > high), np.nan, inside)
        if self.extrapolate != "linear":
            return np.asarray(inside)
        end = np.clip(x, low, high)
        slope = self.polynomial(end, nu=1)
        tangent = (self.polynomial(end) + slope * (x - end), slope, np.zeros_like(x))
        return np.where(x == end, inside, tangent[min(order, 2)])

    def value(self, t: Array) -> Array:
        """Return y(t), of t's shape."""
        return self.derivative(t, 0)

    def derivatives(self, t: Array) -> tuple[Array, Array, Array]:
        """Return y, dy/dt, d²y/dt², each of t's shape."""
        return self.derivative(t, 0), self.derivative(t, 1), self.derivative(t, 2)

    def breaks(self, t0: float, t1: float) -> Array:
        """Return the knots in [t0, t1], where the third or a lower derivative jumps."""
        return self.knots[(self.knots >= t0) & (self.knots <= t1)]

    @cached_property
    def polynomial(self) -> PPoly:
        """Polynomials between the knots, and those beyond the ends."""
        between = self._polynomials
        if self.extrapolate not in THROUGH:
            return between
        from scipy import interpolate

        x, count = self.knots, THROUGH[self.extrapolate]
        span, rows = float(np.ptp(x)), between.c.shape[0]
        ends = np.concatenate([[x[0] - span], x[:-1], x[-1] + span * np.array([END, 1.0])])
        c = np.zeros((max(rows, count), x.size + 1))
        c[-rows:, 1:-1] = between.c
        for k, few in ((0, slice(None, count)), (-1, slice(-count, None))):
            through = interpolate.BarycentricInterpolator(x[few], self.values[few])
            begin = ends[-2 if k else 0]
            c[-1, k] = through(begin)
            for order in range(1, count):
                c[-1 - order, k] = through.derivative(begin, order) / factorial(order)
        return interpolate.PPoly(c, ends)

    @property
    def _polynomials(self) -> PPoly:
        """Polynomials between the knots."""
        from scipy import interpolate

        x, y = self.knots, self.values
        match self.kind:
            case "cubic":
                return interpolate.CubicSpline(x, y, bc_type="natural")
            case "notaknot":
                return interpolate.CubicSpline(x, y, bc_type="not-a-knot")
            case "akima":
                akima = interpolate.Akima1DInterpolator(x, y)
                return interpolate.PPoly(akima.c, akima.x, extrapolate=True)
            case "hermite":
                return interpolate.PchipInterpolator(x, y)
            case "linear":
                return interpolate.PPoly(np.stack([np.diff(y) / np.diff(x), y[:-1]]), x)
            case "hold":
                return interpolate.PPoly(y[None, :-1], x)


@checked
def spline(
    t: ArrayLike, y: ArrayLike, kind: Kind = "cubic", extrapolate: Extrapolation = "polynomial"
) -> Spline:
    """Create a spline through the points (t, y).

    Parameters
    ----------
    t : array_like, shape (m,)
        Strictly ascending x, at least four (ADAMS's rule); for a function of time times [s].
    y : array_like, shape (m,)
    kind, extrapolate
        See `Spline`.

    Raises
    ------
    ScenarioError
        If the points are fewer than four, not finite, not ascending, or of different lengths, or
        the kind or the extrapolation is unknown.
    """
    if kind not in KINDS:
        raise ScenarioError(f"spline kind {kind!r}: choose one of {', '.join(KINDS)}")
    if extrapolate not in EXTRAPOLATIONS:
        raise ScenarioError(
            f"extrapolate {extrapolate!r}: choose one of {', '.join(EXTRAPOLATIONS)}"
        )
    try:
        times, values = np.asarray(t, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"A spline needs numbers: {error}") from None
    if times.ndim != 1 or times.shape != values.shape:
        raise ScenarioError(
            f"A spline needs one y for each x: X has {times.size} numbers and Y has {values.size}"
        )
    if times.size < FEWEST:
        raise ScenarioError(f"A spline needs at least {FEWEST} points, got {times.size}")
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise ScenarioError("A spline needs finite points")
    late = np.flatnonzero(np.diff(times) <= 0)
    if late.size:
        k = int(late[0])
        raise ScenarioError(
            f"The x of a spline must ascend: point {k + 2} is at x = {times[k + 1]:g}, after point "
            f"{k + 1} at x = {times[k]:g}"
        )
    return Spline(frozen(times), frozen(values), kind, extrapolate)
