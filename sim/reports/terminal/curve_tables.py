"""Statistics of curves and spectra in the terminal, and in one line over a plot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.curves.curve import Curve
from sim.curves.spectrum import Spectrum
from sim.reports.terminal.tables import FittedTable
from sim.showing.one_line import shorten

LONGEST = 60  # characters of an expression in a table


def curve_table(rows: Sequence[tuple[str, Curve, Curve]]) -> FittedTable:
    """Return one row per expression: text, curve, difference from the analytic model.

    The column ± is the largest difference from the analytic model plus the sampling error.
    """
    table = FittedTable(
        ("curve", "unit", "min", "at s", "max", "at s ", "mean", "RMS", "±"),
        spare=("at s", "at s ", "mean"),
        left=("unit",),
    )
    for text, curve, difference in rows:
        statistics, worst = curve.statistics(), difference.statistics().peak
        table.add_row(
            shorten(text, LONGEST),
            curve.unit,
            f"{statistics.min.value:.5g}",
            f"{statistics.min.t:.4g}",
            f"{statistics.max.value:.5g}",
            f"{statistics.max.t:.4g}",
            f"{statistics.mean:.5g}",
            f"{statistics.rms:.5g}",
            f"{abs(worst.value) + curve.error:.2g}",
        )
    return table


def gap_remark(text: str, curve: Curve) -> str:
    """Return the number of samples without a value, and the first of them; empty if none."""
    gaps = np.flatnonzero(~np.isfinite(curve.values))
    if not gaps.size:
        return ""
    return (
        f"{shorten(text, LONGEST)} has no value at {gaps.size:,} of {curve.t.size:,} samples, "
        f"first at {curve.t[gaps[0]]:.6g} s; statistics cover the other samples"
    )


def spectrum_table(spectra: Sequence[Spectrum], count: int) -> FittedTable:
    """Return the highest lines of each spectrum."""
    density = spectra[0].density
    table = FittedTable(
        ("curve", "line [Hz]", "density" if density else "amplitude", "unit"), left=("unit",)
    )
    for one in spectra:
        for k, (f, value) in enumerate(one.peaks(count)):
            table.add_row(
                "" if k else shorten(one.text, LONGEST), f"{f:.5g}", f"{value:.4g}", one.unit
            )
        if not one.peaks(1):
            table.add_row(shorten(one.text, LONGEST), "none", "–", one.unit)
    return table


def curve_remark(curve: Curve) -> str:
    """Return peak, RMS and mean in one line."""
    statistics = curve.statistics()
    unit = "" if curve.unit == "1" else f" {curve.unit}"
    return (
        f"peak {statistics.peak.value:.4g}{unit} at {statistics.peak.t:.4g} s · "
        f"RMS {statistics.rms:.4g}{unit} · mean {statistics.mean:.4g}{unit}"
    )


def spectrum_remark(spectrum: Spectrum) -> str:
    """Return window, line spacing, and the largest scalloping loss."""
    window = "no window" if spectrum.window == "boxcar" else f"{spectrum.window} window"
    low = "" if spectrum.density else f", scalloping loss up to {spectrum.scalloping:.2%}"
    return f"{window}, mean subtracted, line spacing {spectrum.step:.4g} Hz{low}"
