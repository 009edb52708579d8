"""Parquet: any table of numbers with a column, or an index, of times."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import (
    MOST_NUMBERS,
    ForeignColumn,
    ForeignTable,
    column_of_numbers,
)
from sim.foreign.grid import split_title
from sim.foreign.text_file import bytes_of

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_NUMBERS = {"INT32", "INT64", "FLOAT", "DOUBLE"}  # how Parquet stores them


def read_columnar(path: Path) -> ForeignTable:
    """The columns of numbers of a Parquet file; ``unit`` in a column's metadata is its unit.

    Raises
    ------
    ForeignError
        If it cannot be read, or holds no numbers.
    """
    import pyarrow.parquet as pq

    data = bytes_of(path)
    try:
        with pq.ParquetFile(io.BytesIO(data)) as file:
            places = _places_of_numbers(file)
            rows = file.metadata.num_rows
            if rows * len(places) > MOST_NUMBERS:
                raise ForeignError(
                    f"{path.name} has {len(places)} columns of {rows} rows, and at "
                    f"most {MOST_NUMBERS} numbers are read; leave out columns or rows"
                )
            table = file.reader.read_all(column_indices=places)
            frame = table.to_pandas().reset_index()
    except ForeignError:
        raise
    except Exception as error:  # what a reader raises on damaged bytes cannot be listed
        why = str(error) or type(error).__name__
        raise ForeignError(f"{path.name} cannot be read as Parquet: {why}") from None
    units = {
        field.name: field.metadata[b"unit"].decode("utf-8", "replace")
        for field in table.schema
        if field.metadata and b"unit" in field.metadata
    }
    columns: list[ForeignColumn] = []
    for k, name in enumerate(frame.columns):
        values = frame.iloc[:, k].to_numpy()
        if values.dtype.kind not in "iuf" or (name == "index" and name not in units):
            continue
        title, unit = split_title(str(name))
        columns.append(
            column_of_numbers(title, units.get(str(name), unit), values.astype(np.float64))
        )
    if not columns:
        raise ForeignError(f"{path.name} holds no column of numbers")
    return ForeignTable(path.name, tuple(columns))


def _places_of_numbers(file: pq.ParquetFile) -> list[int]:
    """Which columns hold numbers: no others are unpacked.

    A text that stands once in a dictionary takes its length again in each of millions of rows, and
    only the rows themselves show it.
    """
    stored = [file.schema.column(k) for k in range(len(file.schema))]
    return [
        k
        for k, column in enumerate(stored)
        if column.physical_type in _NUMBERS and column.path == column.name  # no part of a struct
    ]
