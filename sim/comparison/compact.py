"""Compact tables: every sample of a run in quantised steps, small enough to commit.

A channel is stored as the third difference of ``k = round(value / step)``: small integers where a
curve is smooth for its sampling, which compress to some two bits. Any Parquet reader restores it as
``value = step * cumsum(cumsum(cumsum(column)))``, with the step in the column's metadata. A step is
a power of two, so that no digit is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import RecordingError, missing
from sim.maths.arrays import Array
from sim.recording.columns import ColumnTable, numbers_of
from sim.recording.files.whole_files import one_line

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow.parquet as pq

ORDER = 3
FORMULA = "value = step * cumsum(cumsum(cumsum(column))), at even times from 0 to the duration"


def step_below(size: float) -> float:
    """Return the largest power of two that is not above `size`, a positive number."""
    return float(2.0 ** math.floor(math.log2(size)))


def write_compact(
    path: Path, table: pd.DataFrame, steps: Mapping[str, float], units: Mapping[str, str]
) -> None:
    """Write the channels of a table that have a step.

    Parameters
    ----------
    table : pandas.DataFrame
        Finite values, one row per time.
    steps, units : mapping
        By channel.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields, columns = [], []
    for channel, step in steps.items():
        whole = np.rint(table[channel].to_numpy(dtype=np.float64) / step).astype(np.int64)
        columns.append(pa.array(np.diff(whole, ORDER, prepend=np.zeros(ORDER, dtype=np.int64))))
        facts = {"unit": units[channel], "step": repr(step)}
        fields.append(pa.field(channel, pa.int64(), metadata=facts))
    schema = pa.schema(fields, metadata={"sim": FORMULA})
    pq.write_table(
        pa.Table.from_arrays(columns, schema=schema),
        path,
        compression="zstd",
        compression_level=15,
        use_dictionary=False,
        use_byte_stream_split=True,
    )


def read_compact(path: Path, t: Array) -> tuple[ColumnTable, dict[str, float]]:
    """Return the table, and the step of each channel.

    Parameters
    ----------
    t : ndarray, shape (N,)
        Required times [s].

    Raises
    ------
    RecordingError
        If the file is missing, is not of this format, or has another number of samples.
    """
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _require(path, file, t.size)
            stored = file.read(use_threads=False)
        steps = {
            field.name: float((field.metadata or {})[b"step"].decode()) for field in stored.schema
        }
    except FileNotFoundError:
        raise RecordingError(missing(path)) from None
    except RecordingError:
        raise
    except Exception as error:  # errors of a reader on damaged bytes cannot be listed
        raise RecordingError(
            f"{path} cannot be read as a compact table: {one_line(error)}"
        ) from None
    columns = {}
    for name, step in steps.items():
        whole = numbers_of(stored.column(name))
        for _ in range(ORDER):
            whole = np.cumsum(whole)
        columns[name] = step * whole
    return ColumnTable(t, columns), steps


def _require(path: Path, file: pq.ParquetFile, samples: int) -> None:
    """Check the number of samples and their integer type before the file is read."""
    import pyarrow as pa

    schema = file.schema_arrow
    for field in schema:
        if field.type != pa.int64() or schema.names.count(field.name) > 1:
            raise RecordingError(
                f"{path} cannot be read as a compact table: {field.name!r} must be one column of "
                f"whole numbers, and is {field.type}"
            )
    if file.metadata.num_rows != samples:
        raise RecordingError(
            f"{path} has {file.metadata.num_rows} samples, and its description asks for {samples}"
        )
