"""Benchmarks: turns of the contenders, their tables, and when a target is met."""

import math
import sys

import pytest

from benchmarks import kept, tables
from benchmarks.__main__ import SUBJECTS, main
from benchmarks.contest import (
    Contender,
    Part,
    Row,
    Settings,
    Subject,
    Target,
    process,
    ratio,
    seconds_of,
    turns,
)

ROWS = {"a": Row("a", 3.0, 2.0, 4.0, 3), "b": Row("b", 1.5, 1.0, 2.0, 3), "none": Row("none")}


def test_contenders_take_turns_and_another_one_begins_each_round():
    order = []
    contenders = [Contender(name, lambda name=name: order.append(name)) for name in "abc"]
    turns(contenders, Settings(rounds=4))
    assert "".join(order) == "abcbcacababc"


def test_a_row_has_the_median_of_a_piece_of_the_work_and_the_largest_memory():
    answers = iter([(8.0, 100.0), (2.0, 300.0), (4.0, 200.0)])
    one = Contender("one", lambda: next(answers), amount=2.0, error=1e-9, is_process=True)
    row = turns([one], Settings(rounds=3))["one"]
    assert (row.least, row.seconds, row.most) == (1.0, 2.0, 4.0)
    assert (row.megabytes, row.error, row.rounds) == (300.0, 1e-9, 3)


def test_a_contender_whose_package_is_missing_is_named():
    def never():
        raise AssertionError

    row = turns([Contender("peer", never, needs="no_such_package")], Settings(rounds=2))["peer"]
    assert row.seconds is None
    assert row.note == "absent: no_such_package cannot be imported"
    assert "| peer | absent: no_such_package cannot be imported |  |" in _markdown(row)


def test_time_is_that_of_the_processor():
    """A billion comparisons would be seconds; a sleep is nothing."""
    import time

    rows = turns([Contender("sleeps", lambda: time.sleep(0.2))], Settings(rounds=1))
    assert seconds_of(rows, "sleeps") < 0.1


def test_a_ratio_is_of_medians_and_none_where_one_is_absent():
    assert ratio(ROWS, "a", "b") == 2.0
    assert math.isnan(ratio(ROWS, "a", "none"))
    assert math.isnan(seconds_of(ROWS, "none"))


@pytest.mark.parametrize(
    ("reached", "at_least", "met"),
    [
        (1.0, False, True),
        (1.001, False, False),
        (1.0, True, True),
        (0.999, True, False),
        (math.nan, True, False),
        (math.nan, False, False),
        (math.inf, True, False),
        (None, False, False),
    ],
)
def test_a_figure_is_reached_within_its_bound(reached, at_least, met):
    target = Target("speed", reached, 1.0, "x", at_least)
    assert target.met is met
    text = _markdown(ROWS["a"], target)
    assert ("| yes |" in text) is met
    assert ("| **no** |" in text) is not met


def test_a_process_has_its_own_time_and_memory():
    work = "x = b'x' * 80_000_000; sum(range(3_000_000))"
    kept_here = b"y" * 300_000_000  # is none of the process's
    seconds, megabytes = process(sys.executable, "-c", work)
    assert kept_here
    assert seconds > 0.005
    assert 80 < megabytes < 200
    with pytest.raises(SystemExit, match="status"):
        process(sys.executable, "-c", "raise SystemExit(3)")
    process(sys.executable, "-c", "raise SystemExit(3)", accepted=(3,))


def test_what_is_kept_reads_back_and_its_plot_is_drawn(tmp_path):
    part = Part("p", (Row("sim, 2 ms", 1.0, 1.0, 1.0, 1, 1e-3),), "s", "error", "work-precision")
    subject = Subject("About.", (part,), (Target("t", 1.0, 2.0, "s"),))
    path = kept.keep(tmp_path, "trial", subject, Settings(1, quick=True))
    found = kept.read(path)
    assert found.subject == subject
    assert found.quick
    written = tables.write(tmp_path, found)
    assert [p.name for p in written] == ["trial.md", "trial_0.svg"]
    assert "figures below are not meaningful" in written[0].read_text(encoding="utf-8")
    assert written[1].read_text(encoding="utf-8").startswith("<?xml")
    assert "| trial | t |" in tables.write_targets(tmp_path).read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize(
    "words", [["no_such"], ["--rounds", "0"], ["--quick", "--out", "docs/benchmarks"]]
)
def test_what_cannot_be_measured_is_refused(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert words[-1] in capsys.readouterr().err
    assert len(SUBJECTS) == len(set(SUBJECTS))


def _markdown(row, *targets):
    subject = Subject("About.", (Part("part", (row,)),), targets)
    return tables.markdown(kept.Kept("trial", subject, {"python": "3"}, 1))


def test_rows_that_differ_in_a_step_or_a_tolerance_are_one_curve():
    names = ["sim, stepped 4 ms", "sim, ideal 1 ms", "MuJoCo RK4, 0.25 ms", "SciPy, rtol 1e-06"]
    families = [tables._family(Row(name)) for name in names]
    assert families == ["sim, stepped", "sim, ideal", "MuJoCo RK4", "SciPy"]
