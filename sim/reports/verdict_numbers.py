"""The numbers of verdicts as plain floats, where a description has none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.recording.verdicts import Check


def number_or_nan(value: float | None) -> float:
    """The value; NaN where a description has no number."""
    return math.nan if value is None else value


def share_used(check: Check) -> float:
    """Share of its limit that a check uses, 1 at the limit.

    Where there is no such share it is infinite if the check has failed, and else zero.
    """
    if check.used is not None:
        return check.used
    return 0.0 if check.ok else math.inf
