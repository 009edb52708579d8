"""Differences between runs, as plain text for a template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from sim.comparison import Comparison, Difference
from sim.reports.page.overlay import Overlay
from sim.reports.page.quantity import ShownQuantity
from sim.showing.one_line import shorten
from sim.showing.shares import share_text

MOST_DIFFERENCES = 10
MOST_CHANGES = 3  # named in a headline where no parameter changed


class DifferenceRow(Struct, frozen=True):
    """Difference of one channel, and the origin of its limit."""

    channel: str
    worst: ShownQuantity
    limit: ShownQuantity
    rule: str
    share: str
    at: float
    diverges: float | None
    ok: bool


class ComparisonTable(Struct, frozen=True):
    """Comparison: its outcome, its context, and the channels nearest to their limits.

    Parameters
    ----------
    label, source, word, note : str
        The source is the file of the other run, or empty.
    ok : bool
    changes : sequence of str
        Changes of the inputs.
    chosen : sequence of str
        Changes made by the user (parameters), which explain the others.
    machine : str
        The other machine and this one; empty where they are the same.
    shift : str
        Text of the time shift that explains the difference; empty if none does.
    first : DifferenceRow or None
        First channel that exceeds its limit.
    rows : sequence of DifferenceRow
    """

    label: str
    source: str
    word: str
    ok: bool
    note: str
    changes: Sequence[str]
    chosen: Sequence[str]
    machine: str
    shift: str
    first: DifferenceRow | None
    rows: Sequence[DifferenceRow]


MACHINE = "platform: "  # prefix of a change of the machine, among the changes of inputs


def change_texts(changes: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of changes, without names of kernels, which the provenance has."""
    return tuple("another machine" if text.startswith(MACHINE) else text for text in changes)


def machine_rows(comparisons: Iterable[ComparisonTable]) -> list[tuple[str, str]]:
    """Return the machine of each compared run, where it differs."""
    return [(f"Machine, {c.label} → this run", c.machine) for c in comparisons if c.machine]


def comparison_tables(overlays: Iterable[Overlay]) -> list[ComparisonTable]:
    """Return for each compared run the channels nearest to or beyond their limits."""
    return [
        _comparison_table(one.label, one.source, one.comparison)
        for one in overlays
        if one.comparison
    ]


def _comparison_table(label: str, source: str, comparison: Comparison) -> ComparisonTable:
    beyond = sum(not d.ok for d in comparison.differences)
    words = [f"{len(comparison.differences)} channels, {beyond} beyond their limit"]
    for word, channels in (("missing", comparison.missing), ("new", comparison.new)):
        if channels:
            words.append(f"{word}: {', '.join(channels)}")
    first = comparison.first
    return ComparisonTable(
        label,
        source,
        comparison.word,
        comparison.ok,
        note="; ".join([*words, *comparison.notes]),
        changes=change_texts(comparison.changes),
        chosen=_headline_parameters(change_texts(comparison.changes)),
        machine="; ".join(
            text.removeprefix(MACHINE) for text in comparison.changes if text.startswith(MACHINE)
        ),
        shift="" if comparison.shift is None else comparison.shift.text,
        first=None if first is None else _difference(first),
        rows=list(map(_difference, comparison.differences[:MOST_DIFFERENCES])),
    )


def _headline_parameters(changes: Sequence[str]) -> list[str]:
    """Return the changed parameters, or else the first changes, for a headline."""
    parameters = [text for text in changes if text.startswith("parameter ")]
    listed = parameters or list(changes[:MOST_CHANGES])
    return [shorten(text.removeprefix("parameter ").replace(": ", " ", 1), 60) for text in listed]


def _difference(difference: Difference) -> DifferenceRow:
    return DifferenceRow(
        difference.channel,
        worst=ShownQuantity(difference.worst, difference.unit, 3),
        limit=ShownQuantity(difference.limit, difference.unit, 3),
        rule=difference.rule,
        share=share_text(difference.used),
        at=difference.at,
        diverges=difference.diverges,
        ok=difference.ok,
    )
