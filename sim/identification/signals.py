"""Consistent states and torques of a log: an even grid, no delay, one low-pass.

Regressor and friction are computed from lightly filtered states. They and the measured torque
then pass through one low-pass (a parallel filter): equal filters on both sides of a linear equation
leave it unbiased, while a filter on one side alone looks like an inertia.
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

HIGHEST = 5.0  # [Hz]; above it an arm's gears and links oscillate and are not rigid
SHARE_OF_BANDWIDTH = 0.6  # below it an earlier filter of the log has unit gain
POWER_ABOVE = 1e-3  # share of a torque's power above the bandwidth
PASSES = 8.0  # of a noise floor; means of five bins of white noise exceed it once in 10^12
STATES = 10.0  # [Hz]; cut-off of positions and velocities
MOST_RATE = 125.0  # [Hz]; more samples cost time without information below 5 Hz
FEWEST = 4  # samples of a piece, for a cubic spline
PERIODS = 3.0  # of a low-pass, which a piece must last
SLIDES = 0.02  # [rad/s or m/s]; the sign of dry friction is defined from this speed on
MOVES = 1e-3  # [rad or m]; a joint that moves less is at rest


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
        The samples between gaps; the others are undefined.
    steps : ndarray, shape (n,)
        Quantisation steps of the recorded torques [N·m or N].
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
        """Mask of the moving joints, (n,)."""
        return np.asarray(np.ptp(self.q, axis=1) >= MOVES)

    def piece(self, part: slice) -> LogSamples:
        """Return the samples of one piece."""
        q, qd, qdd, tau = (row[:, part] for row in (self.q, self.qd, self.qdd, self.tau))
        whole = (slice(0, part.stop - part.start),)
        return LogSamples(self.rate, self.t[part], q, qd, qdd, tau, whole, self.steps)

    def usable(self, cutoff: float) -> Mask:
        """Return the samples undisturbed by ends and gaps after a low-pass at `cutoff` [Hz]."""
        edge = int(np.ceil(1.5 * self.rate / cutoff))
        mask = np.zeros(self.t.size, bool)
        for piece in self.pieces:
            mask[piece.start + edge : max(piece.stop - edge, 0)] = True
        return mask

    def low_pass(self, x: Array, cutoff: float) -> Array:
        """Filter rows (…, N) at `cutoff` [Hz], piece by piece and without delay."""
        result = np.zeros_like(x)
        for piece in self.pieces:
            result[..., piece] = zero_phase(x[..., piece], self.rate, cutoff)
        return result


@dataclass(frozen=True)
class TimeBase:
    """Sampling of a log.

    Parameters
    ----------
    rate : float
        Of the median step [Hz].
    jitter : float
        Largest deviation of a step from the median one, gaps excluded, in steps.
    gaps : tuple of (float, float)
        Start and duration of each gap [s].
    delay : float or None
        Delay of velocities with respect to the derivative of positions [s].
    """

    rate: float
    jitter: float
    gaps: tuple[tuple[float, float], ...]
    delay: float | None


def time_base(log: Log) -> TimeBase:
    """Return rate, jitter, gaps and velocity delay of a log."""
    steps = np.diff(log.t)
    step = float(np.median(steps))
    is_gap = steps > GAP * step
    jitter = float(np.abs(steps[~is_gap] / step - 1).max(initial=0.0))
    gaps = tuple((float(log.t[k]), float(steps[k])) for k in np.flatnonzero(is_gap))
    return TimeBase(1 / step, jitter, gaps, _delay(log, step))


def _delay(log: Log, step: float) -> float | None:
    """Return d of qd(t) = q'(t - d), by least squares over all joints; None without velocities."""
    if log.qd is None:
        return None
    smooth = CubicSpline(log.t, log.q, axis=-1)
    rate, change = smooth(log.t, 1), smooth(log.t, 2)
    inner = np.concatenate([[False], (np.diff(log.t) < GAP * step)[1:], [False]])
    change = change[:, inner]
    size = float(np.sum(change**2))
    return None if size == 0 else -float(np.sum((log.qd - rate)[:, inner] * change) / size)


def bandwidth(log: Log) -> float:
    """Return the frequency above which each torque has less than 0.1 % of its power [Hz].

    The joint with the largest bandwidth counts: one torque with content above a frequency shows
    that the recorder passed it. Power within the noise floor is ignored.
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
    """Return spectra (n, K) minus the noise in their upper halves, where they clearly exceed it."""
    smooth = uniform_filter1d(power, 5, axis=1, mode="nearest")
    floor = np.median(smooth[:, power.shape[1] // 2 :], axis=1, keepdims=True)
    return np.where(smooth > PASSES * floor, smooth - floor, 0.0)


def choose_cutoff(log: Log) -> float:
    """Return the smaller of 5 Hz and 0.6 times the log's bandwidth, limited by its rate [Hz]."""
    rate = 1 / float(np.median(np.diff(log.t)))
    return min(HIGHEST, SHARE_OF_BANDWIDTH * bandwidth(log), _of_states(rate) / 2)


def require_cutoff(log: Log, cutoff: float | None) -> float:
    """Return a cut-off that suits a log (default: `choose_cutoff`) [Hz].

    Raises
    ------
    ForeignError
        If the rate of the log is too low for it, or the log too short.
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
    """Return the states of a log on an even grid of at most 125 Hz, lightly filtered.

    Velocities are measured if available; accelerations are their derivative.

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
        if every > 1:  # against aliasing below the cut-off
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
    """Low-passed samples of a log, to check it before the fit.

    Parameters
    ----------
    q, qd, qdd, tau : ndarray, shape (n, N)
    sliding : ndarray, shape (n, N)
        Sliding direction of each joint, between -1 and 1, by the same low-pass.
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    sliding: Array

    def reorder(self, order: Sequence[int]) -> MeasuredStates:
        """Return a copy with rows in the order of other joints, torques included."""
        return MeasuredStates(*(row[order] for row in self.rows))

    @property
    def rows(self) -> tuple[Array, ...]:
        """Return the rows of all five arrays, in order."""
        return self.q, self.qd, self.qdd, self.tau, self.sliding


def sample_few(log: Log, highest: float, most: int) -> MeasuredStates:
    """Sample a log coarsely, low-passed at `highest` [Hz].

    The samples are spread over all pieces of a log that are long enough for the low-pass, or over
    the longest one.
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
    """Return quantisation steps of rows (n, N), (n,): the median gap between their values."""
    gaps = (np.diff(np.unique(row)) for row in tau)
    return np.array([float(np.median(gap)) if gap.size else 0.0 for gap in gaps])


def _grid(log: Log) -> tuple[float, list[tuple[slice, Array]]]:
    """Return the rate [Hz], and of each piece between gaps its samples in the log and times."""
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
