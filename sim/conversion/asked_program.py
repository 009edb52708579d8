"""Torques by other programs, run in another process that they may crash."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.conversion.programs import PROGRAMS
from sim.conversion.question import TorqueQuestion
from sim.maths.arrays import Array

PATIENCE = 300.0  # s; a thousand states take one second
LONGEST = 300  # characters of a reason
CHILD = "from sim.conversion.asked_program import answer; answer()"


@dataclass(frozen=True, eq=False)
class ProgramAnswer:
    """Reading of a file by a program.

    Parameters
    ----------
    torque : ndarray, shape (n, N), or None
    warnings : tuple of str
        Warnings of the program.
    reason : str
        Reason why there is no torque.
    """

    torque: Array | None
    warnings: tuple[str, ...] = ()
    reason: str = ""


def ask(question: TorqueQuestion, keys: Sequence[str]) -> dict[str, ProgramAnswer]:
    """Return the readings of a file by programs, by their keys in `PROGRAMS`.

    One process runs them all; if a program crashes it, another process runs the remaining ones.
    """
    answers = dict[str, ProgramAnswer]()
    while remaining := [key for key in keys if key not in answers]:
        with tempfile.TemporaryDirectory() as folder:
            reason = _run(question, remaining, Path(folder))
            for file in Path(folder).iterdir():
                if file.suffix:
                    continue  # truncated
                answers[file.name] = pickle.loads(file.read_bytes())
        if (unanswered := next((key for key in remaining if key not in answers), None)) is not None:
            answers[unanswered] = ProgramAnswer(None, reason=reason)
    return answers


def _run(question: TorqueQuestion, keys: Sequence[str], folder: Path) -> str:
    """Run a process that writes the answer of each program into a folder; return why it ended."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", CHILD],
            input=pickle.dumps((question, keys, folder)),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it has not finished after {PATIENCE:g} s"
    last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"it crashes on this file: {last}"[:LONGEST]


def answer() -> None:
    """Write the answer of each program, in the other process."""
    question, keys, folder = pickle.load(sys.stdin.buffer)
    heard = _Heard()
    logging.getLogger("drake").addHandler(heard)
    for key in keys:
        heard.lines.clear()
        try:
            torque = PROGRAMS[key].torque[question.format](question)
            reply = ProgramAnswer(torque, tuple(heard.lines))
        except Exception as error:  # any error of another program is reported, not raised
            reason = " ".join(str(error).split())[:LONGEST] or type(error).__name__
            reply = ProgramAnswer(None, reason=reason)
        part = folder / f"{key}.part"
        part.write_bytes(pickle.dumps(reply))
        part.rename(folder / key)


class _Heard(logging.Handler):
    """Handler that collects warnings, without repetitions."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self.lines[" ".join(record.getMessage().split())[:LONGEST]] = None
