"""Tables of a page in HTML, as ADAMS/PostProcessor exports them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from sim.foreign.foreign_table import ForeignTable
from sim.foreign.grid import GridRow, table_of
from sim.foreign.text_file import source_of, text_of


def read_html(path: Path) -> ForeignTable:
    """The table of numbers among the rows of all tables of a page.

    Raises
    ------
    ForeignError
        If it cannot be read, is no text or holds no table of numbers.
    """
    text = text_of(path)
    page = _Rows()
    page.feed(text)
    page.close()
    rows = [GridRow(k, cells) for k, cells in enumerate(page.rows, 1) if any(cells)]
    return table_of(source_of(path, text), rows, "row")


class _Rows(HTMLParser):
    """The cells of each row; an end of a cell or a row may be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        self._is_in_cell = tag in ("td", "th") or (self._is_in_cell and tag != "tr")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._is_in_cell = False

    def handle_data(self, data: str) -> None:
        if self._is_in_cell and self.rows and self.rows[-1]:
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {data.strip()}".strip()
