"""Which curves of a robot of many joints a figure has room for."""

from __future__ import annotations

import math
from collections.abc import Sequence

# A panel takes 80 ms to draw, as PNG and as SVG, and more than a sheet of them is too much to read.
MOST = 12


def largest(sizes: Sequence[float]) -> list[int]:
    """Ascending numbers of the `MOST` largest; what is no number is shown first of all."""
    order = sorted(
        range(len(sizes)), key=lambda k: -math.inf if math.isnan(sizes[k]) else -sizes[k]
    )
    return sorted(order[:MOST])


def remark(count: int) -> str:
    """Return the remark of a title on `count` curves; empty where all are shown."""
    return "" if count <= MOST else f", the {MOST} of {count} with the largest peaks"
