"""Command line: any words for any command, in a folder with a run, tables and robots.

An input is a JSON list of words. Excluded is what takes minutes for valid input, a run or
comparison of all scenarios or the verification manual, and what examines this machine (``doctor``).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sim.cli.command import COMMANDS, parser_of, status
from tests.helpers.command_scripts import write_swing
from tests.helpers.foreign_files import EXPORTED
from tools.fuzz.mutation import NUMBERS, WORDS
from tools.fuzz.target import BrokenError, require_readable

# A study starts processes; its texts are tested in tests/studies.
LEFT_OUT = ("doctor", "sweep", "optimise")
SLOW = {("run", "--all"), ("compare", "--run"), ("run", "--gui")}
FILES = (
    *"swing swing/run.json swing/recording.parquet swing.py arm.urdf table.csv table.tab".split(),
    *"bad.csv bad.urdf bad.py raises.py folder nothing empty . out out.csv out.xlsx".split(),
    *"out.mat out.parquet out.tab out.adm out.html out.png out.gif new/out.xml bad.toml".split(),
    *"swing/run.json/x rules.toml no/such/folder/x.csv locked/x two_link ur10 irb460".split(),
    *("results", "folder/out.xml", "x" * 300),
)
SETTINGS = (
    *"load=1 load=-1 load=nan load=1e308 load=0 load= duration=0.01 duration=0".split(),
    *"duration=inf duration=1e-300 dt=0.002 dt=1e-9 dt=1_0 = x nothing=1 é=1 a=b=c".split(),
    *"q.elbow=t T=q.elbow t=-q.elbow q.elbow=rad q.elbow=furlong tau.elbow q.* [ * **".split(),
    *"640x480 0x0 1x1 99999x99999 -1x5".split(),
)


class CommandTarget:
    """Words after ``sim``."""

    name = "command"
    suffix = ".json"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-command-")
        self.sound, self.scratch = Path(self._folder.name, "sound"), Path(self._folder.name, "w")
        self.sound.mkdir()
        _furnish(self.sound)

    def seeds(self) -> list[bytes]:
        """Return a valid call of each command."""
        lines = """
            list; list --json; run swing.py --set duration=0.01 --no-report --out out;
            check swing --json; compare swing swing; compare swing table.csv; ik ur10;
            compare swing; accept swing --reason x; report swing --out out.html; play swing;
            export swing out.csv --channels q.*; export swing out.adm; audit arm.urdf;
            mass arm.urdf; mass arm.urdf --material steel --shell 3mm --replace --out out.urdf;
            ik arm.urdf --pose 1 0 0 0 0 0; completion bash; teach ur10; --version; --help;
            play swing --video out.png --at 0.01 --size 64x48; run --from swing --out out;
            compare --all --runs results; report swing swing; accept --all --reason x;
            plot swing tau.* DIF(q.elbow) --from 0.002 --out out.csv; plot swing q.elbow --psd;
            plot swing FILTER(tau.elbow*qd.elbow,100,2) --fft --window boxcar --filter 50Hz;
            run swing.py --no-report --reference table.csv --rtol 0.1 --start 0.01; check swing
        """.split(";")
        return [json.dumps(line.split()).encode() for line in lines]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Return words from the parsers of the commands, or a line with other words."""
        words = _words(data)
        if not words or chance.random() < 0.3:
            name = chance.choice([name for name in COMMANDS if name not in LEFT_OUT])
            words = [name, *_grown(name, chance)]
        for _ in range(chance.choice([0, 1, 1, 2, 3])):
            place = chance.randrange(len(words) + 1)
            how = chance.randrange(5)
            if how == 0 and place < len(words):
                del words[place]
            elif how == 1 and place:
                words[place:place] = _option(words[0], chance)
            elif how == 2 and place < len(words) and words[place]:
                words[place] = words[place][:-1] + chance.choice(
                    ["", "=", "x", "\u2028", "\t", "0"]
                )
            elif place:
                words[place : place + how % 2] = [_value(chance)]
        return json.dumps(words).encode()

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Return the exit status, and the message and the changes of files."""
        words = _words(data)
        if _is_slow(words):
            return "left out"
        if self.scratch.exists():
            (self.scratch / "locked").chmod(0o755)
            shutil.rmtree(self.scratch)
        shutil.copytree(self.sound, self.scratch)
        return judged_command(words, self.scratch)

    def parts(self, data: bytes) -> list[bytes]:
        """Return its words."""
        return [json.dumps(word).encode() for word in json.loads(data)]

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the line of some words."""
        return b"[" + b", ".join(parts) + b"]"


def judged_command(words: list[str], folder: Path) -> str:
    """Return the outcome of a command in a folder, if it ends as every command must.

    Raises
    ------
    BrokenError
        If status, message or changes in the folder are not as promised.
    Exception
        An error of the program.
    """
    out, err = io.StringIO(), io.StringIO()
    before = os.environ.get("SIM_TRACEBACK")
    os.environ["SIM_TRACEBACK"] = "1"
    os.environ["COLUMNS"] = "100"
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                code = status(words)
            except SystemExit as leaving:  # raised by the parser
                code = leaving.code if isinstance(leaving.code, int) else 0
    finally:
        if before is None:
            del os.environ["SIM_TRACEBACK"]
    said = err.getvalue()
    if code not in (0, 1, 2, 3):
        raise BrokenError(f"status {code}")
    if code in (2, 3):
        if not said.startswith("sim"):
            raise BrokenError(f"status {code} and on stderr {said[:300]!r}")
        require_readable(said.rstrip("\n"))
    elif said:
        raise BrokenError(f"status {code} and yet on stderr {said[:300]!r}")
    if "Traceback (most recent" in out.getvalue() + said:
        raise BrokenError(f"a traceback is shown: {out.getvalue()[-300:]!r}")
    left = [p.name for p in folder.rglob("*") if p.name.endswith((".partial", ".new", ".old"))]
    if left:
        raise BrokenError(f"status {code}, and half a file is left: {left[0]}")
    name = next((word for word in words if word in COMMANDS), "")
    return f"{name} {code} {_shape(said)}"


def _words(data: bytes) -> list[str]:
    """Return the words of an input; none if it is not a list of words."""
    try:
        words = json.loads(data)
    except (ValueError, RecursionError):
        return []
    is_line = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return [word.replace("\0", "") for word in words] if is_line else []  # a shell cannot pass a \0


def _shape(said: str) -> str:
    return " ".join(word for word in said.split()[:14] if word.isalpha())


def _is_slow(words: list[str]) -> bool:
    name = next((word for word in words if not word.startswith("-")), "")
    if name in LEFT_OUT or (name == "verify" and "--list" not in words):
        return True
    # argparse accepts any unique prefix of an option
    return any(
        name == command and len(word) > 2 and option.startswith(word.partition("=")[0])
        for command, option in SLOW
        for word in words
    ) or (name == "compare" and any(word.startswith("--ru") for word in words))


def _grown(name: str, chance: random.Random) -> Iterator[str]:
    for action in _actions(name):
        if not action.option_strings:
            count = {"?": chance.randrange(2), "*": chance.randrange(3), "+": 1}.get(
                str(action.nargs), 1
            )
            yield from (chance.choice(FILES) for _ in range(count))
    for _ in range(chance.choice([0, 1, 2, 3])):
        yield from _option(name, chance)


def _option(name: str, chance: random.Random) -> list[str]:
    actions = [action for action in _actions(name) if action.option_strings]
    if not actions:
        return [_value(chance)]
    action = chance.choice(actions)
    count = {"+": chance.randint(1, 6), "*": chance.randrange(3), "None": 1}.get(str(action.nargs))
    count = int(action.nargs or 0) if count is None and str(action.nargs).isdigit() else count or 0
    values = list(action.choices) if action.choices and chance.random() < 0.8 else None
    words = [str(chance.choice(values)) if values else _value(chance) for _ in range(count)]
    option = chance.choice(action.option_strings)
    return (
        [f"{option}={words[0]}"] if len(words) == 1 and chance.random() < 0.2 else [option, *words]
    )


def _actions(name: str) -> list[argparse.Action]:
    parser = parser_of([name])
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return list(commands.choices[name]._actions) if name in commands.choices else []


def _value(chance: random.Random) -> str:
    pool = chance.choice([FILES, FILES, NUMBERS, SETTINGS, WORDS])
    return str(chance.choice(pool)).replace("\0", "")


def _furnish(folder: Path) -> None:
    write_swing(folder)
    (folder / "table.csv").write_text("t,q.elbow\n0,0\n0.01,0.001\n0.03,0.005\n", "utf-8")
    (folder / "table.tab").write_text(EXPORTED, "utf-8")
    (folder / "bad.csv").write_bytes(b"t,q\x00\xff\n1")
    (folder / "bad.urdf").write_text("<robot><link/></robot>", "utf-8")
    (folder / "bad.py").write_text("def scenario(:\n", "utf-8")
    (folder / "raises.py").write_text('"""x"""\n1 / 0\n', "utf-8")
    (folder / "bad.toml").write_text("[[", "utf-8")
    (folder / "rules.toml").write_text('[[rule]]\nchannels = ["q.*"]\nrtol = 0.1\n', "utf-8")
    (folder / "empty").touch()
    for name in ("folder", "locked"):
        (folder / name).mkdir()
    (folder / "locked").chmod(0o555)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for words in (
            ["run", "swing.py", "--set", "duration=0.05", "--out", "swing", "--no-report"],
            ["accept", "swing", "--reason", "sound"],
        ):
            if status(words) != 0:
                raise BrokenError(f"sim {' '.join(words)} fails, and was sound")


TARGET = CommandTarget
