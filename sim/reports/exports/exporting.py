"""export: a run into one file for another program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sim.errors import RecordingError
from sim.recording.description import read_run
from sim.recording.files import write_bytes
from sim.recording.recording import ANALYTIC, DESCRIPTION, RECORDED, REFERENCE, URDF, Recording
from sim.reports.exports.adams_drives import drives_text
from sim.reports.exports.excel_file import xlsx_bytes
from sim.reports.exports.exported_table import ExportedTable, exported_table
from sim.reports.exports.matlab_file import mat_bytes
from sim.reports.exports.parquet_file import parquet_bytes
from sim.reports.exports.separated_files import csv_bytes, tab_bytes

TABLES: Mapping[str, Callable[[ExportedTable], bytes]] = MappingProxyType(
    {
        ".csv": csv_bytes,
        ".xlsx": xlsx_bytes,
        ".mat": mat_bytes,
        ".parquet": parquet_bytes,
        ".tab": tab_bytes,
    }
)
DRIVES = ".adm"
SUFFIXES = (*TABLES, DRIVES)


def export(
    recording: Recording,
    path: Path | str,
    *,
    channels: str | Sequence[str] | None = None,
    analytic: bool = False,
    degrees: bool = False,
    millimetres: bool = False,
    every: int = 1,
) -> Path:
    """Write channels of a run as a table, or its drives as ADAMS text; the suffix says which.

    The file appears whole or not at all, in the place of an older one of its name.

    Parameters
    ----------
    recording : Recording
    path : Path or str
        ``.csv .xlsx .mat .parquet .tab``: a table. ``.adm``: the drives, see `drives_text`.
    channels : str or sequence of str, optional
        Patterns such as ``tau.*``; all channels without them. Not for ``.adm``.
    analytic : bool
        What the model says, in the place of what the engine recorded. Not for ``.adm``.
    degrees, millimetres : bool
        Angles and lengths, and their rates, in these units; see `unit_shown` and `drives_text`.
    every : int
        Every so-manieth sample, from the first on. Not for ``.adm``.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    RecordingError
        If the suffix is unknown, a pattern matches no channel, the table does not fit the format,
        or the file cannot be written or is one of a run's own.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise RecordingError(
            f"Cannot export to {path}: its suffix must be one of {', '.join(SUFFIXES)}"
        )
    _require_place(path)
    if suffix == DRIVES:
        if channels is not None or analytic or every != 1:
            raise RecordingError(
                f"{path} would hold drives, of all joints and as they were asked for; channels, "
                f"analytic and every are for tables ({', '.join(TABLES)})"
            )
        text = drives_text(recording, degrees=degrees, millimetres=millimetres)
        data = text.encode("utf-8")
    else:
        table = exported_table(
            recording,
            channels,
            analytic=analytic,
            degrees=degrees,
            millimetres=millimetres,
            every=every,
        )
        data = TABLES[suffix](table)
    try:
        write_bytes(path, data)
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {error.strerror or error}") from None
    return path


def _require_place(path: Path) -> None:
    """Check that a file may be written here.

    Raises
    ------
    RecordingError
        If there is no such folder, or a folder or a run's own file is there.
    """
    if not path.parent.is_dir():
        raise RecordingError(f"Cannot write {path}: {path.parent} is not a folder")
    if path.is_dir():
        raise RecordingError(f"Cannot write {path}: it is a folder")
    if (path.parent / DESCRIPTION).exists() and path.name in _own_files(path.parent):
        raise RecordingError(
            f"Cannot write {path}: it is a file of the run in {path.parent}; choose another name"
        )


def _own_files(folder: Path) -> set[str]:
    """Files that belong to a run, even where its description cannot be read."""
    own = {DESCRIPTION, RECORDED, ANALYTIC, REFERENCE, URDF}
    try:
        return own | set(read_run(folder / DESCRIPTION).files)
    except RecordingError:
        return own
