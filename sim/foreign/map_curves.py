"""Columns of a table as curves of channels: SI units, the run's time, and printed precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, ForeignTable
from sim.foreign.matching import TIME, Match, is_time, matches_of, place_of, require_one_each
from sim.foreign.naming import LATEST, Naming
from sim.foreign.printed_digits import MANY, half_units, print_of
from sim.foreign.unit_names import factor_between
from sim.maths.arrays import Array
from sim.showing.one_line import shorten_list


@dataclass(frozen=True, eq=False)
class MappedCurve:
    """A curve of another program, as one of our channels.

    Parameters
    ----------
    channel : str
    title : str
        Its title in the file, with a minus if its sign was reversed, and its offset.
    unit : str
        Unit in which it was read, for the reader.
    t : ndarray, shape (N,)
        Ascending, from the start of the run [s].
    values : ndarray, shape (N,)
        In the channel's unit.
    rounding, t_rounding : ndarray, shape (N,)
        Half a unit of the last printed digit of values and times, in their units; zero if printed
        with full precision.
    """

    channel: str
    title: str
    unit: str
    t: Array
    values: Array
    rounding: Array
    t_rounding: Array


@dataclass(frozen=True)
class MappedTable:
    """Columns of a table that are channels of the run.

    Parameters
    ----------
    source : str
    curves : tuple of MappedCurve
        One per channel.
    left_out : tuple of str
        Titles of the columns that are not channels.
    start : float
        Time in the table at which the run begins [s].
    """

    source: str
    curves: tuple[MappedCurve, ...]
    left_out: tuple[str, ...]
    start: float = 0.0


def map_curves(table: ForeignTable, naming: Naming, units: Mapping[str, str]) -> MappedTable:
    """Return the curves of a table that are channels of a run.

    Parameters
    ----------
    table : ForeignTable
    naming : Naming
        The user's naming.
    units : mapping of str to str
        Unit of each channel of the run.

    Raises
    ------
    ForeignError
        If no column is a channel or a time, a name matches nothing or twice, a unit does not fit,
        or a used column has a blank cell, a non-numeric value, or times that do not ascend.
    """
    return _map_matches(table, matches_of(table, naming, units), naming, units)


def own_curves(table: ForeignTable, naming: Naming, units: Mapping[str, str]) -> MappedTable:
    """Return the columns of a table as channels named by their titles.

    Incomplete columns are left out.

    Parameters
    ----------
    table : ForeignTable
    naming : Naming
        The column of times, and units; its other names are ignored.
    units : mapping of str to str
        Unit of each channel.

    Raises
    ------
    ForeignError
        If there is no time, two columns have one title, or for a reason of `map_curves`.
    """
    clocks = {
        place_of(table, title, "--map") for title, to in naming.channels.items() if to == TIME
    }
    named = {place_of(table, title, "--unit"): unit for title, unit in naming.units.items()}
    matches = []
    for place, column in enumerate(table.columns):
        if place in clocks or (not clocks and is_time(column.title)):
            matches.append(Match(place, TIME, unit=named.get(place)))
        elif not column.fault and column.title in units:
            matches.append(Match(place, column.title, unit=named.get(place)))
    require_one_each(table, matches)
    return _map_matches(table, matches, naming, units)


def _map_matches(
    table: ForeignTable, matches: Sequence[Match], naming: Naming, units: Mapping[str, str]
) -> MappedTable:
    if not (times := [match for match in matches if match.channel == TIME]):
        raise _no_time(table)
    clocks = {m.place: _time_of(table, m, times) for m in matches if m.channel != TIME}
    _require_one_time(table, times, {clock.place for clock in clocks.values()})
    places = {match.place for match in matches}
    digits = max((print_of(c.texts).digits for c in table.columns if c.texts), default=0)
    curves = tuple(
        _curve(table, match, clocks[match.place], digits, naming.start, units)
        for match in matches
        if match.channel != TIME
    )
    left_out = tuple(c.title for k, c in enumerate(table.columns) if k not in places)
    return MappedTable(table.source, curves, left_out, naming.start)


def _require_one_time(table: ForeignTable, times: Sequence[Match], places: set[int]) -> None:
    """Check that times without curves equal the used times of their block."""
    for one in times:
        column = table.columns[one.place]
        if one.place in places:
            continue
        for other in (table.columns[k] for k in places):
            if other.block == column.block and not np.array_equal(other.values, column.values):
                raise ForeignError(
                    f"{table.source} has two times, {column.title!r} and {other.title!r}; "
                    f"select one with --map '{other.title}=t'"
                )


def channel_columns(
    table: ForeignTable, naming: Naming, units: Mapping[str, str]
) -> tuple[Array, dict[str, Array]]:
    """Return times [s] and the channels in their units, sample by sample.

    Unlike for `map_curves`, all share one column of times, whose order is not checked.

    Raises
    ------
    ForeignError
        As for `map_curves`, but not for times that do not ascend.
    """
    matches = matches_of(table, naming, units)
    if not (clocks := [match for match in matches if match.channel == TIME]):
        raise _no_time(table)
    clock = table.columns[clocks[0].place]
    if clock.fault:
        raise ForeignError(f"{table.source}: column {clock.title!r} {clock.fault}")
    second = clocks[0].unit or clock.unit or "s"
    t = clock.values * factor_between(second, "s", f"{table.source}, column {clock.title!r}")
    by_channel = {}
    for match in (match for match in matches if match.channel != TIME):
        column = table.columns[match.place]
        if column.fault:
            raise ForeignError(f"{table.source}: column {column.title!r} {column.fault}")
        _require_alike(table, column, clock)
        unit = match.unit or column.unit
        factor = 1.0 if unit is None else factor_between(
            unit, units[match.channel], f"{table.source}, column {column.title!r}"
        )  # fmt: skip
        by_channel[match.channel] = match.sign * (factor * column.values - match.offset)
    return t, by_channel


def _no_time(table: ForeignTable) -> ForeignError:
    return ForeignError(
        f"{table.source} has no time: no column is called t or time. Columns: "
        f"{shorten_list(table.titles())}. Select one with --map THEIRS=t"
    )


def _time_of(table: ForeignTable, match: Match, times: list[Match]) -> Match:
    """Return the times of a column: the last before it in its part of the file, or the first."""
    block = table.columns[match.place].block
    same_block = [time for time in times if table.columns[time.place].block == block] or times
    before = [time for time in same_block if time.place < match.place]
    return before[-1] if before else same_block[0]


def _curve(
    table: ForeignTable,
    match: Match,
    time: Match,
    digits: int,
    start: float,
    units: Mapping[str, str],
) -> MappedCurve:
    column, clock = table.columns[match.place], table.columns[time.place]
    for one in (clock, column):
        if one.fault:
            raise ForeignError(f"{table.source}: column {one.title!r} {one.fault}")
    _require_alike(table, column, clock)
    unit, second = match.unit or column.unit, time.unit or clock.unit or "s"
    factor = 1.0 if unit is None else factor_between(
        unit, units[match.channel], f"{table.source}, column {column.title!r}"
    )  # fmt: skip
    seconds = factor_between(second, "s", f"{table.source}, column {clock.title!r}")
    t = clock.values * seconds
    far = np.flatnonzero(np.abs(t) > LATEST)
    if far.size:
        raise ForeignError(
            f"{table.source}: column {clock.title!r} has {t[far[0]]:.3g} s in "
            f"{table.place(int(far[0]))}, which is not a time of a run"
        )
    keep = _ascending(table, column, t)
    t, t_rounding = _even_times(t[keep], (_rounding(clock, digits) * seconds)[keep])
    with np.errstate(over="ignore"):
        values = match.sign * (factor * column.values[keep] - match.offset)
    if not np.isfinite(values).all():
        raise ForeignError(f"{table.source}: column {column.title!r} is too large for a number")
    return MappedCurve(
        match.channel,
        _title(column, match, factor),
        f"in {unit}" if unit is not None else f"no unit given, assumed {units[match.channel]}",
        t - start,
        values,
        (factor * _rounding(column, digits))[keep],
        t_rounding,
    )


def _title(column: ForeignColumn, match: Match, factor: float) -> str:
    """Return the column's title with the sign and the offset, in the column's unit, of its use."""
    sign, title, offset = "-" if match.sign < 0 else "", column.title, match.offset / factor
    if not offset:
        return sign + title
    return f"{sign}({title} {'+' if offset < 0 else '-'} {abs(offset):.6g})"


def _require_alike(table: ForeignTable, column: ForeignColumn, clock: ForeignColumn) -> None:
    """Check that a column has as many values as times, at least two."""
    n, count = column.values.size, clock.values.size
    if n < count:
        raise ForeignError(
            f"{table.source}: column {column.title!r} is blank from {table.place(n)} on, where "
            f"{clock.title!r} has times"
        )
    if n > count:
        raise ForeignError(
            f"{table.source}: column {clock.title!r} has no time in {table.place(count)}, where "
            f"{column.title!r} has a value"
        )
    if n < 2:
        raise ForeignError(f"{table.source}: column {column.title!r} has {n} values; 2 are needed")


def _ascending(table: ForeignTable, column: ForeignColumn, t: Array) -> Array:
    """Return a mask of the samples that do not repeat the previous time and value."""
    table.require_ascending(t)
    again = np.diff(t) == 0
    two = np.flatnonzero(again & (np.diff(column.values) != 0))
    if two.size:
        k = int(two[0])
        raise ForeignError(
            f"{table.source}: column {column.title!r} has two values at {t[k]:.9g} s, the second "
            f"in {table.place(k + 1)}; keep one"
        )
    return np.concatenate([[True], ~again])


def _rounding(column: ForeignColumn, digits: int) -> Array:
    if column.texts is None:
        return np.zeros(column.values.size)
    return half_units(print_of(column.texts), column.values, digits)


def _even_times(t: Array, rounding: Array) -> tuple[Array, Array]:
    """Return times, and their possible errors.

    Even steps rounded in print (1/240 s as 0.0042, 0.0083, 0.0125) are known more accurately, by a
    line through all of them.
    """
    if not rounding.any() or t.size < MANY:
        return t, rounding
    k = np.arange(t.size)
    # through the first time, which is seldom rounded: it is 0, or chosen
    even = t[0] + k * (float(np.dot(k, t - t[0])) / float(np.dot(k, k)))
    deviation = np.abs(even - t)
    if np.any(deviation > rounding.max() * (1 + 1e-9)):
        return t, rounding
    return (t if np.max(deviation) <= 1e-9 * float(np.ptp(t)) else even), np.zeros(t.size)
