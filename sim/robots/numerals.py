"""Numbers of a URDF in other notations: commas, repeated points, a ROS default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from sim.robots.defects import Reach
from sim.robots.document import LARGEST_NUMBER, NUMBER

if TYPE_CHECKING:
    from lxml.etree import _Element

_OPTENV = re.compile(r"\$\(optenv\s++\w++\s++([^$()]*+)\)")
_TAIL = re.compile(r"(?<=[0-9])\.?[fF]$|(?<=[0-9])\.(?=\Z)")
_ENDLESS = re.compile(r"[+-]?\.?(inf|infinity)", re.IGNORECASE)
_RATINGS = ("effort", "velocity")


class Numerals(Struct, frozen=True):
    """Number of values in an attribute, and joints whose torques depend on them."""

    count: int
    reach: Reach


def _rows(reach: Reach, **counts: int) -> dict[str, Numerals]:
    return {key: Numerals(count, reach) for key, count in counts.items()}


_PLACED = _rows("none", xyz=3, rpy=3)
_KNOWN: dict[tuple[str, str], dict[str, Numerals]] = {
    ("joint", "origin"): _rows("all along", xyz=3, rpy=3),
    ("joint", "axis"): _rows("all along", xyz=3),
    ("joint", "limit"): _rows("none", lower=1, upper=1, effort=1, velocity=1),
    ("joint", "dynamics"): _rows("itself", damping=1, friction=1),
    ("joint", "mimic"): _rows("all along", multiplier=1, offset=1),
    ("inertial", "origin"): _rows("all below", xyz=3, rpy=3),
    ("inertial", "mass"): _rows("all below", value=1),
    ("inertial", "inertia"): _rows("rotary below", ixx=1, ixy=1, ixz=1, iyy=1, iyz=1, izz=1),
    ("visual", "origin"): _PLACED,
    ("collision", "origin"): _PLACED,
    ("geometry", "box"): _rows("none", size=3),
    ("geometry", "cylinder"): _rows("none", radius=1, length=1),
    ("geometry", "capsule"): _rows("none", radius=1, length=1),
    ("geometry", "sphere"): _rows("none", radius=1),
    ("geometry", "mesh"): _rows("none", scale=3),
    ("material", "color"): _rows("none", rgba=4),
}


class Slip(Struct, frozen=True):
    """An attribute that is not a list of numbers as written, with the intended one."""

    element: _Element
    key: str
    typed: str
    meant: str
    reach: Reach


def slips(part: _Element) -> Iterator[Slip]:
    """Yield attributes of a link or joint with numbers in another, unambiguous notation."""
    for element in part.iter():
        if (parent := element.getparent()) is None or not isinstance(element.tag, str):
            continue
        for key, numerals in _KNOWN.get((str(parent.tag), element.tag), {}).items():
            text = element.get(key)
            if text is None or _is_sound(text.split(), numerals.count):
                continue
            meant = _unambiguous_numbers(text, numerals.count)
            if not text.strip() and element.tag == "origin":
                meant = "0 0 0"  # as if the attribute were missing
            if meant is None and element.tag == "limit":
                meant = _as_unbounded(key, text.strip())
            if meant is not None:
                yield Slip(element, key, text, meant, numerals.reach)


def _is_sound(words: list[str], count: int) -> bool:
    sound = all(NUMBER.fullmatch(w) and abs(float(w)) <= LARGEST_NUMBER for w in words)
    return len(words) == count and sound


def _unambiguous_numbers(typed: str, count: int) -> str | None:
    """Return the intended numbers; None if there are several interpretations, or none.

    Commas are separators if each is followed by a blank, or if there are no blanks: ``0,5 1 2`` may
    have a decimal comma. Surplus numbers are dropped only if they are zeros at the end.
    """
    text = _OPTENV.sub(r"\1", typed).replace("\N{MINUS SIGN}", "-").strip()
    text = text.rstrip(",; ")
    if count > 1 and (not re.search(r"\s", text) or not re.search(r"[,;](?!\s)", text)):
        text = re.sub(r"[,;]", " ", text)
    words = [_TAIL.sub("", word) for word in text.split()]
    while len(words) > count and NUMBER.fullmatch(words[-1]) and float(words[-1]) == 0:
        words.pop()
    return " ".join(words) if _is_sound(words, count) else None


def _as_unbounded(key: str, word: str) -> str | None:
    """Return a number for "no limit" if the text is an infinite or huge value."""
    huge = NUMBER.fullmatch(word) and abs(float(word)) > LARGEST_NUMBER
    if not (huge or _ENDLESS.fullmatch(word)) or (key in _RATINGS and word.startswith("-")):
        return None
    if key in _RATINGS:
        return "0"
    return f"{'-' if word.startswith('-') else ''}{LARGEST_NUMBER:.0e}"
