"""A value in one line, as an interpreter shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

WIDTH = 100  # characters of a line


def one_line(kind: str, *parts: str) -> str:
    """``<kind part, part>`` on one line of at most `WIDTH` characters; empty parts are left out."""
    return f"<{shorten(f'{kind} ' + ', '.join(filter(None, parts)), WIDTH - 2).rstrip()}>"


def shorten(text: str, most: int) -> str:
    """The text on one line, with … for what is beyond `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def changed_fields(value: DataclassInstance) -> str:
    """``Kind(a=1, b=2)`` of a frozen value, without what is as it is by default; one line."""
    entries = []
    for one in fields(value):
        own = getattr(value, one.name)
        if not one.repr or (one.default is not MISSING and _is_same(own, one.default)):
            continue
        shown = vector(own) if isinstance(own, np.ndarray) and own.ndim == 1 else repr(own)
        entries.append(f"{one.name}={shown}")
    return shorten(f"{type(value).__name__}({', '.join(entries)})", WIDTH)


def _is_same(value: object, default: object) -> bool:
    return np.array_equal(np.asarray(value, dtype=object), np.asarray(default, dtype=object))


def count_text(number: int, one: str, many: str = "") -> str:
    """A number of things: ``1 joint``, ``6 joints``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def names_text(names: Sequence[str], most: int = 3) -> str:
    """The names where they are few, else how many joints there are."""
    return ", ".join(names) if len(names) <= most else f"{len(names)} joints"


def first_and_last(names: Sequence[str]) -> str:
    """The first and the last name in parentheses; nothing of none."""
    ends = names if len(names) < 3 else (names[0], "…", names[-1])
    return f"({' '.join(ends)})" if names else ""


def vector(values: Iterable[float]) -> str:
    """Three numbers in parentheses."""
    return f"({', '.join(f'{float(value):g}' for value in values)})"
