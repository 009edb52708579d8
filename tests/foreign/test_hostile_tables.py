"""Tables that claim all memory, never end, or count in thousands of digits: refused, at once."""

import os
import signal
import sys
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.io import savemat

from sim.errors import ForeignError
from sim.foreign import columnar, matlab, spreadsheet
from sim.foreign.naming import read_naming
from sim.foreign.reading import read_foreign
from sim.foreign.unit_names import factor_between, unit_named
from tests.helpers.foreign_files import req_text, res_text

MANY = "1" * 5000  # digits; Python reads 4300


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize("id_", [MANY, "0", "²", "1_0", "9" * 30])
def test_a_place_in_a_result_file_is_a_small_number(file, id_):
    with pytest.raises(ForeignError, match="has the id"):
        read_foreign(file("a.res", res_text().replace('id="5"', f'id="{id_}"')))


@pytest.mark.parametrize("id_", [MANY, "²"])
def test_the_id_of_a_request_is_a_small_number(file, id_):
    with pytest.raises(ForeignError, match="announces 2 requests, and 1 are named"):
        read_foreign(file("a.req", req_text().replace("101 1 4", f"{id_} 1 4")))


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.mat", "a.res"])
def test_what_is_no_file_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ForeignError, match="may never end"):
        read_foreign(tmp_path / name)


@pytest.mark.parametrize("power", [MANY, "99", "999999999"])
def test_a_power_of_a_unit_has_one_digit(power):
    with pytest.raises(ForeignError, match="is unknown"):
        unit_named(f"km^{power}")
    assert unit_named("km^2").factor == pytest.approx(1e6)


def test_a_unit_of_no_size_is_refused():
    units = "m*" + "*".join(["km^9/m^9"] * 12)
    with pytest.raises(ForeignError, match="no size that a number can hold"):
        factor_between(units, "m", "a column")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"start = {MANY}", "not TOML"),
        ("start = 1" + "0" * 400, "at most"),
        ("start = 0x" + "f" * 9000, "at most"),
        ("x = " + "[" * 100_000, "not TOML"),
    ],
)
def test_a_mapping_that_no_reader_takes_is_refused_in_one_line(file, text, words):
    with pytest.raises(ForeignError, match=words) as caught:
        read_naming(file("m.toml", text))
    assert len(str(caught.value).splitlines()) == 1


def test_a_sheet_with_a_cell_far_from_the_others_is_not_filled_up(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheet, "MOST_CELLS", 10_000)
    book = openpyxl.Workbook()
    sheet = book.active
    for place in ("A1", "CV1", "A5000"):  # 100 columns of 5000 rows
        sheet[place] = 1.0
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(ForeignError, match="100 columns in 5000 rows"):
        read_foreign(tmp_path / "a.xlsx")


def test_a_sheet_is_not_unpacked_beyond_what_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheet, "MOST_BYTES", 100_000)
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b" " * 10_000_000)
    assert (tmp_path / "a.xlsx").stat().st_size < 50_000
    with pytest.raises(ForeignError, match="unpacks to 10 MB"):
        read_foreign(tmp_path / "a.xlsx")


def test_a_column_of_millions_of_one_number_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "MOST_NUMBERS", 1_000_000)
    one = pa.DictionaryArray.from_arrays(np.zeros(600_000, dtype=np.int8), pa.array([1.0]))
    pq.write_table(pa.table({"t": one, "q": one}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 50_000
    with pytest.raises(ForeignError, match=r"2 columns of 600000 rows.*at most") as caught:
        read_foreign(tmp_path / "a.parquet")
    assert "cannot be read" not in str(caught.value)


def test_a_text_that_a_dictionary_repeats_is_not_unpacked(tmp_path):
    """20 kB in a million rows are 20 GB, and 7 kB on disk."""
    n = 1_000_000
    note = pa.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int32), pa.array(["x" * 20_000]))
    table = pa.table({"t": np.arange(float(n)), "note": note, "tau.elbow": np.zeros(n)})
    pq.write_table(table, tmp_path / "a.parquet", store_schema=False)
    before = pa.total_allocated_bytes()
    found = read_foreign(tmp_path / "a.parquet").columns
    assert [column.title for column in found] == ["t", "tau.elbow"]
    assert pa.default_memory_pool().max_memory() - before < 1e9


def test_a_part_of_a_struct_is_no_column(tmp_path):
    parts = pa.StructArray.from_arrays([pa.array(np.arange(5.0))] * 2, ["x", "y"])
    table = pa.table({"t": np.arange(5.0), "tool.x": np.arange(5.0), "tool": parts})
    pq.write_table(table, tmp_path / "a.parquet")
    assert [c.title for c in read_foreign(tmp_path / "a.parquet").columns] == ["t", "tool.x"]


def test_a_table_of_pandas_whose_index_is_no_number_is_read_without_it(tmp_path):
    table = pd.DataFrame({"t": np.arange(3.0), "q": 1.0}, index=list("abc"))
    table.to_parquet(tmp_path / "a.parquet")
    assert [c.title for c in read_foreign(tmp_path / "a.parquet").columns] == ["t", "q"]


def test_blank_rows_of_a_sheet_take_no_memory(tmp_path, monkeypatch):
    """Some programs write one for each row that was ever touched; rows keep their numbers."""
    book = openpyxl.Workbook()
    for row, values in {1: ["t", "q"], 2: [0, 1], 9: [1, 2], 200: [2, 3], 201: [3, None]}.items():
        for column, value in enumerate(values, 1):
            book.active.cell(row, column, value)
    book.save(tmp_path / "a.xlsx")
    table = read_foreign(tmp_path / "a.xlsx")
    assert list(table.places) == [2, 9, 200, 201]
    monkeypatch.setattr(spreadsheet, "MOST_ROWS", 200)
    with pytest.raises(ForeignError, match="has more than the 200 rows that a sheet can have"):
        read_foreign(tmp_path / "a.xlsx")


@pytest.mark.rotates(2)
@pytest.mark.parametrize("kind", ["f8", "u1"])
def test_millions_of_zeros_in_a_mat_file_are_not_unpacked(tmp_path, kind):
    """What each variable says of its size is read before any; small numbers take eight bytes."""
    savemat(tmp_path / "a.mat", {"q": np.zeros(50_000_000, dtype=kind)}, do_compression=True)
    assert (tmp_path / "a.mat").stat().st_size < 500_000
    with pytest.raises(ForeignError, match="it holds 50000000 numbers, and at most 40000000"):
        read_foreign(tmp_path / "a.mat")


def test_a_struct_in_a_mat_file_is_counted_too(tmp_path):
    content = {"s": {"q": np.zeros(50_000_000, dtype="u1")}}
    savemat(tmp_path / "a.mat", content, do_compression=True)
    with pytest.raises(ForeignError, match=r"holds 5000000\d numbers"):
        read_foreign(tmp_path / "a.mat")


@pytest.fixture
def mat(tmp_path):
    path = tmp_path / "a.mat"
    savemat(path, {"t": np.arange(5.0), "q": np.arange(5.0)})
    return path


def test_a_mat_file_that_crashes_its_reader_is_refused(mat):
    """The type of the first matrix's numbers, 9 for doubles, is one that SciPy looks up blindly."""
    data = bytearray(mat.read_bytes())
    place = data.index((9).to_bytes(4, "little") + (40).to_bytes(4, "little"))
    data[place : place + 4] = (200_000).to_bytes(4, "little")
    mat.write_bytes(data)
    with pytest.raises(ForeignError, match=r"cannot be read as a \.mat"):
        read_foreign(mat)


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (f"import os; os.kill(os.getpid(), {int(signal.SIGSEGV)})", "its reader crashes on it"),
        ("while True: pass", "no end in 0.5 s"),
        ("import sys; sys.stdout.write('bad tag'); sys.exit(9)", "file: bad tag"),
    ],
)
def test_what_becomes_of_the_trial_is_told(mat, monkeypatch, trial, words):
    monkeypatch.setattr(matlab, "_TRIAL", trial)
    monkeypatch.setattr(matlab, "PATIENCE", 0.5 if "while" in trial else 60.0)
    with pytest.raises(ForeignError, match=words):
        read_foreign(mat)


def test_where_no_trial_can_be_made_the_file_is_read(mat, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert len(read_foreign(mat).columns) == 2
