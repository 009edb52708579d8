"""Tables and numbers for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.verdict_numbers import known

if TYPE_CHECKING:
    from rich.table import Table


def table(*columns: str) -> Table:
    """Empty table without frame; the first column is left-aligned and never broken."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    empty = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for name in columns:
        left = name == columns[0]
        empty.add_column(name, justify="left" if left else "right", no_wrap=left, overflow="fold")
    return empty


def number(value: float | None) -> str:
    """Four digits; what is a rounding error beside one unit is shown as zero."""
    return f"{round(known(value), 9) + 0.0:.4g}"
