"""Parquet: tables of numbers or vectors, with a column or an index of times."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
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
from sim.foreign.lerobot import DataSet, data_set_of, entries_of, times_of
from sim.foreign.text_file import bytes_of

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_ENTRY = re.compile(r".*\.list\.(element|item)")
_NUMBERS = {"INT32", "INT64", "FLOAT", "DOUBLE"}  # numeric types of Parquet


def read_columnar(path: Path) -> ForeignTable:
    """Return the columns of numbers of a Parquet file; ``unit`` in a column's metadata is its unit.

    Raises
    ------
    ForeignError
        If it cannot be read, or contains no numbers.
    """
    import pyarrow.parquet as pq

    data = bytes_of(path)
    try:
        with pq.ParquetFile(io.BytesIO(data)) as file:
            places = _places_of_numbers(file)
            rows = file.metadata.num_rows
            if _count(file, places) > MOST_NUMBERS:
                raise ForeignError(
                    f"{path.name} has {len(places)} columns of {rows} rows, and at "
                    f"most {MOST_NUMBERS} numbers are read; leave out columns or rows"
                )
            table = file.reader.read_all(column_indices=places)
            vectors = [field.name for field in table.schema if _is_vector(field)]
            frame = table.drop_columns(vectors).to_pandas().reset_index()
    except ForeignError:
        raise
    except Exception as error:  # errors of a reader on damaged bytes cannot be listed
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
    columns += _of_data_set(path, table, vectors, columns)
    if not columns:
        raise ForeignError(f"{path.name} holds no column of numbers")
    return ForeignTable(path.name, tuple(columns))


def _of_data_set(
    path: Path, table: pa.Table, vectors: list[str], columns: Sequence[ForeignColumn]
) -> list[ForeignColumn]:
    """Return columns of the elements of vectors, and times of frames if they are missing."""
    frames = next((c.values for c in columns if c.title == "frame_index"), None)
    about = data_set_of(path) if vectors or frames is not None else DataSet()
    elements = [one for name in vectors for one in entries_of(name, table[name], about)]
    t = times_of([column.title for column in columns], frames, about)
    return elements if t is None else [*elements, t]


def _is_vector(field: pa.Field) -> bool:
    import pyarrow.types as kinds

    kind = field.type
    return bool(kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind))


def _count(file: pq.ParquetFile, places: list[int]) -> int:
    """Return the number of values in the columns."""
    groups = (file.metadata.row_group(k) for k in range(file.metadata.num_row_groups))
    return sum(group.column(place).num_values for group in groups for place in places)


def _places_of_numbers(file: pq.ParquetFile) -> list[int]:
    """Return indices of the columns with numbers or vectors of numbers; only these are unpacked.

    A text stored once in a dictionary is expanded in each of millions of rows, which only the rows
    themselves show.
    """
    stored = [file.schema.column(k) for k in range(len(file.schema))]
    return [
        k
        for k, column in enumerate(stored)
        if column.physical_type in _NUMBERS
        and (column.path == column.name or _ENTRY.fullmatch(column.path))  # not part of a struct
        and column.max_repetition_level <= 1  # not a matrix
    ]
