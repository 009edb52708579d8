"""Terms of the limits of a channel, for a terminal: ``sim check RUN --why CHANNEL``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from sim.checks import Judgement
from sim.checks.allowed_error import Term
from sim.errors import SimError
from sim.reports.nearest_limit import share_of
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable
from sim.reports.verdict_numbers import number_or_nan
from sim.showing.shares import share_text

if TYPE_CHECKING:
    from rich.console import RenderableType


def checks_of(judgements: Sequence[Judgement], channel: str) -> list[Judgement]:
    """Return the checks of a channel, or of all channels that match a pattern such as ``tau.*``.

    Raises
    ------
    SimError
        If there is none; the message names the nearest channels that have checks.
    """
    chosen = [
        one
        for one in judgements
        if any(fnmatchcase(name, channel) for name in (one.check.channel, *one.holds))
    ]
    if not chosen:
        known = list(dict.fromkeys(one.check.channel for one in judgements))
        near = get_close_matches(channel, known, n=3, cutoff=0.5)
        groups = dict.fromkeys(name.partition(".")[0] for name in known)
        hint = f"the nearest are {', '.join(near)}" if near else f"there are {', '.join(groups)}"
        raise SimError(f"No check of this run is on channel {channel!r}; {hint}")
    return chosen


def limit_terms(judgements: Iterable[Judgement]) -> list[RenderableType]:
    """Return for each check a line, then a table of the terms whose sum is its limit."""
    lines: list[RenderableType] = []
    for judged in judgements:
        check, allowance = judged.check, judged.allowance
        unit = "" if check.unit == "1" else f" {check.unit}"
        line = Text(f"{check.name} {check.channel}", style="bold")
        numbers = f"{number_or_nan(check.worst):.3g} of {number_or_nan(check.limit):.3g}{unit}"
        lines.append(line.append(f"  {numbers} ({share_of(check)})", style="not bold"))
        if allowance is None:
            lines.append(Text(f"  one number{': ' * bool(judged.note)}{judged.note}"))
            continue
        size = f"size [{check.unit}]"
        table = FittedTable(("term", size, "share", "meaning"), prose=("meaning",), airy=False)
        for term, share in allowance.shown:
            table.add_row(f"  {term.title}", f"{term.value:.2g}", share_text(share), term.meaning)
        for term in allowance.taken_off:
            table.add_row(f"  less {term.title}", f"{term.value:.2g}", "", term.meaning)
        lines.append(table)
    return lines


def as_plain(judgements: Iterable[Judgement]) -> list[dict[str, Any]]:
    """Return the terms of limits as plain values, for JSON."""
    return [
        {
            "name": judged.check.name,
            "channel": judged.check.channel,
            "unit": judged.check.unit,
            "worst": judged.check.worst,
            "limit": judged.check.limit,
            "terms": [
                _plain(term) for term, _ in (judged.allowance.shown if judged.allowance else ())
            ],
            "taken_off": list(map(_plain, judged.allowance.taken_off if judged.allowance else ())),
        }
        for judged in judgements
    ]


def _plain(term: Term) -> dict[str, Any]:
    return {"name": term.name, "value": term.value, "meaning": term.meaning}
