"""Rows that are texts, in `rows/*.txt`: what is changed, where and how, and what must say so.

A row is three lines, of which the second may go on::

    half of Coriolis' acceleration along a slide
      dynamics._slide: 2 * X[3] * qd → 1 * X[3] * qd
      arm ideal: fails Lagrange and Newton-Euler in tau.lift

The place is one of the program, or a file of ``scenarios/``. The last line is a run, and what must
be said of it; or the test that must fail. Lines that begin with ``#`` are headings.
"""

from __future__ import annotations

import re
from glob import escape
from pathlib import Path

from tests.mutations.code_change import CodeChange
from tests.mutations.mutation import Differs, Expected, Fails, Mutation, Refuses, Says, TextChange

FOLDER = Path(__file__).with_name("rows")
_ROW = re.compile(
    r"(?P<name>\S.*)\n  (?P<place>[\w.]+): (?P<old>(?:.|\n    )+?)\s+→ ?(?P<new>(?:.|\n    )*)"
    r"\n  (?P<run>\S.*)\n"
)
_SCENARIO = (".py", ".urdf", ".toml")
_SAID = {"differs": Differs, "refuses": Refuses, "says": Says}


def read_rows(folder: Path = FOLDER) -> tuple[Mutation, ...]:
    """The rows of all files of a folder.

    Raises
    ------
    ValueError
        If a part of a file is no row.
    """
    texts = (path.read_text("utf-8") for path in sorted(folder.glob("*.txt")))
    return tuple(read_row(part) for text in texts for part in _parts(text))


def _parts(text: str) -> list[str]:
    bare = re.sub(r"^(#.*)?\n", "", text, flags=re.MULTILINE)
    return [part for part in re.split(r"^(?=\S)", bare, flags=re.MULTILINE) if part]


def read_row(text: str) -> Mutation:
    """One row.

    Raises
    ------
    ValueError
        If the text is none.
    """
    if (row := _ROW.fullmatch(text)) is None:
        raise ValueError(f"no row of a place, a piece of code and what must be said:\n{text}")
    name, place, run = row["name"], row["place"], row["run"]
    old, new = (row[key].replace("\n    ", "\n") for key in ("old", "new"))
    if "::" in run:
        must_fail = (Fails("test", escape(run)),)
        return Mutation("test", name, run, must_fail, change=CodeChange(place, old, new))
    run, _, words = run.partition(": ")
    expected = tuple(map(_expected, re.split(r"; (?=(?:fails|differs|refuses|says) )", words)))
    if place.endswith(_SCENARIO):
        return Mutation("input", name, run, expected, change=TextChange(place, old, new))
    return Mutation("code", name, run, expected, change=CodeChange(place, old, new))


def _expected(text: str) -> Expected:
    """``fails torque in tau.lift``, ``differs q.lift``, ``refuses …``, ``says …``."""
    verb, _, words = text.partition(" ")
    if verb == "fails":
        check, _, channel = words.partition(" in ")
        return Fails(check, channel or "*")
    if verb not in _SAID:
        raise ValueError(f"{text!r} does not begin with fails, {', '.join(_SAID)}")
    return _SAID[verb](words)
