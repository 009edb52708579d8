"""Claim: a published result of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal, get_args

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.showing.one_line import ChangesShown

Statistic = Literal[
    "time_of_peak", "peak_within_rating", "peak_below", "value_at", "never_below", "measured_slope"
]
STATISTICS: tuple[str, ...] = get_args(Statistic)


@checked
@dataclass(frozen=True, repr=False)
class Claim(ChangesShown):
    """A published result of the run; evaluated like the checks, outside the verdict.

    Parameters
    ----------
    text : str
        The claim as text.
    source : str
        Source of the claim.
    channel : str
        Pattern of the channels concerned, such as ``ke.*``.
    statistic : str
        Measured quantity: ``time_of_peak``, time of the largest magnitude [s];
        ``peak_within_rating`` or ``peak_below``, that magnitude compared with the joint's rating or
        with `value`; ``value_at``, the value at a time; ``never_below``, the smallest value;
        ``measured_slope``, the factor that fits a rigid-body torque to a real robot's.
    value, within : float or None
        Claimed value and its tolerance; ``peak_below`` and ``never_below`` have no `within`.
    time : float or None
        Time of a ``value_at`` [s].

    Raises
    ------
    ScenarioError
        If the statistic is unknown or its numbers are missing.
    """

    text: str
    source: str
    channel: str
    statistic: Statistic
    value: float | None = None
    within: float | None = None
    time: float | None = None

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            raise ScenarioError(
                f"claim {self.text!r}: statistic {self.statistic!r} is not known; "
                f"choose one of {', '.join(STATISTICS)}"
            )
        if self.statistic == "time_of_peak" and not (
            is_finite(self.value) and is_finite(self.within)
        ):
            raise ScenarioError(
                f"claim {self.text!r}: a time_of_peak needs a finite value and within, in seconds"
            )
        one_sided = self.statistic in ("peak_below", "never_below")
        if one_sided and not is_finite(self.value):
            raise ScenarioError(f"claim {self.text!r}: a {self.statistic} needs a finite value")
        if self.statistic == "measured_slope" and not (
            is_finite(self.value) and is_finite(self.within)
        ):
            raise ScenarioError(
                f"claim {self.text!r}: a measured_slope needs a finite value and within"
            )
        if self.statistic == "value_at" and not all(
            is_finite(number) for number in (self.value, self.within, self.time)
        ):
            raise ScenarioError(
                f"claim {self.text!r}: a value_at needs a finite value, within and time"
            )


def is_finite(value: object) -> bool:
    """Whether a value is a real number that is neither NaN nor infinite."""
    return isinstance(value, Real) and math.isfinite(value)
