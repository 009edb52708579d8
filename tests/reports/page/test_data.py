from dataclasses import replace

import numpy as np
import pytest

from sim.checks import judge
from sim.reports.page import thinning
from sim.reports.page.data import COARSE, FINE, curves
from tests.helpers.page_runs import bad_run, curves_of, found_curves, good_run, judged, stretched
from tests.helpers.short_runs import spoiled, times_of
from tests.helpers.synthetic_runs import with_reference


def read(found):
    return curves_of(found.meta, found.block)


def channel(found, name):
    return next(one for one in found.meta.channels if one.id == name)


def test_a_short_run_keeps_every_sample_to_float_precision():
    kept = read(found_curves(good_run()))
    for name in ("tau.elbow", "q.shoulder", "reaction.elbow.fz", "ke"):
        values = good_run().recorded[name].to_numpy()
        peak = np.abs(values).max()
        assert np.array_equal(kept[name]["samples"], np.arange(values.size))
        assert np.abs(kept[name]["recorded"] - values).max() <= 2 * FINE * peak
        error = values - good_run().analytic[name].to_numpy()
        assert np.abs(kept[name]["error"] - error).max() <= 2 * COARSE * np.abs(error).max() + 1e-30


def test_an_error_far_below_single_precision_is_still_there():
    model = good_run().recorded.assign(**{"tau.elbow": good_run().recorded["tau.elbow"] - 1e-9})
    error = read(found_curves(replace(good_run(), analytic=model)))["tau.elbow"]["error"]
    assert error == pytest.approx(1e-9, rel=1e-3)  # of a torque of 7.5 N·m


def test_thinning_keeps_the_extremes_and_every_failing_sample():
    shown = stretched(bad_run(), 40)
    long, found = shown.recording, curves(shown.recording, shown.judgements)
    kept = read(found)
    tau = kept["tau.elbow"]
    assert tau["samples"].size < 0.6 * len(long.recorded)
    values = long.recorded["tau.elbow"].to_numpy()
    limit = channel(found, "tau.elbow").limit
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
    monkeypatch.setattr(thinning, "MOST_FAILING", 100)
    shown = stretched(bad_run(), 40)
    kept = read(curves(shown.recording, shown.judgements))["tau.elbow"]["samples"]
    starts = 301 * np.arange(40)
    for first, last in ((100, 139), (250, 250)):
        assert set(starts + first) | set(starts + last) <= set(kept)


def test_the_failing_channel_says_when_and_the_others_say_nothing():
    found = found_curves(bad_run())
    t = times_of(bad_run())
    assert channel(found, "tau.elbow").fails == [(t[100], t[139]), (t[250], t[250])]
    assert channel(found, "tau.shoulder").fails == []


def test_values_that_are_no_numbers_fail_and_stay():
    run = judged(spoiled(good_run(), "tau.elbow", np.nan, 120))
    found = found_curves(run)
    assert (0.12, 0.12) in channel(found, "tau.elbow").fails
    assert np.isnan(read(found)["tau.elbow"]["recorded"][120])


def test_another_run_is_kept_as_its_distance_from_this_one():
    other = replace(good_run(), recorded=good_run().recorded.assign(**{"tau.elbow": 1.5}))
    over = read(found_curves(good_run(), [other.recorded]))["tau.elbow"]["over"][0]
    wanted = 1.5 - good_run().recorded["tau.elbow"].to_numpy()
    assert np.abs(over - wanted).max() <= COARSE * np.abs(wanted).max()


def test_a_coarser_baseline_is_straight_between_its_samples_and_ends_where_it_ends():
    thin = replace(good_run(), recorded=good_run().recorded.iloc[:200:20])
    over = read(found_curves(good_run(), [thin.recorded]))["tau.elbow"]["over"][0]
    assert np.all(over[:181] == 0)
    assert np.isnan(over[181:]).all()


def test_uneven_times_are_sent_as_they_are():
    t = times_of(good_run()) ** 2
    tables = {}
    for name in ("recorded", "analytic", "cut_open"):
        table = getattr(good_run(), name).copy()
        table.index = table.index.to_numpy() ** 2
        table.index.name = "t"
        tables[name] = table
    found = found_curves(replace(good_run(), **tables))
    start = found.meta.t.at
    planes = np.frombuffer(found.block, "u1", 8 * t.size, start).reshape(8, t.size)
    assert np.array_equal(np.ascontiguousarray(planes.T).view("<f8").ravel(), t)


def test_the_reference_has_a_band_of_its_own_and_another_run_has_none():
    run = good_run()
    table = run.recorded[["tau.elbow"]]
    beside = with_reference(run, table, tolerances={"*": 0.25})
    found = curves(beside, judge(beside), [beside.reference, run.recorded], reference=0)
    elbow, shoulder = channel(found, "tau.elbow"), channel(found, "tau.shoulder")
    assert (elbow.over, elbow.over_limits) == ([0, 1], [0.25, None])
    assert (shoulder.over, shoulder.over_limits) == ([1], [None])


def test_what_a_step_of_a_kept_curve_can_explain_is_no_difference():
    run = good_run()
    step = 0.01  # [N·m]
    tau = run.recorded["tau.elbow"].to_numpy()
    kept = run.recorded.assign(**{"tau.elbow": step * np.round(tau / step)})
    assert np.abs(kept["tau.elbow"] - tau).max() > 0.4 * step
    drawn = curves(run, judge(run), [kept], slack=[{"tau.elbow": step / 2 * (1 + 1e-9)}])
    over = curves_of(drawn.meta, drawn.block)["tau.elbow"]["over"][0]
    assert np.all(over == 0)
    off = kept.assign(**{"tau.elbow": kept["tau.elbow"] + 1.0})
    drawn = curves(run, judge(run), [off], slack=[{"tau.elbow": step / 2}])
    over = curves_of(drawn.meta, drawn.block)["tau.elbow"]["over"][0]
    assert np.all(np.abs(over - 1.0) < 1.01 * step)
