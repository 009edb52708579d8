import math

import pytest

from sim.showing.shares import percent, share_text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.0, "0 %"), (0.154, "15 %"), (9.99, "999 %"), (10.0, "10 ×"), (1.178e6, "1.18e+06 ×"),
     (math.inf, "∞"), (math.nan, "no number")],
)  # fmt: skip
def test_a_ratio_is_told_in_percent_and_from_tenfold_on_as_a_multiple(ratio, text):
    assert percent(ratio) == text


@pytest.mark.parametrize(
    ("used", "text"), [(0.001, "< 1 %"), (0.9998, "99.98 %"), (1.004, "100.4 %"), (101.0, "101 ×")]
)
def test_a_share_near_its_limit_tells_the_side(used, text):
    assert share_text(used) == text


def test_a_share_just_below_zero_is_zero():
    assert percent(-1e-12) == "0 %"
