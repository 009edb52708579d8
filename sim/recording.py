"""Recording: the tables of one run and their description, in memory and on disk.

A run's folder holds ``recording.parquet`` (from the engine), ``analytic.parquet`` (from the model,
the same columns) and ``run.json``; and, where the scenario brings results of another program,
``reference.parquet`` with those. ``robot.urdf`` is the robot as it was simulated, payload and all.
Anything that reads Parquet and JSON can read it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import RecordingError

if TYPE_CHECKING:
    import pandas as pd

RECORDED, ANALYTIC, DESCRIPTION = "recording.parquet", "analytic.parquet", "run.json"
REFERENCE = "reference.parquet"
URDF = "robot.urdf"

# What a description must have for a run to be read, judged and compared.
NEEDED = {
    "run": ("scenario", "method", "settings", "robot", "drives", "claims", "units", "files"),
    "settings": ("duration", "dt", "gravity", "corners", "free", "tolerances"),
    "robot": ("name", "urdf_sha256", "tool", "joints", "coupling", "assumed"),
}

# And what it must have besides where the run has a reference.
NEEDED_OF_REFERENCE = {"reference": ("source", "digits", "tolerances", "peer", "peer_tolerances")}


@dataclass(frozen=True, eq=False)
class Recording:
    """What one run left behind.

    Parameters
    ----------
    recorded, analytic : pandas.DataFrame
        One column a channel, time down the rows, index ``t`` [s]; SI units and radians.
    info : mapping
        The content of ``run.json``.
    reference : pandas.DataFrame, optional
        What another program computed, for some of the channels and times; ``info["reference"]``
        says which program, and how near the run must come.
    urdf : str, optional
        Text of the robot that was simulated.
    """

    recorded: pd.DataFrame
    analytic: pd.DataFrame
    info: Mapping[str, Any]
    reference: pd.DataFrame | None = None
    urdf: str | None = None

    @property
    def units(self) -> Mapping[str, str]:
        """Unit of each channel."""
        units: Mapping[str, str] = self.info["units"]
        return units

    def with_info(self, **entries: object) -> Recording:
        """The same tables with more in their description."""
        return replace(self, info={**self.info, **entries})

    def write(self, folder: Path) -> Recording:
        """Write the tables and the description into an existing folder.

        Returns the recording with the hashes of its files in its description.

        Raises
        ------
        RecordingError
            If the folder cannot be written.
        """
        try:
            tables = {RECORDED: self.recorded, ANALYTIC: self.analytic}
            if self.reference is not None:
                tables[REFERENCE] = self.reference
            for name, table in tables.items():
                write_table(folder / name, table, self.units)
            names = list(tables)
            if self.urdf is not None:
                (folder / URDF).write_text(self.urdf, encoding="utf-8", newline="")
                names.append(URDF)
            hashes = {name: sha256(folder / name) for name in names}
            written = self.with_info(files=hashes)
            write_json(folder / DESCRIPTION, written.info)
        except OSError as error:
            raise RecordingError(
                f"Cannot write the run to {folder}: {error.strerror or error}"
            ) from error
        return written

    @classmethod
    def read(cls, folder: Path) -> Recording:
        """Read a run's folder.

        Raises
        ------
        RecordingError
            If a file is missing, damaged, not one of ours, or changed since it was written.
        """
        info = read_json(folder / DESCRIPTION)
        require_description(info, folder / DESCRIPTION)
        names = [RECORDED, ANALYTIC]
        if "reference" in info:
            require_description(info, folder / DESCRIPTION, NEEDED_OF_REFERENCE)
            names.append(REFERENCE)
        tables = []
        for name in names:
            if sha256(folder / name) != info["files"].get(name):
                raise RecordingError(f"{folder / name} has changed since the run wrote it")
            tables.append(read_table(folder / name))
        recorded, analytic, *reference = tables
        if not (
            recorded.columns.equals(analytic.columns) and recorded.index.equals(analytic.index)
        ):
            raise RecordingError(
                f"{RECORDED} and {ANALYTIC} in {folder} must have the same channels and times"
            )
        urdf = _read_text(folder / URDF, info["files"][URDF]) if URDF in info["files"] else None
        return cls(recorded, analytic, info, reference[0] if reference else None, urdf)


def require_description(
    info: Mapping[str, Any], source: Path, needed: Mapping[str, Sequence[str]] = NEEDED
) -> None:
    """Check that a description has all that judging and comparing need.

    Parameters
    ----------
    info : mapping
    source : Path
        Its file, for the message.
    needed : mapping
        Names of the entries, for ``run`` itself and for those of its entries that are mappings.

    Raises
    ------
    RecordingError
        Naming the first entry that is missing.
    """
    for part, names in needed.items():
        entries = info if part == "run" else info[part]
        for name in names:
            if not isinstance(entries, Mapping) or name not in entries:
                raise RecordingError(f"{source} is no description of a run: no {part}.{name}")


def write_table(path: Path, table: pd.DataFrame, units: Mapping[str, str]) -> None:
    """Parquet with the unit of each column in its metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table)
    fields = [
        field.with_metadata({"unit": "s" if field.name == "t" else units[field.name]})
        for field in arrow.schema
    ]
    arrow = arrow.cast(pa.schema(fields, metadata=arrow.schema.metadata))
    # Neighbouring samples share their high bytes: split by byte, doubles compress to a third.
    pq.write_table(
        arrow, path, compression="zstd", use_dictionary=False, use_byte_stream_split=True
    )


def read_table(path: Path) -> pd.DataFrame:
    """Table of a Parquet file.

    Raises
    ------
    RecordingError
        If the file is missing, is not Parquet, or has no times.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            table: pd.DataFrame = file.read().to_pandas()
    except FileNotFoundError:
        raise RecordingError(f"{path} is missing") from None
    except (OSError, pa.ArrowException) as error:
        raise RecordingError(f"{path} cannot be read as Parquet: {error}") from None
    times = table.index
    ascending = times.size > 1 and times.is_unique and times.is_monotonic_increasing
    if times.name != "t" or not ascending:
        raise RecordingError(f"{path} has no index t [s] of two or more ascending times")
    return table


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """JSON for people to read, written beside `path` and moved into place."""
    text = json_text(content, indent=1) + "\n"
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def json_text(content: Any, indent: int | None = None) -> str:
    """JSON of plain values; NaN and infinity, for which JSON has no word, become null."""
    return json.dumps(_without_nan(content), indent=indent, ensure_ascii=False, allow_nan=False)


def _without_nan(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_without_nan(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def read_json(path: Path) -> dict[str, Any]:
    """Object of a JSON file.

    Raises
    ------
    RecordingError
        If the file is missing or does not hold one JSON object.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecordingError(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise RecordingError(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(content, dict):
        raise RecordingError(f"{path} does not hold a JSON object")
    return content


def _read_text(path: Path, expected: str) -> str:
    """Text of a file that must not have changed since the run wrote it."""
    if sha256(path) != expected:
        raise RecordingError(f"{path} has changed since the run wrote it")
    return path.read_bytes().decode("utf-8")


def sha256(path: Path) -> str:
    """Hash of a file's bytes, hexadecimal.

    Raises
    ------
    RecordingError
        If the file is missing or cannot be read.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        raise RecordingError(f"{path} is missing") from None
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror or error}") from None
