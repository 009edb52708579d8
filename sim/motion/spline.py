"""Cubic splines through data points, as functions of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.spatial import Array, frozen

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline


@dataclass(frozen=True, eq=False)
class Spline:
    """Natural cubic spline y(t), ADAMS's CUBSPL; extrapolated by its end polynomials.

    Parameters
    ----------
    knots : ndarray, shape (m,)
        Times of the data [s].
    """

    knots: Array
    polynomial: CubicSpline

    def value(self, t: Array) -> Array:
        """y(t), the shape of `t`."""
        return np.asarray(self.polynomial(t))

    def derivatives(self, t: Array) -> tuple[Array, Array, Array]:
        """y, dy/dt, d²y/dt², each of the shape of `t`."""
        first, second = (np.asarray(self.polynomial(t, order)) for order in (1, 2))
        return self.value(t), first, second

    def breaks(self, t0: float, t1: float) -> Array:
        """The knots in [t0, t1]: the third derivative jumps there."""
        return self.knots[(self.knots >= t0) & (self.knots <= t1)]


def spline(t: ArrayLike, y: ArrayLike) -> Spline:
    """Natural cubic spline through the points (t, y).

    Parameters
    ----------
    t : array_like, shape (m,)
        Strictly ascending times [s], at least four (ADAMS's rule).
    y : array_like, shape (m,)

    Raises
    ------
    ScenarioError
        If the points are fewer than four, not finite, not ascending, or not of one length.
    """
    from scipy.interpolate import CubicSpline

    try:
        times, values = np.asarray(t, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"A spline needs numbers: {error}") from None
    if times.ndim != 1 or times.shape != values.shape:
        raise ScenarioError(
            f"A spline needs one value a time; got {times.shape} times and {values.shape} values"
        )
    if times.size < 4:
        raise ScenarioError(f"A spline needs at least 4 points, got {times.size}")
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise ScenarioError("A spline needs finite points")
    late = np.flatnonzero(np.diff(times) <= 0)
    if late.size:
        k = int(late[0])
        raise ScenarioError(
            f"Spline times must ascend: point {k + 2} at {times[k + 1]:g} s "
            f"follows point {k + 1} at {times[k]:g} s"
        )
    return Spline(frozen(times), CubicSpline(times, values, bc_type="natural"))
