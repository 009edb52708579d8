"""Output without colours, against what Rich prints of the same parts."""

from __future__ import annotations

import io
import random
import subprocess
import sys

import pytest
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text as RichText

from sim.reports.terminal.printing import PlainOutput, show
from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.styled_text import Text
from sim.reports.terminal.tables import FittedTable
from tests.helpers.terminal_texts import printed

WORDS = ("a", "N·m", "–", "elbow_joint", "1.234e-05", "ends at −3 °/s", "torque  twice", "100 %",
         "[b]x[/b]", "→ y", "≤ 3", "two words", "…", "日本", "e\u0301")  # fmt: skip


def unused():
    raise AssertionError("Rich is not needed, and nobody has closed the file")


def plainly(parts, width):
    out = io.StringIO()
    show(PlainOutput(out, width, unused, unused), parts)
    return out.getvalue()


def by_rich(part, width, **options):
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(part, highlight=False, **options)
    return out.getvalue()


def some_words(rng, most):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))


@pytest.mark.parametrize("seed", range(200))
def test_a_table_is_that_of_rich(seed):
    """Columns of one line take what they need, prose is broken as Rich does at its width."""
    rng = random.Random(seed)
    heads = [f"{k} {some_words(rng, 2)}" for k in range(rng.randint(1, 5))]
    heads = [h + f"\n{some_words(rng, 1)}" * (rng.random() < 0.3) for h in heads]
    left, airy = rng.sample(heads, rng.randint(0, len(heads))), rng.random() < 0.5
    prose = [heads[-1]] if "\n" not in heads[-1] else []
    rows = [[some_words(rng, 5) for _ in heads] for _ in range(rng.randint(0, 4))]
    mine = FittedTable(heads, left=left, prose=prose, airy=airy)
    theirs = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, show_edge=airy)
    width = rng.randint(40, 200)
    shown = Console(width=10_000)
    for h in heads:
        side = "left" if h in (heads[0], *left, *prose) else "right"
        theirs.add_column(RichText(h), justify=side, no_wrap=h not in prose)
    for row in rows:
        mine.add_row(*row)
        theirs.add_row(*map(RichText, row))
    if prose:
        longest = max(RichText(w).cell_len for r in [heads, *rows] for w in r[-1].split())
        theirs.columns[-1].width = longest
        least = shown.measure(theirs).maximum
        whole = max(RichText(r[-1]).cell_len for r in [heads, *rows])
        theirs.columns[-1].width = max(longest, min(whole, longest + width - least))
    if airy and shown.measure(theirs).maximum > width:
        theirs.show_edge = False  # its blanks would be lines of their own
    wide = shown.measure(theirs).maximum
    assert plainly([mine], width) == by_rich(theirs, wide)


@pytest.mark.parametrize("seed", range(50))
def test_sentences_texts_and_notes_are_those_of_a_console_of_rich(seed):
    rng = random.Random(seed)
    width = rng.randint(40, 120)
    few = FittedTable(("joint", "speed\nat", "torque"), ("torque", "speed\nat"), most=1)
    for _ in range(2):
        few.add_row(some_words(rng, 2), some_words(rng, 3), some_words(rng, 3))
    parts = [
        Text(some_words(rng, 40)).append("\nx\tafter", style="bold red"),
        label_sentence("warning", some_words(rng, 40), "yellow", rows=rng.choice([None, 2])),
        Text("control \x1b[31m characters \x07"),
        few,
    ]
    assert plainly(parts[:2] + parts[3:], width) == printed(parts[:2] + parts[3:], width)
    assert "\x1b" not in plainly(parts, width)
    line = some_words(rng, 60)
    out = io.StringIO()
    PlainOutput(out, width, unused, unused).print(line, markup=False)
    assert out.getvalue() == by_rich(line, width, markup=False)


def test_a_broken_sentence_keeps_the_styles_of_its_parts():
    text = Text("arm  ").append("answered", "bold green").append("   the largest load is 15.23 kg")
    lines = Sentence(text).lines(40)
    assert [line.plain for line in lines] == [
        "arm  answered   the largest load is",
        "         15.23 kg",
    ]
    assert [part for line in lines for part in line.parts if part[1]] == [
        ("answered", "bold green")
    ]


def test_what_rich_has_to_lay_out_is_laid_out_by_rich():
    out = io.StringIO()
    plain = PlainOutput(out, 60, lambda: Console(file=out, width=60, color_system=None), unused)
    plain.print("[bold]marked[/bold]")
    plain.print(RichText("a text of Rich"))
    plain.print("x" * 70, markup=False)
    assert out.getvalue() == f"marked\na text of Rich\n{'x' * 60}\n{'x' * 10}\n"


def test_a_file_of_ascii_has_rules_of_hyphens():
    table = FittedTable(("joint", "speed"))
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", errors="strict") as file:
        show(PlainOutput(file, 80, unused, unused), [table])
        file.flush()
        assert raw.getvalue().decode("ascii").splitlines()[2] == f" {'-' * 12} "


LISTED = "import sys; from sim.cli.command import status; status(['list']); assert {}"


@pytest.mark.parametrize(
    ("environment", "holds"),
    [({}, "'rich' not in sys.modules"), ({"FORCE_COLOR": "1"}, "'rich.console' in sys.modules")],
)
def test_rich_is_loaded_where_colours_are_shown(environment, holds):
    line = [sys.executable, "-c", LISTED.format(holds)]
    text = subprocess.check_output(line, env={"COLUMNS": "80"} | environment, text=True)
    assert "ur10_step" in text
    assert ("\x1b[1m" in text) == bool(environment)
