"""compare_tables: two tables of any programs, curve by curve: values, peaks and delays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from sim.comparison.likely_causes import CurvePair, likely_causes
from sim.comparison.outcome import Comparison, Difference
from sim.comparison.rotations_in_tables import lag, rotations_in, smooth_curves
from sim.comparison.tolerance import Rule, default_rule, rule_for, rules_for
from sim.comparison.two_namings import split_naming, units_of_first
from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.map_curves import MappedCurve, MappedTable, map_curves, own_curves
from sim.foreign.matching import is_time
from sim.foreign.naming import Naming
from sim.foreign.reading import read_foreign
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME
from sim.reference.alignment import AlignedCurve, between_samples, cubic
from sim.reference.foreign_curves import common_parts, reading_notes
from sim.reference.limits import FOREIGN_RTOL, NOISE, peak, shared_by_rotations
from sim.showing.one_line import shorten_list

Measure = Literal["rtol", "peak", "lag"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

SHARP = 20.0  # of the median: a bend between samples that no cubic follows
BENT = 0.1  # of the allowed difference; a bend with a smaller effect on the cubic is ignored


@dataclass(frozen=True, eq=False)
class TablesCompared:
    """Two compared tables.

    Parameters
    ----------
    first, second : str
        Names of the tables.
    result : Comparison
        With a difference for each curve and measure.
    curves : tuple of AlignedCurve
        Curves of the first as `mine` and of the second as `theirs`, at the times of the second.
    units : mapping of str to str
        Unit of each curve.
    """

    first: str
    second: str
    result: Comparison
    curves: tuple[AlignedCurve, ...]
    units: Mapping[str, str]

    @property
    def ok(self) -> bool:
        """Whether all comparisons are within their limits."""
        return self.result.ok

    @property
    def word(self) -> str:
        """Outcome as text."""
        return self.result.word

    def __repr__(self) -> str:
        return f"<{self.first} against {self.second}. {repr(self.result).strip('<>')}>"


@checked
def compare_tables(
    first: ForeignTable | str | Path,
    second: ForeignTable | str | Path,
    by: Sequence[Measure | str] = ("rtol",),
    rtol: float = FOREIGN_RTOL,
    naming: Naming | None = None,
    rules: Sequence[Rule] = (),
) -> TablesCompared:
    """Compare two tables of time series from any programs, without a run or a robot.

    Columns are matched by name, units are converted, and the first is interpolated cubically at the
    times of the second. Where its curve bends between two samples as no cubic does, all values
    between the samples count as its value.

    Parameters
    ----------
    first, second : ForeignTable, str or Path
        Tables, or their files; the second is the reference.
    by : sequence of {"rtol", "peak", "lag"}
        Measures of each curve: every value, the largest magnitude, the delay. A delay may be half
        the longer of the two time steps.
    rtol : float
        Allowed difference of values and peaks, relative to the peak of each reference curve.
    naming : Naming, optional
        Names of the second table's columns in the first; columns of times, and units, of either
        table.
    rules : sequence of Rule
        Other limits, by pattern of the names in the first table.

    Returns
    -------
    TablesCompared

    Raises
    ------
    ForeignError
        If a file cannot be read, there is no time or no curve in common, a measure or the tolerance
        is invalid, or a name or unit matches nothing.
    RecordingError
        If a rule matches no curve.

    Examples
    --------
    >>> import sim
    >>> sim.compare_tables("before.csv", "after.csv", by=("rtol", "lag")).ok  # doctest: +SKIP
    True
    """
    unknown = [one for one in by if one not in MEASURES]
    if unknown or not by:
        raise ForeignError(
            f"tables are compared by {', '.join(MEASURES)}, got "
            f"{', '.join(map(repr, by)) or 'none'}"
        )
    if not (np.isfinite(rtol) and rtol > 0):
        raise ForeignError(f"the relative tolerance must be a positive number, got {rtol!r}")
    naming = Naming() if naming is None else naming
    ours, theirs = (_table(one, naming) for one in (first, second))
    own_naming, naming = split_naming(ours, theirs, naming)
    units = units_of_first(ours, theirs, own_naming, naming)
    mine = own_curves(ours, own_naming, units)
    gaps = _with_gaps(ours)
    named = (*(c.channel for c in mine.curves), *gaps)
    mapped = map_curves(theirs, naming, {channel: units[channel] for channel in named})
    for curve in mapped.curves:
        if curve.channel in gaps:
            raise ForeignError(f"{ours.source}: column {curve.channel!r} {gaps[curve.channel]}")
    ours_by_channel = {curve.channel: curve for curve in mine.curves}
    rotations = rotations_in(mapped, ours_by_channel, units)
    limits, words = _limits(mapped, units, rules, rtol)
    limits = shared_by_rotations(limits, rotations)
    aligned = [
        one
        for part in _by_clock(mapped, ours_by_channel)
        for one in _align(part, ours_by_channel, limits, ours.source, rotations)
    ]
    differences = [
        d
        for one in aligned
        for d in _judge(
            one, ours_by_channel, by, units[one.channel], limits[one.channel], words[one.channel]
        )
    ]
    notes = list(dict.fromkeys(_reading_notes(mine, mapped, ours_by_channel)))
    notes += [f"{x}, .y, .z are one rotation, compared by its angle" for x, _, _ in rotations]
    if not all(d.ok for d in differences):
        notes = [*_causes(aligned, ours_by_channel, units, limits, mapped.start), *notes]
    result = Comparison.of_curves(differences, notes)
    return TablesCompared(ours.source, theirs.source, result, tuple(aligned), units)


def _table(one: ForeignTable | str | Path, naming: Naming) -> ForeignTable:
    if isinstance(one, ForeignTable):
        return one
    path = Path(one)
    spreadsheet = path.suffix.lower().startswith(".xls")
    return read_foreign(path, naming.sheet if spreadsheet else None)


def _with_gaps(table: ForeignTable) -> dict[str, str]:
    """Return columns of numbers with gaps, and the fault of each; not those of text only."""
    return {
        column.title: column.fault
        for column in table.columns
        if column.fault and np.isfinite(column.values).any() and not is_time(column.title)
    }


def _limits(
    mapped: MappedTable, units: Mapping[str, str], rules: Sequence[Rule], rtol: float
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the limit of each curve, in its unit, and the rule that sets it."""
    peaks = {curve.channel: peak(curve.values) for curve in mapped.curves}
    mine = {channel: units[channel] for channel in peaks}
    own_rules = rules_for("tables", rules, mine)
    default = default_rule(rtol)
    limits, words = {}, {}
    for channel, size in peaks.items():
        rule = rule_for(channel, own_rules, default)
        alike = max(peaks[c] for c in peaks if mine[c] == mine[channel])
        limits[channel] = max(rule.relative * size + rule.absolute, NOISE * alike)
        words[channel] = rule.text
    return limits, words


def _by_clock(mapped: MappedTable, ours: Mapping[str, MappedCurve]) -> list[MappedTable]:
    """Group their curves so that our curves of a group have equal times."""
    parts: dict[bytes, list[MappedCurve]] = {}
    for curve in mapped.curves:
        parts.setdefault(ours[curve.channel].t.tobytes(), []).append(curve)
    return [replace(mapped, curves=tuple(some)) for some in parts.values()]


def _align(
    part: MappedTable,
    ours_by_channel: Mapping[str, MappedCurve],
    limits: Mapping[str, float],
    ours: str,
    rotations: Sequence[Sequence[str]],
) -> list[AlignedCurve]:
    """Interpolate ours at their times, with a band where it bends between samples."""
    t = ours_by_channel[part.curves[0].channel].t
    curves = common_parts(part, t, ours)
    corners: set[float] = set()
    for curve in curves:
        if not _are_samples(t, curve.t):
            for values in smooth_curves(curve.channel, ours_by_channel, rotations):
                corners.update(_bends(t, values, BENT * limits[curve.channel]))
    step = float(np.max(np.diff(t)))
    inputs = t, lambda c: ours_by_channel[c].values, curves, sorted(corners), step
    return between_samples(*inputs, rotations=rotations)


def _are_samples(t_own: Array, t: Array) -> bool:
    """Whether each of their times is one of our samples."""
    nearest = np.clip(np.searchsorted(t_own, t - SAME_TIME), 0, t_own.size - 1)
    return bool(np.max(np.abs(t_own[nearest] - t)) <= SAME_TIME)


def _bends(t: Array, values: Array, least: float) -> list[float]:
    """Return times of samples that the cubic through their neighbours misses by far.

    A smooth curve is missed alike all along; a kink or a jump is missed `SHARP` times as far.
    """
    if t.size < 8:
        return []
    inner = np.arange(2, t.size - 2)
    missed = np.zeros(t.size)
    for k in inner:
        near = [k - 2, k - 1, k + 1, k + 2]
        missed[k] = abs(float(cubic(t[near], values[near], t[k : k + 1])[0]) - values[k])
    usual = float(np.median(missed[inner]))
    return t[missed > max(SHARP * usual, least)].tolist()


def _judge(
    one: AlignedCurve,
    every: Mapping[str, MappedCurve],
    by: Sequence[str],
    unit: str,
    limit: float,
    rule: str,
) -> Iterator[Difference]:
    """Yield a difference for each measure."""
    series = every[one.channel]
    if "rtol" in by:
        size = np.where(np.isnan(one.beyond), np.inf, one.beyond)
        k = int(np.argmax(size))
        over = np.flatnonzero(size > limit)
        first = float(one.t[over[0]]) if over.size else None
        yield _difference(one.channel, float(size[k]), limit, unit, float(one.t[k]), first, rule)
    if "peak" in by:
        k = int(np.argmax(np.abs(one.theirs)))
        difference, at = _peak_difference(one), float(one.t[k])
        first = at if difference > limit else None
        yield _difference(f"peak of {one.channel}", difference, limit, unit, at, first, rule)
    if "lag" in by:
        allowed = max(float(np.max(np.diff(series.t))), float(np.max(np.diff(one.t)))) / 2
        delay, at = lag(one, every), float(one.t[0])
        words = "lag below the resolution" if delay is None else "half the longer time step"
        first = at if abs(delay or 0.0) > allowed else None
        late = abs(delay or 0.0)
        yield _difference(f"lag of {one.channel}", late, allowed, "s", at, first, words)


def _difference(
    name: str, worst: float, limit: float, unit: str, at: float, first: float | None, rule: str
) -> Difference:
    return Difference(name, worst, limit, unit, at, first, first is None, rule)


def _peak_difference(one: AlignedCurve) -> float:
    """Return the distance of their peak from the range of ours, and from its printed value."""
    crosses = one.low * one.high < 0
    low = np.where(crosses, 0.0, np.minimum(np.abs(one.low), np.abs(one.high)))
    high = np.maximum(np.abs(one.low), np.abs(one.high))
    theirs = float(np.max(np.abs(one.theirs)))
    difference = max(float(low.max()) - theirs, theirs - float(high.max()), 0.0)
    return max(difference - float(one.print_width.max()), 0.0)


def _reading_notes(
    mine: MappedTable, mapped: MappedTable, ours: Mapping[str, MappedCurve]
) -> Iterator[str]:
    for part in _by_clock(mapped, ours):
        yield from reading_notes(part, ours[part.curves[0].channel].t, mine.source)
    if alone := set(ours) - {curve.channel for curve in mapped.curves}:
        yield f"only in {mine.source}: {shorten_list([c for c in ours if c in alone])}"


def _causes(
    aligned: Sequence[AlignedCurve],
    ours: Mapping[str, MappedCurve],
    units: Mapping[str, str],
    limits: Mapping[str, float],
    start: float,
) -> Iterator[str]:
    """Return likely causes for the curves with the same times as the first in our table."""
    times = ours[aligned[0].channel].t
    some = [one for one in aligned if np.array_equal(ours[one.channel].t, times)]
    pairs = [
        CurvePair(one.channel, units[one.channel], one.t, one.mine, one.theirs, limits[one.channel])
        for one in some
    ]
    recorded = {c: curve.values for c, curve in ours.items() if np.array_equal(curve.t, times)}
    yield from likely_causes(pairs, times, recorded, start)
