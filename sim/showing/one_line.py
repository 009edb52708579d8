"""A value in one line, for an interpreter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

WIDTH = 100  # characters of a line


def one_line(kind: str, *parts: str) -> str:
    """Return ``<kind part, part>`` in at most `WIDTH` characters; empty parts are left out."""
    return f"<{shorten(f'{kind} ' + ', '.join(filter(None, parts)), WIDTH - 2).rstrip()}>"


def shorten(text: str, most: int) -> str:
    """Return the text on one line, with … for text beyond `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def changed_fields(value: DataclassInstance) -> str:
    """Return ``Kind(a=1, b=2)`` of a frozen value, without fields at their defaults; one line."""
    entries = []
    for one in fields(value):
        content = getattr(value, one.name)
        if not one.repr or (one.default is not MISSING and _is_same(content, one.default)):
            continue
        is_vector = isinstance(content, np.ndarray) and content.ndim == 1
        shown = vector(content) if is_vector else repr(content)
        entries.append(f"{one.name}={shown}")
    return shorten(f"{type(value).__name__}({', '.join(entries)})", WIDTH)


class ChangesShown:
    """A frozen dataclass without a ``__repr__`` of its own, shown by its `changed_fields`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __repr__(self) -> str:
        return changed_fields(self)


def _is_same(value: object, default: object) -> bool:
    return np.array_equal(np.asarray(value, dtype=object), np.asarray(default, dtype=object))


def span_text(duration: float, dt: float) -> str:
    """Return the span of a run [s] and its step: ``10 s at 1 ms``."""
    step = f"{dt:.4g} s" if dt >= 1.0 else f"{1e3 * dt:.4g} ms"
    return f"{duration:.4g} s at {step}"


def count_text(number: int, one: str) -> str:
    """Return a number of objects: ``1 joint``, ``6 joints``."""
    return f"{number} {one if number == 1 else one + 's'}"


def names_text(names: Sequence[str], most: int = 3) -> str:
    """Return the names if they are few, else the number of joints."""
    return ", ".join(names) if len(names) <= most else f"{len(names)} joints"


def shorten_list(names: Sequence[object], most: int = 12) -> str:
    """Return the first names of a list, and the number of others: ``a, b and 5 more``."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + rest if names else "none"


def first_and_last(names: Sequence[str]) -> str:
    """Return the first and the last name in parentheses; "" for none."""
    ends = names if len(names) < 3 else (names[0], "…", names[-1])
    return f"({' '.join(ends)})" if names else ""


def vector(values: Iterable[float]) -> str:
    """Return numbers in parentheses."""
    return f"({', '.join(f'{float(value):g}' for value in values)})"
