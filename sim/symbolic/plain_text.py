"""Equations as text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from sim.symbolic.steps import Steps

WIDTH = 79  # [characters]


def plain_text(steps: Steps, notes: Sequence[str]) -> str:
    """Return notes, an equation per paragraph, and the constants with values and units."""
    lines = [line for note in notes for line in _wrap(note)]
    lines += [""]
    for symbol, step in steps.auxiliary:
        lines += _wrap(f"{symbol.name} = {step}")
    for key, entry in steps.entries.items():
        lines += _wrap(f"{key.replace(' ', '')} = {entry}")
    lines += [""]
    wide = max((len(row.name) for row in steps.terms.constants), default=0)
    for row in steps.terms.constants:
        unit = "" if row.unit == "1" else f" {row.unit}"
        lines += _wrap(f"{row.name:{wide}} = {row.value!r}{unit}  {row.meaning}")
    return "\n".join(lines) + "\n"


def _wrap(text: str) -> list[str]:
    """Return lines broken between words; those after the first are indented by four blanks."""
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
