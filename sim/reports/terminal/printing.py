"""Printing of texts and tables on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def show(console: Console, parts: Sequence[RenderableType]) -> None:
    """Print the parts one below the other.

    Lines of text are neither broken nor cut at the edge of the terminal, so paths stay whole.
    """
    from rich.text import Text

    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text), highlight=False, crop=False)
