"""Remarks on what a deck leaves out, or types in a way that is often a mistake."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator

from msgspec.structs import replace

from sim.decks.statement_forms import form_of
from sim.decks.statements import Statement

PLACES = frozenset({"PART", "POINT_MASS", "FLEX_BODY", "NODE_ID"})  # possible carriers of a MARKER
ANGLES = frozenset({"REULER", "ICROT"})

_FORTRAN = re.compile(r"(?<![\w.])[\d.]{1,40}[dD][+-]\d\d\b")  # 1.5D+03


def remarks_on(title: str, statements: tuple[Statement, ...]) -> Iterator[str]:
    """Yield remarks on suspicious parts of a deck."""
    if not any(one.keyword == "UNITS" for one in statements):
        yield "the deck has no UNITS; SI units are assumed"
    elif any((one.text("SYSTEM") or "").upper() == "NONE" for one in statements):
        yield "the deck has no dimensions; SI units are assumed"
    if re.match(r"(UNITS|PART|MARKER|JOINT|ACCGRAV)\s*/", title, re.IGNORECASE):
        yield f"line 1 is always the title: {title[:40]!r} is not read as a statement"
    for one in statements:
        if one.keyword == "MARKER" and not PLACES & one.values.keys():
            yield f"{one.label}: it names no PART; assumed to be on the PART before it"
        if (whole := with_function(one)) is not one:
            yield f"{one.label}: it has no FUNCTION, and stays at {whole.text('FUNCTION')}"
        for key in ANGLES & one.values.keys():
            first, *others = one.values[key]
            angles = [first] if key == "ICROT" else [first, *others]
            if any(map(_has_many_turns, angles)):
                yield f"{one.label}: {key} = {', '.join(angles)} is in radians; degrees have a D"
        for key, (text, *_) in one.values.items():
            if key in form_of(one.keyword).functions.split() and (match := _FORTRAN.search(text)):
                yield (
                    f"{one.label}: {match[0]!r} in a function is degrees and a sum, as in ADAMS; "
                    "powers of ten have an E"
                )


def with_function(one: Statement) -> Statement:
    """Return a VARIABLE without FUNCTION as one that keeps its IC."""
    is_given = one.text("FUNCTION") or "ROUTINE" in one.values
    if one.keyword != "VARIABLE" or is_given:
        return one
    return replace(one, values={**one.values, "FUNCTION": one.values.get("IC", ("0",))})


def _has_many_turns(text: str) -> bool:
    """Whether an angle without D is more than a turn."""
    with contextlib.suppress(ValueError):
        return abs(float(text)) > 2 * math.pi
    return False
