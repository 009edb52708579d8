"""Parts of a page: an answer, and sections with drawings and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup


@dataclass(frozen=True)
class PageStatement:
    """The answer of a study.

    Parameters
    ----------
    headline : Markup
    why : tuple of str
        Sentences below it.
    """

    headline: Markup
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A drawing with its heading: title, unit, and a note at the right."""

    title: str
    svg: Markup
    dim: str = ""
    output: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table; failed rows have the colour of the verdict."""

    cells: Sequence[str | Markup]
    failed: bool = False


@dataclass(frozen=True)
class TableBlock:
    """A table.

    Parameters
    ----------
    heads : sequence of str
        A head that begins with a space is for numbers, which are right-aligned.
    rows : sequence of Row
    caption : str
    """

    heads: Sequence[str]
    rows: Sequence[Row]
    caption: str = ""


@dataclass(frozen=True)
class PageSection:
    """A section of the page.

    Parameters
    ----------
    id, title, note : str
    main : Markup
        The large drawing.
    table : TableBlock, optional
        Next to it.
    still : sequence of (str, str)
        Unchanged values, next to it.
    figures : sequence of Figure
        Small drawings below it.
    keys : bool
        Whether colours of shares need their legend.
    more : TableBlock, optional
        All numbers, folded.
    """

    id: str
    title: str
    note: str = ""
    main: Markup | None = None
    table: TableBlock | None = None
    still: Sequence[tuple[str, str]] = ()
    figures: Sequence[Figure] = field(default_factory=tuple)
    keys: bool = False
    more: TableBlock | None = None


@dataclass(frozen=True)
class Layout:
    """The answer of a study and its sections."""

    statement: PageStatement
    sections: Sequence[PageSection] = ()


def bold(words: str) -> Markup:
    """Return the emphasised part of the headline."""
    return Markup("<b>{}</b>").format(words)


def capital(words: str) -> str:
    """Return a sentence with an initial capital letter."""
    return words[:1].upper() + words[1:]


def join_names(names: Sequence[str], most: int = 4) -> str:
    """Return names in a sentence: ``a, b and c``, ``a, b and 5 more``."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
