"""Comparison of two runs for a terminal: verdict, changed inputs and channels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.comparison.outcome import BOTH_METHODS
from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import table
from sim.showing.one_line import shorten_list

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.comparison.outcome import Comparison, Difference

MOST_CHANGES = 12


def comparison(result: Comparison, name: str, most: int = 12) -> list[RenderableType]:
    """Return the verdict, changed inputs, and the channels nearest to or beyond their limits."""
    parts: list[RenderableType] = [Sentence(headline(result, name))]
    parts += [label_sentence("input", text, "yellow") for text in inputs(result)]
    if result.shift is not None:
        parts.append(label_sentence("shift", result.shift.text, "yellow"))
    parts.append(_channels(result.differences[:most]))
    parts += [label_sentence("limit", text, "dim") for text in _rules(result.differences)]
    for word, channels in (("missing", result.missing), ("new", result.new)):
        if channels:
            parts.append(label_sentence(word, shorten_list(list(channels)), "yellow"))
    parts += [label_sentence("note", note, "yellow") for note in result.notes]
    return parts


def headline(result: Comparison, name: str) -> Text:
    """Return name, verdict, number of channels beyond their limits and the first such time."""
    line = Text()
    line.append(name, style="bold")
    line.append(f"  {result.word}", style="green" if result.ok else "bold red")
    beyond = sum(not d.ok for d in result.differences)
    line.append(f"   {len(result.differences)} channels, {beyond} beyond limit")
    for word, channels in (("missing", result.missing), ("new", result.new)):
        line.append(f", {len(channels)} {word}" if channels else "")
    if result.diverges is not None:
        first = [d.channel for d in result.differences if d.diverges == result.diverges]
        line.append(f"; first at {result.diverges:g} s ({first[0]})")
    return line


def inputs(result: Comparison) -> Iterator[str]:
    """Yield each difference of the inputs."""
    yield from result.changes[:MOST_CHANGES]
    if len(result.changes) > MOST_CHANGES:
        yield f"and {len(result.changes) - MOST_CHANGES} more"


def _rules(differences: tuple[Difference, ...]) -> Iterator[str]:
    """Yield each kind of rule for limits, and its number of channels."""
    rounded = {_kind(d.rule) for d in differences if d.rounding}
    for rule, count in Counter(_kind(d.rule) for d in differences).items():
        if rule:
            more = ", and rounding" if rule in rounded else ""
            yield f"{rule}{more}: {count} channels"


def _kind(rule: str) -> str:
    """Return a rule without the channel's residual of both methods, which is in the table."""
    share, _, more = rule.partition(" + ")
    return f"{share} + discretisation of both methods" if more.endswith(BOTH_METHODS) else rule


def _channels(differences: tuple[Difference, ...]) -> RenderableType:
    columns = ("channel", "largest difference", "limit", "of limit", "at", "diverges", "rule")
    rows = table(*columns, spare=("rule", "at", "limit", "diverges", "of limit"))
    for d in differences:
        rows.add_row(
            d.channel,
            f"{d.worst:.3g} {d.unit}",
            f"{d.limit:.3g}",
            f"{d.used:.3g}",
            f"{d.at:.3f} s",
            "-" if d.diverges is None else f"{d.diverges:.3f} s",
            d.rule,
            style=None if d.ok else "red",
        )
    return rows
