"""Parquet: tables of numbers or vectors, with a column or an index of times, and LeRobot data sets.

A column such as ``observation.state`` has a vector in each row. Its entries become columns,
``observation.state.elbow`` if the data set names them, otherwise ``observation.state_0`` and so on.
Missing times follow from frames and the data set's rate.

References
----------
https://github.com/huggingface/lerobot, LeRobotDataset formats 2.0 to 3.0.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import MOST_NUMBERS, ForeignColumn, ForeignTable, column_of_numbers
from sim.foreign.grid import split_title
from sim.foreign.text_file import bytes_of

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from sim.maths.arrays import Array


INFO = Path("meta/info.json")
FASTEST = 1e6  # frames per second
UPWARDS = 4  # levels of folders above a file in which the description may be

_ENTRY = re.compile(r".*\.list\.(element|item)")
_NUMBERS = {"INT32", "INT64", "FLOAT", "DOUBLE"}  # numeric types of Parquet


@dataclass(frozen=True)
class DataSet:
    """Metadata of a data set; empty for other files.

    Parameters
    ----------
    fps : float or None
        Frames per second.
    names : dict of str to list of str
        Names of the entries of vectors.
    """

    fps: float | None = None
    names: dict[str, list[str]] = field(default_factory=dict)


def data_set_of(path: Path) -> DataSet:
    """Return the data set to which a file belongs.

    Raises
    ------
    ForeignError
        If its description cannot be read.
    """
    for folder in list(path.absolute().parents)[:UPWARDS]:
        if (folder / INFO).is_file():
            break
    else:
        return DataSet()
    try:
        info = msgspec.json.decode((folder / INFO).read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ForeignError(f"{folder / INFO} cannot be read: {error}") from None
    if not isinstance(info, dict):
        raise ForeignError(f"{folder / INFO} is not a description of a LeRobot data set")
    features = info.get("features")
    names = {
        str(title): joint_names
        for title, feature in (features if isinstance(features, dict) else {}).items()
        if isinstance(feature, dict) and (joint_names := _names(feature.get("names")))
    }
    fps = info.get("fps")
    is_rate = isinstance(fps, int | float) and 0 < fps < FASTEST
    return DataSet(float(fps) if is_rate and fps is not None else None, names)


def _names(value: Any) -> list[str]:
    """Return names of entries: a list, or a list under a key such as ``motors``."""
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return list(value) if is_list else []


def entries_of(title: str, column: pa.ChunkedArray, about: DataSet) -> Iterator[ForeignColumn]:
    """Yield the entries of a column of vectors as columns; none if their lengths differ."""
    vectors = column.combine_chunks()
    flat = np.asarray(vectors.flatten().to_numpy(zero_copy_only=False), dtype=np.float64)
    size, rest = divmod(flat.size, max(len(vectors), 1))
    lengths = vectors.value_lengths().to_numpy(zero_copy_only=False)
    if not size or rest or not np.all(lengths == size):
        return
    names = about.names.get(title, [])
    for k, values in enumerate(flat.reshape(-1, size).T):
        is_named = len(names) == size
        yield column_of_numbers(f"{title}.{names[k]}" if is_named else f"{title}_{k}", None, values)


def times_of(titles: Sequence[str], frames: Array | None, about: DataSet) -> ForeignColumn | None:
    """Return times of frames, if a file of a data set has none [s]."""
    has_times = {"timestamp", "time", "t"} & {title.casefold() for title in titles}
    if has_times or frames is None or about.fps is None:
        return None
    return column_of_numbers("t", "s", frames / about.fps)


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
        raise ForeignError(f"{path.name} has no column of numbers")
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
