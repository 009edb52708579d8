"""Natural frequencies over the time of a run as a drawing for a page, without any script."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sim.maths.arrays import Array
from sim.reports.terminal.tables import number
from sim.vibration.run_modes import RunModes

WIDTH, HEIGHT = 640, 290  # [px]
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 32, 44
POINTS = 400  # of a curve
WIDE = 30.0  # largest over smallest frequency, from which on the axis is logarithmic


def frequency_chart(run: RunModes) -> str:
    """SVG of all frequencies over t; gaps are where the joints run away."""
    every = max(1, run.t.size // POINTS)
    t, f = run.t[::every], run.frequency[:, ::every]
    known = f[np.isfinite(f) & (f > 0)]
    if not known.size or t.size < 2:
        return ""
    low, high = float(known.min()), float(known.max())
    is_log = high > WIDE * low
    ticks = _decades(low, high) if is_log else _steps(0.0, high)
    ends = (ticks[0], max(ticks[-1], high))

    def down(value: Array) -> Array:
        a, b, x = (np.log(v) if is_log else v for v in (ends[0], ends[1], value))
        return np.asarray(TOP + (HEIGHT - TOP - BOTTOM) * (1 - (x - a) / (b - a)))

    def along(time: Array) -> Array:
        return np.asarray(LEFT + (WIDTH - LEFT - RIGHT) * (time - t[0]) / (t[-1] - t[0]))

    parts = []
    for value in ticks:
        y = float(down(np.array(value)))
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="end" x="{LEFT - 6}" y="{y + 4:.1f}">{value:g}</text>')
    for value in _steps(float(t[0]), float(t[-1])):
        x = float(along(np.array(value)))
        parts.append(f'<text class="mid" x="{x:.1f}" y="{HEIGHT - 26}">{value:g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text class="mid" x="{middle}" y="{HEIGHT - 6}">time [s]</text>')
    parts.append('<text x="2" y="14">frequency [Hz]</text>')
    for k, row in enumerate(f):
        parts.append(_curve(along(t), row, down, f"mode {k + 1}"))
    words = f"{len(f)} natural frequencies over {number(t[-1] - t[0])} s"
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">'
        f"{''.join(parts)}</svg>"
    )


def _curve(x: Array, row: Array, down: Callable[[Array], Array], words: str) -> str:
    """Path of one frequency, broken where it is none."""
    sound = np.isfinite(row) & (row > 0)
    y = down(np.where(sound, row, 1.0))
    path, was = [], False
    for one, place, is_there in zip(x, y, sound, strict=True):
        if is_there:
            path.append(f"{'L' if was else 'M'}{one:.1f},{place:.1f}")
        was = bool(is_there)
    return f'<path d="{"".join(path)}"><title>{words}</title></path>'


def _decades(low: float, high: float) -> list[float]:
    """Powers of ten, from one below to one above."""
    return [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def _steps(low: float, high: float) -> list[float]:
    """Round numbers between two, about five."""
    power = 10.0 ** math.floor(math.log10(max(high - low, 1e-12) / 4))
    step = next(m * power for m in (1, 2, 5, 10) if (high - low) / (m * power) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [step * k for k in range(first, math.floor(high / step + 1e-9) + 1)]
