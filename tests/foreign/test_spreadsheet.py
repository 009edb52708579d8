"""Sheets written by pandas and openpyxl."""

import numpy as np
import openpyxl
import pandas as pd
import pytest

from sim.errors import ForeignError
from sim.foreign.spreadsheet import read_spreadsheet

T = np.linspace(0, 1, 5)
TABLE = pd.DataFrame({"Time [s]": T, "q.elbow [deg]": np.sin(T)})


@pytest.fixture
def book(tmp_path):
    def write(**sheets):
        path = tmp_path / "a.xlsx"
        with pd.ExcelWriter(path, engine="openpyxl") as writer:
            for name, table in sheets.items():
                table.to_excel(writer, sheet_name=name, index=False)
        return path

    return write


def test_the_one_sheet_with_a_table_is_found(book):
    remarks = pd.DataFrame({"Remarks": ["made by hand", "twice"]})
    table = read_spreadsheet(book(Remarks=remarks, Data=TABLE))
    assert table.source == "a.xlsx, sheet Data"
    assert [(c.title, c.unit) for c in table.columns] == [("Time", "s"), ("q.elbow", "deg")]
    assert table.columns[1].values == pytest.approx(np.sin(T), rel=1e-15)


def test_a_title_in_two_lines_tells_its_unit_too(book):
    table = read_spreadsheet(
        book(Data=TABLE.set_axis(["Time\n[s]", "elbow\nangle\n(deg)"], axis=1))
    )
    found = [(c.title, c.unit) for c in table.columns]
    assert found == [("Time", "s"), ("elbow\nangle", "deg")]


def test_of_several_tables_one_must_be_chosen(book):
    path = book(Left=TABLE, Right=2 * TABLE)
    with pytest.raises(ForeignError, match=r"several sheets with tables: 'Left', 'Right'.*--sheet"):
        read_spreadsheet(path)
    assert read_spreadsheet(path, "Right").columns[0].values[-1] == 2.0
    with pytest.raises(ForeignError, match="no sheet 'Middle'; it has 'Left', 'Right'"):
        read_spreadsheet(path, "Middle")


def test_remarks_above_and_a_row_of_units(tmp_path):
    book = openpyxl.Workbook()
    for row in (
        ["Bench 3"],
        [],
        ["Zeit", "Drehmoment"],
        ["s", "N*mm"],
        [0, 1.5],
        [1, None],
        [2, 3],
    ):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    table = read_spreadsheet(tmp_path / "a.xlsx")
    assert [(c.title, c.unit) for c in table.columns] == [("Zeit", "s"), ("Drehmoment", "N*mm")]
    assert "blank in row 6" in table.columns[1].fault


@pytest.mark.parametrize("data", [b"", b"\0\1\2 rubbish", b"PK\3\4 no zip", b"t,q\n0,1\n1,2\n"])
def test_what_is_no_sheet_is_refused(tmp_path, data):
    path = tmp_path / "a.xlsx"
    path.write_bytes(data)
    with pytest.raises(ForeignError, match=r"a\.xlsx") as caught:
        read_spreadsheet(path)
    assert "\n" not in str(caught.value)


def test_a_book_without_numbers(book):
    with pytest.raises(ForeignError, match="no sheet with a table of numbers: 'Only'"):
        read_spreadsheet(book(Only=pd.DataFrame({"a": ["x"]})))
