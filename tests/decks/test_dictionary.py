"""Tables for users of ADAMS deny nothing that the program supports, and promise nothing else."""

import re
from pathlib import Path

import pytest

import sim
import sim.functions.functions as table
from sim.decks.statement_forms import FORMS, REFUSED, SKIPPED

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("reference/adams_dictionary.md", "friction.md", "functions.md", "howto/decks.md")
DENIES = re.compile(r"^(none\b|not supported|refused|ignored)", re.IGNORECASE)
# Statements that are read where a row denies a use of them only: of what, as the row has it.
PARTLY = {"GCON": "more than two markers", "MOTION": "functions of the state"}


def rows_of(page):
    """Cells of all rows of the tables of a page."""
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and not set(line) <= set("|- "):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def words_of(cell):
    """Names of statements and functions in a cell."""
    return re.findall(r"\b[A-Z][A-Z_0-9]{2,}\b", cell)


@pytest.mark.parametrize("page", PAGES)
def test_a_row_denies_nothing_that_is_supported(page):
    supported = {*FORMS, *table.FUNCTIONS, *table.STATE_FUNCTIONS} - {*REFUSED, *SKIPPED}
    for name, *cells in rows_of(page):
        if any(DENIES.match(cell) for cell in cells[:1]):
            denied = [word for word in words_of(name) if word in supported]
            assert [w for w in denied if PARTLY.get(w, "\0") not in name] == [], (name, cells)


def test_what_decks_refuse_is_not_promised():
    """A statement that is refused or ignored has a row that says so, or none."""
    for name, *cells in rows_of("reference/adams_dictionary.md"):
        refused = [word for word in words_of(name) if word in REFUSED and word not in FORMS]
        alternatives = " ".join(cells)
        if refused:
            assert DENIES.match(cells[0]) or "sim." in alternatives, (name, cells)


def test_every_name_of_the_interface_in_the_dictionary_is_there():
    text = (DOCS / "reference/adams_dictionary.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\bsim\.([A-Za-z_]\w*)", text))
    assert len(names) > 20
    assert [name for name in names if not hasattr(sim, name)] == []
