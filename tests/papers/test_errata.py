"""The pages on the papers: what they name is there, and of the papers nothing is left out."""

import re
from pathlib import Path

import pytest

from sim import shipped

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PAGES = {name: (DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("errata", "papers")}
STATUS = ("reproduced", "refuted", "misprinted", "open", "unreadable", "no claim")

# What each paper has: figures, tables and equations, as they are numbered there.
IN_PAPER = {
    "001": {"figure": range(1, 7), "table": range(1, 3), "equation": range(1, 10)},
    "002": {"figure": range(1, 17), "table": (), "equation": range(1, 10)},
    "003": {
        "figure": range(1, 17),
        "table": range(1, 2),
        "equation": ("2-1", "2-2", "2-3", "2-4", "2-5", "2-6", "3-1"),
    },
    "004": {"figure": range(1, 6), "table": range(1, 2), "equation": ("3-1", "3-2")},
}


def rows(paper):
    """The rows of one paper's table: what, status, by."""
    part = re.search(rf"^## {paper}:.*?(?=^## |\Z)", PAGES["papers"], re.M | re.S).group()
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


@pytest.mark.parametrize("page", PAGES)
def test_every_erratum_names_tests_that_there_are(page):
    named = set(re.findall(r"`(test_\w+)`", PAGES[page]))
    written = {
        name
        for path in HERE.parent.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    assert len(named) > 20
    assert named <= written


@pytest.mark.parametrize("paper", IN_PAPER)
def test_every_figure_table_and_equation_of_a_paper_has_a_row(paper):
    text = " ".join(what for what, _, _ in rows(paper))
    for kind, numbers in IN_PAPER[paper].items():
        listed = " ".join(re.findall(rf"{kind}s? ((?:[\d-]+(?:, )?)+)", text))
        assert sorted(re.findall(r"[\d-]+", listed)) == sorted(map(str, numbers)), kind


@pytest.mark.parametrize("paper", IN_PAPER)
def test_every_row_has_a_status_and_what_is_judged_a_test_or_scenario(paper):
    for what, status, by in rows(paper):
        assert any(word in status for word in STATUS), what
        names = re.findall(r"`(\w+)`", by)
        assert names or by == "–", what
        scenarios = [name for name in names if not name.startswith("test_")]
        assert set(scenarios) <= set(shipped.scenario_names()), what
        if status.startswith(("reproduced", "misprinted")):
            assert names, what
