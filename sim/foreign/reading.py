"""A file of another program as a table, by the end of its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from sim.errors import ForeignError
from sim.foreign.adams_req import read_req
from sim.foreign.adams_res import read_res
from sim.foreign.columnar import read_columnar
from sim.foreign.delimited import read_delimited
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.matlab import read_matlab
from sim.foreign.spreadsheet import read_spreadsheet

READERS: Mapping[str, Callable[[Path], ForeignTable]] = MappingProxyType(
    {
        **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ".asc"), read_delimited),
        **dict.fromkeys((".xlsx", ".xlsm"), read_spreadsheet),
        ".mat": read_matlab,
        ".parquet": read_columnar,
        ".res": read_res,
        ".req": read_req,
    }
)


def is_foreign_file(name: str) -> bool:
    """Whether a name is that of a file, or ends as the file of another program does."""
    path = Path(name)
    return path.is_file() or (not path.is_dir() and path.suffix.lower() in READERS)


def read_foreign(path: Path, sheet: str | None = None) -> ForeignTable:
    """The table in a file of another program.

    Parameters
    ----------
    path : Path
    sheet : str, optional
        Which sheet of a spreadsheet.

    Raises
    ------
    ForeignError
        If files of this kind are not read, or this one cannot be.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        kinds = ", ".join(READERS)
        old = "; save it as .xlsx" if path.suffix.lower() == ".xls" else ""
        raise ForeignError(f"{path} is of no kind that is read; these are: {kinds}{old}")
    if sheet is None:
        return reader(path)
    if reader is not read_spreadsheet:
        raise ForeignError(f"{path.name} has no sheets; --sheet is for .xlsx")
    return read_spreadsheet(path, sheet)
