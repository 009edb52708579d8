"""Tables that fit a terminal, and numbers in them.

A table that is too wide leaves out whole columns, the least important first, and lists them. No
number and no name is ever cut or broken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sim.errors import shown
from sim.reports.verdict_numbers import number_or_nan

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

WIDEST = 100_000  # [characters]; in this a table is measured that may be as wide as it likes


class FittedTable:
    """A table without frame that leaves out columns until it fits the terminal.

    What must not be left out may still be wider than the terminal: print it with ``crop=False``, so
    that it goes over the edge and is not cut.

    Parameters
    ----------
    headings : sequence of str
        One a column, all different; a line break in one sets it in two lines.
    spare : sequence of str
        Headings of the columns that may be left out, the least important first.
    left : sequence of str
        Headings of the columns whose cells stand to the left, as those of the first do.
    prose : sequence of str
        Headings of the columns whose cells may be broken between words before any is left out.
    most : int, optional
        Number of rows shown (default: all).
    airy : bool
        Whether an empty line stands above and below.

    Raises
    ------
    ValueError
        If a heading stands twice, or `spare`, `left` or `prose` names none.
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
        """Add a row of texts, one a column; nothing in them is read as markup."""
        if len(cells) != len(self.headings):
            raise ValueError(f"{cells} is no row of a table with columns {self.headings}")
        plain = tuple(cell if cell.isprintable() else shown(cell) for cell in cells)
        self.rows.append((plain, style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, and what of it is not shown."""
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
        """Width without all of the spare columns."""
        return self._width(console, len(self.spare))

    def _width(self, console: Console, out: int) -> int:
        """How narrow it can be made without the first `out` of its spare columns."""
        table = self._table(out, self._shares(0, out))
        return console.measure(table, options=_endless(console)).maximum

    def _shares(self, room: int, out: int) -> dict[str, int]:
        """Width of each column of prose: its longest word, and its share of the room besides."""
        widths: dict[str, int] = {}
        prose = [h for h in self.prose if h not in self.spare[:out]]
        wants = {h: self._longest(h, words=False) - self._longest(h, words=True) for h in prose}
        room = max(0, min(room, sum(wants.values())))
        for h, wanted in sorted(wants.items(), key=lambda item: item[1]):
            share = min(wanted, room // (len(prose) - len(widths)))
            widths[h] = self._longest(h, words=True) + share
            room -= share
        return widths

    def _longest(self, heading: str, *, words: bool) -> int:
        """Length of the longest line of a column, or of the longest word in it."""
        from rich.cells import cell_len

        k = self.headings.index(heading)
        lines = [heading, *(cells[k] for cells, _ in self.rows[: self.most])]
        return max(cell_len(part) for line in lines for part in (line.split() if words else [line]))

    def _table(self, out: int, widths: dict[str, int]) -> Table:
        """Without the first `out` of the spare columns; those of prose with their widths."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        shown = [k for k, h in enumerate(self.headings) if h not in self.spare[:out]]
        table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, show_edge=self.airy)
        for heading in (self.headings[k] for k in shown):
            table.add_column(
                Text(heading),
                justify="left" if heading in self.left else "right",
                no_wrap=heading not in widths,
                width=widths.get(heading),
            )
        for cells, style in self.rows[: self.most]:
            table.add_row(*(Text(cells[k]) for k in shown), style=style)
        return table


def table(*headings: str, spare: Sequence[str] = (), most: int | None = None) -> FittedTable:
    """Empty table; the first column stands to the left, all others to the right."""
    return FittedTable(headings, spare, most=most)


def number(value: float | None) -> str:
    """Four digits; what is a rounding error relative to one unit is shown as zero."""
    return f"{round(number_or_nan(value), 9) + 0.0:.4g}"


def _flat(heading: str) -> str:
    return " ".join(heading.replace("–\n", "–").split())


def _endless(console: Console) -> ConsoleOptions:
    return console.options.update(width=WIDEST)
