"""A file for MATLAB and Octave, of version 5 of their format."""

from __future__ import annotations

from io import BytesIO
from typing import Any, cast

from sim.errors import RecordingError
from sim.recording.files.named_file import MARK
from sim.reports.exports.exported_table import ExportedTable, plain_names

LONGEST_FIELD = 63  # MATLAB's namelengthmax
BYTES = 2**31 - 1  # of a variable
HEADER, HEADER_BYTES = b"MATLAB 5.0 MAT-file, ", 116  # free text of the format


def mat_bytes(exported: ExportedTable) -> bytes:
    """Structs of like fields: ``run`` holds columns, ``units`` and ``channels`` describe them.

    A field is named after its channel, with ``_`` for what MATLAB takes in no name:
    ``run.q_elbow_joint``; ``channels.q_elbow_joint`` is the name as the run has it. The times are
    ``run.t``, and ``about`` identifies the run.

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
