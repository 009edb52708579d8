"""Judgement: a check, and the curve whose largest value it reports."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sim.checks.allowed_error import AllowedError
from sim.maths.arrays import Array, Mask
from sim.recording.schema.verdicts import Check

# Interpretation of the limit in the curve that shows a check: bound of the deviation from the
# target curve, of the magnitude, or of the curve itself on one side.
Bounds = Literal["error", "magnitude", "end"]


class Judgement(Struct, frozen=True, eq=False):
    """Result of a check.

    Parameters
    ----------
    check : Check
    error : ndarray, shape (N,), or None
        Errors compared with the allowed error at each sample, in the check's unit; None if the
        check does not concern the samples of one curve.
    bounds : {"error", "magnitude", "end"} or None
        Interpretation of the limit for the curve `check.plot`, if a line can be drawn for it.
    allowed : float or None
        Largest allowed error if it differs from the check's limit: the limit of a range is an end.
    holds : tuple of str
        Channels whose agreement with the model it bounds, if not the check's own channel.
    note : str
        Composition of the limit, where it is not obvious.
    allowance : AllowedError or None
        The terms whose sum is the limit, if any.
    failing : ndarray of int, shape (F,), or None
        The samples of `failing_samples`, once the curve is discarded.
    """

    check: Check
    error: Array | None = None
    bounds: Bounds | None = None
    allowed: float | None = None
    holds: tuple[str, ...] = ()
    note: str = ""
    allowance: AllowedError | None = None
    failing: NDArray[np.intp] | None = None

    def without_curve(self, t: Array) -> Judgement:
        """Return a copy without the long curve; the failing samples are kept.

        `t` (N,) are the sample times of the run [s].
        """
        failing = None if self.check.ok else np.flatnonzero(self.failing_samples(t))
        return replace(self, error=None, failing=failing)

    @property
    def held(self) -> dict[str, float]:
        """Limit of each channel whose agreement with the model it bounds, in the channel's unit."""
        is_of_channel = self.bounds == "error" and self.check.plot == self.check.channel
        channels = (self.check.channel,) if is_of_channel else self.holds
        return dict.fromkeys(channels, float(self.check.limit or 0.0))

    def failing_samples(self, t: Array) -> Mask:
        """Return the samples whose error exceeds the allowed one, and the one that the check names.

        Parameters
        ----------
        t : ndarray, shape (N,)
            Sample times of the run [s].

        Returns
        -------
        ndarray of bool, shape (N,)
        """
        failing = np.zeros(t.size, dtype=bool)
        if self.failing is not None:
            failing[self.failing] = True
            return failing
        allowed = self.check.limit if self.allowed is None else self.allowed
        if self.error is not None and allowed is not None:
            failing |= ~(self.error <= allowed)
        failing[int(np.argmin(np.abs(t - self.check.at)))] = True
        return failing

    @classmethod
    def of_errors(
        cls,
        name: str,
        channel: str,
        unit: str,
        t: Array,
        error: Array,
        limit: float | AllowedError,
        *,
        plot: str | None = None,
        bounds: Bounds | None = None,
    ) -> Judgement:
        """Judge the largest of non-negative errors against a limit; NaN exceeds any limit.

        Parameters
        ----------
        t, error : ndarray, shape (N,)
            Times [s], and errors in `unit`.
        plot : str, optional
            The curve that shows the error (default: that of the channel).
        """
        k = int(np.argmax(error))
        worst, allowance = float(error[k]), None
        if isinstance(limit, AllowedError):
            allowance, bound = limit, limit.total
        else:
            bound = float(limit)
        judged = cls.of_number(name, channel, worst, bound, unit, float(t[k]), plot=plot)
        return replace(judged, error=error, bounds=bounds, allowance=allowance)

    @classmethod
    def of_number(
        cls, name: str, channel: str, worst: float, limit: float, unit: str, at: float, *,
        plot: str | None = None, note: str = ""
    ) -> Judgement:  # fmt: skip
        """Judge one number, at a time [s], against a limit; NaN exceeds any limit."""
        ok, use = worst <= limit, share(worst, limit)
        plot = channel if plot is None else plot
        return cls(Check(name, channel, worst, limit, unit, at, ok, use, plot), note=note)


def share(worst: float, limit: float) -> float | None:
    """Return worst / limit, or 0 if both are zero; None if it is not finite."""
    if limit == 0:
        return 0.0 if worst == 0 else None
    return finite_or_none(worst / limit)


def finite_or_none(value: float) -> float | None:
    """Return the value if it is finite, else None."""
    return value if math.isfinite(value) else None
