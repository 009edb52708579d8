"""Curve: samples over time with a unit, operations on them, and statistics between two times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from sim.curves.spectrum import Spectrum, spectrum_of
from sim.errors import CurveError
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.showing.one_line import one_line, shorten

PROMINENT = 0.01  # of the whole range; a peak with less prominence is ignored


@dataclass(frozen=True)
class Extreme:
    """A value and the first time at which it is reached [s]."""

    value: float
    t: float


@dataclass(frozen=True)
class Statistics:
    """Statistics of a curve between two times, with linear interpolation between samples.

    Parameters
    ----------
    start, end : float
        [s]
    min, max : Extreme
    mean, rms : float
        Time average of the curve, and root of that of its square.
    """

    start: float
    end: float
    min: Extreme
    max: Extreme
    mean: float
    rms: float

    @property
    def peak(self) -> Extreme:
        """Value of largest magnitude, with its sign."""
        return max(self.max, self.min, key=lambda one: abs(one.value))


def _numbers(what: str, numbers: object) -> Array:
    """Return the times or values of a curve as an array of numbers.

    Raises
    ------
    CurveError
        If they are not an array of real numbers.
    """
    try:
        array = np.asarray(numbers)
    except (TypeError, ValueError) as error:
        raise CurveError(f"The {what} of a curve must be an array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise CurveError(
            f"The {what} of a curve must be an array of numbers; got {shorten(repr(numbers), 50)}"
        )
    return array.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Curve:
    """Samples over time.

    Parameters
    ----------
    t, values : ndarray, shape (N,)
        Ascending times [s], and values.
    unit : str
        SI, such as ``N·m``.
    text : str
        Expression of the curve.
    error : float
        Estimated sampling error, in its unit: twice the largest change if every other sample is
        left out. For a smooth curve this is six times the error; zero without derivative, integral
        or filter in the expression; NaN if unknown.
    """

    t: Array
    values: Array
    unit: str = "1"
    text: str = ""
    error: float = 0.0

    def __post_init__(self) -> None:
        t, values = _numbers("times", self.t), _numbers("values", self.values)
        if t.ndim != 1 or values.shape != t.shape or t.size < 2:
            raise CurveError(
                f"A curve has one value a time, two or more; got {values.shape} and {t.shape}"
            )
        if not (isinstance(self.unit, str) and isinstance(self.text, str)):
            raise CurveError(
                f"The unit and the expression of a curve must be text; got {self.unit!r:.50} and "
                f"{self.text!r:.50}"
            )
        if not isinstance(self.error, Real):
            raise CurveError(f"The error of a curve must be a number; got {self.error!r:.50}")
        if not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
            raise CurveError("The times of a curve must be finite and ascend")
        object.__setattr__(self, "t", t)
        object.__setattr__(self, "values", values)

    def __repr__(self) -> str:
        return one_line(
            f"Curve {shorten(self.text, 50)}:",
            f"{self.t.size} samples from {self.t[0]:.4g} to {self.t[-1]:.4g} s",
            f"[{self.unit}]",
        )

    def spectrum(
        self,
        window: str = "hann",
        *,
        density: bool = False,
        start: float | None = None,
        end: float | None = None,
    ) -> Spectrum:
        """Return the amplitude spectrum, or power spectral density; see `Spectrum`.

        Parameters
        ----------
        window : {"hann", "hamming", "blackman", "flattop", "boxcar"}
            Flattop reads amplitudes to 0.1 % at any frequency between two lines; boxcar is no
            window.
        density : bool
            Whether to return a density in unit²/Hz.
        start, end : float, optional
            Use only the samples between these times [s].

        Raises
        ------
        CurveError
            If the samples are not evenly spaced or not finite, or the window is unknown.
        """
        low, high = (-math.inf if start is None else start), (math.inf if end is None else end)
        inside = (self.t >= low - SAME_TIME) & (self.t <= high + SAME_TIME)
        t, values = self.t[inside], self.values[inside]
        return spectrum_of(t, values, self.unit, self.text, window, density=density)

    def between(self, start: float, end: float) -> Curve:
        """Return the part between two times, with linearly interpolated values at both ends.

        Raises
        ------
        CurveError
            If the times do not ascend, or the curve has no values between them.
        """
        low, high = max(start, self.t[0]), min(end, self.t[-1])
        if not low < high:
            raise CurveError(
                f"The curve lasts from {self.t[0]:g} to {self.t[-1]:g} s; it has no samples from "
                f"{start:g} to {end:g} s"
            )
        inside = (self.t > low) & (self.t < high)
        t = np.concatenate([[low], self.t[inside], [high]])
        return Curve(t, self._on_lines(t), self.unit, self.text, self.error)

    def at(self, t: ArrayLike) -> Curve:
        """Return values at other times [s], linearly interpolated between the samples.

        Raises
        ------
        CurveError
            If a time is outside the curve.
        """
        times = np.asarray(t, dtype=np.float64)
        if times.size and not (self.t[0] <= times.min() and times.max() <= self.t[-1]):
            raise CurveError(
                f"The curve lasts from {self.t[0]:g} to {self.t[-1]:g} s; it has no value at "
                f"{times.min():g} or {times.max():g} s"
            )
        return Curve(times, self._on_lines(times), self.unit, self.text, self.error)

    def _on_lines(self, t: Array) -> Array:
        """Return interpolated values; exactly the samples' values at their times."""
        return np.asarray(np.interp(t, self.t, self.values))

    def statistics(self, start: float | None = None, end: float | None = None) -> Statistics:
        """Return minimum, maximum, mean and RMS between two times [s] (default: the whole curve).

        Intervals next to a non-finite value do not count.

        Raises
        ------
        CurveError
            If there is no finite value, or nothing between the times.
        """
        part = self
        if start is not None or end is not None:
            part = self.between(
                self.t[0] if start is None else start, self.t[-1] if end is None else end
            )
        t, v = part.t, part.values
        finite = np.isfinite(v)
        if not finite.any():
            raise CurveError(f"{self.text} has no finite value from {t[0]:g} to {t[-1]:g} s")
        low, high = np.flatnonzero(finite)[[np.argmin(v[finite]), np.argmax(v[finite])]]
        known = finite[1:] & finite[:-1]
        h, a, b = np.diff(t)[known], v[:-1][known], v[1:][known]
        time = float(np.sum(h))
        alone = time == 0.0
        with np.errstate(over="ignore"):  # a square may overflow
            mean = v[low] if alone else np.sum(h * (a + b)) / 2 / time
            square = v[low] ** 2 if alone else np.sum(h * (a * a + a * b + b * b)) / 3 / time
        return Statistics(
            float(t[0]),
            float(t[-1]),
            Extreme(float(v[low]), float(t[low])),
            Extreme(float(v[high]), float(t[high])),
            float(mean),
            math.sqrt(float(square)),
        )

    def peaks(self, count: int = 5) -> list[Extreme]:
        """Return the `count` most prominent maxima and minima, in order of time."""
        from scipy.signal import find_peaks

        finite = self.values[np.isfinite(self.values)]
        span = float(np.ptp(finite)) if finite.size else 0.0
        if not 0 < span < math.inf:
            return []
        prominence_of: dict[int, float] = {}
        for sign in (1.0, -1.0):
            at, facts = find_peaks(sign * self.values, prominence=PROMINENT * span)
            prominence_of |= dict(zip(at.tolist(), facts["prominences"].tolist(), strict=True))
        chosen = sorted(sorted(prominence_of, key=lambda k: -prominence_of[k])[:count])
        return [Extreme(float(self.values[k]), float(self.t[k])) for k in chosen]
