"""A Parquet file like the run's own, of the chosen channels in the chosen units."""

from __future__ import annotations

from io import BytesIO

from sim.recording.files.table_files import write_table
from sim.reports.exports.exported_table import ExportedTable


def parquet_bytes(exported: ExportedTable) -> bytes:
    """Columns with unit and source in their metadata; which run it is in the file's."""
    buffer = BytesIO()
    write_table(buffer, exported.table, exported.units, exported.sources, exported.about)
    return buffer.getvalue()
