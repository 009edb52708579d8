"""Tables of channels over time: in memory or, if too large, in a file.

A `StoredTable` is read like a DataFrame, ``table["tau.elbow"]`` and ``table[["q.a", "q.b"]]``, but
only its times are in memory: each column is read from its Parquet file on first use.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Union, overload

import numpy as np
from numpy.typing import NDArray

from sim.engine_names import EngineName
from sim.errors import RecordingError, missing
from sim.maths.arrays import Array, distinct
from sim.maths.sampling import are_same_times
from sim.recording.columns import Column, ColumnTable, arrow_table, concatenate, numbers_of
from sim.recording.files.whole_files import one_line, refusal
from sim.recording.schema.channels import TIME, source_of, units_of
from sim.robots.coordinate import Coordinate

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

# Smaller tables [bytes] are kept in memory: a UR10 for a minute at 1 ms.
LARGE = 64e6

# Types of a table of channels; its index is t [s].
Table = Union["pd.DataFrame", "StoredTable", ColumnTable]


class StoredTable:
    """A table in a Parquet file whose columns are read on first use.

    Parameters
    ----------
    path : Path
        The file, which must not change.

    Raises
    ------
    RecordingError
        If the file is missing, is not Parquet, has no times, or has non-numeric columns.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self.path = path
        with _convert_errors(path), pq.ParquetFile(path) as file:
            self._metadata = file.metadata
            _require_columns_of_numbers(path, file.schema_arrow)
            names = file.schema_arrow.names
        times = self._read([TIME])[TIME] if TIME in names else np.zeros(0)
        _require_ascending(path, times)
        self.columns = [name for name in names if name != TIME]
        self.index = times.view(Column)

    def __len__(self) -> int:
        return self.index.size

    def __contains__(self, channel: object) -> bool:
        return channel in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @overload
    def __getitem__(self, key: str) -> pd.Series[Any]: ...

    @overload
    def __getitem__(self, key: list[str]) -> pd.DataFrame: ...

    def __getitem__(self, key: str | list[str]) -> pd.Series[Any] | pd.DataFrame:
        import pandas as pd

        names = [key] if isinstance(key, str) else key
        for name in names:
            if name not in self.columns:
                raise KeyError(name)
        values = self._read(names)
        if isinstance(key, str):
            return pd.Series(values[key], index=self._pandas_index, name=key)
        return pd.DataFrame(values, index=self._pandas_index)

    @property
    def _pandas_index(self) -> pd.Index[float]:
        import pandas as pd

        return pd.Index(self.index.to_numpy(), name=TIME)

    def numbers(self, channel: str) -> Array:
        """Return the values of a channel, shape (N,), without loading pandas."""
        return self._read([channel])[channel]

    def numbers_at(self, channels: Sequence[str], rows: NDArray[np.intp]) -> Array:
        """Return channels at some rows, (channels, rows); only row groups with these are read."""
        values = np.empty((len(channels), rows.size))
        count = range(self._metadata.num_row_groups)
        sizes = np.array([self._metadata.row_group(k).num_rows for k in count])
        ends = np.cumsum(sizes)
        group = np.searchsorted(ends, rows, "right")
        with _convert_errors(self.path), self._open() as file:
            for k in distinct(group).tolist():
                part = file.read_row_group(k, columns=list(channels), use_threads=False)
                here, begin = group == k, ends[k] - sizes[k]
                for row, channel in zip(values, channels, strict=True):
                    row[here] = numbers_of(part.column(channel))[rows[here] - begin]
        return values

    def relocate(self, folder: Path) -> StoredTable:
        """Return the table with its file moved to another folder."""
        return StoredTable(folder / self.path.name)

    def frame(self) -> pd.DataFrame:
        """Return the whole table in memory."""
        return self[self.columns]

    def _open(self) -> pq.ParquetFile:
        import pyarrow.parquet as pq

        # Columns are read one at a time, which takes a sixth longer with reading ahead.
        return pq.ParquetFile(self.path, metadata=self._metadata, pre_buffer=False)

    def _read(self, names: Sequence[str]) -> dict[str, Array]:
        with _convert_errors(self.path), self._open() as file:
            return _values(file, names)


def numbers_in(table: Table, channel: str) -> Array:
    """Return the values of a channel of a table, shape (N,), read-only."""
    if isinstance(table, ColumnTable):
        return table.values[channel]
    if isinstance(table, StoredTable):
        return table.numbers(channel)
    return table[channel].to_numpy(dtype=np.float64)


def numbers_at(table: Table, channels: Sequence[str], rows: NDArray[np.intp]) -> Array:
    """Return the values of channels of a table at some rows, shape (channels, rows)."""
    if isinstance(table, StoredTable):
        return table.numbers_at(channels, rows)
    return np.array([numbers_in(table, channel)[rows] for channel in channels])


def gather_pieces(
    pieces: Iterator[ColumnTable],
    samples: int,
    path: Path | None,
    coordinates: Sequence[Coordinate],
    engine: EngineName,
) -> Table:
    """Return a table from its pieces, in order of time; in a file if it is large.

    Parameters
    ----------
    pieces : iterator of ColumnTable
        At least one piece; all with the same columns.
    samples : int
        Total number of samples.
    path : Path, optional
        File of the table (default: in memory regardless of size).
    coordinates : sequence of Coordinate
        All coordinates of the robot, which determine the units of channels.
    engine : str
        Engine, which determines the sources of channels.

    Raises
    ------
    RecordingError
        If the file cannot be written.
    """
    first = next(pieces)
    channels = first.columns
    if len(first) == samples:
        return first
    if path is None or 8 * samples * len(channels) <= LARGE:
        return concatenate([first, *pieces])
    units = units_of(channels, coordinates)
    sources = {channel: source_of(channel, engine) for channel in channels}
    begun = [first]
    del first
    try:
        write_table(path, _one_by_one(begun, pieces), units, sources)
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {refusal(error)}") from error
    return StoredTable(path)


def _one_by_one(begun: list[ColumnTable], pieces: Iterator[ColumnTable]) -> Iterator[ColumnTable]:
    """Yield the table in a list and further pieces, without holding what is written."""
    yield begun.pop()
    yield from pieces


def write_table(
    path: Path | BinaryIO,
    table: pd.DataFrame | ColumnTable | Iterator[ColumnTable],
    units: Mapping[str, str],
    sources: Mapping[str, str] | None = None,
    about: Mapping[str, str] | None = None,
) -> None:
    """Write Parquet with unit, and source if given, of each column in the metadata.

    Parameters
    ----------
    table : pandas.DataFrame or ColumnTable, or iterator of ColumnTable
        A table or its pieces, each of which becomes a row group.
    units, sources : mapping of str to str
        By channel.
    about : mapping of str to str, optional
        Further metadata of the file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = iter([table]) if isinstance(table, ColumnTable) else table
    pieces: Iterator[pa.Table] = (
        map(arrow_table, whole)
        if isinstance(whole, Iterator)
        else iter([pa.Table.from_pandas(whole)])
    )
    begun = next(pieces)
    fields = []
    for field in begun.schema:
        facts = {"unit": "s" if field.name == TIME else units[field.name]}
        if sources and field.name != TIME:
            facts["source"] = sources[field.name]
        fields.append(field.with_metadata(facts))
    schema = pa.schema(fields, metadata={**begun.schema.metadata, **(about or {})})
    # Adjacent samples share their high bytes: with byte splitting, doubles compress to a third.
    with pq.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=False, use_byte_stream_split=True
    ) as file:
        file.write_table(pa.Table.from_arrays(begun.columns, schema=schema))
        del begun
        for piece in pieces:
            file.write_table(pa.Table.from_arrays(piece.columns, schema=schema))
            del piece  # before the next is computed
    pa.default_memory_pool().release_unused()


def open_table(path: Path, most: int | None = None) -> ColumnTable | StoredTable:
    """Open a Parquet file as `read_table` does, but leave a large table in its file."""
    import pyarrow.parquet as pq

    with _convert_errors(path), pq.ParquetFile(path) as file:
        size = 8 * file.metadata.num_rows * file.metadata.num_columns
        _require_rows(path, file, most)
    return StoredTable(path) if size > LARGE else read_table(path, most)


def read_table(path: Path, most: int | None = None) -> ColumnTable:
    """Read a table from a Parquet file: numeric columns over the index t [s].

    Parameters
    ----------
    most : int, optional
        Largest number of rows; a file that claims more is not read.

    Raises
    ------
    RecordingError
        If the file is missing, is not Parquet, has no times, or has non-numeric columns.
    """
    import pyarrow.parquet as pq

    with _convert_errors(path), pq.ParquetFile(path) as file:
        _require_columns_of_numbers(path, file.schema_arrow)
        _require_rows(path, file, most)
        values = _values(file, file.schema_arrow.names)
    t = values.pop(TIME, np.zeros(0))
    _require_ascending(path, t)
    return ColumnTable(t, values)


def require_times(path: Path, table: Table, times: Array) -> None:
    """Check that a table has exactly the sample times of its description.

    Raises
    ------
    RecordingError
        Names the file, and both grids.
    """
    t = table.index.to_numpy(dtype=np.float64)
    if not are_same_times(t, times):
        raise RecordingError(
            f"{path} has {t.size} samples from {t[0]:.9g} to {t[-1]:.9g} s, and its description "
            f"asks for {times.size} from {times[0]:.9g} to {times[-1]:.9g} s"
        )


@contextlib.contextmanager
def _convert_errors(path: Path) -> Iterator[None]:
    """Convert errors of the Parquet reader to `RecordingError`."""
    try:
        yield
    except RecordingError:
        raise
    except FileNotFoundError:
        raise RecordingError(missing(path)) from None
    except Exception as error:  # readers may raise anything for damaged bytes
        raise RecordingError(f"{path} cannot be read as Parquet: {one_line(error)}") from None


def _values(file: pq.ParquetFile, names: Sequence[str]) -> dict[str, Array]:
    """Return columns of a file in separate memory."""
    import pyarrow as pa

    table = file.read(columns=list(names), use_threads=False, use_pandas_metadata=False)
    values = {name: np.asarray(numbers_of(table.column(name)), np.float64) for name in names}
    del table
    if len(names) > 1:  # memory of one column is soon reused by the next
        pa.default_memory_pool().release_unused()
    return values


def _require_rows(path: Path, file: pq.ParquetFile, most: int | None) -> None:
    if most is not None and file.metadata.num_rows > most:
        raise RecordingError(
            f"{path} has {file.metadata.num_rows} samples, and its description asks for {most}"
        )


def _require_ascending(path: Path, t: Array) -> None:
    if not (t.size > 1 and np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise RecordingError(f"{path} has no index t [s] of two or more ascending times")


def _require_columns_of_numbers(path: Path, schema: pa.Schema) -> None:
    import pyarrow as pa

    twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
    if twice is not None:
        raise RecordingError(f"{path} has two columns {twice!r}")
    for field in schema:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            raise RecordingError(
                f"{path} must hold numbers, and column {field.name!r} has {field.type}"
            )
