"""Linear equations tau = Y x of all samples, after the parallel filter and without rest.

Friction at rest takes any value up to its limit, which no law of speed describes. Such samples are
excluded after filtering by a window on both sides of the equation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.curves.spectral_fit import Prior, SpectralFit, fit_spectrum
from sim.errors import ForeignError
from sim.identification.signals import LogSamples
from sim.maths.arrays import Array, Mask

DRAWS = 60  # draws of the offset of the recorder's quantisation steps
COARSE = 1e-3  # of a torque's RMS; finer steps are ignored
REST = 0.05  # of a joint's own RMS speed, below which it is at rest


@dataclass(frozen=True, eq=False)
class LogEquations:
    """Filtered columns and torques of a log.

    Parameters
    ----------
    samples : LogSamples
    cutoff : float
        Cut-off of the low-pass on both sides [Hz].
    columns : ndarray, shape (n, p, N)
    torques : ndarray, shape (n, N)
    is_sliding : ndarray of bool, shape (n, N)
    rounding : ndarray, shape (k, n, N)
        Possible torque errors by the recorder's quantisation; k is 0 if it is fine.
    """

    samples: LogSamples
    cutoff: float
    columns: Array
    torques: Array
    is_sliding: Mask
    rounding: Array

    @classmethod
    def of(cls, samples: LogSamples, columns: Array, cutoff: float) -> LogEquations:
        """Form the equations of unfiltered columns (n, p, N) and measured torques."""
        speed = np.abs(samples.qd)
        rms = np.sqrt((speed**2).mean(axis=1, keepdims=True))
        filtered = samples.low_pass(columns, cutoff)
        torques = samples.low_pass(samples.tau, cutoff)
        return cls(
            samples,
            cutoff,
            filtered,
            torques,
            (speed > REST * rms) & samples.is_moving[:, None],
            _rounding(samples, columns, filtered, torques, cutoff),
        )

    def with_columns(self, chosen: Sequence[int] | Array) -> LogEquations:
        """Return a copy with some of the columns."""
        return replace(self, columns=self.columns[:, chosen])

    def with_column(self, row: int, column: Array) -> LogEquations:
        """Return a copy with one more column, for the torque of one row only, (N,)."""
        more = np.zeros((len(self.torques), 1, column.size))
        more[row, 0] = column
        return replace(self, columns=np.concatenate([self.columns, more], axis=1))

    def less(self, x: Array) -> LogEquations:
        """Return a copy with known parts subtracted from the torques: `x` of the first columns."""
        known = np.einsum("npN,p->nN", self.columns[:, : x.size], x)
        rest = self.columns[:, x.size :]
        return replace(self, columns=rest, torques=self.torques - known)

    def fit(self, prior: Prior | None = None, until: float | None = None) -> SpectralFit:
        """Fit x to all samples, or to those until a time [s].

        Raises
        ------
        ForeignError
            If no piece of the log is long enough for the low-pass, or their total is too short.
        """
        usable = self.samples.usable(self.cutoff)
        if until is not None:
            usable &= self.samples.t < until
        parts = [
            trimmed for piece in self.samples.pieces if (trimmed := _trim_piece(usable, piece))
        ]
        if not parts:
            raise ForeignError(
                f"no piece of the log between two gaps is longer than {3 / self.cutoff:.3g} s, as "
                f"a cut-off of {self.cutoff:.3g} Hz requires; log without interruptions"
            )
        window = self.is_sliding
        return fit_spectrum(
            [self.columns[..., part] * window[:, None, part] for part in parts],
            [self.torques[:, part] * window[:, part] for part in parts],
            self.samples.rate,
            self.cutoff,
            prior,
            window[:, usable].mean(axis=1),
            [self.rounding[..., part] * window[:, part] for part in parts],
        )

    def residuals(self, x: Array) -> Array:
        """Return measured minus fitted torque, (n, N) [N·m or N]."""
        return self.torques - np.einsum("npN,p->nN", self.columns, x)

    def shares(self, x: Array, part: Mask, *, sliding: bool = False) -> Array:
        """Return residual RMS over measured RMS of each joint, (n,), over some of the samples."""
        chosen = np.broadcast_to(part & self.samples.usable(self.cutoff), self.torques.shape)
        if sliding:
            chosen = chosen & self.is_sliding
        squares = np.sum(np.where(chosen, self.residuals(x), 0.0) ** 2, axis=1)
        measured = np.sum(np.where(chosen, self.torques, 0.0) ** 2, axis=1)
        return np.sqrt(
            np.divide(squares, measured, out=np.full(len(squares), np.nan), where=measured > 0)
        )


def _trim_piece(mask: Mask, piece: slice) -> slice | None:
    """Return the samples of a piece between the first and the last in a mask."""
    inside = np.flatnonzero(mask[piece])
    return slice(piece.start + inside[0], piece.start + inside[-1] + 1) if inside.size else None


def _rounding(
    samples: LogSamples, columns: Array, filtered: Array, torques: Array, cutoff: float
) -> Array:
    """Return torque errors by the recorder's rounding, low-passed, (DRAWS, n, N).

    The rounding error is a function of the torque and not noise. It is therefore computed from the
    fitted torques, rounded to steps with random offsets.
    """
    rms = np.sqrt((torques**2).mean(axis=1))
    steps = np.where(samples.steps > COARSE * rms, samples.steps, 0.0)[:, None]
    if not steps.any():
        return np.zeros((0, *torques.shape))
    rows = np.moveaxis(filtered, 1, 2).reshape(-1, filtered.shape[1])
    x = np.linalg.lstsq(rows, torques.reshape(-1), rcond=1e-9)[0]
    tau = np.einsum("npN,p->nN", columns, x)
    places = np.random.default_rng(0).uniform(-0.5, 0.5, (DRAWS, len(tau), 1))
    units = np.where(steps > 0, steps, 1.0)
    added = units * (np.round(tau / units + places) - places) - tau
    return samples.low_pass(np.where(steps > 0, added, 0.0), cutoff)
