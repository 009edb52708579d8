"""Grid of cells, of a text or a sheet, as columns: start of the numbers, titles and units."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, ForeignTable
from sim.foreign.unit_names import is_unit

Cell = str | float

_NUMBER = re.compile(r"[+-]?(?:\d++[.,]?\d*+|[.,]\d++)(?:[eEdD][+-]?\d++)?")
# Texts that programs write in place of a number.
_NO_NUMBER = re.compile(
    r"[+-]?(?:nan|inf|infinity|1\.#\w+)|#n/a|#num!|#div/0!|#value!|n/a|na|null|none", re.IGNORECASE
)
_COMMENT = "#%!;"


@dataclass(frozen=True)
class GridRow:
    """A row of cells; a blank cell is an empty text.

    Parameters
    ----------
    number : int
        Its number, from 1.
    cells : sequence of str or float
    """

    number: int
    cells: Sequence[Cell]

    @property
    def filled_cells(self) -> list[Cell]:
        """Cells that are not blank."""
        return [cell for cell in self.cells if cell != ""]

    @property
    def numbers(self) -> int:
        """Number of cells with numbers or markers of missing numbers."""
        return sum(is_number_like(cell) for cell in self.cells)

    @property
    def is_data(self) -> bool:
        """Whether it is a row of numbers, not a title or remark."""
        return self.numbers >= 2 and 2 * self.numbers >= len(self.filled_cells)


def is_number_like(cell: Cell) -> bool:
    """Whether a cell is a number, or the marker of a missing one."""
    if not isinstance(cell, str):
        return True
    return bool(_NUMBER.fullmatch(cell) or _NO_NUMBER.fullmatch(cell))


def table_of(source: str, rows: Sequence[GridRow], word: str) -> ForeignTable:
    """Return the columns of a grid.

    The numbers begin with the first row that has two or more numbers and is followed by a row of
    numbers or by nothing. Titles are in the last filled row before; if that row has only units, in
    the row above it.

    Parameters
    ----------
    rows : sequence of GridRow
    word : str
        Name of a row in a message.

    Raises
    ------
    ForeignError
        If there are not two rows of numbers, or a row is longer than the row of titles.
    """
    rows = [row for row in rows if row.filled_cells]
    if (start := _first_data(rows)) is None or len(rows) - start < 2:
        raise ForeignError(
            f"{source} contains no table: at least two rows of numbers are required, each with "
            "a time"
        )
    data = rows[start:]
    titles, units = _heading(rows[:start])
    width = len(titles) if titles else max(len(row.cells) for row in data)
    columns = [
        _column(titles[k] if titles else str(k + 1), units.get(k), data, k, word)
        for k in range(width)
    ]
    for row in data:
        if any(cell != "" for cell in row.cells[width:]):
            raise ForeignError(
                f"{source}, {word} {row.number} has {len(row.cells)} cells, and there are titles "
                f"for {width}"
            )
    filled = tuple(column for column in columns if column.values.size)
    return ForeignTable(source, filled, word, [row.number for row in data])


def _first_data(rows: Sequence[GridRow]) -> int | None:
    for k, row in enumerate(rows):
        if row.is_data and (k + 1 == len(rows) or rows[k + 1].numbers):
            return k
    return None


def _heading(rows: Sequence[GridRow]) -> tuple[list[str], dict[int, str]]:
    """Return titles without units, by column, and units by column; no titles: an empty list."""
    units: dict[int, str] = {}
    head = [_without_comment(row) for row in rows]
    if len(head) >= 2 and _are_units(head[-1]) and len(head[-2]) >= 2 and not _are_units(head[-2]):
        units = {k: cell.strip("[]()") for k, cell in enumerate(head[-1]) if cell}
        head = head[:-1]
    if not head or sum(cell != "" for cell in head[-1]) < 2:
        return [], units
    titles = []
    for k, cell in enumerate(head[-1]):
        title, unit = split_title(cell)
        titles.append(title or f"column {k + 1}")
        if unit is not None:
            units.setdefault(k, unit)
    return titles, units


def _without_comment(row: GridRow) -> list[str]:
    cells = [str(cell).strip() for cell in row.cells]
    if cells and cells[0] and cells[0][0] in _COMMENT:
        cells[0] = cells[0].lstrip(_COMMENT).strip()
        if not cells[0]:
            cells = cells[1:]  # "# t q" between blanks
    return cells


def _are_units(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return len(filled) >= 2 and all(is_unit(cell) for cell in filled)


_BRACKETS = re.compile(r"(.*)\[([^\[\]]*+)\]", re.DOTALL)
_ROUND = re.compile(r"(.*)\(([^()]*+)\)", re.DOTALL)
_STROKE = re.compile(r"(.*)\s/\s++(\S++)", re.DOTALL)


def split_title(text: str) -> tuple[str, str | None]:
    """Return title and unit of ``q [deg]``, ``q (deg)`` or ``q / deg``; None without a unit.

    Square brackets always contain a unit; the other forms only if their content is one.
    """
    text = text.strip()
    match = _BRACKETS.fullmatch(text)
    if match and not match[2].strip().isdecimal():  # q[0] is the first of several
        return match[1].strip(), match[2].strip() or None
    for match in (_ROUND.fullmatch(text), _STROKE.fullmatch(text)):
        title, unit = (part.strip() for part in (match[1], match[2])) if match else ("", "")
        if title and unit and is_unit(unit) and not _NO_NUMBER.fullmatch(unit):  # N/A is not a unit
            return title, unit
    return text, None


def _column(
    title: str, unit: str | None, data: Sequence[GridRow], k: int, word: str
) -> ForeignColumn:
    """Return the values of a column down to its last filled cell, and its first error."""
    cells = [row.cells[k] if k < len(row.cells) else "" for row in data]
    while cells and cells[-1] == "":
        cells.pop()
    values, fault = np.full(len(cells), math.nan), ""
    commas = any(isinstance(cell, str) and "," in cell and is_number_like(cell) for cell in cells)
    for n, cell in enumerate(cells):
        values[n] = number = _number(cell)
        if fault:
            continue
        if cell == "":
            fault = f"is blank in {word} {data[n].number}"
        elif not math.isfinite(number):
            fault = f"has {str(cell)[:40]!r} in {word} {data[n].number}, which is not finite"
        elif commas and isinstance(cell, str) and "." in cell:
            fault = f"has decimal commas, and a decimal point in {word} {data[n].number}"
    texts = [str(cell) for cell in cells] if any(isinstance(cell, str) for cell in cells) else None
    return ForeignColumn(title, unit, values, texts, fault)


def _number(cell: Cell) -> float:
    if not isinstance(cell, str):
        return float(cell)
    if not _NUMBER.fullmatch(cell):
        return math.nan
    return float(cell.replace(",", ".").replace("d", "e").replace("D", "e"))
