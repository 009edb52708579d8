"""VARIABLEs of a deck that are undefined at some time: no motion depends on them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from sim.errors import ScenarioError
from sim.recording.columns import ColumnTable
from sim.recording.files.table_files import Table, numbers_in
from sim.recording.schema.description import Run
from sim.recording.schema.request_facts import RequestFacts

PREFIX = "variable."


def without_undefined(recorded: Table, analytic: Table) -> tuple[Table, Table, dict[str, float]]:
    """Return the tables without VARIABLEs that are not finite, and their first such times [s].

    Raises
    ------
    ScenarioError
        If the tables are in files, from which no column can be removed.
    """
    since: dict[str, float] = {}
    for table in (recorded, analytic):
        for channel in filter(_is_variable, map(str, table.columns)):
            bad = ~np.isfinite(numbers_in(table, channel))
            if bad.any():
                time = float(np.asarray(table.index)[bad][0])
                since[channel] = min(time, since.get(channel, time))
    if not since:
        return recorded, analytic, since
    if not (isinstance(recorded, ColumnTable) and isinstance(analytic, ColumnTable)):
        channel, time = next(iter(since.items()))
        raise ScenarioError(
            f"VARIABLE {channel.removeprefix(PREFIX)!r} is not finite at t = {time:.6g} s; correct "
            "its FUNCTION, or take it out of the deck where nothing reads it"
        )
    channels = [str(c) for c in recorded.columns if c not in since]
    return recorded[channels], analytic[channels], since


def describe_without(run: Run, since: dict[str, float]) -> Run:
    """Return the description of a run without the VARIABLEs, and with a note on them."""
    if not since:
        return run
    channel, time = min(since.items(), key=lambda pair: pair[1])
    from sim.showing.one_line import shorten_list

    names = shorten_list([one.removeprefix(PREFIX) for one in since])
    note = (
        f"VARIABLEs that are not recorded, as they are not finite throughout: {names}; "
        f"{channel.removeprefix(PREFIX)} first at t = {time:.6g} s"
    )
    units = {channel: unit for channel, unit in run.units.items() if channel not in since}
    requests = tuple(_requests(run, since)) or msgspec.UNSET
    return msgspec.structs.replace(run, requests=requests, units=units, notes=(*run.notes, note))


def _requests(run: Run, since: dict[str, float]) -> Iterator[RequestFacts]:
    for one in run.requests or ():
        functions = {c: text for c, text in one.functions.items() if one.channel(c) not in since}
        if functions:
            units = {c: one.units[c] for c in functions}
            yield msgspec.structs.replace(one, functions=functions, units=units)


def _is_variable(channel: str) -> bool:
    return channel.startswith(PREFIX)
