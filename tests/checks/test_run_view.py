import math

import numpy as np
import pandas as pd
import pytest

from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.errors import RecordingError
from tests.helpers.short_runs import spoiled
from tests.helpers.synthetic_runs import joint, recording

T = np.array([0.0, 0.5, 2.0, 3.0])
TABLE = pd.DataFrame({"tau.a": [1.0, math.inf, math.nan, -math.inf]}, index=pd.Index(T, name="t"))
JOINTS = (joint("a"), joint("b", mimic="a"), joint("c"))


def view(**facts):
    columns = {"tau.a": np.array([1.0, -3.0, 2.0, 0.0]), "tau.c": np.full(4, 7.0)}
    return RunView(recording(T, columns, *JOINTS, **facts))


def names(joints):
    return [joint.name for joint in joints]


def test_what_is_no_finite_number_reads_as_nan():
    np.testing.assert_array_equal(column(TABLE, "tau.a"), [1.0, np.nan, np.nan, np.nan])
    assert TABLE["tau.a"].iloc[1] == math.inf


def test_a_channel_that_is_not_there_is_named():
    with pytest.raises(RecordingError, match=r"no channel 'tau\.b'"):
        column(TABLE, "tau.b")
    with pytest.raises(RecordingError, match=r"no channel 'tau\.b'"):
        view().recorded_values("tau.b")


def test_each_table_is_read_by_its_name():
    seen = view(analytic={"tau.a": np.zeros(4)})
    assert seen.recorded_values("tau.a").tolist() == [1.0, -3.0, 2.0, 0.0]
    assert seen.analytic("tau.a").tolist() == [0.0, 0.0, 0.0, 0.0]
    assert column(seen.table(analytic=True), "tau.a").tolist() == [0.0, 0.0, 0.0, 0.0]
    assert seen.t.tolist() == T.tolist()


def test_channels_are_there_all_or_not():
    assert view().has("tau.a", "tau.c")
    assert not view().has("tau.a", "tau.b")


def test_joints_that_follow_are_not_moved_on_their_own():
    assert view().row_names == ("a", "c")
    assert names(view().joints) == ["a", "b", "c"]


@pytest.mark.parametrize("idle", ["free", "passive"])
def test_free_joints_and_passive_joints_of_closed_loops_are_not_driven(idle):
    run = view(**{idle: ("c",)}).run
    assert names(run.driven) == ["a"]
    assert names(run.robot.coordinates) == ["a", "c"]


def test_the_limits_are_those_of_the_method_at_its_step_with_its_free_joints():
    assert view(method="stepped").limits.tool == 1e-9
    assert view(method="stepped", free=("c",), dt=2e-3).limits.tool == pytest.approx(4e-3)


def test_peaks_are_magnitudes_of_the_model():
    peaks, highest = view().peaks("tau", ("a", "c"))
    assert (peaks, highest) == ({"a": 3.0, "c": 7.0}, 7.0)
    assert view().peaks("tau", ()) == ({}, 0.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("table", ["recorded", "analytic"])
def test_what_is_no_number_in_either_table_never_passes(value, table):
    run = spoiled(view().recording, "tau.a", value, 2, table)
    found = RunView(run).judge_agreement("torque", "tau.a", math.inf)
    assert (found.check.ok, found.check.at, found.check.used) == (False, T[2], None)
    assert math.isnan(found.check.worst)
    assert np.flatnonzero(found.failing_samples(T)).tolist() == [2]


def test_a_unit_that_nobody_has_told_is_one():
    assert view().unit("tau.a") == "N·m"
    assert view().unit("something.else") == "1"
