"""Tables for users of ADAMS deny nothing that the program supports, and promise nothing else."""

import re
from inspect import signature
from pathlib import Path

import pytest

import sim
from sim.decks.deck_requests import FUNCTIONS, LAWS, READ, REQUESTED, SIGNATURES
from sim.decks.statement_forms import FORMS, REFUSED, SKIPPED
from sim.decks.trees import OF_FORCES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("reference/adams_dictionary.md", "friction.md", "functions.md", "howto/decks.md")
DENIES = re.compile(r"^(none\b|not supported|refused|ignored)", re.IGNORECASE)
DENYING_SECTION = re.compile(r"not supported|not there|refused", re.IGNORECASE)
SUPPORTED = {
    *FORMS,
    *FUNCTIONS,
    *SIGNATURES,
    *LAWS,
    *READ,
    *REQUESTED,
    *OF_FORCES,
    *FORMS["JOINT"].flags.split(),
    *FORMS["JPRIM"].flags.split(),
} - {*REFUSED, *SKIPPED}
# Statements that are read where a row denies one use of them only: the use, as the row has it.
PARTLY = {"GCON": "positions of more than two markers", "MOTION": "functions of the state"}
# Statements that decks ignore, whose names mean something else in a table: the program in its head,
# and the function CURVE.
UNSUPPORTED = {*REFUSED, *SKIPPED} - {"ADAMS", "CURVE"}
NO_GROUND_FRICTION = re.compile(
    r"friction on the ground|sphere on a plane, without friction|up and without friction",
    re.IGNORECASE,
)


def rows_of(text):
    """Section and cells of all rows of the tables of a text."""
    section = ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        if line.startswith("|") and not set(line) <= set("|- "):
            yield section, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def words_of(cell):
    """Names of statements and functions in a cell."""
    return re.findall(r"\b[A-Z][A-Z_0-9]+\b", cell)


def false_rows(text):
    """Rows that deny what decks and functions support, or promise a statement that decks do not."""
    for section, (name, *cells) in rows_of(text):
        denies = bool(DENYING_SECTION.search(section)) or any(map(DENIES.match, cells[:1]))
        words = words_of(name)
        if denies:
            denied = [word for word in words if word in SUPPORTED]
            if any(PARTLY.get(word, "\0") not in name for word in denied):
                yield name
        elif {*words} & UNSUPPORTED and not re.search(r"`(sim\b|\w+`)", cells[0]):
            yield name


@pytest.mark.parametrize("page", PAGES)
def test_rows_agree_with_what_decks_and_functions_support(page):
    assert [*false_rows((DOCS / page).read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("page", PAGES)
def test_friction_on_the_ground_is_not_denied(page):
    assert "mu_static" in signature(sim.GroundContact).parameters
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    assert NO_GROUND_FRICTION.findall(text) == []


@pytest.mark.parametrize(
    "row",
    [
        "| FRICTION | none | |",
        "| POINT_MASS | not supported | |",
        "| INCANG(i, j, k) | refused | |",
        "| DX | none | |",
        "| GCON of more than two markers or of time | not supported | |",
        "| SENSOR | not supported | |",
        "| TIRE | between all parts | |",
        "## What is not there\n| BEAM, FIELD | of a deck | |",
        "## What is not there\n| SPHERICAL as one joint | a row of hinges | |",
    ],
)
def test_a_false_row_is_seen(row):
    assert len([*false_rows(row)]) == 1


def test_every_name_of_the_interface_in_the_dictionary_is_there():
    text = (DOCS / "reference/adams_dictionary.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\bsim\.([A-Za-z_]\w*)", text))
    assert len(names) > 20
    assert [name for name in names if not hasattr(sim, name)] == []
