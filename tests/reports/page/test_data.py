from dataclasses import replace

import numpy as np
import pytest

from sim.checks import judge
from sim.reports.page import thinning
from sim.reports.page.data import curves
from tests.helpers.page_runs import bad_run, curves_of, found_curves, good_run, judged, stretched
from tests.helpers.short_runs import spoiled, times_of
from tests.helpers.synthetic_runs import with_reference


def read(found):
    return curves_of(found.meta, found.block)


def channel(found, name):
    return next(one for one in found.meta.channels if one.id == name)


def test_a_short_run_keeps_every_sample_within_a_tenth_of_what_is_allowed():
    found, run = found_curves(good_run()), good_run()
    kept = read(found)
    judged_ones = 0
    for one in found.meta.channels:
        if one.derived:
            continue
        values, model = (t[one.id].to_numpy() for t in (run.recorded, run.analytic))
        assert np.array_equal(kept[one.id]["samples"], np.arange(values.size))
        off = np.abs(kept[one.id]["recorded"] - values).max()
        off_error = np.abs(kept[one.id]["error"] - (values - model)).max()
        if one.limit is not None:
            judged_ones += 1
            assert off_error <= one.limit / 10
            assert off <= max(one.limit / 10, 2.0**-22 * np.abs(values).max())
        assert off <= max(1e-4 * np.ptp(values), 2.0**-22 * np.abs(values).max())
        assert off_error <= 1e-3 * np.abs(values - model).max()
    assert judged_ones > 20


def test_what_fails_by_far_is_kept_as_finely_as_what_passes():
    table = good_run().recorded.copy()
    table["tau.elbow"] += np.linspace(0, 1e5, len(table))
    run = judged(replace(good_run(), recorded=table))
    found = found_curves(run)
    error = (run.recorded["tau.elbow"] - run.analytic["tau.elbow"]).to_numpy()
    limit = channel(found, "tau.elbow").limit
    assert error.max() > 1e5 * limit
    kept = read(found)["tau.elbow"]
    assert np.abs(kept["error"] - error).max() <= limit / 10


def test_the_distance_from_a_baseline_is_kept_within_a_tenth_of_the_rule():
    run = good_run()
    other = run.recorded.assign(**{"tau.elbow": run.recorded["tau.elbow"] ** 3})
    drawn = curves(run, judge(run), [other], allowed={"tau.elbow": 1e-7})
    wanted = (other["tau.elbow"] - run.recorded["tau.elbow"]).to_numpy()
    over = read(drawn)["tau.elbow"]["over"][0]
    assert np.abs(over - wanted).max() <= 1e-8
    assert np.abs(wanted).max() > 1.0


def test_an_error_far_below_what_the_values_are_kept_to_is_still_there():
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
        step = 1e-4 * np.ptp(values)
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
    kept = read(found)["tau.elbow"]
    assert np.flatnonzero(np.isnan(kept["recorded"])).tolist() == [120]
    values = good_run().recorded["tau.elbow"].to_numpy()
    assert np.delete(kept["recorded"], 120) == pytest.approx(np.delete(values, 120), abs=1e-3)


def test_another_run_is_kept_as_its_distance_from_this_one():
    other = replace(good_run(), recorded=good_run().recorded.assign(**{"tau.elbow": 1.5}))
    over = read(found_curves(good_run(), [other.recorded]))["tau.elbow"]["over"][0]
    wanted = 1.5 - good_run().recorded["tau.elbow"].to_numpy()
    assert np.abs(over - wanted).max() <= 1e-3 * np.abs(wanted).max()


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
