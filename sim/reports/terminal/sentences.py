"""Sentences broken between words, so that a number and a name stay whole."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from msgspec import Struct

from sim.reports.terminal.styled_text import Text, rich_lines

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

INDENT = 9  # columns of a label and its padding
NARROWEST = 40  # columns; narrower text is not broken


class Sentence(Struct, frozen=True):
    """Text wrapped to the terminal's width, all lines but the first indented.

    Text beyond `rows` lines is replaced by an ellipsis.
    """

    text: Text
    rows: int | None = None
    indent: int = INDENT

    def lines(self, room: int) -> list[Text]:
        """Return the lines in a terminal of `room` columns."""
        plain = self.text.plain
        lines = textwrap.wrap(
            plain,
            max(room, NARROWEST),
            subsequent_indent=" " * self.indent,
            max_lines=self.rows,
            placeholder=" …",
            break_long_words=False,
            break_on_hyphens=False,
        )
        if lines == [plain.rstrip()]:
            return [self.text]
        return [self._style_line(line, plain) for line in lines or [""]]

    def _style_line(self, line: str, plain: str) -> Text:
        """Return a line of it with the styles of its parts."""
        words = line.strip()
        start, place = plain.find(words), len(line) - len(line.lstrip())
        text = Text(" " * place, self.text.style)
        if start < 0:  # with an ellipsis
            return text.append(words)
        place = 0
        for part, style in self.text.parts:
            if piece := part[max(start - place, 0) : max(start + len(words) - place, 0)]:
                text.append(piece, style)
            place += len(part)
        return text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return the lines for a terminal with colours."""
        yield from rich_lines(self.lines(options.max_width), options)


def label_sentence(label: str, text: str, style: str = "", rows: int | None = None) -> Sentence:
    """Return a sentence after a label."""
    return Sentence(Text(f"{label:8} {text}", style=style), rows)
