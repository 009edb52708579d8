import math
from dataclasses import replace

import pytest

from sim.comparison import Difference, compare
from sim.reports.terminal.compared import _rules, comparison
from tests.helpers.short_runs import short_run, spoiled, with_settings
from tests.helpers.terminal_texts import line_of, printed

K = 130


@pytest.fixture(scope="module")
def good():
    return short_run().with_description(parameters={"load": 0.5})


def test_two_equal_runs_are_told_to_be_the_same(good):
    first = printed(comparison(compare(good, good), "swing against baseline")).splitlines()[0]
    count = len(good.recorded.columns) - 3  # estimates of two errors, and the singular value
    assert first == f"swing against baseline  same to the bit   {count} channels, 0 beyond limit"


def test_a_difference_is_told_with_channel_size_limit_and_times(good):
    changed = spoiled(spoiled(good, "tau.elbow", 0.5, K), "pe", 1.0, K + 50)
    text = printed(comparison(compare(changed, good), "swing against baseline", most=99))
    first = text.splitlines()[0]
    assert "  differs   " in first
    assert first.endswith("2 beyond limit; first at 0.13 s (tau.elbow)")
    line = line_of(text, "tau.elbow")
    assert "0.5 N·m" in line
    assert line.count("0.130 s") == 2
    assert "0.180 s" in line_of(text, "pe")
    assert " - " in line_of(text, "ke")
    assert "limit    1e-06 of the peak (default), and rounding: " in text


def test_what_both_methods_leave_is_one_line_however_many_channels_it_is_told_of():
    rules = [f"1e-06 of the peak (default) + {size} N (both methods)" for size in (0.1, 0.2)]
    ones = [Difference("x", 0.0, 1.0, "N", 0.0, None, True, rule) for rule in rules]
    told = list(_rules((*ones, replace(ones[0], rule="0.5 N (accepted)"))))
    both = "1e-06 of the peak (default) + discretisation of both methods: 2 channels"
    assert told == [both, "0.5 N (accepted): 1 channels"]


def test_only_the_worst_channels_are_shown(good):
    text = printed(comparison(compare(good, good), "x", most=3))
    assert len(text.strip().splitlines()) == 1 + 1 + 2 + 3 + 1 + 1


def test_channels_that_came_or_went_and_other_settings_are_told(good):
    less = replace(good, recorded=good.recorded.drop(columns=["tool.x", "pe"]))
    text = printed(comparison(compare(less, good), "x"))
    assert "missing  pe, tool.x" in text
    assert ", 0 beyond limit, 2 missing" in text.splitlines()[0]
    assert "new      pe, tool.x" in printed(comparison(compare(good, less), "x"))
    moon = with_settings(good, gravity=(0.0, 0.0, -1.62))
    text = printed(comparison(compare(moon, good), "x"))
    assert "input    gravity: 0.0 0.0 -9.81 → 0.0 0.0 -1.62 m/s²" in text


def test_an_infinite_difference_is_told(good):
    result = compare(spoiled(good, "tau.elbow", math.nan, K), good)
    assert "inf N·m" in line_of(printed(comparison(result, "x")), "tau.elbow")
