"""Table of a study, one row per case: Parquet and CSV, bitwise reproducible."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import RecordingError
from sim.recording.files.whole_files import json_text, refusal, sha256, write_bytes
from sim.studies.case_rows import CaseRow, check_names, response_units

if TYPE_CHECKING:
    import pandas as pd

PARQUET, CSV = "cases.parquet", "cases.csv"
# columns of every table
RESERVED = ("case", "status", "reason", "checks", "failed", "run", "key")


def study_table(rows: Sequence[CaseRow]) -> pd.DataFrame:
    """Return a table with one row per case.

    Columns: ``case`` from 1, the varied parameters, tolerance draws, ``status``, ``reason``,
    ``checks``, ``failed``, the responses, ``used <check>`` (the largest fraction of its limit),
    ``run`` and ``key``. Where two would have one name, they are ``parameter <name>`` and
    ``response <name>``.
    """
    import pandas as pd

    def column(values: Sequence[object]) -> object:
        numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
        if all(numbers):
            return list(values)
        return [json_text(v) if isinstance(v, list | tuple | dict) else v for v in values]

    columns: dict[str, object] = {}
    for name in dict.fromkeys(name for row in rows for name in row.factors):
        columns[name] = [row.factors.get(name) for row in rows]
    for name in ("status", "reason", "checks", "failed"):
        columns[name] = [getattr(row, name) for row in rows]
    for name in response_units(rows):
        heading = f"response {name}" if name in RESERVED else name
        columns[heading] = pd.array([row.response(name) for row in rows], dtype="Float64")
    for name in check_names(rows):
        shares = [row.worst[name].used if name in row.worst else None for row in rows]
        columns[f"used {name}"] = pd.array(shares, dtype="Float64")
    columns["run"] = [row.run for row in rows]
    columns["key"] = [row.key for row in rows]
    varied: dict[str, object] = {}
    for name in dict.fromkeys(name for row in rows for name in row.parameters):
        heading = f"parameter {name}" if name in columns or name in RESERVED else name
        varied[heading] = column([row.parameters.get(name) for row in rows])
    return pd.DataFrame({"case": range(1, len(rows) + 1), **varied, **columns})


def table_files(table: pd.DataFrame, units: Mapping[str, str]) -> dict[str, bytes]:
    """Return the table in both formats, by name of the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table, preserve_index=False)
    fields = [
        field.with_metadata({"unit": units[field.name]}) if field.name in units else field
        for field in arrow.schema
    ]
    block = io.BytesIO()
    pq.write_table(arrow.cast(pa.schema(fields)), block)
    text = table.to_csv(index=False, lineterminator="\n")
    return {PARQUET: block.getvalue(), CSV: text.encode()}


def write_files(folder: Path, files: Mapping[str, bytes]) -> dict[str, str]:
    """Write files of a study and return their hashes.

    Raises
    ------
    RecordingError
        If they cannot be written.
    """
    try:
        for name, content in files.items():
            write_bytes(folder / name, content)
    except OSError as error:
        raise RecordingError(f"Cannot write the study to {folder}: {refusal(error)}") from error
    return {name: sha256(folder / name) for name in files}
