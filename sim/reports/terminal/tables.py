"""Tables that fit a terminal, and numbers in them.

A table that is too wide omits whole columns, the least important first, and lists them. Numbers
and names are never cut or broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.errors import escape_controls
from sim.reports.verdict_numbers import number_or_nan

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

WIDEST = 100_000  # [characters]; unlimited width, for measuring a table


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
        Whether an empty line is printed above and below.

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

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return the table, and a note on omitted columns."""
        from rich.text import Text

        room, out = options.max_width, 0
        needed = narrowest = self._width(console, 0)
        while out < len(self.spare) and narrowest > room:
            out += 1
            narrowest = self._width(console, out)
        table = self._table(out, self._shares(room - narrowest, out))
        wide = options.update(width=console.measure(table, options=_endless(console)).maximum)
        yield from console.render(table, wide)
        if out:
            names = ", ".join(_flat(h) for h in self.headings if h in self.spare[:out])
            yield Text(f"hidden columns (terminal < {needed}): {names}", style="dim")
        if self.most is not None and self.most < len(self.rows):
            count = f"{len(self.rows) - self.most} of {len(self.rows)}"
            yield Text(f"hidden rows (limit {self.most}): {count}", style="dim")

    def narrowest(self, console: Console) -> int:
        """Return the width without all optional columns."""
        return self._width(console, len(self.spare))

    def _width(self, console: Console, out: int) -> int:
        """Return the least width without the first `out` optional columns."""
        table = self._table(out, self._shares(0, out))
        return console.measure(table, options=_endless(console)).maximum

    def _shares(self, room: int, out: int) -> dict[str, int]:
        """Return the width of each prose column: its longest word, and its share of the rest."""
        widths: dict[str, int] = {}
        prose = [h for h in self.prose if h not in self.spare[:out]]
        wants = {
            h: self._longest_line(h, words=False) - self._longest_line(h, words=True) for h in prose
        }
        room = max(0, min(room, sum(wants.values())))
        for h, width in sorted(wants.items(), key=lambda item: item[1]):
            share = min(width, room // (len(prose) - len(widths)))
            widths[h] = self._longest_line(h, words=True) + share
            room -= share
        return widths

    def _longest_line(self, heading: str, *, words: bool) -> int:
        """Return the length of the longest line of a column, or of the longest word in it."""
        from rich.cells import cell_len

        k = self.headings.index(heading)
        lines = [heading, *(cells[k] for cells, _ in self.rows[: self.most])]
        return max(cell_len(part) for line in lines for part in (line.split() if words else [line]))

    def _table(self, out: int, widths: dict[str, int]) -> Table:
        """Build the table without the first `out` optional columns; prose columns get `widths`."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        columns = [k for k, h in enumerate(self.headings) if h not in self.spare[:out]]
        table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, show_edge=self.airy)
        for heading in (self.headings[k] for k in columns):
            table.add_column(
                Text(heading),
                justify="left" if heading in self.left else "right",
                no_wrap=heading not in widths,
                width=widths.get(heading),
            )
        for cells, style in self.rows[: self.most]:
            table.add_row(*(Text(cells[k]) for k in columns), style=style)
        return table


def table(*headings: str, spare: Sequence[str] = (), most: int | None = None) -> FittedTable:
    """Return an empty table; the first column is left-aligned, all others right-aligned."""
    return FittedTable(headings, spare, most=most)


def number(value: float | None) -> str:
    """Format in four digits; rounding errors relative to one unit are shown as zero."""
    return f"{round(number_or_nan(value), 9) + 0.0:.4g}"


def _flat(heading: str) -> str:
    return " ".join(heading.replace("–\n", "–").replace("/\n", "/").split())


def _endless(console: Console) -> ConsoleOptions:
    return console.options.update(width=WIDEST)
