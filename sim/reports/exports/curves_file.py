"""Curves or spectra as comma-separated text with round-trip precision."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

from sim.maths.arrays import Array


def columns_as_csv(columns: Mapping[str, Array]) -> bytes:
    """Return CSV in UTF-8: one line of quoted titles with units, then numbers."""
    import pyarrow as pa
    from pyarrow import csv

    table = pa.Table.from_arrays([pa.array(c) for c in columns.values()], names=list(columns))
    buffer = BytesIO()
    csv.write_csv(table, buffer)
    return buffer.getvalue()
