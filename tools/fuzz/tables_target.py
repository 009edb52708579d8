"""Tables of other programs: read, mapped to channels, compared with a run, made its reference.

The first line of an input is the suffix of the file; the rest is its content.
"""

from __future__ import annotations

import io
import random
import tempfile
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from sim.comparison import compare_with_foreign
from sim.errors import SimError
from sim.foreign import map_curves, naming_of, read_foreign
from sim.foreign.reading import READERS
from sim.recording.recording import Recording
from sim.reference.foreign_curves import foreign_reference, reading_notes
from tests.helpers.foreign_files import EXPORTED, PASTED, req_text, res_text
from tests.helpers.short_runs import short_run
from tools.fuzz.mutation import NUMBERS, TEXT_CHANGES, bytes_mutated, text_mutated
from tools.fuzz.target import refusal

BINARY = {".xlsx", ".xlsm", ".mat", ".parquet"}
TITLES = (
    *("t", "time", "Time [ms]", "q.elbow", "q_deg.elbow", "tau.shoulder", "elbow position (deg)"),
    *("tau elbow (N*mm)", "q.elbow [deg]", "qd.elbow [m]", "", "q.elbow", "ke", "tool.x [mm]", "°"),
)
SEPARATORS = (",", ";", "\t", " ", "|", ",,", "\r\n")


class TableTarget:
    """A table and a run of two joints."""

    name = "tables"
    suffix = ".table"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-tables-")
        self.folder = Path(self._folder.name)

    def seeds(self) -> list[bytes]:
        """Return a table of each kind."""
        texts = {
            ".csv": _csv(","), ".tsv": _csv("\t"), ".dat": _csv(" "), ".asc": _csv(";"),
            ".tab": EXPORTED, ".txt": PASTED, ".res": res_text(), ".req": req_text(),
        }  # fmt: skip
        found = [f"{end}\n{text}".encode() for end, text in texts.items()]
        return found + [f"{end}\n".encode() + data for end, data in _binaries().items()]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Return another file, or the same with another name."""
        end, _, content = data.partition(b"\n")
        if chance.random() < 0.04:
            end = chance.choice(list(READERS)).encode()
        if end.decode("latin-1") in BINARY and chance.random() < 0.9:
            return end + b"\n" + bytes_mutated(content, chance)
        if chance.random() < 0.1:
            return end + b"\n" + _grown(chance).encode()

        def title(text: str, chance: random.Random) -> str:
            lines = text.split("\n")
            lines[0] = chance.choice(SEPARATORS).join(chance.choices(TITLES, k=5))
            return "\n".join(lines)

        def separated(text: str, chance: random.Random) -> str:
            old, new = (chance.choice(SEPARATORS) for _ in range(2))
            return text.replace(old, new)

        changes = [*TEXT_CHANGES, title, separated]
        return end + b"\n" + text_mutated(content, chance, changes, 20_000)

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Read and compare."""
        end, _, content = data.partition(b"\n")
        suffix = end.decode("latin-1")
        if suffix not in READERS:
            return "no such kind"
        if suffix == ".mat" and not whole and zlib.crc32(data) % 8:
            return ".mat, of which one in eight is tried: each starts a process"
        path = self.folder / f"other{suffix}"
        path.write_bytes(content)
        run = _run()
        try:
            table = read_foreign(path)
        except SimError as error:
            return f"{suffix} {refusal(error)}"
        try:
            theirs = map_curves(table, naming_of(), run.units)
            result = compare_with_foreign(run, theirs)
        except SimError as error:
            return f"{suffix} mapping: {refusal(error)}"
        reading_notes(theirs, run.t)
        try:
            foreign_reference(run, theirs, 1e-3).describe()
        except SimError as error:
            return f"{suffix} {result.word}, reference: {refusal(error)}"
        return f"{suffix} {result.word} {len(theirs.curves)}"

    def parts(self, data: bytes) -> list[bytes]:
        """Return its lines."""
        return data.splitlines(keepends=True)

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the bytes of some lines."""
        return b"".join(parts)


@cache
def _run() -> Recording:
    return short_run()


@cache
def _frame() -> pd.DataFrame:
    recorded = _run().recorded
    return recorded[["q.elbow", "tau.elbow", "qd.shoulder", "ke"]].iloc[::30]


def _csv(separator: str) -> str:
    return _frame().to_csv(sep=separator)


def _binaries() -> dict[str, bytes]:
    from scipy.io import savemat

    found = {}
    for end in (".xlsx", ".mat", ".parquet"):
        buffer = io.BytesIO()
        if end == ".xlsx":
            _frame().to_excel(buffer)
        elif end == ".parquet":
            _frame().to_parquet(buffer)
        else:
            columns = {str(n).replace(".", "_"): _frame()[n].to_numpy() for n in _frame()}
            savemat(buffer, {"t": np.asarray(_frame().index), **columns})  # type: ignore[arg-type]
        found[end] = buffer.getvalue()
    return found


def _grown(chance: random.Random) -> str:
    separator = chance.choice(SEPARATORS)
    columns = chance.randint(1, 6)
    lines = [separator.join(chance.choices(TITLES, k=columns))]
    for k in range(chance.randint(0, 12)):
        cells = [f"{0.01 * k}"]
        for _ in range(columns - 1):
            cells.append(
                chance.choice(NUMBERS) if chance.random() < 0.1 else f"{chance.gauss(0, 1):.4g}"
            )
        lines.append(separator.join(cells))
    return "\n".join(lines)


TARGET = TableTarget
