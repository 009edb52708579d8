"""Outcome of each scenario's comparison with its baseline, as text for all reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.comparison.outcome import Comparison, Difference
from sim.showing.one_line import shorten_list
from sim.showing.shares import share_text

MOST_NAMED = 3  # scenarios named in a summary


@dataclass(frozen=True)
class ComparisonStatus:
    """Comparison of one scenario with its baseline.

    Parameters
    ----------
    scenario : str
    comparison : Comparison or None
        None if there was nothing to compare.
    missing : str
        Reason for no comparison, as short text such as ``no baseline``.
    reason : str
        Details of it, if any: the unreadable file, and the remedy.
    """

    scenario: str
    comparison: Comparison | None = None
    missing: str = ""
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether it was compared, and all is within tolerance."""
        return self.comparison is not None and self.comparison.ok

    @property
    def word(self) -> str:
        """Level of agreement, or the reason for no comparison, as a keyword."""
        return self.missing if self.comparison is None else self.comparison.word

    @property
    def share(self) -> str:
        """Largest used share of a limit, as text."""
        return "–" if self.comparison is None else share_text(self.comparison.used)

    @property
    def used(self) -> float:
        """Largest used share of a limit; infinite if nothing was compared."""
        return float("inf") if self.comparison is None else self.comparison.used

    @property
    def worst(self) -> Difference | None:
        """Channel beyond its limit, or nearest to it; None if all are the same."""
        differences = () if self.comparison is None else self.comparison.differences
        return next((d for d in differences if d.worst > 0), None)

    @property
    def first(self) -> Difference | None:
        """Channel that exceeds its limit first."""
        return None if self.comparison is None else self.comparison.first

    @property
    def changes(self) -> tuple[str, ...]:
        """Changes of the inputs, as text."""
        return () if self.comparison is None else self.comparison.changes

    @property
    def text(self) -> str:
        """Status and its subject in one line."""
        if self.comparison is None:
            return f"{self.scenario}: {': '.join(filter(None, (self.missing, self.reason)))}"
        if self.first is not None:
            at = f"first at {self.first.diverges:.6g} s ({self.first.channel})"
            return f"{self.scenario} {self.word} {at}"
        against = "; ".join(_reasons_against(self.comparison))
        return f"{self.scenario} {self.word}" + (f": {against}" if against else "")

    def lines(self, most: int = 3) -> tuple[str, ...]:
        """Return details in a few labelled lines: changed inputs and differences.

        Parameters
        ----------
        most : int
            Number of changes listed, and of channels.
        """
        if self.comparison is None:
            return (f"reason   {self.reason}",) if self.reason else ()
        comparison = self.comparison
        lines = [f"input    {change}" for change in comparison.changes[:most]]
        if len(comparison.changes) > most:
            lines.append(f"input    {len(comparison.changes) - most} more")
        if not comparison.changes and not comparison.ok:
            lines.append("input    unchanged")
        if comparison.shift is not None:
            lines.append(f"shift    {comparison.shift.text}")
        lines += [f"note     {text}" for text in comparison.notes]
        sides = (("missing", comparison.missing), ("new", comparison.new))
        lines += [f"{word:8} {shorten_list(names)}" for word, names in sides if names]
        lines += [
            f"channel  {_difference_text(d)}" for d in comparison.differences[:most] if d.worst > 0
        ]
        return tuple(lines)


def sort_by_urgency(standings: Sequence[ComparisonStatus]) -> list[ComparisonStatus]:
    """Return statuses sorted: failed ones first, then by the used share of a limit."""
    return sorted(standings, key=lambda one: (one.ok, -one.used, one.scenario))


def summary(standings: Sequence[ComparisonStatus]) -> str:
    """Return the numbers of scenarios within and outside tolerance, in one line."""
    well = sum(one.ok for one in standings)
    same = sum(one.comparison is not None and one.comparison.level == "bit" for one in standings)
    parts = [f"{well} of {len(standings)} inside tolerance ({same} same to the bit)"]
    others = [one for one in sort_by_urgency(standings) if not one.ok]
    if len(others) > MOST_NAMED and others[0].missing and len({o.missing for o in others}) == 1:
        return f"{parts[0]}; {others[0].missing}: {len(others)} scenarios"
    parts += [_short_form(one) for one in others[:MOST_NAMED]]
    if len(others) > MOST_NAMED:
        parts.append(f"and {len(others) - MOST_NAMED} more")
    return "; ".join(parts)


def _short_form(one: ComparisonStatus) -> str:
    """Return the short form of a status, without the reason for no comparison."""
    return one.text if one.comparison is not None else f"{one.scenario}: {one.missing}"


def _reasons_against(comparison: Comparison) -> list[str]:
    """Return reasons against "the same" other than numbers."""
    sides = (("missing", comparison.missing), ("new", comparison.new))
    lists = [f"{word}: {shorten_list(names, 3)}" for word, names in sides if names]
    return [*lists, *comparison.notes]


def _difference_text(difference: Difference) -> str:
    """Return the difference of a channel, with its limit and its rule."""
    unit = "" if difference.unit == "1" else f" {difference.unit}"
    first = "" if difference.diverges is None else f"; first at {difference.diverges:.6g} s"
    return (
        f"{difference.channel}: {difference.worst:.3g}{unit} at {difference.at:.6g} s, "
        f"limit {difference.limit:.3g}{unit}: {difference.rule}{first}"
    )
