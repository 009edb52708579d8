"""Files of a history with changed facts, rows or bytes: listed, written as JSON and a page.

An input is JSON: ``{"facts": {...}, "rows": [...], "bytes": [[place, hex], ...]}``; facts and rows
become a file, whose bytes are then changed at relative positions from 0 to 1.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sim.cli.output import console
from sim.errors import SimError
from sim.history import keep, read_history
from sim.history.files import KEY
from sim.history.page import page
from sim.history.to_terminal import document, history_table
from sim.recording.files.whole_files import json_text
from tests.helpers.short_runs import short_run
from tools.fuzz.mutation import NUMBERS, WORDS
from tools.fuzz.runs_target import _places
from tools.fuzz.target import BrokenError, refusal

ODD = (None, True, -1, 0, 1e308, 1e-320, 10**18, [], {}, [1], {"a": []}, "x" * 2000, "nan")


class HistoryTarget:
    """One file of a history next to a valid one."""

    name = "history"
    suffix = ".json"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-history-")
        self.root = Path(self._folder.name)
        self.file = self.root / _sound()[0] / "99991231T000000-0.parquet"
        self.file.parent.mkdir(parents=True)
        (self.file.parent / "20000101T000000-0.parquet").write_bytes(_sound()[3])

    def seeds(self) -> list[bytes]:
        """Return the valid file."""
        _, facts, rows, _ = _sound()
        return [json.dumps({"facts": facts, "rows": rows[:6], "bytes": []}).encode()]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Change a value, add rows, or change a byte."""
        content = _content(data)
        for _ in range(chance.choice((1, 1, 2))):
            how = chance.random()
            if how < 0.12:
                content["bytes"].append([chance.random(), chance.randbytes(2).hex()])
            elif how < 0.2 and content["rows"]:
                content["rows"] = content["rows"][:6] * chance.choice((2, 50, 500))
            else:
                _change(content, chance)
        return json.dumps(content).encode()

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Read the history, and show it in each way."""
        self.file.write_bytes(_file_of(_content(data)))
        name = _sound()[0]
        try:
            entries = read_history(name, self.root, self.root / "none")
        except SimError as error:
            return refusal(error)
        terminal = console()
        terminal.file = io.StringIO()
        terminal.print(history_table(entries), crop=False)
        said = terminal.file.getvalue()
        if any(ord(c) < 32 and c != "\n" for c in said):
            raise BrokenError("a table of a history moves the cursor of a terminal")
        json_text(document(name, entries))
        page(name, entries)
        return f"read, {len(entries[-1].numbers)} numbers"

    def parts(self, data: bytes) -> list[bytes]:
        """Return facts, rows and changes."""
        content = _content(data)
        return [json.dumps([key, content[key]]).encode() for key in ("facts", "rows", "bytes")]

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the input of some parts."""
        return json.dumps(dict(json.loads(part) for part in parts)).encode()


def _content(data: bytes) -> dict[str, Any]:
    """Return the three parts of an input; missing or invalid ones are those of the valid file."""
    _, facts, rows, _ = _sound()
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        read = None
    read = read if isinstance(read, dict) else {}
    usual = {"facts": facts, "rows": rows[:6], "bytes": []}
    return {
        key: one if isinstance(one := read.get(key), type(value)) else json.loads(json.dumps(value))
        for key, value in usual.items()
    }


def _change(content: dict[str, Any], chance: random.Random) -> None:
    part = chance.choice(("facts", "facts", "rows"))
    place = chance.choice(_places(content[part], ()) or [()])
    if not place:
        return
    holder = content[part]
    for key in place[:-1]:
        holder = holder[key]
    if chance.random() < 0.1:
        del holder[place[-1]]
    else:
        holder[place[-1]] = chance.choice((*ODD, *NUMBERS, *WORDS))


def _file_of(content: dict[str, Any]) -> bytes:
    """Return the file of some facts and rows, as texts if no table accepts the columns."""
    rows = [row for row in content["rows"] if isinstance(row, dict)]
    schema = pq.read_schema(io.BytesIO(_sound()[3]))
    about = schema.with_metadata({KEY: json.dumps(content["facts"]).encode("utf-8", "replace")})
    try:
        table = pa.Table.from_pylist(rows, schema=about)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        texts = pa.schema([(name, pa.string()) for name in about.names], about.metadata)
        told = [{key: str(row.get(key)) for key in about.names} for row in rows]
        table = pa.Table.from_pylist(told, schema=texts)
    block = io.BytesIO()
    pq.write_table(table, block, compression="zstd")
    data = bytearray(block.getvalue())
    for change in content["bytes"]:
        try:
            place, new = int(float(change[0]) * len(data)), bytes.fromhex(change[1])
        except (TypeError, ValueError, LookupError, OverflowError):
            continue
        data[place : place + len(new)] = new
    return bytes(data)


@cache
def _sound() -> tuple[str, dict[str, Any], list[dict[str, Any]], bytes]:
    """Return scenario, facts, rows and bytes of a valid file."""
    from sim.checks import judge_recording

    run = judge_recording(short_run()).run
    with tempfile.TemporaryDirectory() as folder:
        data = keep(run, Path(folder)).read_bytes()
    table = pq.read_table(io.BytesIO(data))
    facts = json.loads(table.schema.metadata[KEY])
    return run.scenario, facts, table.to_pylist(), data


TARGET = HistoryTarget
