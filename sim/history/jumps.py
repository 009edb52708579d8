"""Jumps of a history: quantity, values, commit, and other changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.history.entry import PEAK, HistoryEntry, Measured

# An error that doubles, and is at least a hundredth of its limit: below, rounding differs between
# machines. A peak that changes by a millionth is another motion or another robot, as for the
# tolerance of baselines. Processor time varies by a third on a shared machine.
ERROR_FACTOR, LEAST_SHARE = 2.0, 0.01
PEAK_CHANGE = 1e-6
ROUNDING = 1e-9  # of the largest peak of its kind: a joint at rest has only rounding
CPU_FACTOR, LEAST_CPU = 1.5, 0.3


@dataclass(frozen=True)
class Jump:
    """A number that jumped between two consecutive runs.

    Parameters
    ----------
    entry : HistoryEntry
        The later run.
    what : str
        Quantity, with its values before and after.
    is_worse : bool
        Whether an error grew, a run failed or time grew; false for a peak.
    changes : tuple of str
        Other differences between the two runs: parameters, robot, versions.
    """

    entry: HistoryEntry
    what: str
    is_worse: bool
    changes: tuple[str, ...]


def jumps_in(entries: Sequence[HistoryEntry]) -> list[Jump]:
    """Return all jumps by time; a run is compared with the last of its engine and method."""
    jumps: list[Jump] = []
    last: dict[tuple[str, str], HistoryEntry] = {}
    for entry in entries:
        if not entry.numbers:
            continue
        kind = entry.conditions.engine, entry.conditions.method
        if (before := last.get(kind)) is not None:
            changes = tuple(_changes(before, entry))
            jumps += [Jump(entry, what, worse, changes) for what, worse in _jumps(before, entry)]
        last[kind] = entry
    return jumps


def _jumps(before: HistoryEntry, after: HistoryEntry) -> Iterator[tuple[str, bool]]:
    if before.verdict != after.verdict:
        yield f"verdict {before.verdict} → {after.verdict}", after.verdict == "fail"
    earlier = {one.key: one for one in before.numbers}
    finest: dict[str, float] = {}  # limit of the checks on a channel
    for one in after.checks:
        if one.limit is not None:
            finest[one.channel] = min(abs(one.limit), finest.get(one.channel, math.inf))
    largest = largest_peaks((*before.numbers, *after.numbers))
    for now in after.numbers:
        then = earlier.get(now.key)
        if then is None:
            continue
        if now.kind == PEAK:
            least = max(finest.get(now.channel, 0.0), peak_of_rounding(now, largest))
            if (what := _peak_change(then, now, least)) is not None:
                yield what, False
        elif (what := _error_change(then, now)) is not None:
            yield what, (now.used or 0.0) > (then.used or 0.0)
    if before.cpu is not None and after.cpu is not None:
        least, most = sorted((before.cpu, after.cpu))
        if most > CPU_FACTOR * least and most - least > LEAST_CPU:
            yield f"CPU {before.cpu:.3g} s → {after.cpu:.3g} s", after.cpu > before.cpu


def largest_peaks(numbers: Iterable[Measured]) -> dict[str, float]:
    """Return the largest peak of each kind of channels."""
    by_group: dict[str, float] = {}
    for one in numbers:
        if one.kind == PEAK and one.value is not None and math.isfinite(one.value):
            group = one.channel.partition(".")[0]
            by_group[group] = max(abs(one.value), by_group.get(group, 0.0))
    return by_group


def peak_of_rounding(one: Measured, largest: Mapping[str, float]) -> float:
    """Return the size up to which a peak of its kind is rounding."""
    return ROUNDING * largest.get(one.channel.partition(".")[0], 0.0)


def _error_change(then: Measured, now: Measured) -> str | None:
    if then.used is None or now.used is None:
        return None
    least, most = sorted((then.used, now.used))
    if most < LEAST_SHARE or most <= ERROR_FACTOR * least:
        return None
    return (
        f"{now.label} {_text(then.value)} → {_text(now.value)} {now.unit}, limit {_text(now.limit)}"
    )


def _peak_change(then: Measured, now: Measured, least: float) -> str | None:
    """Describe a peak's change; None below the `least` that counts."""
    if then.value is None or now.value is None:
        return None
    alike = max(PEAK_CHANGE * max(abs(then.value), abs(now.value)), least)
    if abs(now.value - then.value) <= alike:
        return None
    return f"{now.label} {then.value:.7g} → {now.value:.7g} {now.unit}"


def _text(value: float | None) -> str:
    return "no number" if value is None else f"{value:.3g}"


def _changes(before: HistoryEntry, after: HistoryEntry) -> Iterator[str]:
    old, new = before.conditions, after.conditions
    yield from _differences(old.parameters, new.parameters)
    if old.urdf_sha256 != new.urdf_sha256:
        yield "the robot or its payload"
    yield from _differences(old.versions, new.versions)


def _differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield f"{name} {old.get(name, '–')} → {new.get(name, '–')}"
