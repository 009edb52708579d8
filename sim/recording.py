"""Recording: the tables of one run and their description, in memory and on disk.

A run's folder holds ``recording.parquet`` (from the engine), ``analytic.parquet`` (from the model,
the same columns) and ``run.json``. Anything that reads Parquet and JSON can read it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.errors import RecordingError

if TYPE_CHECKING:
    import pandas as pd

RECORDED, ANALYTIC, DESCRIPTION = "recording.parquet", "analytic.parquet", "run.json"

# What a description must have for a run to be read, judged and compared.
NEEDED = {
    "run": ("scenario", "method", "settings", "robot", "drives", "claims", "units", "files"),
    "settings": ("duration", "dt", "gravity", "corners", "free", "tolerances"),
    "robot": ("name", "urdf_sha256", "tool", "joints", "coupling", "assumed"),
}


@dataclass(frozen=True, eq=False)
class Recording:
    """What one run left behind.

    Parameters
    ----------
    recorded, analytic : pandas.DataFrame
        One column a channel, time down the rows, index ``t`` [s]; SI units and radians.
    info : mapping
        The content of ``run.json``.
    """

    recorded: pd.DataFrame
    analytic: pd.DataFrame
    info: Mapping[str, Any]

    @property
    def units(self) -> Mapping[str, str]:
        """Unit of each channel."""
        units: Mapping[str, str] = self.info["units"]
        return units

    def with_info(self, **entries: object) -> Recording:
        """The same tables with more in their description."""
        return replace(self, info={**self.info, **entries})

    def write(self, folder: Path) -> None:
        """Write the three files into an existing folder.

        Raises
        ------
        RecordingError
            If the folder cannot be written.
        """
        try:
            for name, table in ((RECORDED, self.recorded), (ANALYTIC, self.analytic)):
                write_table(folder / name, table, self.units)
            hashes = {name: sha256(folder / name) for name in (RECORDED, ANALYTIC)}
            write_json(folder / DESCRIPTION, {**self.info, "files": hashes})
        except OSError as error:
            raise RecordingError(f"Cannot write the run to {folder}: {_reason(error)}") from error

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
        tables = []
        for name in (RECORDED, ANALYTIC):
            if sha256(folder / name) != info["files"].get(name):
                raise RecordingError(f"{folder / name} has changed since the run wrote it")
            tables.append(read_table(folder / name))
        recorded, analytic = tables
        if not (
            recorded.columns.equals(analytic.columns) and recorded.index.equals(analytic.index)
        ):
            raise RecordingError(
                f"{RECORDED} and {ANALYTIC} in {folder} must have the same channels and times"
            )
        return cls(recorded, analytic, info)


def require_description(info: Mapping[str, Any], source: Path) -> None:
    """Check that a description has all that judging and comparing need.

    Raises
    ------
    RecordingError
        Naming the first entry that is missing.
    """
    for part, names in NEEDED.items():
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
    if times.name != "t" or not (times.size and times.is_unique and times.is_monotonic_increasing):
        raise RecordingError(f"{path} has no index t [s] of ascending times")
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
        raise RecordingError(f"{path} cannot be read: {_reason(error)}") from None


@contextlib.contextmanager
def staged(folder: Path, marker: str = DESCRIPTION) -> Iterator[Path]:
    """A hidden folder beside `folder` that takes its place when the block ends well.

    After an error nothing is left behind and an earlier `folder` is as it was.

    Parameters
    ----------
    folder : Path
        Where the result goes; it may exist if it is empty or holds a file named `marker`.
    marker : str
        The file that shows a folder to be one of ours.

    Raises
    ------
    RecordingError
        If `folder` holds something else or cannot be written.
    """
    made: list[Path] = []
    try:
        folder = folder.resolve()
        _require_free(folder, marker)
        made += [parent for parent in folder.parents if not parent.exists()]
        folder.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
        stage.chmod(0o755)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        _remove_empty(made)
        raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from None
    try:
        yield stage
        _swap(stage, folder)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        _remove_empty(made)
        raise


def _require_free(folder: Path, marker: str) -> None:
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise RecordingError(f"Cannot write to {folder}: {place} is not a folder")
    if folder == Path.cwd():
        raise RecordingError(f"{folder} is the working folder; choose a new folder in it")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / marker).is_file():
        raise RecordingError(
            f"{folder} holds other files and no {marker}; choose an empty or a new folder"
        )


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _swap(stage: Path, folder: Path) -> None:
    """Put `stage` in the place of `folder`; a rename each, so that no half folder is ever seen."""
    old = stage.with_name(f"{stage.name}.old")
    try:
        if folder.exists():
            folder.replace(old)
        try:
            stage.replace(folder)
        except BaseException:
            if old.exists():
                old.replace(folder)
            raise
    except OSError as error:
        raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from None
    shutil.rmtree(old, ignore_errors=True)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
