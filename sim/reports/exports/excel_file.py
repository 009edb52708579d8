"""A workbook for Excel and LibreOffice."""

from __future__ import annotations

from io import BytesIO

from sim.errors import RecordingError
from sim.recording.channels import group_of
from sim.reports.exports.exported_table import ExportedTable

ROWS, COLUMNS = 1_048_576, 16_384  # of a sheet


def xlsx_bytes(exported: ExportedTable) -> bytes:
    """Three sheets: the table under its titles, what each channel is, and which run it is.

    Numbers have 16 digits, one more than Excel shows.

    Raises
    ------
    RecordingError
        If the table does not fit on a sheet, or a number is not finite.
    """
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
    sheet = book.create_sheet(exported.about["table"])
    sheet.freeze_panes = "B2"
    sheet.append(exported.titles)
    for row in exported.values.tolist():
        sheet.append(row)
    sheet = book.create_sheet("channels")
    sheet.append(["channel", "unit", "what it is", "where it comes from"])
    for name in exported.channels:
        sheet.append([name, exported.units[name], group_of(name).heading, exported.sources[name]])
    sheet = book.create_sheet("about")
    for fact in exported.about.items():
        sheet.append(fact)
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()
