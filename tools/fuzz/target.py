"""Fuzzing targets: each has seeds, mutates and tries inputs; an exception is a finding.

An input is bytes. A target raises nothing for an input that is used or refused as promised: it
returns the outcome in a few words, by which the plain loop recognises what is new. Any exception is
a finding.
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
LONGEST_MESSAGE = 2000  # characters; longer ones are not read


class BrokenError(Exception):
    """The program broke a promise without raising an exception."""


class Target(Protocol):
    """A part of the program to be fuzzed.

    Parameters
    ----------
    name : str
    suffix : str
        Of the files of stored cases.
    """

    name: str
    suffix: str

    def seeds(self) -> list[bytes]:
        """Return inputs to start from."""
        ...

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Return an input mutated from another, or a new one."""
        ...

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Return the outcome of an input in a few words; with `whole`, do occasional steps too.

        Raises
        ------
        Exception
            Of any kind: a finding.
        """
        ...

    def parts(self, data: bytes) -> list[bytes]:
        """Return the parts of an input, some of which may be removed to make it smaller."""
        ...

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the input of some parts."""
        ...


def refusal(error: SimError) -> str:
    """Return the outcome of an input that is refused with a readable message.

    Raises
    ------
    BrokenError
        If the message is not one line of printable text.
    """
    said = str(error)
    require_readable(said)
    return f"{type(error).__name__} {_form(said.splitlines()[0])}"


def require_readable(said: str) -> None:
    """Check that a message is one printable line of readable length, with an optional list.

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
    """Return a message without parts of the input, so that messages of one kind are equal."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", text)
    words = re.sub(r"[-+]?\d[\d.e+-]*", "0", text).split()
    return " ".join(words[:12])[:120]


def signature(error: BaseException) -> str:
    """Return the identity of a finding: the kind of the error, and its origin in `sim`."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "/sim/" in f.filename and "site-packages" not in f.filename]
    place = own[-1] if own else frames[-1]
    what = f" {_form(str(error))[:40]}" if isinstance(error, BrokenError) else ""
    return f"{type(error).__name__}{what} at {Path(place.filename).name}:{place.name}"


def file_name(found: str) -> str:
    """Return a file name for a signature."""
    return re.sub(r"[^A-Za-z0-9]+", "-", found).strip("-").lower()[:70]
