"""`sim compare RUN FILE` and `sim run --reference FILE`, from the command line to the verdict."""

import contextlib
import shutil

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import CubicSpline
from scipy.io import savemat

from sim.cli import foreign_comparison
from sim.cli.command import status
from sim.recording import Recording
from sim.reference import FOREIGN_RTOL
from tests.helpers.command_scripts import write_swing
from tests.helpers.foreign_files import res_text

T = np.arange(0.0, 0.0995, 1 / 1440)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the run ``there``."""
    folder = tmp_path_factory.mktemp("made")
    write_swing(folder)
    with contextlib.chdir(folder):
        assert status(["run", "swing.py", "--no-report", "--out", "there"]) == 0
    return folder


@pytest.fixture
def there(made, tmp_path):
    """A folder with a run in it, in which commands run."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def export(folder, scale=1.0, late=0.0, t=T):
    """The run as another program would print it: degrees and N·mm, at other times."""
    run = Recording.read(folder / "there")
    columns = {"Time": t + late}
    for channel, title, factor in (
        ("q.elbow", "Angle elbow [deg]", 180 / np.pi),
        ("tau.shoulder", "Torque shoulder [N*mm]", 1e3),
        ("tau.elbow", "Torque elbow [N*mm]", scale * 1e3),
    ):
        columns[title] = CubicSpline(run.t, run.recorded[channel])(t) * factor
    return pd.DataFrame(columns)


def write_csv(folder, **changes):
    export(folder, **changes).to_csv(folder / "theirs.csv", index=False, float_format="%.9g")


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "mat", "parquet"])
def test_a_run_exported_in_other_units_at_other_times_is_the_same(there, sim_command, kind):
    table, options = export(there), []
    path = there / f"theirs.{kind}"
    if kind in ("csv", "tsv"):
        table.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",", float_format="%.9g")
    elif kind == "xlsx":
        table.to_excel(path, index=False)
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        short = {"Time": "time", "Angle elbow [deg]": "a", "Torque elbow [N*mm]": "b"}
        savemat(path, {name: table[title].to_numpy() for title, name in short.items()})
        options = ["--map", "a=q.elbow", "--unit", "a=deg", "--map", "b=tau.elbow",
                   "--unit", "b=N*mm"]  # fmt: skip
    done = sim_command("compare", "there", path.name, *options)
    assert (done.status, done.err) == (0, "")
    assert " inside tolerance " in done.out


def test_a_torque_that_is_one_percent_wrong_differs_and_is_named(there, sim_command):
    write_csv(there, scale=1.01)
    done = sim_command("compare", "there", "theirs.csv", "--json")
    beyond = [d["channel"] for d in done.document["differences"] if not d["ok"]]
    assert (done.status, beyond) == (1, ["tau.elbow"])
    assert sim_command("compare", "there", "theirs.csv", "--rtol", "0.02").status == 0


def test_a_mass_that_is_wrong_differs_in_the_torques_it_loads(there, sim_command):
    write_csv(there)
    sim_command("run", "swing.py", "--no-report", "--set", "load=0.55", "--out", "heavy")
    done = sim_command("compare", "heavy", "theirs.csv", "--json")
    found = {d["channel"]: d["ok"] for d in done.document["differences"]}
    assert done.status == 1
    assert found == {"tau.shoulder": False, "tau.elbow": False, "q.elbow": True}


def test_a_start_time_is_measured_told_and_obeyed(there, sim_command):
    write_csv(there, late=0.01)
    done = sim_command("compare", "there", "theirs.csv")
    assert done.status == 1
    assert "the external curves are 10 ms later than the run; --start 0.01 removes it" in done.out
    assert sim_command("compare", "there", "theirs.csv", "--start", "0.01").status == 0


def test_a_mapping_file(there, sim_command):
    table = export(there, late=5.0).iloc[:, [0, 3]]
    table.columns = ["clock", "M 2"]
    (-table).assign(clock=table["clock"]).to_csv(there / "theirs.csv", index=False)
    names = 'start = 5\n[channels]\nclock = "t"\n"M 2" = "-tau.elbow"\n[units]\n"M 2" = "N*mm"\n'
    (there / "names.toml").write_text(names)
    done = sim_command("compare", "there", "theirs.csv", "--mapping", "names.toml")
    assert (done.status, done.err) == (0, "")
    assert "tau.elbow = '-M 2'" in done.out


def test_a_result_file_of_adams(there, sim_command):
    (there / "fall.res").write_text(res_text())
    done = sim_command("compare", "there", "fall.res", "--map", "BALL_XFORM.Y=tool.y", "--json")
    assert done.status == 1  # an arm does not fall
    (one,) = done.document["differences"]
    assert one["worst"] == pytest.approx(386.0885827 * 0.05**2 / 2 * 0.0254, rel=1e-6)


BAD = {
    "empty.csv": "",
    "rubbish.csv": "\x01\x02\x03" * 99,
    "header.csv": "time,q.elbow\n",
    "timeless.csv": "a,q.elbow\n0,1\n1,2\n",
    "twice.csv": "t,q.elbow,angle elbow\n0,1,1\n0.1,2,2\n",
    "unit.csv": "t,q.elbow [furlong]\n0,1\n0.1,2\n",
    "mass.csv": "t,q.elbow [kg]\n0,1\n0.1,2\n",
    "back.csv": "t,q.elbow\n0,1\n0.1,2\n0.05,3\n",
    "blank.csv": "t,q.elbow,x\n0,1,1\n0.05,,1\n0.1,3,1\n",
    "nan.csv": "t,q.elbow,x\n0,1,1\n0.05,nan,1\n0.1,3,1\n",
    "ragged.csv": "t,q.elbow\n0,1\n0.1,2,3\n0.2,3\n",
    "late.csv": "t,q.elbow\n10,1\n11,2\n",
    "none.csv": "t,a,b\n0,1,2\n0.1,2,3\n",
    "bomb.res": '<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>',
    "cut.res": "<Results><Analysis>",
    "new.mat": "MATLAB 7.3 MAT-file",
    "odd.json": "{}",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_in_one_line(there, sim_command, name):
    (there / name).write_text(BAD[name])
    done = sim_command("compare", "there", name)
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert name in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["missing.csv"], "missing.csv does not exist"),
        (["theirs.csv", "--map", "nothing=q.elbow"], "names a column 'nothing'"),
        (["theirs.csv", "--map", "Time=q.elbw"], "no channel 'q.elbw'; near: q.elbow"),
        (["theirs.csv", "--map", "Time"], "--map takes theirs=ours"),
        (["theirs.csv", "--unit", "nothing=deg"], "--unit names a column"),
        (["theirs.csv", "--unit", "Angle elbow=N"], "'N' is not of the same quantity as 'rad'"),
        (["theirs.csv", "--mapping", "none.toml"], "none.toml does not exist"),
        (["theirs.csv", "--rtol", "0"], "must be a positive number"),
        (["theirs.csv", "--rtol", "nan"], "must be a positive number"),
        (["theirs.csv", "--start", "inf"], "finite number"),
        (["theirs.csv", "--start", "9"], "no time in common"),
        (["theirs.csv", "--sheet", "x"], "has no sheets"),
        (["there", "--map", "a=b"], "--map is for a FILE"),
    ],
)
def test_options_that_fit_nothing_are_refused_in_one_line(there, sim_command, options, words):
    write_csv(there)
    done = sim_command("compare", "there", *options)
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert words in done.err


# sim run --reference


def test_a_run_is_judged_by_a_file_and_can_be_judged_again(there, sim_command):
    write_csv(there)
    done = sim_command("run", "swing.py", "--reference", "theirs.csv", "--no-report", "--out", "x",
                       "--json")  # fmt: skip
    assert done.status == 0
    judged = [c["channel"] for c in done.document["checks"] if c["name"] == "reference"]
    assert sorted(judged) == ["q.elbow", "tau.elbow", "tau.shoulder"]
    assert done.document["reference"]["source"].startswith("theirs.csv")
    assert any("in N*mm: tau.shoulder" in note for note in done.document["notes"])
    assert sim_command("check", "x").status == 0


def test_a_wrong_reference_fails_the_run(there, sim_command):
    write_csv(there, scale=1.01)
    done = sim_command("run", "swing.py", "--reference", "theirs.csv", "--no-report", "--out", "x",
                       "--json")  # fmt: skip
    failed = {c["channel"] for c in done.document["checks"] if not c["ok"]}
    assert (done.status, failed) == (1, {"tau.elbow"})


def test_the_reference_is_on_the_page(there, sim_command):
    write_csv(there)
    sim_command("run", "swing.py", "--reference", "theirs.csv", "--out", "x")
    assert "theirs.csv" in (there / "x" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["swing.py", "--reference", "none.csv"], "none.csv does not exist"),
        (["swing.py", "--map", "a=b"], "--map requires --reference FILE"),
        (["swing.py", "two_link", "--reference", "theirs.csv"], "applies to one scenario"),
        (["swing.py", "--reference", "theirs.csv", "--map", "x=q.elbow"], "names a column 'x'"),
    ],
)
def test_a_reference_that_cannot_be_used_leaves_no_run(there, sim_command, options, words):
    write_csv(there)
    done = sim_command("run", *options, "--no-report", "--out", "x")
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert words in done.err
    assert not (there / "x").exists()


def test_the_default_in_the_help_is_the_librarys():
    assert foreign_comparison.RTOL == FOREIGN_RTOL
