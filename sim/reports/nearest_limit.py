"""Order of checks by distance to their limits, and its text, common to all reports."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim.checks import Judgement
from sim.recording.schema.verdicts import Check
from sim.reports.verdict_numbers import number_or_nan, share_used
from sim.robots.coordinate import DEGREE
from sim.showing.shares import share_text

NOTHING = 1e-9  # [degrees, metres]: rounding of a range


def nearness(judged: Judgement) -> tuple[bool, float, float]:
    """Return a sort key by distance to the limit; failed checks sort above all others.

    Of two ranges used to the same share, the one with the smaller distance to its end is nearer.
    """
    check = judged.check
    distance = (
        abs(number_or_nan(check.limit) - number_or_nan(check.worst))
        if judged.bounds == "end"
        else 0.0
    )
    return not check.ok, share_used(check), -distance


def by_nearness(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Return checks, failed ones first, then by distance to their limits; ties keep their order."""
    return sorted(judgements, key=nearness, reverse=True)


def distance_to_end(judged: Judgement) -> str:
    """Return the distance of a passed range or clearance to its limit [deg or m], or ""."""
    worst, limit, unit = judged.check.worst, judged.check.limit, judged.check.unit
    if judged.bounds != "end" or not judged.check.ok or worst is None or limit is None:
        return ""
    scale, unit = (DEGREE, "°") if unit == "rad" else (1.0, unit)
    distance = abs(limit - worst) / scale
    return f"{distance if distance > NOTHING else 0:.3g} {unit} left"


def share_of(check: Check) -> str:
    """Return the share of its limit that a check uses, as text; a dash if it is not finite."""
    share = share_used(check)
    return share_text(share) if math.isfinite(share) else "–"
