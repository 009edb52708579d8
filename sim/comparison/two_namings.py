"""Names and units of the columns of two tables."""

from __future__ import annotations

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.matching import TIME, place_of
from sim.foreign.naming import Naming


def split_naming(ours: ForeignTable, theirs: ForeignTable, naming: Naming) -> tuple[Naming, Naming]:
    """Split a naming into the parts for our table and for theirs.

    A name in both tables belongs to theirs, except for times, and for a unit that only ours lacks;
    a name in neither is reported for theirs.
    """
    titles = {title for title in (*naming.channels, *naming.units) if _has(ours, title)}
    alone = {title for title in titles if not _has(theirs, title)}
    untold = {
        title
        for title in titles - alone
        if _unit_in(ours, title) is None and _unit_in(theirs, title) is not None
    }
    times = {title: to for title, to in naming.channels.items() if to == TIME and title in titles}
    of_ours = alone | untold
    units = {title: unit for title, unit in naming.units.items() if title in of_ours}
    rest = {
        title: to for title, to in naming.channels.items() if not (to == TIME and title in alone)
    }
    other_units = {title: unit for title, unit in naming.units.items() if title not in of_ours}
    return Naming(times, units), Naming(rest, other_units, naming.start, against=ours.source)


def _unit_in(table: ForeignTable, title: str) -> str | None:
    return table.columns[place_of(table, title, "--unit")].unit


def _has(table: ForeignTable, title: str) -> bool:
    try:
        place_of(table, title, "")
    except ForeignError:
        return False
    return True


def units_of_first(
    ours: ForeignTable, theirs: ForeignTable, own_naming: Naming, naming: Naming
) -> dict[str, str]:
    """Return the unit of each of our columns: stated, from its title, or from their column."""
    stated = {ours.columns[place_of(ours, k, "")].title: u for k, u in own_naming.units.items()}
    titled = {column.title: column.unit for column in theirs.columns if column.unit}
    titled |= {
        theirs.columns[place_of(theirs, k, "--unit")].title: u for k, u in naming.units.items()
    }
    return {
        column.title: stated.get(column.title) or column.unit or titled.get(column.title) or "1"
        for column in ours.columns
    }
