"""Tables as text, written by hand and by pandas."""

import codecs

import numpy as np
import pandas as pd
import pytest

from sim.errors import ForeignError
from sim.foreign.reading import read_delimited
from tests.helpers.foreign_files import EXPORTED, PASTED

T = np.linspace(0, 1, 11)
TABLE = pd.DataFrame({"time": T, "q.elbow": np.sin(T) * 1e3, "tau.elbow": -np.cos(T) * 1e-3})


@pytest.fixture
def written(tmp_path):
    def write(content, name="a.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read(written):
    return lambda content, name="a.csv": read_delimited(written(content, name))


def titles(table):
    return [column.title for column in table.columns]


def values(table, k):
    return table.columns[k].values.tolist()


@pytest.mark.parametrize(
    ("sep", "decimal"), [(",", "."), *((sep, sign) for sep in ";\t " for sign in ".,")]
)
def test_delimiter_and_decimal_sign_are_found_out(read, sep, decimal):
    text = TABLE.to_csv(index=False, sep=sep, decimal=decimal)
    table = read(text)
    assert titles(table) == list(TABLE)
    for k, name in enumerate(TABLE):
        assert values(table, k) == TABLE[name].tolist()
    assert not any(column.fault for column in table.columns)


def test_quoted_decimal_commas_between_commas(read):
    table = read('t,q\n"0,0","1,5"\n"0,1","2,5"\n')
    assert (values(table, 0), values(table, 1)) == ([0.0, 0.1], [1.5, 2.5])


@pytest.mark.parametrize(
    ("title", "name", "unit"),
    [
        ("q [deg]", "q", "deg"),
        ("q (deg)", "q", "deg"),
        ("q / deg", "q", "deg"),
        ("q[deg/s^2]", "q", "deg/s^2"),
        ("q (N/A)", "q (N/A)", None),
        ("q [furlong]", "q", "furlong"),
        ("q []", "q", None),
        ("q (elbow)", "q (elbow)", None),
    ],
)
def test_a_title_may_tell_the_unit(read, title, name, unit):
    column = read(f"t,{title}\n0,1\n1,2\n").columns[1]
    assert (column.title, column.unit) == (name, unit)


def test_a_row_of_units_under_the_titles(read):
    table = read("Time;q elbow;tau elbow\n[s];[deg];[N*mm]\n0;1;2\n1;3;4\n")
    assert [(c.title, c.unit) for c in table.columns] == [
        ("Time", "s"), ("q elbow", "deg"), ("tau elbow", "N*mm"),
    ]  # fmt: skip


def test_titles_may_stand_in_a_remark(read):
    assert titles(read("# made by hand\n# t q tau\n0 1 2\n1 3 4\n")) == ["t", "q", "tau"]
    assert titles(read("% t, q\n0,1\n1,3\n")) == ["t", "q"]


def test_titles_with_units_between_blanks(read):
    table = read("t [s]   q.elbow [deg]\n0    1\n1    2\n")
    assert [(c.title, c.unit) for c in table.columns] == [("t", "s"), ("q.elbow", "deg")]


def test_a_table_exported_from_adams(read):
    table = read(EXPORTED, "a.tab")
    assert titles(table) == [f".cell.LC_4.drv_torque.{c}" for c in ("TIME", "FX", "TZ")]
    assert values(table, 0) == [13.0, 13.001, 13.002]
    assert values(table, 2) == [-165273.3, -165046.4, -164852.2]
    assert table.source == "a.tab (ADAMS)"
    assert table.place(1) == "line 9"


def test_a_table_pasted_from_plots(read):
    table = read(PASTED, "a.txt")
    assert titles(table) == ["Time", "q elbow", "Time", "tau elbow"]
    assert values(table, 0) == [0.0, 0.1, 0.2, 0.3]
    assert values(table, 3) == [10.25, 20.25, 30.25]
    assert not any(column.fault for column in table.columns)


@pytest.mark.parametrize(
    "data",
    [
        "t;Kraft\n0;1\n1;2\n".encode("utf-16"),
        "t;Kraft\n0;1\n1;2\n".encode("utf-16-le"),
        codecs.BOM_UTF8 + b"t;Kraft\r\n0;1\r\n1;2\r\n",
        b"t;Kraft\r0;1\r1;2\r",
        b"t;Kraft\n0;1\n1;2\n\x1a",
    ],
)
def test_encodings_and_line_ends(read, data):
    table = read(data)
    assert (titles(table), values(table, 1)) == (["t", "Kraft"], [1.0, 2.0])


def test_latin_1(read):
    assert titles(read("t;Länge [µm]\n0;1\n1;2\n".encode("latin-1"))) == ["t", "Länge"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02\xff" * 50, "is not text"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(32)) * 9, "is not text"),
        ("time,q,tau\n", "contains no table"),
        ("time,q\n0,1\n", "contains no table"),
        ("hello\nworld\n", "contains no table"),
        ("t,q\n0,1\n1,2\n2,3,4\n", "line 4 has 3 cells, and there are titles for 2"),
        ("\n\n \n", "contains no table"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(read, content, words):
    with pytest.raises(ForeignError, match=words) as caught:
        read(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("t,q,a\n0,1,1\n1,,1\n2,3,1\n", "is blank in line 3"),
        ("t,q,a\n0,1,1\n1,nan,1\n2,3,1\n", "'nan' in line 3"),
        ("t,q,a\n0,1,1\n1,-Inf,1\n2,3,1\n", "'-Inf' in line 3"),
        ("t,q,a\n0,1,1\n1,1e999,1\n2,3,1\n", "'1e999' in line 3"),
        ("t,q,a\n0,1,1\n1,#N/A,1\n2,3,1\n", "'#N/A' in line 3"),
        ("t,q,a\n0,1,1\n1,off,1\n2,3,1\n", "'off' in line 3"),
        ("t;q;a\n0;1,5;1\n1;1.5;1\n2;3;1\n", "decimal commas, and a decimal point in line 3"),
    ],
)
def test_a_fault_in_a_column_is_kept_until_the_column_is_asked_for(read, content, fault):
    columns = read(content).columns
    assert fault in columns[1].fault
    assert (columns[0].fault, columns[2].fault) == ("", "")


def test_a_missing_file_and_a_folder(tmp_path):
    for path, why in ((tmp_path / "none.csv", "does not exist"), (tmp_path, "cannot be read")):
        with pytest.raises(ForeignError, match=why):
            read_delimited(path)


def test_numbers_of_fortran(read):
    assert values(read("t q\n0.0D+00 1.5D-03\n1.0D+00 .25\n"), 1) == [1.5e-3, 0.25]


def test_remarks_with_numbers_in_them_are_no_table(read):
    table = read("Run,7\nSample,12\nt,q\n0,1\n1,2\n")
    assert (titles(table), values(table, 0)) == (["t", "q"], [0.0, 1.0])
