"""export: a run into one file for another program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sim.errors import RecordingError
from sim.recording.files.named_file import require_place, write_named
from sim.recording.recording import Recording
from sim.reports.exports.adams_drives import drives_text
from sim.reports.exports.adams_model import model_text
from sim.reports.exports.excel_file import xlsx_bytes
from sim.reports.exports.exported_table import ExportedTable, table_for_export
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
ADAMS = ".adm"
SUFFIXES = (*TABLES, ADAMS)


def export(
    recording: Recording,
    path: Path | str,
    *,
    channels: str | Sequence[str] | None = None,
    analytic: bool = False,
    degrees: bool = False,
    millimetres: bool = False,
    every: int = 1,
    drives: bool = False,
) -> Path:
    """Write channels of a run as a table, or the run as a model of ADAMS; the suffix decides which.

    The file appears whole or not at all, in the place of an earlier export of its name.

    Parameters
    ----------
    recording : Recording
    path : Path or str
        ``.csv .xlsx .mat .parquet .tab``: a table. ``.adm``: the model, see `model_text`.
    channels : str or sequence of str, optional
        Patterns such as ``tau.*``; all channels without them. Not for ``.adm``.
    analytic : bool
        What the model gives, in the place of what the engine recorded. Not for ``.adm``.
    degrees, millimetres : bool
        Angles and lengths, and their rates, in these units; see `unit_shown` and `drives_text`.
    every : int
        Every so-manieth sample, from the first on. Not for ``.adm``.
    drives : bool
        For ``.adm``: the drives alone, to be put into a model, see `drives_text`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    RecordingError
        If the suffix is unknown, a pattern matches no channel, the table does not fit the format,
        ADAMS has no statement for a part of the run, or the file cannot be written, belongs to a
        run or was not written by sim.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise RecordingError(
            f"Cannot export to {path}: its suffix must be one of {', '.join(SUFFIXES)}"
        )
    require_place(path)
    if suffix != ADAMS and drives:
        raise RecordingError(f"{path}: drives are exported as ADAMS text ({ADAMS}), not as a table")
    if suffix == ADAMS:
        if channels is not None or analytic or every != 1:
            raise RecordingError(
                f"{path}: a deck contains the whole model or its drives; channels, analytic and "
                f"every apply to tables only ({', '.join(TABLES)})"
            )
        writer = drives_text if drives else model_text
        data = writer(recording, degrees=degrees, millimetres=millimetres).encode("utf-8")
    else:
        table = table_for_export(
            recording,
            channels,
            analytic=analytic,
            degrees=degrees,
            millimetres=millimetres,
            every=every,
        )
        data = TABLES[suffix](table)
    write_named(path, data)
    return path
