"""Files of a run with a changed value, byte or column: checked, compared, exported.

An input is a JSON list: first the words of a command, in which ``RUN`` is the folder and ``SOUND``
an undamaged one, then changes:

    {"file": "run.json", "at": ["settings", "samples"], "value": -1}   without value: removed
    {"file": "recording.parquet", "byte": 0.25, "with": "ff00"}        at a quarter of the file
    {"file": "analytic.parquet", "column": 3, "how": "nan"}
    {"file": "recording.parquet", "end": 0.7}                          truncated there
    {"anew": true}                                                     all hashes are updated
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.cli.command import status
from sim.errors import SimError
from sim.recording.recording import Recording
from tests.helpers.command_scripts import write_swing
from tests.helpers.damaged_files import VALUES, reseal
from tools.fuzz.command_target import judged_command
from tools.fuzz.mutation import NUMBERS, WORDS
from tools.fuzz.target import BrokenError, refusal

TABLES = ("recording.parquet", "analytic.parquet", "cut_open.parquet")
FILES = ("run.json", "run.json", "run.json", *TABLES, "robot.urdf", "tolerances.toml")
COMMANDS = (
    *("check RUN", "check RUN", "compare RUN", "compare SOUND RUN", "compare RUN SOUND"),
    *("export RUN out.csv", "export RUN out.adm", "accept RUN --reason x", "check RUN --json"),
    *("plot RUN tau.* DIF(q.elbow)", "plot RUN q.elbow --fft --json --filter 100Hz"),
    *("run --from RUN --out out --no-report", "check RUN --junit out.xml", "compare RUN --json"),
)
HOWS = "nan inf huge zero negative missing integer float32 renamed text".split()


class RunsTarget:
    """A run's folder and its baseline."""

    name = "runs"
    suffix = ".json"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-runs-")
        above = Path(self._folder.name)
        self.sound, self.scratch = above / "sound", above / "w"
        self.sound.mkdir()
        write_swing(self.sound)
        with contextlib.chdir(self.sound), contextlib.redirect_stdout(io.StringIO()):
            for words in (
                ["run", "swing.py", "--set", "duration=0.05", "--out", "swing", "--no-report"],
                ["accept", "swing", "--reason", "sound"],
            ):
                if status(words) != 0:
                    raise BrokenError(f"sim {' '.join(words)} fails, and was sound")
        self.places = _places(json.loads((self.sound / "swing" / "run.json").read_bytes()), ())

    def seeds(self) -> list[bytes]:
        """Return each command on an intact run."""
        return [json.dumps([command.split()]).encode() for command in dict.fromkeys(COMMANDS)]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Add or remove a change, or change the command."""
        command, *changes = _content(data)
        if chance.random() < 0.6 or len(changes) > 6:
            changes = [{"anew": True}] if chance.random() < 0.8 else []
        if chance.random() < 0.5:
            command = chance.choice(COMMANDS).split()
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            changes.insert(0, self._change(chance))
        return json.dumps([command, *changes]).encode()

    def _change(self, chance: random.Random) -> dict[str, object]:
        name = chance.choice(FILES)
        how = chance.random()
        if name in TABLES and how < 0.6:
            return {"file": name, "column": chance.randrange(200), "how": chance.choice(HOWS)}
        if name == "run.json" and how < 0.93:
            change: dict[str, object] = {"file": name, "at": chance.choice(self.places)}
            if chance.random() < 0.85:
                change["value"] = _value(chance)
            return change
        if how < 0.97:
            size = chance.choice([1, 4, 64])
            return {"file": name, "byte": chance.random(), "with": chance.randbytes(size).hex()}
        return {"file": name, "end": chance.random()}

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Read the run, then run the command."""
        command, *changes = _content(data)
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.copytree(self.sound, self.scratch)
        run = self.scratch / "RUN"
        shutil.copytree(self.scratch / "swing", run)
        (self.scratch / "swing").rename(self.scratch / "SOUND")
        for change in changes:
            _changed(run, change)
        try:
            Recording.read(run)
            told = "read"
        except SimError as error:
            told = refusal(error)
        return f"{told} {judged_command(command, self.scratch)}"

    def parts(self, data: bytes) -> list[bytes]:
        """Return the command, and each change."""
        return [json.dumps(part).encode() for part in json.loads(data)]

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the input of some parts."""
        made = [json.loads(part) for part in parts]
        if not made or not isinstance(made[0], list):
            made.insert(0, ["check", "RUN"])
        return json.dumps(made).encode()


def _content(data: bytes) -> list[Any]:
    """Return command and changes; a check of the intact run if the input is no such list."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return [["check", "RUN"]]
    is_one = isinstance(content, list) and content and isinstance(content[0], list)
    if not is_one or not all(isinstance(change, dict) for change in content[1:]):
        return [["check", "RUN"]]
    return content


def _value(chance: random.Random) -> object:
    how = chance.randrange(5)
    if how == 0:
        return chance.choice(VALUES)
    if how == 1:
        return chance.choice([*NUMBERS, *WORDS])
    if how == 2:
        with contextlib.suppress(ValueError):
            number = float(chance.choice(NUMBERS))
            return number if np.isfinite(number) else 1e308
    if how == 3:
        return chance.choice(
            [True, 10**18, -(10**18), 2, 50, 52, 0.1, 1e-300, [1, 2, 3], {"a": []}]
        )
    return chance.choice(
        ["shoulder", "elbow", "world", "payload", "q.elbow", "bullet", "ideal", "adaptive"]
    )


def _places(content: object, above: tuple[object, ...]) -> list[tuple[object, ...]]:
    """Return the path to every value of a JSON document."""
    if not isinstance(content, dict | list):
        return []
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    found: list[tuple[object, ...]] = []
    for key, value in pairs:
        found += [(*above, key), *_places(value, (*above, key))]
    return found


def _changed(run: Path, change: dict[str, Any]) -> None:
    """Make one change of a run's files, if possible."""
    if change.get("anew"):
        for path in sorted(run.iterdir()):
            if path.name != "run.json":
                reseal(run, path.name)
        reseal(run, "run.json")
        return
    path = run / str(change.get("file"))
    data = path.read_bytes() if path.is_file() else b""
    if "at" in change:
        with contextlib.suppress(ValueError, LookupError, TypeError):
            path.write_bytes(_other_value(data, change))
    elif "byte" in change:
        start, new = int(float(str(change["byte"])) * len(data)), bytes.fromhex(str(change["with"]))
        path.write_bytes(data[:start] + new + data[start + len(new) :])
    elif "end" in change:
        path.write_bytes(data[: int(float(str(change["end"])) * len(data))])
    elif "column" in change:
        with contextlib.suppress(Exception):  # the table may already be damaged
            _other_column(path, int(str(change["column"])), str(change["how"]))


def _other_value(data: bytes, change: dict[str, Any]) -> bytes:
    content = json.loads(data)
    at = change["at"]
    if not isinstance(at, list) or not at:
        raise ValueError("a place is a list of keys")
    way, last = at[:-1], at[-1]
    holder = content
    for key in way:
        holder = holder[key]
    if "value" in change:
        holder[last] = change["value"]
    else:
        del holder[last]
    return json.dumps(content).encode()


def _other_column(path: Path, number: int, how: str) -> None:
    table = pd.read_parquet(path)
    name = table.columns[number % table.shape[1]]
    values = table[name].to_numpy(dtype=np.float64).copy()
    middle = len(values) // 2
    if how in ("nan", "inf", "huge"):
        values[middle] = {"nan": np.nan, "inf": np.inf, "huge": 1e308}[how]
        table[name] = values
    elif how == "missing":
        table = table.drop(columns=name)
    elif how == "renamed":
        table = table.rename(columns={name: "q.nobody"})
    else:
        table[name] = {
            "zero": 0 * values, "negative": -values, "integer": values.astype(int),
            "float32": values.astype(np.float32), "text": values.astype(str),
        }[how]  # fmt: skip
    table.to_parquet(path)


TARGET = RunsTarget
