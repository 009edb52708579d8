"""Statements of an ADAMS dataset, in lines of 80 columns.

A list is continued by a comma in the first column of the next line, a function by an ampersand
at the end of a line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from sim.functions.write_expression import number

COLUMNS = 80


def statement(head: str, *arguments: str) -> str:
    """Return a statement such as ``MOTION/1``, each argument on lines of its own."""
    return "\n".join([head, *(f", {argument}" for argument in arguments)])


def named_statement(name: str, head: str, *arguments: str) -> list[str]:
    """Return a statement and its name in ADAMS's window: letters, digits, _."""
    named = f"!  adams_view_name='{re.sub(r'[^A-Za-z0-9_]', '_', name)}'"
    return [named, statement(head, *arguments)]


def number_list(name: str, values: Iterable[float]) -> str:
    """Return an argument that is a list of numbers: ``X = 0.0, 0.1``."""
    return word_list(name, map(number, values))


def word_list(name: str, words: Iterable[str]) -> str:
    """Return an argument that is a list: ``JOINTS = 1, 2``."""
    lines = [f"{name} ="]
    for index, text in enumerate(words):
        joined = f"{lines[-1]} {text}" if index == 0 else f"{lines[-1]}, {text}"
        if len(joined) <= COLUMNS - 2:
            lines[-1] = joined
        else:
            lines.append(text)
    return "\n, ".join(lines)


def function(text: str, key: str = "FUNCTION") -> str:
    """Return the argument FUNCTION of a text by `sim.functions.write_expression`."""
    wide = COLUMNS - 4  # a comma before, an ampersand after
    lines = [f"{key} = "]
    for word in re.split(r"(?<= )", text):
        pieces = [word] if len(word) <= wide else re.split(r"(?<=[()])", word)
        for piece in pieces:
            if len(lines[-1]) + len(piece.rstrip()) > wide:
                lines.append("")
            lines[-1] += piece
    return " &\n  ".join(line.rstrip() for line in lines)


def comment(text: str) -> str:
    """Return lines of comment."""
    wide = COLUMNS - len("! ")
    return "\n".join(f"! {line}" for line in textwrap.wrap(text, wide, break_on_hyphens=False))
