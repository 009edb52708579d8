"""Tables of runs as stored; those in memory are converted to DataFrames on first access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sim.recording.columns import ColumnTable
from sim.recording.files.table_files import Table

Run = TypeVar("Run")


def frames_when_read(*fields: str) -> Callable[[type[Run]], type[Run]]:
    """Decorate a dataclass so that a `ColumnTable` in a field is read as a DataFrame.

    It is converted on first access, and the result is stored. `as_held` returns the table without
    conversion.
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
    """Wrap a table for a field that is read as a DataFrame."""
    return table


def as_held(run: object, name: str) -> Any:
    """Return the table in a field of a run without conversion; None if there is none."""
    return vars(run)[name] if name in getattr(run, "__dict__", ()) else getattr(run, name)


def recorded_of(run: object) -> Table:
    """Return the recorded table of a run, as stored."""
    table: Table | None = vars(run).get("recorded")
    return as_held(run, "recorded") if table is None else table


def analytic_of(run: object) -> Table:
    """Return the model's table of a run, as stored."""
    table: Table | None = vars(run).get("analytic")
    return as_held(run, "analytic") if table is None else table
