"""Files of a run: Parquet, JSON and hashes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from sim.errors import RecordingError
from sim.maths.arrays import Array
from sim.maths.sampling import are_same_times
from sim.recording.channels import TIME

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def write_table(
    path: Path | BinaryIO,
    table: pd.DataFrame,
    units: Mapping[str, str],
    sources: Mapping[str, str] | None = None,
    about: Mapping[str, str] | None = None,
) -> None:
    """Parquet with the unit of each column in its metadata, and its source where that is told.

    Parameters
    ----------
    units, sources : mapping of str to str
        By channel.
    about : mapping of str to str, optional
        What else is said of the table, in the metadata of the file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table)
    fields = []
    for field in arrow.schema:
        facts = {"unit": "s" if field.name == TIME else units[field.name]}
        if sources and field.name != TIME:
            facts["source"] = sources[field.name]
        fields.append(field.with_metadata(facts))
    arrow = arrow.cast(pa.schema(fields, metadata={**arrow.schema.metadata, **(about or {})}))
    # Neighbouring samples share their high bytes: split by byte, doubles compress to a third.
    pq.write_table(
        arrow, path, compression="zstd", use_dictionary=False, use_byte_stream_split=True
    )


def read_table(path: Path, most: int | None = None) -> pd.DataFrame:
    """Table of a Parquet file: columns of numbers over the index t [s].

    Parameters
    ----------
    most : int, optional
        So many rows it may have at most; a file that claims more is not read.

    Raises
    ------
    RecordingError
        If the file is missing, is not Parquet, has no times, or holds something else than numbers.
    """
    import pandas as pd
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            _require_columns_of_numbers(path, file.schema_arrow)
            if most is not None and file.metadata.num_rows > most:
                raise RecordingError(
                    f"{path} has {file.metadata.num_rows} samples, and its description asks for "
                    f"{most}"
                )
            table = file.read(use_pandas_metadata=False)
        values = {
            name: np.asarray(table.column(name).to_numpy(), dtype=np.float64)
            for name in table.column_names
        }
    except RecordingError:
        raise
    except FileNotFoundError:
        raise RecordingError(f"{path} is missing") from None
    except Exception as error:  # what damaged bytes make of a reader nobody can list
        raise RecordingError(f"{path} cannot be read as Parquet: {one_line(error)}") from None
    t = values.pop(TIME, np.zeros(0))
    if not (t.size > 1 and np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise RecordingError(f"{path} has no index t [s] of two or more ascending times")
    return pd.DataFrame(values, index=pd.Index(t, name=TIME))


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


def one_line(error: Exception) -> str:
    """What an error of a library says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def require_times(path: Path, table: pd.DataFrame, wanted: Array) -> None:
    """Check that a table has just the sample times that its description asks for.

    Raises
    ------
    RecordingError
        Naming the file, and both grids.
    """
    t = table.index.to_numpy(dtype=np.float64)
    if not are_same_times(t, wanted):
        raise RecordingError(
            f"{path} has {t.size} samples from {t[0]:.9g} to {t[-1]:.9g} s, and its description "
            f"asks for {wanted.size} from {wanted[0]:.9g} to {wanted[-1]:.9g} s"
        )


def write_bytes(path: Path, data: bytes) -> None:
    """A file that appears whole or not at all: written beside `path` and moved into place.

    Raises
    ------
    OSError
        With the name of the file.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError):  # a full disk does not say which file has no room
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise


def refusal(error: OSError) -> str:
    """Why the system refused to write or read, in its own words."""
    return os.strerror(error.errno) if error.errno else error.strerror or str(error)


def json_text(content: Any, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """JSON of plain values; NaN and infinity, for which JSON has no word, become null.

    With `ascii_only` other letters are written by their numbers.
    """
    return json.dumps(
        _without_nan(content), indent=indent, ensure_ascii=ascii_only, allow_nan=False
    )


def _without_nan(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_without_nan(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def read_text(path: Path, expected: str) -> str:
    """Text of a file that must not have changed since the run wrote it."""
    if sha256(path) != expected:
        raise RecordingError(f"{path} has changed since the run wrote it")
    return decoded(path)


def decoded(path: Path) -> str:
    """Text of a file in UTF-8.

    Raises
    ------
    RecordingError
        If it cannot be read, or is no such text.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise RecordingError(
            f"{path} is not UTF-8 text: {error.reason} at byte {error.start}"
        ) from None


def sha256(path: Path) -> str:
    """Hash of a file's bytes, hexadecimal.

    Raises
    ------
    RecordingError
        If the file is missing or cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise RecordingError(f"{path} is missing") from None
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
