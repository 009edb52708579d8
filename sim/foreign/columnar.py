"""Parquet: any table of numbers with a column, or an index, of times."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, ForeignTable, column_of_numbers
from sim.foreign.grid import split_title
from sim.foreign.text_file import bytes_of

MOST_NUMBERS = 100_000_000  # 0.8 GB; a file of a few kilobytes can claim any number


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
            told = file.metadata
            if told.num_rows * told.num_columns > MOST_NUMBERS:
                raise ForeignError(
                    f"{path.name} has {told.num_columns} columns of {told.num_rows} rows, and at "
                    f"most {MOST_NUMBERS} numbers are read; leave out columns or rows"
                )
            table = file.read()
            frame = table.to_pandas().reset_index()
    except ForeignError:
        raise
    except Exception as error:  # what damaged bytes make of a reader nobody can list
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
