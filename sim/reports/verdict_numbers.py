"""Numbers of verdicts as floats, also where a description has none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.recording.schema.verdicts import Check


def number_or_nan(value: float | None) -> float:
    """Return the value; NaN where a description has no number."""
    return math.nan if value is None else value


def effort_word(units: Iterable[str]) -> str:
    """Return the heading of joint efforts in these units: torque, force, or effort for both."""
    return {frozenset({"N"}): "force", frozenset({"N", "N·m"}): "effort"}.get(
        frozenset(units), "torque"
    )


def share_used(check: Check) -> float:
    """Return the share of its limit that a check uses, 1 at the limit.

    Without a finite share the result is infinite for a failed check, otherwise zero.
    """
    if check.used is not None:
        return check.used
    return 0.0 if check.ok else math.inf
