"""Workbook for Excel and LibreOffice."""

from __future__ import annotations

import contextlib
import errno
import os
import zipfile
from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from sim.errors import RecordingError
from sim.recording.files.named_file import MARK
from sim.recording.schema.channels import group_of
from sim.reports.exports.exported_table import ExportedTable

if TYPE_CHECKING:
    from openpyxl import Workbook

ROWS, COLUMNS = 1_048_576, 16_384  # largest size of a sheet


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
