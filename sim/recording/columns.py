"""Tables in memory without pandas: columns over time, converted to a DataFrame on first use.

Importing pandas takes a quarter of a second, as long as all checks of a run. Simulating, writing
and judging a run only require arrays by name; a `DataFrame` is created when a caller reads
``run.recorded``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.recording.schema.channels import TIME
from sim.versions import version_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class Column(np.ndarray[Any, np.dtype[np.float64]]):
    """An array with the reading interface of a DataFrame column."""

    def to_numpy(self, dtype: Any = None) -> Array:
        """Return the values as a plain array."""
        return np.asarray(self, dtype)


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns of equal length over time, with the reading interface of a numeric DataFrame.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Times [s].
    values : mapping of str to ndarray, shape (N,)
        By channel.
    """

    t: Array
    values: Mapping[str, Array]

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", _read_only(self.t))
        object.__setattr__(
            self, "values", {name: _read_only(row) for name, row in self.values.items()}
        )

    @property
    def index(self) -> Column:
        """Times [s]."""
        return self.t.view(Column)

    @property
    def columns(self) -> list[str]:
        """Names of the channels."""
        return list(self.values)

    def __len__(self) -> int:
        return self.t.size

    def __contains__(self, channel: object) -> bool:
        return channel in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    @overload
    def __getitem__(self, key: str) -> Column: ...

    @overload
    def __getitem__(self, key: list[str]) -> ColumnTable: ...

    def __getitem__(self, key: str | list[str]) -> Column | ColumnTable:
        if isinstance(key, str):
            return self.values[key].view(Column)
        return ColumnTable(self.t, {name: self.values[name] for name in key})

    def to_numpy(self, dtype: Any = np.float64) -> Array:
        """Return all values, shape (N, channels)."""
        return np.asarray(np.stack(list(self.values.values())).T, dtype)

    def at_rows(self, rows: Any) -> ColumnTable:
        """Return some of the rows, by index, slice or mask."""
        return ColumnTable(self.t[rows], {name: row[rows] for name, row in self.values.items()})

    def frame(self) -> pd.DataFrame:
        """Return the columns as a DataFrame with the index t [s]."""
        import pandas as pd

        return pd.DataFrame(dict(self.values), index=pd.Index(self.t, name=TIME))


def columns_of(frame: pd.DataFrame) -> ColumnTable:
    """Return a numeric DataFrame as arrays, whose columns are read in a tenth of the time."""
    rows = np.ascontiguousarray(frame.to_numpy(dtype=np.float64).T)
    t = frame.index.to_numpy(dtype=np.float64)
    return ColumnTable(t, dict(zip(map(str, frame.columns), rows, strict=True)))


def _read_only(row: Array) -> Array:
    """Return the numbers as a read-only array."""
    view = np.asarray(row, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def concatenate(pieces: Sequence[ColumnTable]) -> ColumnTable:
    """Concatenate tables of the same columns in order of time."""
    values = {
        name: np.concatenate([piece.values[name] for piece in pieces]) for name in pieces[0].values
    }
    return ColumnTable(np.concatenate([piece.t for piece in pieces]), values)


def numbers_of(column: pa.ChunkedArray) -> NDArray[Any]:
    """Copy the numbers of an Arrow column to separate memory; missing values become NaN.

    ``ChunkedArray.to_numpy`` returns the same, but imports pandas.
    """
    import pyarrow as pa

    dtype: Any = {pa.float64(): np.float64, pa.int64(): np.int64}.get(column.type)
    if dtype is None or (dtype is np.int64 and column.null_count):
        return np.array(column.to_numpy())
    joined, first = np.empty(len(column), dtype), 0
    for chunk in filter(len, column.chunks):
        valid, numbers = chunk.buffers()
        end, inside = first + len(chunk), slice(chunk.offset, chunk.offset + len(chunk))
        joined[first:end] = np.frombuffer(numbers, dtype)[inside]
        if chunk.null_count:
            bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
            joined[first:end][bits[inside] == 0] = np.nan
        first = end
    return joined


def arrow_table(table: ColumnTable) -> pa.Table:
    """Return the result of ``pyarrow.Table.from_pandas`` for `ColumnTable.frame`."""
    import pyarrow as pa

    rows = {**table.values, TIME: table.t}
    number = {"pandas_type": "float64", "numpy_type": "float64", "metadata": None}
    text = {"pandas_type": "unicode", "numpy_type": "str", "metadata": {"encoding": "UTF-8"}}
    about = {
        "index_columns": [TIME],
        "column_indexes": [{"name": None, "field_name": None, **text}],
        "columns": [{"name": name, "field_name": name, **number} for name in rows],
        "attributes": {},
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": version_of("pandas"),
    }
    schema = pa.schema(
        [pa.field(name, pa.float64()) for name in rows], metadata={"pandas": json.dumps(about)}
    )
    return pa.Table.from_arrays([_arrow_column(row) for row in rows.values()], schema=schema)


def _arrow_column(row: Array) -> pa.Array:
    """Return numbers in Arrow's form from pandas: NaN is missing."""
    import pyarrow as pa

    valid, is_nan = None, np.isnan(row)
    if is_nan.any():
        valid = pa.py_buffer(np.packbits(~is_nan, bitorder="little"))
    numbers = pa.py_buffer(np.ascontiguousarray(row))
    return pa.Array.from_buffers(pa.float64(), row.size, [valid, numbers])
