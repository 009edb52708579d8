"""Tables as text: comma-separated for all programs, tab-separated for ADAMS.

Every number has the digits that give it back to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from sim.reports.exports.exported_table import ExportedTable, plain_names

LONGEST_NAME = 80  # of an object of ADAMS


def csv_bytes(exported: ExportedTable) -> bytes:
    """CSV in UTF-8: one line of quoted titles with units, then numbers; ``nan`` and ``inf`` so.

    Nothing stands before the titles: CSV has no comments, and its readers stumble over them.
    """
    return _write_delimited(exported, exported.titles, ",")


def tab_bytes(exported: ExportedTable) -> bytes:
    """A table that ADAMS imports as test data or as numeric results.

    One line of quoted titles, then numbers, tabs between. ADAMS names the splines or measures that
    it makes after the titles; so they are names that it takes, which end with the unit.

    Raises
    ------
    RecordingError
        If a number is not finite.
    """
    exported.require_finite(".tab")
    worded = [f"{name} {_word(exported.units[name])}" for name in exported.channels]
    return _write_delimited(exported, ["TIME", *plain_names(worded, LONGEST_NAME, ["TIME"])], "\t")


def _word(unit: str) -> str:
    """A unit as part of a name: ``rad_per_s2``, ``Nm``."""
    return "" if unit == "1" else unit.replace("^", "").replace("*", "").replace("/", "_per_")


def _write_delimited(exported: ExportedTable, titles: Sequence[str], delimiter: str) -> bytes:
    import pyarrow as pa
    from pyarrow import csv

    # Arrow prints the shortest digits that give a number back, ten times as fast as pandas.
    columns = [pa.array(column) for column in exported.values.T]
    table = pa.Table.from_arrays(columns, names=list(titles))
    buffer = BytesIO()
    csv.write_csv(table, buffer, csv.WriteOptions(delimiter=delimiter))
    return buffer.getvalue()
