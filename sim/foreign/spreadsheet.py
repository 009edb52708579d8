"""Sheets of Excel's .xlsx and .xlsm."""

from __future__ import annotations

import io
import math
import numbers
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.grid import Cell, GridRow, table_of
from sim.foreign.text_file import MOST_BYTES, bytes_of

MOST_ROWS = 1_048_576  # of a sheet, Excel's own limit
MOST_CELLS = 20_000_000  # of a sheet, blanks included; a small file can claim any number


def read_spreadsheet(path: Path, sheet: str | None = None) -> ForeignTable:
    """Return the table of a sheet; the sheet is optional if only one contains a table.

    Raises
    ------
    ForeignError
        If the file cannot be read, has no such sheet, no table, or several.
    """
    sheets = _sheets(path)
    if sheet is not None:
        if sheet not in sheets:
            raise ForeignError(f"{path.name} has no sheet {sheet!r}; it has {_list_names(sheets)}")
        return table_of(f"{path.name}, sheet {sheet}", sheets[sheet], "row")
    tables = {}
    for name, cells in sheets.items():
        try:
            tables[name] = table_of(f"{path.name}, sheet {name}", cells, "row")
        except ForeignError:
            continue
    if len(tables) != 1:
        what = "several sheets with tables" if tables else "no sheet with a table of numbers"
        remedy = "; choose one with --sheet NAME" if tables else ""
        raise ForeignError(f"{path.name} has {what}: {_list_names(tables or sheets)}{remedy}")
    return next(iter(tables.values()))


def _list_names(names: object) -> str:
    return ", ".join(repr(name) for name in names)  # type: ignore[attr-defined]


def _sheets(path: Path) -> dict[str, list[GridRow]]:
    """Return the rows of each non-empty sheet, all as long as the longest."""
    import warnings

    data = bytes_of(path)
    try:
        _require_readable(path, data)
        import openpyxl

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and extensions, which contain no numbers
            book = openpyxl.load_workbook(
                io.BytesIO(data), read_only=True, data_only=True, keep_links=False
            )
            return {sheet.title: _cells(path, sheet) for sheet in book.worksheets}
    except ImportError:
        raise ForeignError(
            f"{path.name}: reading Excel needs openpyxl: pip install openpyxl"
        ) from None
    except ForeignError:
        raise
    except Exception as error:  # the readers of zip, XML and sheets have errors of their own
        why = str(error) or type(error).__name__
        raise ForeignError(f"{path.name} cannot be read as a sheet of Excel: {why}") from None


def _require_readable(path: Path, data: bytes) -> None:
    """Check the stated unpacked size, since a file of a few kilobytes may fill all memory."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        size = sum(member.file_size for member in packed.infolist())
    if size > MOST_BYTES:
        raise ForeignError(
            f"{path.name} unpacks to {size / 1e6:.0f} MB, more than the {MOST_BYTES / 1e6:.0f} MB "
            "that are read; leave out columns, or write it as Parquet"
        )


def _cells(path: Path, sheet: Any) -> list[GridRow]:
    """Return the non-empty rows of a sheet, up to its last non-empty column."""
    sheet.reset_dimensions()  # the dimensions stated in the file may be wrong
    rows: list[tuple[int, list[Cell]]] = []
    width = 0
    for number, cells in enumerate(sheet.rows, 1):
        if number > MOST_ROWS:
            raise ForeignError(
                f"{path.name}, sheet {sheet.title}, has more than the {MOST_ROWS} rows that a "
                "sheet can have"
            )
        if not (row := _without_blanks(cells)):
            continue
        rows.append((number, row))
        width = max(width, len(row))
        if number * width > MOST_CELLS:
            raise ForeignError(
                f"{path.name}, sheet {sheet.title}, has {width} columns in {number} rows, and at "
                f"most {MOST_CELLS} cells are read; look for a cell far from the others"
            )
    return [GridRow(number, row + [""] * (width - len(row))) for number, row in rows]


def _without_blanks(row: Iterable[Any]) -> list[Cell]:
    """Return the values of cells without trailing blanks; an error such as #N/A is blank."""
    cells = ["" if cell.data_type == "e" else _cell(cell.value) for cell in row]
    while cells and cells[-1] == "":
        cells.pop()
    return cells


def _cell(value: object) -> Cell:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value)
    if isinstance(value, numbers.Real):
        return "" if math.isnan(float(value)) else float(value)
    return str(value).strip()
