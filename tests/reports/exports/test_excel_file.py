from dataclasses import replace

import msgspec
import numpy as np
import pytest
from openpyxl import load_workbook

import sim
from sim.errors import RecordingError
from sim.reports.exports import exporting
from tests.helpers.short_runs import spoiled


def test_the_workbook_holds_table_channels_and_where_it_comes_from(run, tmp_path):
    path = sim.export(run, tmp_path / "a.xlsx", degrees=True, channels=["tool.*", "q.*"])
    book = load_workbook(path, read_only=True)
    assert book.sheetnames == ["recorded", "channels", "about"]
    titles, *rows = book["recorded"].iter_rows(values_only=True)
    assert titles == (
        "t [s]", "tool.x [m]", "tool.qx [1]", "tool.ax [m/s^2]", "q.arm [deg]", "q.slide [m]",
    )  # fmt: skip
    values = np.array(rows, dtype=float)
    digits = {"rtol": 6.2e-16, "atol": 0}  # half of the 16th digit, and rounding when read
    np.testing.assert_allclose(values[:, 0], run.t, **digits)
    np.testing.assert_allclose(values[:, 1], run.recorded["tool.x"], **digits)
    np.testing.assert_allclose(values[:, 4], np.degrees(run.recorded["q.arm"]), rtol=1e-15)
    channels = list(book["channels"].iter_rows(values_only=True))
    assert channels[3] == (
        "tool.ax", "m/s^2", "Tool", "a law of the model on the engine's motion",
    )  # fmt: skip
    assert ("scenario", "by hand") in list(book["about"].iter_rows(values_only=True))
    book.close()


def test_a_table_that_fits_on_no_sheet_is_refused_with_a_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setattr(exporting, "ROWS", 1001)
    with pytest.raises(RecordingError, match=r"1,001 rows, .* needs 2,002: .*--every 3"):
        sim.export(run, tmp_path / "a.xlsx")
    assert sim.export(run, tmp_path / "b.xlsx", every=3).is_file()
    monkeypatch.setattr(exporting, "COLUMNS", 5)
    with pytest.raises(RecordingError, match=r"5 columns, .* needs 9: .*--channels"):
        sim.export(run, tmp_path / "a.xlsx", every=3)
    assert not (tmp_path / "a.xlsx").exists()


@pytest.mark.rotates(2)
def test_a_text_is_a_text_whatever_it_begins_with(run, tmp_path):
    names = ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "#N/A"]
    for name in names:
        named = replace(run, run=msgspec.structs.replace(run.run, scenario=name))
        book = load_workbook(sim.export(named, tmp_path / "a.xlsx"))
        cells = [cell for sheet in book for row in sheet for cell in row]
        assert {cell.data_type for cell in cells} == {"s", "n"}
        assert name in [cell.value for cell in book["about"]["B"]]


def test_the_limits_are_those_of_excel():
    assert (exporting.ROWS, exporting.COLUMNS) == (2**20, 2**14)


def test_a_cell_cannot_hold_what_is_no_number(run, tmp_path):
    with pytest.raises(RecordingError, match=r"tau.arm is inf at t = 0.002 s, and a .xlsx file"):
        sim.export(spoiled(run, "tau.arm", np.inf, 2), tmp_path / "a.xlsx")
