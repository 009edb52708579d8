import csv
import io
import re

import numpy as np
import pandas as pd
import pytest

import sim
from sim.errors import RecordingError
from tests.helpers.short_runs import spoiled


def read(path, delimiter):
    """Titles and numbers, by a reader that knows nothing of the writer."""
    titles, *rows = csv.reader(io.StringIO(path.read_text("utf-8")), delimiter=delimiter)
    return titles, np.array([[float(word) for word in row] for row in rows])


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.tab", "\t")])
def test_every_number_comes_back_to_the_last_bit(run, tmp_path, name, delimiter):
    titles, values = read(sim.export(run, tmp_path / name), delimiter)
    np.testing.assert_array_equal(values[:, 0], run.t)
    np.testing.assert_array_equal(values[:, 1:], run.recorded.to_numpy())
    assert len(titles) == 1 + run.recorded.shape[1]


def test_pandas_reads_the_csv_without_being_told_anything(run, tmp_path):
    table = pd.read_csv(sim.export(run, tmp_path / "a.csv"), index_col=0)
    assert table.index.name == "t [s]"
    assert list(table)[:3] == ["q.arm [rad]", "q.slide [m]", "qd.arm [rad/s]"]
    # older versions of pandas read the last digit wrongly
    np.testing.assert_allclose(table.to_numpy(), run.recorded.to_numpy(), rtol=4e-16)


def test_what_is_no_number_is_said_in_a_csv_and_refused_for_adams(run, tmp_path):
    bad = spoiled(spoiled(run, "q.arm", np.nan, 4), "tau.arm", np.inf, 5)
    _, values = read(sim.export(bad, tmp_path / "a.csv"), ",")
    assert np.isnan(values[4, 1])
    assert values[5, 4] == np.inf
    with pytest.raises(RecordingError, match=r"q.arm is nan at t = 0.004 s, and a .tab file"):
        sim.export(bad, tmp_path / "a.tab")
    assert not (tmp_path / "a.tab").exists()


def test_the_titles_of_a_tab_are_names_that_adams_takes(run, tmp_path):
    path = sim.export(run, tmp_path / "a.tab", degrees=True, millimetres=True)
    first, second = path.read_text("ascii").splitlines()[:2]
    titles = first.split("\t")
    assert all(re.fullmatch(r'"[A-Za-z]\w*"', title) for title in titles)
    assert [title.strip('"') for title in titles] == [
        "TIME", "q_arm_deg", "q_slide_mm", "qd_arm_deg_per_s", "tau_arm_Nm", "tau_slide_N",
        "tool_x_mm", "tool_qx", "tool_ax_mm_per_s2",
    ]  # fmt: skip
    assert second[0] in "-.0123456789"  # ADAMS takes a line that begins so as numbers
