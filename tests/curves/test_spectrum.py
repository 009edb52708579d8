"""Spectra of sines of known amplitude, and Parseval's theorem."""

import numpy as np
import pytest

from sim.curves import WINDOWS, Curve
from sim.errors import CurveError

T = np.linspace(0, 10, 2001)


def curve(values, unit="N·m"):
    return Curve(T, values, unit, "x")


@pytest.mark.parametrize("window", WINDOWS)
def test_a_sine_on_a_line_reads_its_amplitude_and_the_mean_its_size(window):
    found = curve(-4 + 3 * np.cos(2 * np.pi * 5 * T + 0.3)).spectrum(window)
    k = round(5 / found.step)
    assert found.step == pytest.approx(0.1, rel=1e-12)  # of 10 s, the last sample left out
    assert (found.f[k], found.values[k]) == pytest.approx((5, 3), rel=1e-12)
    assert found.values[0] == pytest.approx(4, rel=1e-12)
    assert found.peaks() == [pytest.approx((5, 3), rel=1e-12)]
    assert found.unit == "N·m"
    # windows of cosines reach at most four lines to either side
    far = np.abs(np.arange(found.f.size) - k) > 4
    assert found.values[1:][far[1:]].max() < 1e-12


def test_the_highest_frequency_reads_its_amplitude_too():
    found = curve(2 * np.cos(np.pi * np.arange(T.size))).spectrum("boxcar")
    assert (found.f[-1], found.values[-1]) == pytest.approx((100, 2), rel=1e-12)


@pytest.mark.parametrize("window", WINDOWS)
def test_between_two_lines_a_sine_reads_low_by_no_more_than_is_said(window):
    found = curve(3 * np.sin(2 * np.pi * 5.05 * T)).spectrum(window)
    highest = max(value for _, value in found.peaks())
    # the image at the negative frequency is 101 lines away: without a window it adds 1 / 101π, and
    # a sine between two lines reads 2/π, so that this is 5e-3 of it
    assert 3 * (1 - found.scalloping) == pytest.approx(highest, rel=5.1e-3)
    printed = {"hann": 0.1512, "flattop": 0.001, "boxcar": 0.3634}  # 1.42, 0.01, 3.92 dB, Harris
    if window in printed:
        assert found.scalloping == pytest.approx(printed[window], abs=2e-3)


@pytest.mark.parametrize("window", ["boxcar", "hann"])
def test_a_density_has_the_mean_square_as_its_integral(window):
    rng = np.random.default_rng(7)
    values = 5 + rng.normal(size=T.size) + np.sin(2 * np.pi * 3 * T)
    found = curve(values, "rad").spectrum(window, density=True)
    period = values[:-1] - values[:-1].mean()
    w = np.ones(T.size - 1) if window == "boxcar" else np.sin(np.pi * np.arange(2000) / 2000) ** 2
    squares = np.sum((w * period) ** 2) / np.sum(w**2)
    assert np.sum(found.values) * found.step == pytest.approx(squares, rel=1e-12)
    assert found.unit == "rad²/Hz"
    assert curve(values).spectrum(density=True).unit == "(N·m)²/Hz"


def test_a_part_of_the_time_is_analysed_alone():
    values = np.where(T < 4, 0.0, np.sin(2 * np.pi * 2 * T))
    found = curve(values).spectrum("boxcar", start=4, end=9)
    assert found.step == pytest.approx(0.2, rel=1e-12)
    assert found.peaks() == [pytest.approx((2, 1), rel=1e-9)]


def test_what_has_no_spectrum_says_why():
    assert curve(np.zeros(T.size)).spectrum().peaks() == []
    with pytest.raises(CurveError, match="choose one of hann, hamming"):
        curve(T).spectrum("tukey")
    with pytest.raises(CurveError, match="at least 9 samples"):
        curve(T).spectrum(start=0, end=0.03)
    with pytest.raises(CurveError, match="evenly spaced"):
        Curve(T**2, T).spectrum()
