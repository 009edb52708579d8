"""Reading of another program's file as a table, by its suffix."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType

from sim.errors import ForeignError
from sim.foreign.adams_req import read_req
from sim.foreign.adams_res import read_res
from sim.foreign.columnar import read_columnar
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.grid import GridRow, table_of
from sim.foreign.matlab import read_matlab
from sim.foreign.ros_log import is_bag, read_ros_log
from sim.foreign.spreadsheet import read_spreadsheet
from sim.foreign.text_file import source_of, text_of

DELIMITERS = ("\t", ";", ",", " ")
SAMPLE = 200  # lines from which the format of a file is detected


def read_delimited(path: Path) -> ForeignTable:
    """Return the table of a text file; delimiter and decimal comma are detected.

    Raises
    ------
    ForeignError
        If it cannot be read, is not text or contains no table.
    """
    text = text_of(path)
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    delimiter = _delimiter([line for _, line in lines])
    try:
        rows = [GridRow(k, _cells(line, delimiter)) for k, line in lines]
    except csv.Error as error:
        raise ForeignError(f"{path.name} is not a table of numbers: {error}") from None
    return table_of(source_of(path, text), rows, "line")


def _delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that gives the most rows of numbers, then the most numbers."""
    # from the end of a long file: the heading may be longer than any sample of its start
    sample = lines[-SAMPLE:]
    scores = {}
    for delimiter in DELIMITERS:
        try:
            rows = [GridRow(0, _cells(line, delimiter)) for line in sample]
        except csv.Error:
            continue
        clean = [row for row in rows if row.is_data and row.numbers == len(row.filled_cells)]
        scores[delimiter] = (len(clean), sum(row.numbers for row in rows if row.is_data))
    return max(scores, key=lambda delimiter: scores[delimiter], default=",")


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        line = re.sub(r"(?<!\s)\s++(?=[\[(])", "", line.strip())  # "q [deg]" is one title
        line = re.sub(r"\s+", " ", line)
    cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return [cell.strip() for cell in cells]


def read_html(path: Path) -> ForeignTable:
    """Return the table of numbers in the rows of all tables of a page.

    Raises
    ------
    ForeignError
        If it cannot be read, is not text or contains no table of numbers.
    """
    text = text_of(path)
    page = _Rows()
    page.feed(text)
    page.close()
    rows = [GridRow(k, cells) for k, cells in enumerate(page.rows, 1) if any(cells)]
    return table_of(source_of(path, text), rows, "row")


class _Rows(HTMLParser):
    """Cells of each row; end tags of cells and rows are optional."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        self._is_in_cell = tag in ("td", "th") or (self._is_in_cell and tag != "tr")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._is_in_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_in_cell and self.rows and self.rows[-1]:
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {data.strip()}".strip()


READERS: Mapping[str, Callable[[Path], ForeignTable]] = MappingProxyType(
    {
        **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ".asc"), read_delimited),
        **dict.fromkeys((".xlsx", ".xlsm"), read_spreadsheet),
        **dict.fromkeys((".htm", ".html"), read_html),
        ".mat": read_matlab,
        ".parquet": read_columnar,
        ".res": read_res,
        ".req": read_req,
        **dict.fromkeys((".bag", ".mcap", ".db3"), read_ros_log),
    }
)


def is_foreign_file(name: str) -> bool:
    """Whether a name is that of a file, or has the suffix of another program's files."""
    path = Path(name)
    return path.is_file() or (not path.is_dir() and path.suffix.lower() in READERS)


def read_foreign(
    path: Path, sheet: str | None = None, joints: Collection[str] = ()
) -> ForeignTable:
    """Return the table in a file of another program.

    Parameters
    ----------
    path : Path
    sheet : str, optional
        Sheet of a spreadsheet, or topic of a ROS recording.
    joints : collection of str
        Joints of the robot of a ROS recording.

    Raises
    ------
    ForeignError
        If files of this kind are not supported, or this one cannot be read.
    """
    reader = read_ros_log if is_bag(path) else READERS.get(path.suffix.lower())
    if reader is None:
        kinds = ", ".join(READERS)
        old = "; save it as .xlsx" if path.suffix.lower() == ".xls" else ""
        raise ForeignError(f"{path} is of no kind that is read; these are: {kinds}{old}")
    if reader is read_ros_log:
        return read_ros_log(path, sheet, joints)
    if sheet is None:
        return reader(path)
    if reader is read_spreadsheet:
        return read_spreadsheet(path, sheet)
    raise ForeignError(
        f"{path.name} has no sheets and no topics; --sheet is for .xlsx, --topic for bags"
    )
