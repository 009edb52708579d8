"""Request files of ADAMS Solver (``OUTPUT/REQSAVE``): ``.req``.

Three heading lines: the signature ``A.R3`` with a date, the title, and the number of requests with
a tag of units and the number of length units in one metre. Then one line per request, beginning
with its id and kind. Then the numbers: for each time a line with the time alone, and a line of six
components for each request (no magnitudes). In a file without requests only the times are left.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, ForeignTable
from sim.foreign.text_file import text_of

COMPONENTS = ("X", "Y", "Z", "R1", "R2", "R3")
GENERAL = ("U2", "U3", "U4", "U6", "U7", "U8")  # of an expression or a subroutine
# Kinds of requests, and units of their two triples, in terms of the file's length and force units.
KINDS = {
    1: ("length", "rad"),
    2: ("length/s", "rad/s"),
    3: ("length/s**2", "rad/s**2"),
    4: ("force", "force*length"),
}
# Length units in one metre, by the unit's name; the file contains the number.
LENGTHS = {1.0: "m", 100.0: "cm", 1000.0: "mm", 0.001: "km", 1 / 0.0254: "inch", 1 / 0.3048: "foot"}
# Letters of the tag from the fifth on are mass, time and force; known forces from files.
FORCES = {"PF": "lbf"}

_ID = re.compile(r"[0-9]{1,12}")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eEdD][+-]?\d++)?")


@dataclass(frozen=True)
class AdamsRequest:
    """A request: its id, its kind, and the remark that is its title."""

    number: int
    kind: int

    def units(self, length: str, force: str) -> tuple[str | None, str | None]:
        """Return the units of its first and its last three components."""
        first, last = KINDS.get(self.kind, (None, None))
        if first is None or last is None:
            return None, None
        put = {"length": length, "force": force}
        return tuple(re.sub("length|force", lambda m: put[m[0]], text) for text in (first, last))  # type: ignore[return-value]


def read_req(path: Path) -> ForeignTable:
    """Return the requests of a file, as ``REQ/12.X``.

    Raises
    ------
    ForeignError
        If it is not a request file, has no request, or its lines are not as described above.
    """
    lines = [line.rstrip() for line in text_of(path).splitlines()]
    heading = [line.split() for line in lines[:3]]
    if len(heading) < 3 or not re.match(r"\s*A\.R\d", lines[0]):
        raise ForeignError(f"{path.name} is not an ADAMS request file: it does not begin with A.R3")
    count, tag, per_metre = _units_line(path, heading[2])
    requests, start = _requests(path, lines, count)
    numbers = [(k, line.split()) for k, line in enumerate(lines[start:], start + 1) if line.strip()]
    if count == 0:
        raise ForeignError(
            f"{path.name} has {len(numbers)} times and no request, so there is nothing to "
            "compare; add REQUEST statements to the deck, or compare its .res"
        )
    length = _length(tag, per_metre)
    force = FORCES.get(tag[6:8] if "_" in tag else "", f"force of tag {tag}")
    return _table(path, requests, numbers, (length, force))


def _units_line(path: Path, words: list[str]) -> tuple[int, str, float]:
    try:
        return int(words[0]), words[1], float(words[2])
    except (ValueError, IndexError):
        raise ForeignError(
            f"{path.name}, line 3: must be the number of requests, a tag of units and the length "
            f"units in a metre; found {' '.join(words)[:60]!r}"
        ) from None


def _length(tag: str, per_metre: float) -> str:
    for number, name in LENGTHS.items():
        if math.isclose(number, per_metre, rel_tol=1e-9):
            return name
    return f"length of tag {tag}"


def _requests(path: Path, lines: list[str], count: int) -> tuple[list[AdamsRequest], int]:
    """Return the requests, and the index of the first line of numbers after them."""
    requests: list[AdamsRequest] = []
    for k in range(3, len(lines)):
        words = lines[k].split()
        if len(words) == 1 and _NUMBER.fullmatch(words[0]) and not words[0].isdigit():
            if len(requests) != count:
                break
            return requests, k
        if len(words) >= 2 and len(requests) < count and all(map(_ID.fullmatch, words[:2])):
            requests.append(AdamsRequest(int(words[0]), int(words[1])))
    raise ForeignError(
        f"{path.name} announces {count} requests, and {len(requests)} are named before its first "
        "time"
    )


def _table(
    path: Path,
    requests: list[AdamsRequest],
    lines: list[tuple[int, list[str]]],
    units: tuple[str, str],
) -> ForeignTable:
    """Return columns of the time and six components per request, from alternating lines."""
    turn = len(requests) + 1
    times: list[str] = []
    rows: list[list[str]] = []
    places = []
    for k, (number, words) in enumerate(lines):
        count = 1 if k % turn == 0 else len(COMPONENTS)
        if len(words) != count or not all(map(_NUMBER.fullmatch, words)):
            raise ForeignError(
                f"{path.name}, line {number}: must be "
                f"{'a time' if count == 1 else 'six components of a request'}, found "
                f"{' '.join(words)[:60]!r}; after each time there must be a line for each of the "
                f"{len(requests)} requests. Compare the .res if this file has another layout"
            )
        if count == 1:
            times.append(words[0])
            places.append(number)
            rows.append([])
        else:
            rows[-1] += words
    if len(lines) % turn or len(times) < 2:
        raise ForeignError(f"{path.name} ends within a time, or has fewer than two")
    columns = [_column("TIME", "s", times)]
    for r, request in enumerate(requests):
        first, last = request.units(*units)
        names = COMPONENTS if request.kind in KINDS else GENERAL
        for c, name in enumerate(names):
            texts = [row[6 * r + c] for row in rows]
            unit = first if c < 3 else last
            columns.append(_column(f"REQ/{request.number}.{name}", unit, texts))
    return ForeignTable(f"{path.name} (ADAMS)", tuple(columns), "line", places)


def _column(title: str, unit: str | None, texts: list[str]) -> ForeignColumn:
    values = np.array([float(re.sub("[dD]", "e", text)) for text in texts])
    bad = np.flatnonzero(~np.isfinite(values))
    fault = f"has {texts[bad[0]]!r}, which is not finite" if bad.size else ""
    return ForeignColumn(title, unit, values, texts, fault)
