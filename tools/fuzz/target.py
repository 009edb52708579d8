"""What is fuzzed: a target has seeds, mutates them, and tries an input; an exception is a finding.

An input is bytes. A target raises nothing for an input that is used or refused as promised: it
gives the outcome in a few words, by which the plain loop knows what is new. Whatever else it raises
is found.
"""

from __future__ import annotations

import random
import re
import traceback
from pathlib import Path
from typing import Protocol

from sim.errors import BELOW, SimError

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "fuzz" / "cases"
LONGEST_MESSAGE = 2000  # characters; more is not read


class BrokenError(Exception):
    """A promise of the program is broken, and no exception says so."""


class Target(Protocol):
    """What of the program is fuzzed.

    Parameters
    ----------
    name : str
    suffix : str
        Of the files of kept cases.
    """

    name: str
    suffix: str

    def seeds(self) -> list[bytes]:
        """Inputs to start from."""
        ...

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """An input made of another, or a new one."""
        ...

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Outcome of an input in a few words; with `whole` all is done that is else done at times.

        Raises
        ------
        Exception
            Of any kind: a finding.
        """
        ...

    def parts(self, data: bytes) -> list[bytes]:
        """The parts of an input, of which some may be left out to make it smaller."""
        ...

    def joined(self, parts: list[bytes]) -> bytes:
        """The input of some parts."""
        ...


def refusal(error: SimError) -> str:
    """Outcome of an input that is refused, if the message is one that a user can read.

    Raises
    ------
    BrokenError
        If the message is no one line of printable text.
    """
    said = str(error)
    require_readable(said)
    return f"{type(error).__name__} {_form(said.splitlines()[0])}"


def require_readable(said: str) -> None:
    """Check that a message is one printable line of a length that is read, and a list below it.

    Raises
    ------
    BrokenError
        If it is not.
    """
    line, *below = said.split(BELOW)  # a list, or an expression with a caret
    if not line.strip():
        raise BrokenError("an error says nothing")
    for each in below:
        if "\n" in each:
            raise BrokenError(f"a message of several lines: {said[:300]!r}")
    if len(line.splitlines()) != 1:
        raise BrokenError(f"a message of several lines: {line[:300]!r}")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line):
        raise BrokenError(f"a message that moves the cursor of a terminal: {line[:300]!r}")
    if len(line) > LONGEST_MESSAGE:
        raise BrokenError(f"a message of many characters: {line[:300]!r}")


def _form(text: str) -> str:
    """A message without what is the input's own, so that two of one kind are alike."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", text)
    words = re.sub(r"[-+]?\d[\d.e+-]*", "0", text).split()
    return " ".join(words[:12])[:120]


def signature(error: BaseException) -> str:
    """What a finding is known by: the kind of the error, and where in `sim` it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "/sim/" in f.filename and "site-packages" not in f.filename]
    place = own[-1] if own else frames[-1]
    what = f" {_form(str(error))[:40]}" if isinstance(error, BrokenError) else ""
    return f"{type(error).__name__}{what} at {Path(place.filename).name}:{place.name}"


def file_name(found: str) -> str:
    """A file's name for a signature."""
    return re.sub(r"[^A-Za-z0-9]+", "-", found).strip("-").lower()[:70]
