import numpy as np
import pytest

from sim.errors import RecordingError
from sim.reports.exports.exported_table import plain_names, provenance_facts, table_for_export

PLAIN = {"analytic": False, "degrees": False, "millimetres": False, "every": 1}


def test_units_and_values_are_those_asked_for(run):
    shown = table_for_export(run, None, **{**PLAIN, "degrees": True, "millimetres": True})
    before, after = run.recorded, shown.table
    assert shown.titles == [
        "t [s]", "q.arm [deg]", "q.slide [mm]", "qd.arm [deg/s]", "tau.arm [N*m]", "tau.slide [N]",
        "tool.x [mm]", "tool.qx [1]", "tool.ax [mm/s^2]",
    ]  # fmt: skip
    np.testing.assert_allclose(after["q.arm"], np.degrees(before["q.arm"]), rtol=1e-15)
    np.testing.assert_array_equal(after["q.slide"], before["q.slide"] * 1000)
    np.testing.assert_array_equal(after["tool.ax"], before["tool.ax"] * 1000)
    for untouched in ("tau.arm", "tau.slide", "tool.qx"):
        np.testing.assert_array_equal(after[untouched], before[untouched])


def test_every_third_sample_from_the_first_on(run):
    shown = table_for_export(run, "q.*", **{**PLAIN, "every": 3})
    np.testing.assert_array_equal(shown.t, run.t[::3])
    np.testing.assert_array_equal(shown.table["q.arm"], run.recorded["q.arm"].to_numpy()[::3])


def test_the_models_table_is_taken_where_asked_for(run):
    shown = table_for_export(run, "q.arm", **{**PLAIN, "analytic": True})
    np.testing.assert_array_equal(shown.table["q.arm"], np.cos(run.t))
    assert shown.sources == {"q.arm": "the model"}
    assert shown.about["table"] == "analytic"


@pytest.mark.parametrize("every", [0, -1, 1.5, True])
def test_a_step_that_is_none_is_refused(run, every):
    with pytest.raises(RecordingError, match=r"every must be a whole number .* got"):
        table_for_export(run, None, **{**PLAIN, "every": every})


def test_a_table_says_which_run_it_is(run):
    facts = provenance_facts(run.with_description(folder="runs/here", seal="abc"))
    assert facts["scenario"] == "by hand"
    assert facts["run"] == "runs/here"
    assert facts["seal"] == "abc"
    assert (facts["method"], facts["step_s"]) == ("ideal", "0.001")


def test_plain_names_are_valid_short_and_differ():
    names = ["q.a-b", "q.a_b", "Q.a.b", "2nd", "T", "x" * 30, "x" * 31, "é"]
    plain = plain_names(names, 20, ["t"])
    assert plain == [
        "q_a_b", "q_a_b_2", "Q_a_b_3", "x_2nd", "T_2", "x" * 20, "x" * 18 + "_2", "x_",
    ]  # fmt: skip
    assert all(name.isidentifier() and name.isascii() for name in plain)
