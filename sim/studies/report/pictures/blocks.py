"""The parts of a page: an answer, and sections with drawings and tables."""

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
    """A drawing with its heading: a title, its unit, and numbers at its end."""

    title: str
    svg: Markup
    dim: str = ""
    output: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table; one that fails has the colour of the verdict."""

    cells: Sequence[str | Markup]
    failed: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table.

    Parameters
    ----------
    heads : sequence of str
        A head that begins with a space is over numbers, which stand to the right.
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
    table : PageTable, optional
        Next to it.
    still : sequence of (str, str)
        What does not change, next to it.
    figures : sequence of Figure
        Small drawings below it.
    keys : bool
        Whether colours of shares need their legend.
    more : PageTable, optional
        All numbers, folded.
    """

    id: str
    title: str
    note: str = ""
    main: Markup | None = None
    table: PageTable | None = None
    still: Sequence[tuple[str, str]] = ()
    figures: Sequence[Figure] = field(default_factory=tuple)
    keys: bool = False
    more: PageTable | None = None


@dataclass(frozen=True)
class Layout:
    """The answer of a study and its sections."""

    statement: PageStatement
    sections: Sequence[PageSection] = ()


def bold(words: str) -> Markup:
    """The part of the headline that is emphasised."""
    return Markup("<b>{}</b>").format(words)


def capital(words: str) -> str:
    """A sentence begins with a capital letter."""
    return words[:1].upper() + words[1:]


def join_names(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence: ``a, b and c``, ``a, b and 5 more``."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
