import numpy as np
import pandas as pd
import pytest

from sim.errors import ForeignError
from sim.foreign.columnar import read_columnar
from sim.recording.files.table_files import write_table

T = np.linspace(0, 1, 5)


def test_units_stand_in_the_metadata_of_our_own_tables(tmp_path):
    table = pd.DataFrame({"tau.elbow": T}, index=pd.Index(T, name="t"))
    write_table(tmp_path / "a.parquet", table, {"tau.elbow": "N·m"})
    found = read_columnar(tmp_path / "a.parquet").columns
    assert {(c.title, c.unit) for c in found} == {("t", "s"), ("tau.elbow", "N·m")}


def test_a_table_of_pandas_with_columns_of_any_kind(tmp_path):
    table = pd.DataFrame(
        {"time": T, "q [deg]": T.astype("f4"), "state": list("abcde"), "n": range(5)}
    )
    table.to_parquet(tmp_path / "a.parquet")
    found = {c.title: c for c in read_columnar(tmp_path / "a.parquet").columns}
    assert list(found) == ["time", "q", "n"]
    assert found["q"].unit == "deg"


@pytest.mark.parametrize("data", [b"", b"PAR1 rubbish PAR1", b"t,q\n0,1\n"])
def test_what_is_no_parquet_is_refused(tmp_path, data):
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(ForeignError, match=r"a\.parquet"):
        read_columnar(tmp_path / "a.parquet")


def test_a_table_without_numbers(tmp_path):
    pd.DataFrame({"a": ["x"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ForeignError, match="no column of numbers"):
        read_columnar(tmp_path / "a.parquet")
