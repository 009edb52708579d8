"""Export of a run to one file for another program."""

from __future__ import annotations

import contextlib
import errno
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from sim.errors import RecordingError
from sim.maths.arguments import checked
from sim.recording.files.named_file import MARK, require_place, write_named
from sim.recording.files.table_files import write_table
from sim.recording.recording import Recording
from sim.recording.schema.channels import group_of
from sim.reports.exports.adams_drives import drives_text
from sim.reports.exports.adams_model import model_text
from sim.reports.exports.exported_table import ExportedTable, plain_names, table_for_export

if TYPE_CHECKING:
    from openpyxl import Workbook


ROWS, COLUMNS = 1_048_576, 16_384  # largest size of a sheet

LONGEST_NAME = 80  # largest length of the name of an ADAMS object
LONGEST_FIELD = 63  # MATLAB's namelengthmax
BYTES = 2**31 - 1  # largest size of a MATLAB variable

HEADER, HEADER_BYTES = b"MATLAB 5.0 MAT-file, ", 116  # free text of the format


def xlsx_bytes(exported: ExportedTable) -> bytes:
    """Return three sheets: the table under its titles, the channels, and the provenance of the run.

    Numbers have 16 digits, one more than Excel shows.

    Raises
    ------
    RecordingError
        If the table does not fit on a sheet, or a number is not finite.
    """
    from lxml.etree import SerialisationError
    from openpyxl import Workbook

    rows, columns = exported.t.size + 1, len(exported.channels) + 1
    if rows > ROWS:
        least = -(-exported.t.size // (ROWS - 1))
        raise RecordingError(
            f"An Excel sheet has {ROWS:,} rows, and this table needs {rows:,}: take every "
            f"{least}th sample or fewer (--every {least}), or .csv, .mat or .parquet"
        )
    if columns > COLUMNS:
        raise RecordingError(
            f"An Excel sheet has {COLUMNS:,} columns, and this table needs {columns:,}: choose "
            "channels (--channels PATTERN), or .csv, .mat or .parquet"
        )
    exported.require_finite(".xlsx")
    book = Workbook(write_only=True)
    buffer = BytesIO()
    try:
        _fill(book, exported)
        book.save(buffer)
    except (OSError, SerialisationError) as error:
        _close_writers(book)
        raise RecordingError(
            "A workbook is put together in a temporary file, and there is no room for it "
            f"({_reason(error)}); set TMPDIR to a folder that has room, or take .csv or .parquet"
        ) from None
    with zipfile.ZipFile(buffer, "a") as packed:
        packed.comment = MARK
    return buffer.getvalue()


def _fill(book: Workbook, exported: ExportedTable) -> None:
    sheet = book.create_sheet(exported.about["table"])
    sheet.freeze_panes = "B2"
    sheet.append(_texts(sheet, exported.titles))
    for row in exported.values.tolist():
        sheet.append(row)
    sheet = book.create_sheet("channels")
    sheet.append(["channel", "unit", "what it is", "where it comes from"])
    for name in exported.channels:
        row = [name, exported.units[name], group_of(name).heading, exported.sources[name]]
        sheet.append(_texts(sheet, row))
    sheet = book.create_sheet("about")
    for fact in exported.about.items():
        sheet.append(_texts(sheet, fact))


def _texts(sheet: Any, texts: Iterable[str]) -> list[Any]:
    """Return cells of texts, whatever they begin with: a name such as ``=A1`` is no formula."""
    from openpyxl.cell import WriteOnlyCell

    cells = [WriteOnlyCell(sheet, text) for text in texts]
    for cell in cells:
        cell.data_type = "s"
    return cells


def _close_writers(book: Workbook) -> None:
    """Close the sheets' writers, whose second failure would be printed at garbage collection."""
    for sheet in book:
        for _ in range(2):
            with contextlib.suppress(Exception):
                sheet.close()
        with contextlib.suppress(Exception):
            sheet._writer.xf.close()


def _reason(error: Exception) -> str:
    """Return the system's message; lxml gives only a constant such as ``IO_ENOSPC``."""
    number = getattr(errno, str(error).removeprefix("IO_"), None)
    if isinstance(number, int):
        return os.strerror(number)
    return getattr(error, "strerror", None) or str(error)


def csv_bytes(exported: ExportedTable) -> bytes:
    """Return CSV in UTF-8: one line of quoted titles with units, then numbers, ``nan`` and ``inf``.

    Nothing precedes the titles: CSV has no comments, and its readers would misread one.
    """
    return _write_delimited(exported, exported.titles, ",")


def tab_bytes(exported: ExportedTable) -> bytes:
    """Return a table that ADAMS imports as test data or as numeric results.

    One line of quoted titles, then numbers, separated by tabs. ADAMS derives the names of splines
    or measures from the titles, so these are valid names that end with the unit.

    Raises
    ------
    RecordingError
        If a number is not finite.
    """
    exported.require_finite(".tab")
    worded = [f"{name} {_word(exported.units[name])}" for name in exported.channels]
    return _write_delimited(exported, ["TIME", *plain_names(worded, LONGEST_NAME, ["TIME"])], "\t")


def _word(unit: str) -> str:
    """Return a unit as part of a name: ``rad_per_s2``, ``Nm``."""
    return "" if unit == "1" else unit.replace("^", "").replace("*", "").replace("/", "_per_")


def _write_delimited(exported: ExportedTable, titles: Sequence[str], delimiter: str) -> bytes:
    import pyarrow as pa
    from pyarrow import csv

    # Arrow prints the shortest digits that reproduce a number, ten times as fast as pandas.
    columns = [pa.array(column) for column in exported.values.T]
    table = pa.Table.from_arrays(columns, names=list(titles))
    buffer = BytesIO()
    csv.write_csv(table, buffer, csv.WriteOptions(delimiter=delimiter))
    return buffer.getvalue()


def mat_bytes(exported: ExportedTable) -> bytes:
    """Return structs with equal fields: ``run`` has the columns, ``units`` and ``channels`` texts.

    A field is named after its channel, with ``_`` for characters that MATLAB does not allow:
    ``run.q_elbow_joint``; ``channels.q_elbow_joint`` is the channel's name in the run. The times
    are ``run.t``, and ``about`` identifies the run.

    Raises
    ------
    RecordingError
        If the table is too large for the format.
    """
    from scipy.io import savemat

    size = exported.values.nbytes
    if size > BYTES:
        raise RecordingError(
            f"A variable in a .mat file has at most {BYTES:,} bytes, and this table needs "
            f"{size:,}: choose channels (--channels PATTERN), fewer samples (--every N), or "
            ".parquet"
        )
    names = exported.channels
    fields = plain_names(names, LONGEST_FIELD, ["t"])
    content = {
        "run": {"t": exported.t, **dict(zip(fields, exported.values.T[1:], strict=True))},
        "units": {"t": "s", **{f: exported.units[n] for f, n in zip(fields, names, strict=True)}},
        "channels": {"t": "t", **dict(zip(fields, names, strict=True))},
        "about": dict(exported.about),
    }
    buffer = BytesIO()
    savemat(
        cast("Any", buffer), content, long_field_names=True, do_compression=True, oned_as="column"
    )
    return (HEADER + MARK).ljust(HEADER_BYTES) + buffer.getvalue()[HEADER_BYTES:]


def parquet_bytes(exported: ExportedTable) -> bytes:
    """Return columns with unit and source in their metadata, and the run in the file's metadata."""
    buffer = BytesIO()
    write_table(buffer, exported.table, exported.units, exported.sources, exported.about)
    return buffer.getvalue()


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


@checked
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
    """Write channels of a run as a table, or the run as an ADAMS model, depending on the suffix.

    The file is written whole or not at all; an earlier export of that name is replaced.

    Parameters
    ----------
    recording : Recording
    path : Path or str
        ``.csv .xlsx .mat .parquet .tab``: a table. ``.adm``: the model, see `model_text`.
    channels : str or sequence of str, optional
        Patterns such as ``tau.*`` (default: all channels). Not for ``.adm``.
    analytic : bool
        Export the analytic results instead of the engine's. Not for ``.adm``.
    degrees, millimetres : bool
        Angles and lengths, and their rates, in these units; see `unit_shown` and `drives_text`.
    every : int
        Export every n-th sample, from the first on. Not for ``.adm``.
    drives : bool
        For ``.adm``: export only the drives, for use in another model; see `drives_text`.

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
