"""One linear equation for all samples, tau = Y x, after the parallel filter and without rest.

At rest friction can be anything up to its limit, and no law of speed has it: such samples have no
part in a fit. They are left out after the filter, by a window that both sides are multiplied with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.identification.signals import Samples
from sim.identification.spectral import Fit, Prior, fit_spectrum
from sim.maths.arrays import Array, Mask

REST = 0.05  # of a joint's own RMS speed, below which it rests


@dataclass(frozen=True, eq=False)
class Equations:
    """Filtered columns and torques of a log.

    Parameters
    ----------
    samples : Samples
    cutoff : float
        Of the low-pass on both sides [Hz].
    columns : ndarray, shape (n, p, N)
    torques : ndarray, shape (n, N)
    is_sliding : ndarray of bool, shape (n, N)
    """

    samples: Samples
    cutoff: float
    columns: Array
    torques: Array
    is_sliding: Mask

    @classmethod
    def of(cls, samples: Samples, columns: Array, cutoff: float) -> Equations:
        """The equations of unfiltered columns (n, p, N) and the measured torques."""
        speed = np.abs(samples.qd)
        rms = np.sqrt((speed**2).mean(axis=1, keepdims=True))
        return cls(
            samples,
            cutoff,
            samples.low_pass(columns, cutoff),
            samples.low_pass(samples.tau, cutoff),
            (speed > REST * rms) & samples.is_moving[:, None],
        )

    def with_columns(self, chosen: Sequence[int] | Array) -> Equations:
        """The same with some of the columns."""
        return Equations(
            self.samples, self.cutoff, self.columns[:, chosen], self.torques, self.is_sliding
        )

    def beside(self, row: int, column: Array) -> Equations:
        """The same with one more column, of the torque of one row alone, (N,)."""
        more = np.zeros((len(self.torques), 1, column.size))
        more[row, 0] = column
        columns = np.concatenate([self.columns, more], axis=1)
        return Equations(self.samples, self.cutoff, columns, self.torques, self.is_sliding)

    def less(self, x: Array) -> Equations:
        """The same with known parts of the torques taken away: `x` of the first columns."""
        known = np.einsum("npN,p->nN", self.columns[:, : x.size], x)
        rest = self.columns[:, x.size :]
        return Equations(self.samples, self.cutoff, rest, self.torques - known, self.is_sliding)

    def fit(self, prior: Prior | None = None, until: float | None = None) -> Fit:
        """x of all samples, or of those until a time [s]."""
        usable = self.samples.usable(self.cutoff)
        if until is not None:
            usable &= self.samples.t < until
        window = self.is_sliding & usable
        parts = [piece for piece in self.samples.pieces if usable[piece].any()]
        if until is not None:
            ends = np.searchsorted(self.samples.t, until)
            parts = [slice(part.start, min(part.stop, int(ends))) for part in parts]
        return fit_spectrum(
            [self.columns[..., part] * window[:, None, part] for part in parts],
            [self.torques[:, part] * window[:, part] for part in parts],
            self.samples.rate,
            self.cutoff,
            prior,
        )

    def residuals(self, x: Array) -> Array:
        """Measured less fitted torque, (n, N) [N·m or N]."""
        return self.torques - np.einsum("npN,p->nN", self.columns, x)

    def shares(self, x: Array, part: Mask, *, sliding: bool = False) -> Array:
        """Residual RMS over measured RMS of each joint, (n,), over a part of the samples."""
        chosen = np.broadcast_to(part & self.samples.usable(self.cutoff), self.torques.shape)
        if sliding:
            chosen = chosen & self.is_sliding
        left = np.sum(np.where(chosen, self.residuals(x), 0.0) ** 2, axis=1)
        measured = np.sum(np.where(chosen, self.torques, 0.0) ** 2, axis=1)
        return np.sqrt(
            np.divide(left, measured, out=np.full(len(left), np.nan), where=measured > 0)
        )
