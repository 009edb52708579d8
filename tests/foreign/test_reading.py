import pandas as pd
import pytest

from sim.errors import ForeignError
from sim.foreign.reading import READERS, is_foreign_file, read_foreign


def test_a_file_is_read_by_the_end_of_its_name_whatever_its_capitals(tmp_path):
    path = tmp_path / "A.CSV"
    path.write_text("t,q\n0,1\n1,2\n")
    assert [c.title for c in read_foreign(path).columns] == ["t", "q"]


@pytest.mark.parametrize("name", ["a.adm", "a.xls", "a.json", "a"])
def test_another_kind_is_refused_with_those_that_are_read(tmp_path, name):
    (tmp_path / name).write_text("1 2\n")
    with pytest.raises(ForeignError, match=r"\.csv, \.tsv.*\.res, \.req"):
        read_foreign(tmp_path / name)


def test_a_sheet_is_asked_for_in_a_spreadsheet_alone(tmp_path):
    (tmp_path / "a.csv").write_text("t,q\n0,1\n1,2\n")
    with pytest.raises(ForeignError, match="has no sheets"):
        read_foreign(tmp_path / "a.csv", "One")
    pd.DataFrame({"t": [0, 1], "q": [1, 2]}).to_excel(tmp_path / "a.xlsx", sheet_name="One")
    assert read_foreign(tmp_path / "a.xlsx", "One").source == "a.xlsx, sheet One"


def test_files_and_names_of_files_are_told_from_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run.csv").mkdir()
    (tmp_path / "odd").touch()
    assert is_foreign_file("missing.csv")
    assert is_foreign_file("odd")
    assert not any(map(is_foreign_file, ("run", "run.csv", "ur10_step", "no/such/run")))


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("data", [b"", b"\n", bytes(range(256)) * 40, "½ ♞\n".encode() * 9])
def test_no_rubbish_makes_a_reader_stumble(tmp_path, suffix, data):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    with pytest.raises(ForeignError) as caught:
        read_foreign(path)
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
