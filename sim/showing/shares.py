"""Formatting of a share of a limit or a rating."""

from __future__ import annotations

import math

TENFOLD = 10.0  # from here on a share is shown as a multiple, not as a long percentage


def percent(ratio: float) -> str:
    """Return a ratio in whole percent, ``15 %``; from tenfold on as a multiple, ``1.18e+06 ×``."""
    if not math.isfinite(ratio):
        return "no number" if math.isnan(ratio) else "∞"
    return f"{ratio:.3g} ×" if ratio >= TENFOLD else f"{round(100 * ratio)} %"  # no -0


def share_text(used: float) -> str:
    """Return a share of a limit: as `percent`, but near the limit with digits that show the side.

    Examples are ``99.98 %`` and ``100.4 %``; ``< 1 %`` for small shares.
    """
    if 0 < used < 0.005:
        return "< 1 %"
    return f"{100 * used:.4g} %" if 0.995 <= used < 1.005 else percent(used)
