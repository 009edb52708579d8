"""Spectrum of a curve: amplitude or power density over frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.curves.signals import require_finite_samples, sampling_rate
from sim.curves.unit_algebra import unit_of_text
from sim.errors import CurveError
from sim.maths.arrays import Array
from sim.showing.one_line import one_line, shorten

WINDOWS = ("hann", "hamming", "blackman", "flattop", "boxcar")
PROMINENT = 0.01  # of the highest line; less prominent lines are not peaks


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Lines of a curve by frequency.

    Parameters
    ----------
    f : ndarray, shape (N // 2 + 1,)
        Frequencies [Hz], 0 … half the sampling rate.
    values : ndarray, shape (N // 2 + 1,)
        Amplitude of a sine at each frequency, and magnitude of the mean at 0; for a density, its
        integral over f is the mean square of the curve minus its mean.
    unit, text : str
    window : str
    density : bool
    scalloping : float
        Largest relative error of the amplitude of a sine halfway between two lines.
    """

    f: Array
    values: Array
    unit: str
    text: str
    window: str
    density: bool
    scalloping: float

    def __repr__(self) -> str:
        kind = "Density" if self.density else "Spectrum"
        return one_line(
            f"{kind} of {shorten(self.text, 40)}:",
            f"{self.f.size} lines of {self.step:.4g} Hz",
            f"[{self.unit}]",
            self.window,
        )

    @property
    def step(self) -> float:
        """Distance of two lines [Hz]: 1 over the time analysed."""
        return float(self.f[1])

    def peaks(self, count: int = 5) -> list[tuple[float, float]]:
        """Return frequency [Hz] and value of the highest prominent lines, the highest first.

        The mean, at 0 Hz, is not among them.
        """
        from scipy.signal import find_peaks

        highest = float(np.max(self.values[1:], initial=0.0))
        if not highest > 0:
            return []
        padded = np.concatenate([[0.0], self.values[1:], [0.0]])
        places, _ = find_peaks(padded, prominence=PROMINENT * highest)
        order = sorted(places, key=lambda k: -padded[k])[:count]
        return [(float(self.f[k]), float(padded[k])) for k in order]


def spectrum_of(
    t: Array, values: Array, unit: str, text: str, window: str = "hann", *, density: bool = False
) -> Spectrum:
    """Return the spectrum of evenly spaced samples by a windowed FFT, one-sided.

    The last sample is left out as the first one of the next period, so that the line spacing is
    1 / (t[-1] - t[0]). The mean is subtracted before the window.

    Amplitude: |2 X / Σ w|, so that a sine on a line has its amplitude. Density: scaled by the
    window's mean square, so that its integral is the mean square (Parseval).

    Raises
    ------
    CurveError
        If the samples are not evenly spaced, not finite or fewer than eight, or the window is
        unknown.
    """
    from scipy import signal

    if window not in WINDOWS:
        raise CurveError(f"Window {window!r}: choose one of {', '.join(WINDOWS)}")
    rate = sampling_rate(t, "a spectrum")
    require_finite_samples(t, values, "a spectrum")
    if t.size < 9:
        raise CurveError(f"For a spectrum at least 9 samples are needed; there are {t.size}")
    period = values[:-1]
    with np.errstate(all="ignore"):  # a square may overflow
        f, power = signal.periodogram(
            period,
            fs=rate,
            window=window,
            detrend="constant",
            scaling="density" if density else "spectrum",
        )
        lines = power if density else _amplitudes(power, period)
    base = unit_of_text(unit)
    shown = f"({unit})²/Hz" if len(base.powers) > 1 else f"{base * base}/Hz"
    scalloping = _scalloping(window, period.size)
    return Spectrum(f, lines, shown if density else unit, text, window, density, scalloping)


def _amplitudes(power: Array, period: Array) -> Array:
    """Return amplitudes from mean squares by line; lines without a mirror image are not doubled."""
    single = [0, -1] if period.size % 2 == 0 else [0]
    lines = np.sqrt(2 * power)
    lines[single] /= np.sqrt(2)
    lines[0] = abs(np.mean(period))
    return lines


def _scalloping(window: str, count: int) -> float:
    """Return 1 - |W(1/2)| / W(0), the loss of a sine halfway between two lines."""
    from scipy import signal

    w = signal.get_window(window, count)
    half = abs(np.sum(w * np.exp(-1j * np.pi * np.arange(count) / count)))
    return float(1 - half / np.sum(w))
