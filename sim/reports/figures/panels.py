"""Choice of the curves drawn in the figure of a robot with many joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

# A panel takes 80 ms to draw as PNG and SVG, and more than a sheet of them is hard to read.
MOST = 12


def largest_indices(sizes: Sequence[float]) -> list[int]:
    """Return the ascending indices of the `MOST` largest values; NaN ranks first."""
    order = sorted(
        range(len(sizes)), key=lambda k: -math.inf if math.isnan(sizes[k]) else -sizes[k]
    )
    return sorted(order[:MOST])


def remark(count: int) -> str:
    """Return the remark of a title on `count` curves; empty where all are shown."""
    return "" if count <= MOST else f", the {MOST} of {count} with the largest peaks"
