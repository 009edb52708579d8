"""Tables as text: CSV, TSV, tables exported from ADAMS or pasted from anywhere."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.grid import GridRow, table_of
from sim.foreign.text_file import source_of, text_of

DELIMITERS = ("\t", ";", ",", " ")
SAMPLE = 200  # lines that show how a file is written


def read_delimited(path: Path) -> ForeignTable:
    """The table of a text file; delimiter and decimal comma are detected.

    Raises
    ------
    ForeignError
        If it cannot be read, is no text or holds no table.
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
    """The one by which the most lines are rows of numbers, and then make the most numbers."""
    # the end of a long file: the heading of a table can be longer than any sample of its start
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
