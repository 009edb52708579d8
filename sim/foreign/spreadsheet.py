"""Sheets of Excel's .xlsx and .xlsm."""

from __future__ import annotations

import io
import math
import numbers
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.grid import Cell, Row, table_of
from sim.foreign.text_file import bytes_of

if TYPE_CHECKING:
    import pandas as pd


def read_spreadsheet(path: Path, sheet: str | None = None) -> ForeignTable:
    """The table of a sheet; which one need not be said where only one holds a table.

    Raises
    ------
    ForeignError
        If the file cannot be read, has no such sheet, no table, or several.
    """
    sheets = _sheets(path)
    if sheet is not None:
        if sheet not in sheets:
            raise ForeignError(f"{path.name} has no sheet {sheet!r}; it has {_listed(sheets)}")
        return table_of(f"{path.name}, sheet {sheet}", _rows(sheets[sheet]), "row")
    found = {}
    for name, cells in sheets.items():
        try:
            found[name] = table_of(f"{path.name}, sheet {name}", _rows(cells), "row")
        except ForeignError:
            continue
    if len(found) != 1:
        what = "several sheets with tables" if found else "no sheet with a table of numbers"
        remedy = "; choose one with --sheet NAME" if found else ""
        raise ForeignError(f"{path.name} has {what}: {_listed(found or sheets)}{remedy}")
    return next(iter(found.values()))


def _listed(names: object) -> str:
    return ", ".join(repr(name) for name in names)  # type: ignore[attr-defined]


def _sheets(path: Path) -> dict[str, pd.DataFrame]:
    import warnings

    import pandas as pd

    data = bytes_of(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions, which hold no numbers
            return pd.read_excel(
                io.BytesIO(data), sheet_name=None, header=None, dtype=object, engine="openpyxl"
            )
    except ImportError:
        raise ForeignError(
            f"{path.name}: reading Excel needs openpyxl: pip install openpyxl"
        ) from None
    except Exception as error:  # the readers of zip, XML and sheets each have errors of their own
        raise ForeignError(f"{path.name} cannot be read as a sheet of Excel: {error}") from None


def _rows(sheet: pd.DataFrame) -> list[Row]:
    return [
        Row(k, [_cell(value) for value in row])
        for k, row in enumerate(sheet.itertuples(index=False, name=None), 1)
    ]


def _cell(value: object) -> Cell:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value)
    if isinstance(value, numbers.Real):
        return "" if math.isnan(float(value)) else float(value)
    return str(value).strip()
