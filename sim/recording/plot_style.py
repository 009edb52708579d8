"""Style of printed curves: colours suitable for the colour-blind, and Matplotlib settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sim.maths.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RECORDED, ANALYTIC, FAINT = "#0072B2", "#000000", "#8a8a8a"  # Okabe-Ito blue; black; grey
REFERENCE = "#D55E00"  # Okabe-Ito vermilion

STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.formatter.useoffset": False,
    "svg.hashsalt": "sim",
    "svg.fonttype": "none",
}


def frame(axis: Axes, values: Array) -> None:
    """Set axis limits that show a constant as constant instead of magnified rounding."""
    low, high = float(np.min(values)), float(np.max(values))
    size = max(abs(low), abs(high))
    if high - low < 1e-6 * max(size, 1e-6):
        half = max(0.1 * size, 1e-3)
        axis.set_ylim(0.5 * (low + high) - half, 0.5 * (low + high) + half)
