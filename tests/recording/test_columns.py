"""Tables without pandas: the same bytes, numbers and frames as with it."""

import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sim.recording.columns import ColumnTable, arrow_table, concatenate, numbers_of
from sim.recording.files.table_files import read_table, write_table
from sim.recording.held_tables import as_held, frames_when_read
from tests.cli.command_runs import process
from tests.helpers.command_scripts import write_swing

T = np.linspace(0.0, 1.0, 21)
HOLES = np.where(np.arange(T.size) % 3 == 1, np.nan, np.sin(T))
TABLE = ColumnTable(T, {"q.a": np.cos(T), "tau.a": HOLES, "qd.a": np.stack([T, T]).T[:, 1]})
UNITS = {"q.a": "rad", "tau.a": "N·m", "qd.a": "rad/s"}


def test_arrow_gets_what_pandas_would_give_it():
    wanted = pa.Table.from_pandas(TABLE.frame())
    found = arrow_table(TABLE)
    assert found.equals(wanted, check_metadata=True)
    assert found.schema.metadata == wanted.schema.metadata


def test_a_file_has_the_same_bytes_as_of_a_frame(tmp_path):
    write_table(tmp_path / "a", TABLE, UNITS, dict.fromkeys(UNITS, "engine"))
    write_table(tmp_path / "b", TABLE.frame(), UNITS, dict.fromkeys(UNITS, "engine"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "a").frame(), pd.read_parquet(tmp_path / "b"), check_exact=True
    )


@pytest.mark.parametrize(
    "chunks",
    [
        [pa.array([1.0, None, 3.0]), pa.array([None, 5.0]), pa.array([], pa.float64())],
        [pa.array([1.0, None, 3.0, None, 5.0]).slice(1, 3), pa.array([2.0])],
        [pa.array(np.arange(20.0)).slice(9, 7)],
        [pa.array([1, 2, 3]).slice(1), pa.array([4])],
        [pa.array([1, None, 3])],
        [pa.array([1.5, None], pa.float32())],
    ],
)
def test_numbers_of_a_column_are_those_that_arrow_gives_pandas(chunks):
    column = pa.chunked_array(chunks)
    found = numbers_of(column)
    np.testing.assert_array_equal(found, column.to_numpy())
    assert found.dtype == column.to_numpy().dtype
    assert found.flags.owndata
    assert found.flags.writeable


def test_it_is_read_as_a_frame_is():
    frame = TABLE.frame()
    assert list(TABLE) == TABLE.columns == list(frame.columns)
    assert len(TABLE) == len(frame)
    assert "q.a" in TABLE
    assert "q.b" not in TABLE
    np.testing.assert_array_equal(TABLE["tau.a"].to_numpy(), frame["tau.a"].to_numpy())
    np.testing.assert_array_equal(TABLE.index.to_numpy(), frame.index.to_numpy())
    wanted = frame[["qd.a", "q.a"]]
    np.testing.assert_array_equal(TABLE[["qd.a", "q.a"]].to_numpy(), wanted.to_numpy())
    parts = [TABLE.at_rows(slice(0, 8)), TABLE.at_rows(slice(8, None))]
    pd.testing.assert_frame_equal(concatenate(parts).frame(), frame, check_exact=True)
    pd.testing.assert_frame_equal(TABLE.at_rows(T > 0.3).frame(), frame.loc[T > 0.3])


@frames_when_read("table", "more")
@dataclass(frozen=True, eq=False)
class Holder:
    """Holds a table, and perhaps another one."""

    table: pd.DataFrame
    more: pd.DataFrame | None = None


def test_a_field_becomes_a_frame_once_it_is_read():
    holder = Holder(TABLE)
    assert as_held(holder, "table") is TABLE
    assert as_held(holder, "more") is None
    assert holder.more is None
    frame = holder.table
    assert isinstance(frame, pd.DataFrame)
    assert holder.table is as_held(holder, "table") is frame
    frame.loc[T[0], "q.a"] = 7.0
    assert as_held(holder, "table")["q.a"].to_numpy()[0] == 7.0


def test_a_run_with_its_page_never_imports_pandas(tmp_path):
    code = (
        "import sys\nfrom sim.cli.command import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n"
        "    print(end.code, 'pandas' in sys.modules, 'pyarrow.compute' in sys.modules)\n"
    )
    write_swing(tmp_path)
    command = (sys.executable, "-c", code, "run", "swing.py", "--set", "duration=0.05", "--json")
    done = process(*command, "--out", "run", cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "0 False False", done.stderr
    assert (tmp_path / "run" / "report.html").is_file()
