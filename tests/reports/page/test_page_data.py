from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.reports.page import data
from sim.reports.page.data import COARSE, FINE, curves, extremes, intervals, rounded
from tests.page_runs import bad_run, curves_of, good_run, judged, stretched
from tests.short_runs import spoiled, times_of


def read(found):
    return curves_of(found.meta, found.block)


def channel(found, name):
    return next(c for c in found.meta["channels"] if c["id"] == name)


def test_a_short_run_keeps_every_sample_to_float_precision():
    kept = read(curves(good_run()))
    for name in ("tau.elbow", "q.shoulder", "reaction.elbow.fz", "ke"):
        values = good_run().recorded[name].to_numpy()
        peak = np.abs(values).max()
        assert np.array_equal(kept[name]["samples"], np.arange(values.size))
        assert np.abs(kept[name]["recorded"] - values).max() <= 2 * FINE * peak
        error = values - good_run().analytic[name].to_numpy()
        assert np.abs(kept[name]["error"] - error).max() <= 2 * COARSE * np.abs(error).max() + 1e-30


def test_an_error_far_below_single_precision_is_still_there():
    model = good_run().recorded.assign(**{"tau.elbow": good_run().recorded["tau.elbow"] - 1e-9})
    error = read(curves(replace(good_run(), analytic=model)))["tau.elbow"]["error"]
    assert error == pytest.approx(1e-9, rel=1e-3)  # of a torque of 7.5 N·m


def test_thinning_keeps_the_extremes_and_every_failing_sample():
    long = stretched(bad_run(), 40)
    found = curves(long)
    kept = read(found)
    tau = kept["tau.elbow"]
    assert tau["samples"].size < 0.6 * len(long.recorded)
    values = long.recorded["tau.elbow"].to_numpy()
    limit = channel(found, "tau.elbow")["limit"]
    failing = np.flatnonzero(np.abs(values - long.analytic["tau.elbow"].to_numpy()) > limit)
    assert failing.size == 41 * 40
    assert set(failing) <= set(tau["samples"])
    for name in ("q.shoulder", "tau.shoulder", "ke"):
        values = long.recorded[name].to_numpy()
        step = 2 * FINE * np.abs(values).max()
        assert kept[name]["recorded"].max() == pytest.approx(values.max(), abs=step)
        assert kept[name]["recorded"].min() == pytest.approx(values.min(), abs=step)
        assert kept[name]["samples"][0] == 0
        assert kept[name]["samples"][-1] == values.size - 1


def test_where_too_many_samples_fail_their_rows_and_extremes_are_kept(monkeypatch):
    monkeypatch.setattr(data, "MOST_FAILING", 100)
    long = stretched(bad_run(), 40)
    kept = read(curves(long))["tau.elbow"]["samples"]
    starts = 301 * np.arange(40)
    for first, last in ((100, 139), (250, 250)):
        assert set(starts + first) | set(starts + last) <= set(kept)


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


@given(
    st.lists(st.floats(-1e30, 1e30, allow_subnormal=False), min_size=1),
    st.sampled_from([FINE, COARSE]),
)
def test_rounding_is_a_fraction_of_the_peak(values, fraction):
    y = np.array(values)
    assert np.abs(rounded(y, fraction) - y).max() <= fraction * np.abs(y).max()


def test_failing_times_are_rows_of_samples():
    t = np.arange(10) / 10
    bad = np.array([0, 1, 1, 0, 0, 1, 0, 0, 1, 1], dtype=bool)
    assert intervals(t, bad) == [[0.1, 0.2], [0.5, 0.5], [0.8, 0.9]]


def test_very_many_rows_are_joined_where_they_are_nearest():
    bad = np.arange(5000) % 3 == 0
    bad[2000:2500] = False
    rows = intervals(np.arange(5000.0), bad)
    assert len(rows) == data.MOST_INTERVALS
    assert rows[0][0] == 0
    assert rows[-1][1] == 4998
    assert any(a[1] < 2000 and b[0] >= 2500 for a, b in pairwise(rows))


def test_the_failing_channel_says_when_and_the_others_say_nothing():
    found = curves(bad_run())
    t = times_of(bad_run())
    assert channel(found, "tau.elbow")["fails"] == [[t[100], t[139]], [t[250], t[250]]]
    assert channel(found, "tau.shoulder")["fails"] == []


def test_values_that_are_no_numbers_fail_and_stay():
    run = judged(spoiled(good_run(), "tau.elbow", np.nan, 120))
    found = curves(run)
    assert [0.12, 0.12] in channel(found, "tau.elbow")["fails"]
    assert np.isnan(read(found)["tau.elbow"]["recorded"][120])


def test_another_run_is_kept_as_its_distance_from_this_one():
    other = replace(good_run(), recorded=good_run().recorded.assign(**{"tau.elbow": 1.5}))
    over = read(curves(good_run(), [other]))["tau.elbow"]["over"][0]
    wanted = 1.5 - good_run().recorded["tau.elbow"].to_numpy()
    assert np.abs(over - wanted).max() <= COARSE * np.abs(wanted).max()


def test_a_coarser_baseline_is_straight_between_its_samples_and_ends_where_it_ends():
    thin = replace(good_run(), recorded=good_run().recorded.iloc[:200:20])
    over = read(curves(good_run(), [thin]))["tau.elbow"]["over"][0]
    assert np.all(over[:181] == 0)
    assert np.isnan(over[181:]).all()


def test_uneven_times_are_sent_as_they_are():
    t = times_of(good_run()) ** 2
    tables = {}
    for name in ("recorded", "analytic"):
        table = getattr(good_run(), name).copy()
        table.index = t
        table.index.name = "t"
        tables[name] = table
    found = curves(replace(good_run(), **tables))
    start = found.meta["t"]["at"]
    planes = np.frombuffer(found.block, "u1", 8 * t.size, start).reshape(8, t.size)
    assert np.array_equal(np.ascontiguousarray(planes.T).view("<f8").ravel(), t)
