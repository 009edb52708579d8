"""Sentences broken between words, so that a number and a name stay whole."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.text import Text

INDENT = 9  # columns of a label and its padding
NARROWEST = 40  # columns; narrower text is not broken


class Sentence(Struct, frozen=True):
    """Text wrapped to the terminal's width, all lines but the first indented.

    Text beyond `rows` lines is replaced by an ellipsis.
    """

    text: Text
    rows: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return the lines."""
        from rich.text import Text

        lines = textwrap.wrap(
            self.text.plain,
            max(options.max_width, NARROWEST),
            subsequent_indent=" " * INDENT,
            max_lines=self.rows,
            placeholder=" …",
            break_long_words=False,
            break_on_hyphens=False,
        )
        if lines == [self.text.plain.rstrip()]:
            yield self.text
        else:
            yield Text("\n".join(lines), style=self._style, no_wrap=True, overflow="ignore")

    @property
    def _style(self) -> str:
        return str(self.text.style)


def label_sentence(label: str, text: str, style: str = "", rows: int | None = None) -> Sentence:
    """Return a sentence after a label."""
    from rich.text import Text

    return Sentence(Text(f"{label:8} {text}", style=style), rows)
