"""Natural frequencies over the time of a run as a drawing for a page, without any script."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sim.maths.arrays import Array, Mask
from sim.reports.svg.chart import Chart
from sim.reports.svg.marks import spread_labels, text
from sim.reports.svg.scales import decades
from sim.reports.terminal.tables import number
from sim.vibration.run_modes import RunModes

SIZE = 640, 290  # [px]
LEFT, RIGHT, TOP, BOTTOM = 62, 74, 34, 46
POINTS = 400  # of a curve
WIDE = 30.0  # largest over smallest frequency, from which on the axis is logarithmic
GAP = 17  # [px] between two names of curves, as large as they are on a phone


def frequency_chart(run: RunModes) -> str:
    """SVG of all frequencies over t; gaps are where the joints run away."""
    every = max(1, run.t.size // POINTS)
    t, f = run.t[::every], run.frequency[:, ::every]
    is_known = np.isfinite(f) & (f > 0)
    if not is_known.any() or t.size < 2:
        return ""
    low, high = float(f[is_known].min()), float(f[is_known].max())
    is_log = high > WIDE * low
    powers = [value for value, _ in decades(low, high)]
    y = (powers[0], powers[-1]) if is_log else (0.0, 1.04 * high)
    chart = Chart(*SIZE, LEFT, RIGHT, TOP, BOTTOM, (float(t[0]), float(t[-1])), y, is_log)
    named = [k for k in range(len(f)) if is_known[k, -1]]
    places = spread_labels([chart.up(f[k, -1]) for k in named], GAP, chart.ends[3])
    marks = [
        chart.grid(6, 5, x_title="time [s]", y_title="frequency [Hz]"),
        [
            chart.path(_stretches(t, row, known), "curve strong", f"mode {k + 1}")
            for k, (row, known) in enumerate(zip(f, is_known, strict=True))
        ],
        [
            text(chart.ends[2] + 6, place + 4, f"mode {k + 1}", cls="tick")
            for k, place in zip(named, places, strict=True)
        ],
    ]
    words = f"{len(f)} natural frequencies over {number(t[-1] - t[0])} s"
    return chart.drawing(marks, words)


def _stretches(t: Array, row: Array, is_known: Mask) -> list[Array]:
    """Points (N, 2) of a curve between its gaps."""
    edges = np.flatnonzero(np.diff(is_known.astype(int), prepend=0, append=0))
    points = np.stack([t, row], axis=1)
    return [points[a:b] for a, b in list(pairwise(edges))[::2]]
