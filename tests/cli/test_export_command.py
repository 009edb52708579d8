import pandas as pd
import pytest

from tests.helpers.adams_dataset import statements
from tests.helpers.short_runs import short_run


@pytest.fixture
def exporting(sim_command, tmp_path):
    """The command, in a folder with a run."""
    (tmp_path / "run").mkdir()
    short_run().write(tmp_path / "run")
    return sim_command


def test_a_table_is_written_as_asked_for(exporting, tmp_path):
    done = exporting(
        "export", "run", "a.csv", "--channels", "q.*", "tool.x", "--degrees", "--millimetres",
        "--every", "10", "--analytic",
    )  # fmt: skip
    assert (done.status, done.err) == (0, "")
    size = (tmp_path / "a.csv").stat().st_size
    assert done.out == f"export   a.csv, {size:,} bytes\n"
    table = pd.read_csv(tmp_path / "a.csv")
    assert list(table) == ["t [s]", "q.shoulder [deg]", "q.elbow [deg]", "tool.x [mm]"]
    assert len(table) == 31
    assert table["q.shoulder [deg]"].iloc[-1] == pytest.approx(15.0, abs=1e-9)


def test_drives_are_written_as_adams_text(exporting, tmp_path):
    assert exporting("export", "run", "drives.adm", "--drives").status == 0
    assert set(statements((tmp_path / "drives.adm").read_text())) == {"MOTION/1", "MOTION/2"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing", "a.csv"), "no run 'nothing'"),
        (("run", "a.txt"), "one of .csv, .xlsx"),
        (("run", "no/a.csv"), "no is not a folder"),
        (("run", "a.csv", "--channels", "tua.*"), "the nearest are tau.*"),
        (("run", "a.csv", "--every", "0"), "from 1 on"),
        (("run", "a.csv", "--every", "x"), "invalid int value"),
        (("run", "run/recording.parquet"), "it is a file of the run"),
        (("run", "a.adm", "--every", "2"), "apply to tables only"),
        (("run", "a.csv", "--drives"), "drives are exported as ADAMS text"),
        (("run",), "required: FILE"),
    ],
)
def test_what_cannot_be_exported_is_one_line_and_leaves_nothing(
    exporting, tmp_path, arguments, words
):
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    failed = exporting("export", *arguments)
    assert failed.status == 2
    assert words in failed.err
    assert len(failed.err.splitlines()) == 1
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
