"""Tables that fit a terminal, and numbers in them.

A table that is too wide omits whole columns, the least important first, and lists them. Numbers
and names are never cut or broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sim.errors import escape_controls
from sim.reports.terminal.styled_text import RULE, Text, cell_len, rich_lines, wrap
from sim.reports.verdict_numbers import number_or_nan

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

BETWEEN = "  "  # two columns


class FittedTable:
    """Table without frame that omits columns until it fits the terminal.

    The required columns may still be wider than the terminal: print with ``crop=False``, so that
    lines run over the edge instead of being cut.

    Parameters
    ----------
    headings : sequence of str
        One per column, unique; a line break starts a second line.
    spare : sequence of str
        Headings of the optional columns, the least important first.
    left : sequence of str
        Headings of the left-aligned columns, besides the first.
    prose : sequence of str
        Headings of the columns that may be broken between words before any column is omitted.
    most : int, optional
        Number of rows shown (default: all).
    airy : bool
        Whether an empty line is printed above and below, and a blank at both sides, if they fit.

    Raises
    ------
    ValueError
        If a heading is repeated, or `spare`, `left` or `prose` names none.
    """

    def __init__(
        self,
        headings: Sequence[str],
        spare: Sequence[str] = (),
        left: Sequence[str] = (),
        prose: Sequence[str] = (),
        most: int | None = None,
        *,
        airy: bool = True,
    ) -> None:
        unknown = {*spare, *left, *prose} - set(headings)
        if unknown or len(set(headings)) < len(headings):
            raise ValueError(f"{headings} must differ from each other and hold {sorted(unknown)}")
        self.headings, self.spare, self.prose, self.most = headings, spare, prose, most
        self.airy = airy
        self.left = {headings[0], *left, *prose}
        self.rows: list[tuple[tuple[str, ...], str | None]] = []

    def add_row(self, *cells: str, style: str | None = None) -> None:
        """Add a row of texts, one per column, without markup."""
        if len(cells) != len(self.headings):
            raise ValueError(f"{cells} is no row of a table with columns {self.headings}")
        plain = tuple(cell if cell.isprintable() else escape_controls(cell) for cell in cells)
        self.rows.append((plain, style))

    def lines(self, room: int) -> list[Text]:
        """Return the table in `room` columns, and a note on omitted columns and rows."""
        out = 0
        needed = narrowest = self._width(0)
        while out < len(self.spare) and narrowest > room:
            out += 1
            narrowest = self._width(out)
        airy = self.airy and narrowest <= room
        lines = self._table(out, self._widths(room - narrowest, out), airy=airy)
        if out:
            names = ", ".join(_flat(h) for h in self.headings if h in self.spare[:out])
            note = f"hidden columns (terminal < {needed}): {names}"
            lines += [Text(line, "dim") for line in wrap(note, room)]
        if self.most is not None and self.most < len(self.rows):
            count = f"{len(self.rows) - self.most} of {len(self.rows)}"
            note = f"hidden rows (limit {self.most}): {count}"
            lines += [Text(line, "dim") for line in wrap(note, room)]
        return lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return the lines for a terminal with colours."""
        yield from rich_lines(self.lines(options.max_width), options)

    def narrowest(self) -> int:
        """Return the width without all optional columns."""
        return self._width(len(self.spare))

    def _width(self, out: int) -> int:
        """Return the least width without the first `out` optional columns."""
        widths = self._widths(0, out)
        return sum(widths.values()) + len(BETWEEN) * (len(widths) - 1) + 2 * self.airy

    def _widths(self, room: int, out: int) -> dict[str, int]:
        """Return the widths of columns; prose has its longest word and its share of `room`."""
        shown = [h for h in self.headings if h not in self.spare[:out]]
        widths = {h: self._longest_line(h, words=h in self.prose) for h in shown}
        prose = [h for h in self.prose if h in widths]
        wants = {h: self._longest_line(h, words=False) - widths[h] for h in prose}
        room = max(0, min(room, sum(wants.values())))
        for k, (h, wanted) in enumerate(sorted(wants.items(), key=lambda item: item[1])):
            share = min(wanted, room // (len(prose) - k))
            widths[h] += share
            room -= share
        return widths

    def _longest_line(self, heading: str, *, words: bool) -> int:
        """Return the length of the longest line of a column, or of the longest word in it."""
        k = self.headings.index(heading)
        cells = [heading, *(cells[k] for cells, _ in self.rows[: self.most])]
        parts = (cell.split() if words else cell.split("\n") for cell in cells)
        return max((cell_len(part) for row in parts for part in row), default=0)

    def _table(self, out: int, widths: dict[str, int], *, airy: bool) -> list[Text]:
        """Return the lines without the first `out` optional columns."""
        shown = [k for k, h in enumerate(self.headings) if h not in self.spare[:out]]
        lines = [(line, "bold") for line in self._row(self.headings, shown, widths)]
        width = sum(widths.values()) + len(BETWEEN) * (len(widths) - 1)
        lines.append((RULE * width, ""))
        for cells, style in self.rows[: self.most]:
            lines += [(line, style or "") for line in self._row(cells, shown, widths)]
        if airy:
            edge = [(" " * width, "")]
            lines = [(f" {line} ", style) for line, style in [*edge, *lines, *edge]]
        return [Text(line, style) for line, style in lines]

    def _row(
        self, cells: Sequence[str], shown: Sequence[int], widths: dict[str, int]
    ) -> Iterator[str]:
        """Yield the lines of a row; cells of prose are broken between words."""
        columns = []
        for k in shown:
            heading = self.headings[k]
            parts = cells[k].split("\n")
            if heading in self.prose:
                parts = wrap(cells[k], widths[heading])
            is_left = heading in self.left
            columns.append([_fill(part, widths[heading], is_left=is_left) for part in parts])
        height = max(map(len, columns))
        for column, k in zip(columns, shown, strict=True):
            empty = [" " * widths[self.headings[k]]] * (height - len(column))
            column[:] = [*empty, *column] if cells is self.headings else [*column, *empty]
        yield from map(BETWEEN.join, zip(*columns, strict=True))


def table(*headings: str, spare: Sequence[str] = (), most: int | None = None) -> FittedTable:
    """Return an empty table; the first column is left-aligned, all others right-aligned."""
    return FittedTable(headings, spare, most=most)


def number(value: float | None) -> str:
    """Format in four digits; rounding errors relative to one unit are shown as zero."""
    return f"{round(number_or_nan(value), 9) + 0.0:.4g}"


def _flat(heading: str) -> str:
    return " ".join(heading.replace("–\n", "–").replace("/\n", "/").split())


def _fill(text: str, width: int, *, is_left: bool) -> str:
    text = text if is_left else text.rstrip()
    spaces = " " * (width - cell_len(text))
    return f"{text}{spaces}" if is_left else f"{spaces}{text}"
