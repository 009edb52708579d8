"""States and torques of a log that belong together: an even grid, no delay, one low-pass.

Regressor and friction are computed from lightly filtered states. Then they and the measured torque
go through one low-pass, friction too (a parallel filter): what is equally filtered on both sides of
a linear equation stays unbiased, while a filter on one side alone looks like an inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import uniform_filter1d

from sim.curves.signals import zero_phase
from sim.errors import ForeignError
from sim.identification.log import GAP, Log
from sim.maths.arrays import Array, Mask

HIGHEST = 5.0  # [Hz]; beyond it an arm's gears and links swing, and are not rigid
SHARE_OF_BANDWIDTH = 0.6  # below it a filter that the log has been through is 1
POWER_ABOVE = 1e-3  # share of a torque's power that lies above the bandwidth
PASSES = 8.0  # of a noise floor; means of five bins of white noise pass it once in 10^12
STATES = 10.0  # [Hz]; cut-off of positions and velocities
MOST_RATE = 125.0  # [Hz]; samples beyond it cost time and tell nothing below 5 Hz
FEWEST = 4  # samples of a piece, through which a cubic spline goes
PERIODS = 3.0  # of a low-pass, which a piece must last for it
SLIDES = 0.02  # [rad/s or m/s]; from such a speed on dry friction has its direction
MOVES = 1e-3  # [rad or m]; a joint that moves less stands still


@dataclass(frozen=True, eq=False)
class LogSamples:
    """A log on an even grid, with derivatives.

    Parameters
    ----------
    rate : float
        [Hz]
    t : ndarray, shape (N,)
        [s]
    q, qd, qdd, tau : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²], [N·m]; prismatic joints in [m], [m/s], [m/s²], [N].
    pieces : tuple of slice
        The samples between gaps; nothing is known of the others.
    steps : ndarray, shape (n,)
        In which the torques were recorded [N·m] or [N].
    """

    rate: float
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    pieces: tuple[slice, ...]
    steps: Array

    @property
    def is_moving(self) -> Mask:
        """Mask of the joints that move, (n,)."""
        return np.asarray(np.ptp(self.q, axis=1) >= MOVES)

    def piece(self, part: slice) -> LogSamples:
        """Samples that follow each other, alone."""
        q, qd, qdd, tau = (row[:, part] for row in (self.q, self.qd, self.qdd, self.tau))
        whole = (slice(0, part.stop - part.start),)
        return LogSamples(self.rate, self.t[part], q, qd, qdd, tau, whole, self.steps)

    def usable(self, cutoff: float) -> Mask:
        """Samples that no end and no gap disturbs after a low-pass at `cutoff` [Hz], (N,)."""
        edge = int(np.ceil(1.5 * self.rate / cutoff))
        mask = np.zeros(self.t.size, bool)
        for piece in self.pieces:
            mask[piece.start + edge : max(piece.stop - edge, 0)] = True
        return mask

    def low_pass(self, x: Array, cutoff: float) -> Array:
        """Rows (…, N) without what is above `cutoff` [Hz], piece by piece and without delay."""
        result = np.zeros_like(x)
        for piece in self.pieces:
            result[..., piece] = zero_phase(x[..., piece], self.rate, cutoff)
        return result


@dataclass(frozen=True)
class TimeBase:
    """Sampling of a log's times.

    Parameters
    ----------
    rate : float
        Of the median step [Hz].
    jitter : float
        Largest deviation of a step from the median one, gaps apart, in steps.
    gaps : tuple of (float, float)
        Where each begins, and how long it is [s].
    delay : float or None
        By how much velocities lag behind the derivative of positions [s].
    """

    rate: float
    jitter: float
    gaps: tuple[tuple[float, float], ...]
    delay: float | None


def time_base(log: Log) -> TimeBase:
    """Rate, jitter, gaps and the delay of a log."""
    steps = np.diff(log.t)
    step = float(np.median(steps))
    is_gap = steps > GAP * step
    jitter = float(np.abs(steps[~is_gap] / step - 1).max(initial=0.0))
    gaps = tuple((float(log.t[k]), float(steps[k])) for k in np.flatnonzero(is_gap))
    return TimeBase(1 / step, jitter, gaps, _delay(log, step))


def _delay(log: Log, step: float) -> float | None:
    """d of qd(t) = q'(t - d), by least squares over all joints; None without velocities."""
    if log.qd is None:
        return None
    smooth = CubicSpline(log.t, log.q, axis=-1)
    rate, change = smooth(log.t, 1), smooth(log.t, 2)
    inner = np.concatenate([[False], (np.diff(log.t) < GAP * step)[1:], [False]])
    change = change[:, inner]
    size = float(np.sum(change**2))
    return None if size == 0 else -float(np.sum((log.qd - rate)[:, inner] * change) / size)


def bandwidth(log: Log) -> float:
    """Frequency above which less than 0.1 % of the power lies in every joint's torque [Hz].

    The widest joint counts: one torque with content above a frequency shows that the recorder let
    it pass. What does not rise above the noise floor is none.
    """
    rate, pieces = _grid(log)
    part, grid = max(pieces, key=lambda piece: piece[1].size)
    x = CubicSpline(log.t[part], log.tau[:, part], axis=-1)(grid)
    x = (x - x.mean(axis=1, keepdims=True)) * np.hanning(x.shape[1])
    power = _above_floor(np.abs(np.fft.rfft(x, axis=1)) ** 2)
    power = power[power.sum(axis=1) > 0]
    if not power.size:
        return rate / 2
    above = 1 - np.cumsum(power, axis=1) / power.sum(axis=1, keepdims=True)
    return float((above >= POWER_ABOVE).sum(axis=1).max() * rate / x.shape[1])


def _above_floor(power: Array) -> Array:
    """Spectra (n, K) less the noise that their upper halves show, where they clearly pass it."""
    smooth = uniform_filter1d(power, 5, axis=1, mode="nearest")
    floor = np.median(smooth[:, power.shape[1] // 2 :], axis=1, keepdims=True)
    return np.where(smooth > PASSES * floor, smooth - floor, 0.0)


def choose_cutoff(log: Log) -> float:
    """The smaller of 5 Hz and 0.6 of the log's own bandwidth, as its rate allows [Hz]."""
    rate = 1 / float(np.median(np.diff(log.t)))
    return min(HIGHEST, SHARE_OF_BANDWIDTH * bandwidth(log), _of_states(rate) / 2)


def require_cutoff(log: Log, cutoff: float | None) -> float:
    """A cut-off that suits a log; the default if none is given [Hz].

    Raises
    ------
    ForeignError
        If the log has too few samples a second for it, or is too short.
    """
    default = choose_cutoff(log)
    rate = 1 / float(np.median(np.diff(log.t)))
    at = default if cutoff is None else cutoff
    highest = rate / 5
    if not 0 < at <= highest:
        raise ForeignError(
            f"A cut-off of {at:g} Hz does not suit {log.source}, which has {rate:.4g} samples per "
            f"second; allowed: above 0 and at most {highest:.3g} Hz (default: {default:.3g} Hz)"
        )
    if float(np.ptp(log.t)) * at < 6:
        raise ForeignError(
            f"{log.source} is {np.ptp(log.t):.3g} s long, too short for a cut-off of {at:.3g} Hz: "
            f"at least {6 / at:.3g} s are needed, and half a minute is a good log"
        )
    return at


def sample(log: Log) -> LogSamples:
    """States of a log on an even grid of at most 125 Hz, lightly filtered.

    Velocities are the measured ones where there are any, accelerations their derivative.

    Raises
    ------
    ForeignError
        If no piece between two gaps is long enough to be filtered.
    """
    rate, pieces = _grid(log)
    every = max(1, int(np.ceil(rate / MOST_RATE - 1e-9)))
    parts = []
    for part, grid in pieces:
        t, low = log.t[part], _of_states(rate)
        q = zero_phase(CubicSpline(t, log.q[:, part], axis=-1)(grid), rate, low)
        if log.qd is None:
            qd = CubicSpline(grid, q, axis=-1)(grid, 1)
        else:
            qd = zero_phase(CubicSpline(t, log.qd[:, part], axis=-1)(grid), rate, low)
        tau = CubicSpline(t, log.tau[:, part], axis=-1)(grid)
        if every > 1:  # what would fold back below the cut-off
            tau = zero_phase(tau, rate, 0.4 * rate / every)
        qdd = CubicSpline(grid, qd, axis=-1)(grid, 1)
        parts.append(np.stack([q, qd, qdd, tau])[..., ::every])
    ends = np.cumsum([0, *(part.shape[-1] for part in parts)])
    places = tuple(slice(int(a), int(b)) for a, b in pairwise(ends))
    times = np.concatenate([grid[::every] for _, grid in pieces])
    q, qd, qdd, tau = np.concatenate(parts, axis=-1)
    return LogSamples(rate / every, times, q, qd, qdd, tau, places, recorded_steps(log.tau))


@dataclass(frozen=True, eq=False)
class MeasuredStates:
    """Some samples of a log, low-passed, to judge it before anything is fitted.

    Parameters
    ----------
    q, qd, qdd, tau : ndarray, shape (n, N)
    sliding : ndarray, shape (n, N)
        Direction in which each joint slides, between -1 and 1, by the same low-pass.
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    sliding: Array

    def reorder(self, order: Sequence[int]) -> MeasuredStates:
        """Copy with the rows of other joints, torques too."""
        return MeasuredStates(*(row[order] for row in self.rows))

    @property
    def rows(self) -> tuple[Array, ...]:
        """Rows of all five, in their order."""
        return self.q, self.qd, self.qdd, self.tau, self.sliding


def sample_few(log: Log, highest: float, most: int) -> MeasuredStates:
    """Sample a log coarsely, low-passed at `highest` [Hz].

    They are spread over all pieces of a log that are long enough for the low-pass, or over the
    longest one.
    """
    rate, pieces = _grid(log)
    longest = max(pieces, key=lambda piece: piece[1].size)
    pieces = [one for one in pieces if np.ptp(one[1]) * highest >= PERIODS] or [longest]
    every = max(1, sum(grid.size for _, grid in pieces) // most)
    low, parts = min(highest, rate / 5), []
    for part, grid in pieces:
        light = zero_phase(CubicSpline(log.t[part], log.q[:, part], axis=-1)(grid), rate,
                           _of_states(rate))  # fmt: skip
        sliding = np.tanh(CubicSpline(grid, light, axis=-1)(grid, 1) / SLIDES)
        tau = CubicSpline(log.t[part], log.tau[:, part], axis=-1)(grid)
        q, tau, sliding = (zero_phase(x, rate, low) for x in (light, tau, sliding))
        smooth = CubicSpline(grid, q, axis=-1)
        rows = np.stack([q, smooth(grid, 1), smooth(grid, 2), tau, sliding])
        parts.append(rows[..., ::every])
    return MeasuredStates(*np.concatenate(parts, axis=-1))


def recorded_steps(tau: Array) -> Array:
    """Recording steps of rows (n, N), (n,): the median gap between their values."""
    gaps = (np.diff(np.unique(row)) for row in tau)
    return np.array([float(np.median(gap)) if gap.size else 0.0 for gap in gaps])


def _grid(log: Log) -> tuple[float, list[tuple[slice, Array]]]:
    """Rate [Hz], and of each piece between two gaps its samples in the log and even times."""
    step = float(np.median(np.diff(log.t)))
    cuts = np.flatnonzero(np.diff(log.t) > GAP * step) + 1
    pieces = []
    for a, b in pairwise([0, *cuts.tolist(), log.t.size]):
        length = float(log.t[b - 1] - log.t[a])
        if length >= 3 / _of_states(1 / step) and b - a >= FEWEST:
            pieces.append((slice(a, b), log.t[a] + step * np.arange(round(length / step) + 1)))
    if not pieces and not cuts.size:
        raise ForeignError(
            f"{log.source} lasts {np.ptp(log.t):.3g} s; at least {3 / _of_states(1 / step):.3g} s "
            "are needed. If times are in another unit, state it with --unit COLUMN=ms"
        )
    if not pieces:
        raise ForeignError(
            f"{log.source} has {len(cuts)} gaps, and no piece between them is as long as "
            f"{3 / _of_states(1 / step):.3g} s; log without interruptions"
        )
    return 1 / step, pieces


def _of_states(rate: float) -> float:
    return min(STATES, rate / 10)
