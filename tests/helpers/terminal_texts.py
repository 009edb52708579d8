"""What a terminal shows of the parts of a report."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console, RenderableType

from sim.reports.terminal.printing import show


def printed(parts: Sequence[RenderableType], width: int = 140) -> str:
    """The text in a terminal of so many columns, without colours."""
    out = io.StringIO()
    show(Console(file=out, width=width, color_system=None), parts)
    return out.getvalue()


def line_of(text: str, *begins: str) -> str:
    """The first line whose words begin with these."""
    return next(one for one in text.splitlines() if one.split()[: len(begins)] == list(begins))
