"""Ticks, labels and names of drawings."""

import numpy as np
import pytest

from sim.reports.svg.marks import middle_cut, spread_labels
from sim.reports.svg.scales import share_text, ticks


@pytest.mark.parametrize(
    ("low", "high"),
    [(0, 20), (0, 1.23), (0.1 + 0.2, 0.6), (-3e-7, 8e-7), (99.99999, 100.00001), (0, 3.7e9)],
)
def test_ticks_are_round_few_and_different(low, high):
    found = ticks(low, high, 5)
    words = [word for _, word in found]
    assert 2 <= len(words) == len(set(words)) <= 7
    assert max(map(len, words)) <= 10
    for value, word in found:
        assert float(word.replace("−", "-")) == pytest.approx(value, abs=1e-9 * (high - low))


@pytest.mark.parametrize(("low", "high", "most"), [(-1.035, 1.035, 2), (0.55, 1.45, 3), (0, 1, 2)])
def test_one_tick_alone_is_no_scale(low, high, most):
    assert 2 <= len(ticks(low, high, most)) <= 3


def test_labels_keep_their_gap_and_their_order():
    wanted = [100.0, 103.0, 20.0, 104.0, 299.0]
    found = spread_labels(wanted, 15, 300)
    assert np.diff(np.sort(found)).min() >= 15 - 1e-9
    assert np.argsort(found).tolist() == np.argsort(wanted).tolist()
    assert found.max() <= 300
    assert found[2] == 20.0
    assert np.mean(found[[0, 1, 3]]) == pytest.approx(np.mean([100, 103, 104]))


def test_long_names_differ_after_the_cut():
    cut = {middle_cut(f"{side}_shoulder_{end}", 14) for side in "lr" for end in ("pan", "lift")}
    assert len(cut) == 4


def test_a_share_without_a_number_is_beyond():
    assert share_text(float("inf")) == "beyond"
    assert share_text(1.004) == "100.4 %"
