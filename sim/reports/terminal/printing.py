"""Printing of texts and tables on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from sim.errors import escape_controls
from sim.reports.terminal.styled_text import Text, cell_len, in_charset, wrap

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


class PlainOutput:
    """Printing without styles, as Rich does on what is no terminal; Rich is loaded for the rest.

    Parameters
    ----------
    file : TextIO
    width : int
        At least that of a sentence that is broken [columns].
    by_rich : callable
        Returns a console of Rich on the same file.
    on_closed : callable
        Called if the reader of the file has closed it.
    """

    def __init__(
        self,
        file: TextIO,
        width: int,
        by_rich: Callable[[], Console],
        on_closed: Callable[[], None],
    ) -> None:
        self.width = width
        self._file, self._by_rich, self._on_closed = file, by_rich, on_closed

    def print(self, part: RenderableType, **options: Any) -> None:
        """Print a part; the options are those of Rich's consoles."""
        if (lines := self._lines(part, options)) is None:
            self._by_rich().print(part, **options)
            return
        is_ascii = not (self._file.encoding or "utf-8").lower().startswith("utf")
        text = in_charset("\n".join(lines), is_ascii=is_ascii)
        rows = (in_print(row.expandtabs(8)) for row in text.split("\n"))
        try:
            self._file.writelines(f"{row}\n" for row in rows)
            self._file.flush()
        except BrokenPipeError:
            self._on_closed()

    def _lines(self, part: Any, options: Mapping[str, Any]) -> list[str] | None:
        """Return the lines of a part; None if Rich is needed."""
        if not isinstance(part, str):
            return (
                [line.plain for line in part.lines(self.width)] if hasattr(part, "lines") else None
            )
        if options.get("markup", True) or "end" in options:
            return None
        if options.get("soft_wrap"):
            return [part]
        is_short = all(cell_len(word) <= self.width for word in part.split())
        return wrap(part, self.width) if is_short else None


def in_print(row: str) -> str:
    """Return a line without control characters."""
    return row if row.isprintable() else escape_controls(row)


def show(console: Console | PlainOutput, parts: Sequence[RenderableType]) -> None:
    """Print the parts one below the other.

    Lines of text are neither broken nor cut at the edge of the terminal, so paths stay whole.
    """
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text), highlight=False, crop=False)
