"""Texts with styles for a terminal, which are printed without Rich where styles are not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

RULE = "─"  # below the headings of a table

# Latin, Greek, Cyrillic, punctuation, arrows, signs of mathematics and lines take one column each.
_NARROW = re.compile("[ -~\u00a0-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u2193\u2200-\u22ff─]*")


class Text:
    """A text of parts with styles, such as "bold red".

    Parameters
    ----------
    text : str
        The first part.
    style : str
        Of all parts.
    """

    def __init__(self, text: str = "", style: str = "") -> None:
        self.style = style
        self.parts = [(text, "")]

    def __str__(self) -> str:
        """Return the text without styles."""
        return self.plain

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self.parts)

    @property
    def cell_len(self) -> int:
        """Its width [columns]."""
        return cell_len(self.plain)

    def append(self, text: str, style: str = "") -> Text:
        """Add a part at the end, and return itself."""
        self.parts.append((text, style))
        return self

    def lines(self, room: int) -> list[Text]:
        """Return itself: a text is neither broken nor cut."""
        return [self]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return it for a terminal with colours."""
        from rich.text import Text

        yield Text.assemble(*self.parts, style=self.style)


def rich_lines(lines: Iterable[Text], options: ConsoleOptions) -> RenderResult:
    """Yield lines for a terminal with colours, neither broken nor cut there."""
    from rich.text import Text

    for line in lines:
        parts = [(in_charset(text, is_ascii=options.ascii_only), kind) for text, kind in line.parts]
        yield Text.assemble(*parts, style=line.style, no_wrap=True, overflow="ignore")


def in_charset(text: str, *, is_ascii: bool) -> str:
    """Return a text with a rule of hyphens for outputs that have ASCII characters only."""
    return text.replace(RULE, "-") if is_ascii else text


def cell_len(text: str) -> int:
    """Return the width of a text on a terminal [columns]."""
    if _NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrap(paragraphs: str, width: int) -> list[str]:
    """Return the lines of a text broken between words; a longer word has a line of its own."""
    lines = []
    for line in paragraphs.split("\n"):
        begins, room = [0], width
        for k, word in enumerate(re.finditer(r"\S+\s*", line)):
            begin = word.start() if k else 0  # spaces before the first word belong to it
            text = line[begin : word.end()]
            if begin and cell_len(text.rstrip()) > room:
                begins.append(begin)
                room = width
            room -= cell_len(text)
        ends = [*begins[1:], len(line)]
        for part in (line[begin:end] for begin, end in zip(begins, ends, strict=True)):
            beyond = max(len(part), cell_len(part)) - width
            spaces = len(part) - len(part.rstrip())
            lines.append(part[: len(part) - min(max(beyond, 0), spaces)])
    return lines
