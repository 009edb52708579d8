"""Assignment of a table's columns to a run's channels: by the user's naming, or by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.grid import split_title
from sim.foreign.naming import Naming
from sim.foreign.unit_names import factor_between, is_unit, unit_named
from sim.showing.one_line import shorten_list

TIME = "t"

# A number with a sign, and a unit if any: -90deg.
_OFFSET = re.compile(r"([+-])\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*(.*)")

# Common names for our groups of joint channels.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "q": ("position", "pos", "angle", "joint_position"),
    "qd": ("velocity", "vel", "speed", "v", "joint_velocity"),
    "qdd": ("acceleration", "acc", "a", "joint_acceleration"),
    "tau": ("torque", "effort", "joint_torque"),
}
# Names of times in lower case and without signs: __time, Time stamp, /joint_states/header/stamp.
_TIMES = {
    "t", "time", "zeit", "timestamp", "stamp", "tout", "times", "timestamps", "zeitstempel",
    "elapsedtime", "rostime", "rosbagtimestamp", "headerstamp", "systemtime",
}  # fmt: skip


@dataclass(frozen=True)
class Match:
    """A column that is a channel.

    Parameters
    ----------
    place : int
        Index of the column.
    channel : str
        Our channel, or ``t``.
    sign : int
        -1 if the column has the opposite sign.
    unit : str or None
        By the user or the title; None: the column's own unit.
    offset : float
        What the column has more than the channel, or than its negative; in the channel's unit.
    """

    place: int
    channel: str
    sign: int = 1
    unit: str | None = None
    offset: float = 0.0


def matches_of(table: ForeignTable, naming: Naming, units: Mapping[str, str]) -> list[Match]:
    """Return the columns that are channels or times, in table order.

    Parameters
    ----------
    table : ForeignTable
    naming : Naming
    units : mapping of str to str
        Unit of each channel of the run.

    Raises
    ------
    ForeignError
        If the naming names no column, no channel, or a channel for two columns; if two columns have
        the name of one channel; if no column has the name of a channel.
    """
    matches = dict(_matches_by_name(table, naming, units))
    channels = {match.channel for match in matches.values()}
    known = _channels_by_key(units)
    named: dict[int, Match] = {}
    for place, column in enumerate(table.columns):
        if place in matches:
            named[place] = matches[place]
            continue
        match = _by_name(place, column.title, column.unit, known, units)
        if match and match.channel not in channels:  # the user's naming has priority over names
            named[place] = match
    require_one_each(table, named.values())
    if all(match.channel == TIME for match in named.values()):
        raise ForeignError(
            f"{table.source}: no column has the name of a channel of {naming.against}. Columns: "
            f"{shorten_list(table.titles())}. Channels: {shorten_list(list(units))}. Assign "
            "them with --map THEIRS=OURS"
        )
    return [_with_unit(table, match, naming) for match in named.values()]


def _matches_by_name(
    table: ForeignTable, naming: Naming, units: Mapping[str, str]
) -> Iterator[tuple[int, Match]]:
    for theirs, ours in naming.channels.items():
        place = place_of(table, theirs, "--map")
        channel, more = _split_sum(ours.removeprefix("-"), units)
        offset = _offset(more, units[channel], f"--map {theirs}={ours}") if more else 0.0
        if channel != TIME and channel not in units:
            raise ForeignError(
                f"--map {theirs}={ours}: {naming.against} has no channel {channel!r}"
                f"{similar_names(channel, units)}"
            )
        if ours == f"-{TIME}":
            raise ForeignError(
                f"--map {theirs}={ours}: the sign of a time cannot be reversed; map it to {TIME}"
            )
        yield place, Match(place, channel, -1 if ours.startswith("-") else 1, None, offset)
    for theirs in naming.units:
        place_of(table, theirs, "--unit")


def _split_sum(text: str, units: Mapping[str, str]) -> tuple[str, str]:
    """Split ``q.elbow-90deg`` into the channel and the rest; a channel may contain the signs."""
    if text not in units:
        for sign in re.finditer("[+-]", text):
            channel = text[: sign.start()].rstrip()
            if channel in units:
                return channel, text[sign.start() :]
    return text, ""


def _offset(text: str, unit: str, what: str) -> float:
    number = _OFFSET.fullmatch(text)
    if number is None:
        raise ForeignError(f"{what}: {text!r} is not a number with a unit, such as -90deg")
    sign, size, theirs = number.groups()
    return float(sign + size) * factor_between(theirs or unit, unit, what)


def place_of(table: ForeignTable, title: str, option: str) -> int:
    """Return the index of the column with a title, with or without its unit: ``q``, ``q (deg)``.

    Case and signs matter only where several titles differ by them.

    Raises
    ------
    ForeignError
        If there is none, or more than one.
    """
    titles = [column.title for column in table.columns]
    places = [k for k, name in enumerate(titles) if name == title]
    places = places or [k for k, name in enumerate(titles) if _key(name) == _key(title)]
    if not places and (plain := split_title(title))[1] is not None:
        places = [
            k
            for k, column in enumerate(table.columns)
            if column.unit == plain[1] and _key(column.title) == _key(plain[0])
        ]
    if len(places) > 1:
        raise ForeignError(f"{table.source}: {len(places)} columns are called {title!r} ({option})")
    if not places:
        raise ForeignError(
            f"{table.source}: {option} names a column {title!r}, which is not there"
            f"{similar_names(title, table.titles())}"
        )
    return places[0]


def similar_names(name: str, names: Collection[str]) -> str:
    """Return the names similar to one, or else the first names, as the end of a sentence."""
    alike = get_close_matches(name, list(names), 3, 0.6)
    return f"; near: {', '.join(alike)}" if alike else f"; there are: {shorten_list(list(names))}"


def channel_of_title(title: str, units: Mapping[str, str]) -> str | None:
    """Return the channel, or ``t``, that a title names by itself; None otherwise."""
    match = _by_name(0, title, None, _channels_by_key(units), units)
    return None if match is None else match.channel


def _with_unit(table: ForeignTable, match: Match, naming: Naming) -> Match:
    for theirs, unit in naming.units.items():
        if place_of(table, theirs, "--unit") == match.place:
            return replace(match, unit=unit)
    return match


def is_time(title: str) -> bool:
    """Whether a column with this title is the time."""
    name = re.split(r"[./]", title.strip("./"))[-1]
    return _is_clock(name) or any(
        _is_clock(plain) and _measure_alike(unit, "s") for plain, unit in _without_unit(name)
    )


def _is_clock(name: str) -> bool:
    """Whether a name without unit is that of times; of a topic's path the last part counts."""
    return _key(name.rpartition("/")[2]) in _TIMES


def require_one_each(table: ForeignTable, matches: Collection[Match]) -> None:
    """Check that no channel is assigned to two columns.

    Raises
    ------
    ForeignError
        Names both columns.
    """
    first: dict[str, str] = {}
    for match in matches:
        title = table.columns[match.place].title
        if match.channel != TIME and match.channel in first:
            raise ForeignError(
                f"{table.source}: columns {first[match.channel]!r} and {title!r} are both channel "
                f"{match.channel}; choose one with --map THEIRS={match.channel}"
            )
        first[match.channel] = title


def _by_name(
    place: int,
    title: str,
    unit: str | None,
    known: Mapping[str, str | None],
    units: Mapping[str, str],
) -> Match | None:
    """Return the channel of a title, of a dotted title's end, or of one that ends in a unit."""
    words = title.strip(".").split(".")
    for k in range(len(words)):
        tail = ".".join(words[k:])
        for name, own_unit in ((tail, None), *_without_unit(tail)):
            channel = TIME if _is_clock(name) else known.get(_key(name))
            if channel is None or (k and channel != TIME and len(words) - k < 2):
                continue  # the last part of a path alone is not sufficient
            if own_unit is not None and not _measure_alike(own_unit, units.get(channel, "s")):
                continue
            # a unit in brackets has priority over one in the name
            return Match(place, channel, unit=own_unit if unit is None else None)
    return None


def _measure_alike(one: str, other: str) -> bool:
    return unit_named(one).dimension == unit_named(other).dimension


def _without_unit(title: str) -> Iterator[tuple[str, str]]:
    """Yield name and unit of ``q_rad.elbow``, ``qd_elbow_rad_per_s`` or ``torque_Nm``."""
    words = title.split(".")
    for w in dict.fromkeys((0, len(words) - 1)):
        parts = words[w].split("_")
        for cut in range(1, min(4, len(parts))):
            unit = "/".join(part for part in parts[-cut:] if part != "per")
            if is_unit(unit):
                rest = "_".join(parts[:-cut])
                yield ".".join((*words[:w], rest, *words[w + 1 :])), unit


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _channels_by_key(channels: Collection[str]) -> dict[str, str | None]:
    """Return the channel of each spelling; None if two channels share it."""
    ways: dict[str, str | None] = {}
    for channel in channels:
        group, _, rest = channel.partition(".")
        names = [channel]
        for joint in dict.fromkeys((rest, rest.removesuffix("_joint"))):
            for word in (group, *SYNONYMS.get(group, ())):
                names += [f"{word}.{joint}", f"{joint}.{word}"]
        for key in {_key(name) for name in names if rest or name == channel}:
            ways[key] = channel if ways.get(key, channel) == channel else None
    for channel in channels:  # a channel's own name has priority over synonyms of others
        ways[_key(channel)] = channel
    return ways
