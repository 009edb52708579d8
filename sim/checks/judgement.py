"""Judgement: a check, and the curve whose largest value it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.checks.allowed_error import AllowedError
from sim.maths.arrays import Array, Mask
from sim.recording.schema.verdicts import Check

# What of the curve on which a check is seen its limit bounds: how far the curve is from where it
# should be, its magnitude, or the curve itself on one side.
Bounds = Literal["error", "magnitude", "end"]


@dataclass(frozen=True, eq=False)
class Judgement:
    """Result of a check.

    Parameters
    ----------
    check : Check
    error : ndarray, shape (N,), or None
        What was compared with what is allowed, sample by sample, in the check's unit; None where
        the check is not about the samples of one curve.
    bounds : {"error", "magnitude", "end"} or None
        What the limit bounds of the curve `check.plot`, where a line can be drawn for it.
    allowed : float or None
        Largest allowed error where it is not the check's limit: a range's limit is an end.
    holds : tuple of str
        The channels that it holds near the model, where those are others than the check's own.
    note : str
        What the limit is made of, where that is not obvious.
    allowance : AllowedError or None
        The terms whose sum is the limit, where it is one.
    failing : ndarray of int, shape (F,), or None
        The samples of `failing_samples`, once the curve is no longer kept.
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
        """Copy of the judgement without its long curve; the samples where it fails are kept.

        `t` (N,) are the sample times of the run [s].
        """
        failing = None if self.check.ok else np.flatnonzero(self.failing_samples(t))
        return replace(self, error=None, failing=failing)

    @property
    def held(self) -> dict[str, float]:
        """The limit of each channel that the check holds near the model, in the channel's unit."""
        is_of_channel = self.bounds == "error" and self.check.plot == self.check.channel
        channels = (self.check.channel,) if is_of_channel else self.holds
        return dict.fromkeys(channels, float(self.check.limit or 0.0))

    def failing_samples(self, t: Array) -> Mask:
        """The samples at which the error is larger than allowed, and the one that is named.

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
        """The largest of non-negative errors against a limit; NaN is larger than any, never ok.

        Parameters
        ----------
        t, error : ndarray, shape (N,)
            Times [s], and errors in `unit`.
        plot : str, optional
            The curve on which the error is seen; default: that of the channel.
        """
        k = int(np.argmax(error))
        worst, allowance = float(error[k]), None
        if isinstance(limit, AllowedError):
            allowance, bound = limit, limit.total
        else:
            bound = float(limit)
        check = Check(
            name,
            channel,
            worst,
            bound,
            unit,
            at=float(t[k]),
            ok=worst <= bound,
            used=share(worst, bound),
            plot=channel if plot is None else plot,
        )
        return cls(check, error, bounds, allowance=allowance)


def share(worst: float, limit: float) -> float | None:
    """worst / limit, and 0 where both are; None where it is no number."""
    if limit == 0:
        return 0.0 if worst == 0 else None
    return finite(worst / limit)


def finite(value: float) -> float | None:
    """The value if it is a number."""
    return value if math.isfinite(value) else None
