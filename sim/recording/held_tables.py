"""Tables of runs as they are held: those in memory become DataFrames only when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sim.recording.columns import ColumnTable
from sim.recording.files.table_files import Table

Run = TypeVar("Run")


def frames_when_read(*fields: str) -> Callable[[type[Run]], type[Run]]:
    """Decorator of a dataclass: a `ColumnTable` in one of the fields is read as a DataFrame.

    It becomes one at the first reading, and that is what is held from then on. `as_held` reads the
    table without that.
    """

    def with_properties(cls: type[Run]) -> type[Run]:
        for name in fields:
            setattr(cls, name, _field(name))
        return cls

    return with_properties


def _field(name: str) -> property:
    def read(run: object) -> Any:
        held = vars(run)[name]
        if isinstance(held, ColumnTable):
            held = vars(run)[name] = held.frame()
        return held

    def hold(run: object, table: object) -> None:
        vars(run)[name] = table

    return property(read, hold)


def as_field(table: Table | None) -> Any:
    """A table for a field that is read as a DataFrame."""
    return table


def as_held(run: object, name: str) -> Any:
    """The table in a field of a run, without making a DataFrame of it; None where there is none."""
    return vars(run)[name] if name in getattr(run, "__dict__", ()) else getattr(run, name)


def recorded_of(run: object) -> Table:
    """The recorded table of a run, as it is held."""
    table: Table | None = vars(run).get("recorded")
    return as_held(run, "recorded") if table is None else table


def analytic_of(run: object) -> Table:
    """The model's table of a run, as it is held."""
    table: Table | None = vars(run).get("analytic")
    return as_held(run, "analytic") if table is None else table
