import numpy as np
import pytest
from scipy.io import loadmat

import sim
from sim.errors import RecordingError
from sim.reports.exports import exporting
from tests.helpers.synthetic_runs import joint, recording


def test_structs_hold_columns_units_and_the_names_of_the_run(run, tmp_path):
    path = sim.export(run, tmp_path / "a.mat", millimetres=True)
    found = loadmat(path, simplify_cells=True)
    fields = dict(zip(found["channels"].values(), found["channels"], strict=True))
    assert next(iter(fields)) == "t"
    assert list(fields)[1:] == list(run.recorded)
    assert list(found["run"]) == list(found["units"]) == list(found["channels"])
    np.testing.assert_array_equal(found["run"]["t"], run.t)
    for name in ("q.arm", "tau.arm", "tau.slide", "tool.qx"):
        np.testing.assert_array_equal(found["run"][fields[name]], run.recorded[name])
    np.testing.assert_array_equal(found["run"]["q_slide"], run.recorded["q.slide"] * 1000)
    assert found["units"]["q_slide"] == "mm"
    assert found["units"]["tool_ax"] == "mm/s^2"
    assert found["about"]["scenario"] == "by hand"
    assert loadmat(path)["run"]["t"][0, 0].shape == (2001, 1)  # columns


def test_long_names_are_cut_and_stay_apart(tmp_path):
    t = np.linspace(0.0, 1.0, 5)
    names = [f"reaction.{'very_' * 12}long_joint_{k}.fx" for k in range(3)]
    names.append("t.")  # not the times
    path = sim.export(
        recording(t, {name: t + k for k, name in enumerate(names)}, joint("a")), tmp_path / "a.mat"
    )
    found = loadmat(path, simplify_cells=True)
    assert list(found["channels"].values())[1:] == names
    for k, field in enumerate(list(found["channels"])[1:]):
        assert len(field) <= 63
        np.testing.assert_array_equal(found["run"][field], t + k)


def test_a_table_too_large_for_the_format_is_refused(run, tmp_path, monkeypatch):
    assert exporting.BYTES == 2**31 - 1
    monkeypatch.setattr(exporting, "BYTES", 1000)
    with pytest.raises(RecordingError, match=r"1,000 bytes, .*--every N"):
        sim.export(run, tmp_path / "a.mat")
    assert list(tmp_path.iterdir()) == []
