from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.reports.page.thinning import MOST_INTERVALS, extremes, intervals


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300), st.integers(1, 40))
def test_each_bucket_keeps_its_lowest_and_highest(values, buckets):
    y = np.array(values)
    kept = extremes(y, buckets)
    width = -(-y.size // buckets)
    for start in range(0, y.size, width):
        inside = kept[(kept >= start) & (kept < start + width)]
        part = y[start : start + width]
        assert y[inside].max() == part.max()
        assert y[inside].min() == part.min()


def test_failing_times_are_rows_of_samples():
    t = np.arange(10) / 10
    bad = np.array([0, 1, 1, 0, 0, 1, 0, 0, 1, 1], dtype=bool)
    assert intervals(t, bad) == [(0.1, 0.2), (0.5, 0.5), (0.8, 0.9)]


def test_very_many_rows_are_joined_where_they_are_nearest():
    bad = np.arange(5000) % 3 == 0
    bad[2000:2500] = False
    rows = intervals(np.arange(5000.0), bad)
    assert len(rows) == MOST_INTERVALS
    assert rows[0][0] == 0
    assert rows[-1][1] == 4998
    assert any(a[1] < 2000 and b[0] >= 2500 for a, b in pairwise(rows))
