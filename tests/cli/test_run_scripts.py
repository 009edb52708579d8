import json
import os
import re
import sys
from pathlib import Path

import pytest

from sim.cli import command, run_scripts
from sim.maths import pieces
from sim.recording import Recording
from sim.recording.files import table_files
from sim.recording.files.table_files import StoredTable
from sim.reports.page.glb_scene import GlbScene
from tests.cli.command_runs import FAST, SIM, process, runs
from tests.helpers.command_scripts import URDF, write_swing

BOX = '<box size="0.05 0.05 0.5"/>'
LOST = URDF.replace(BOX, '<mesh filename="../lost/arm.obj"/>')


def test_a_script_run_by_python_does_what_sim_run_does(swing):
    arguments = ("--json", "--no-report", "--set", "load=1.5", "--method", "ideal", "--dt", "0.002")
    alone = process(sys.executable, "swing.py", *arguments, cwd=swing)
    by_sim = process(*SIM, "run", "swing.py", *arguments, cwd=swing)
    assert (alone.returncode, alone.stderr) == (by_sim.returncode, by_sim.stderr) == (0, "")
    mine, theirs = json.loads(alone.stdout), json.loads(by_sim.stdout)
    infos = [json.loads((swing / d["run"] / "run.json").read_text("utf-8")) for d in (mine, theirs)]
    assert infos[0]["files"] == infos[1]["files"]  # the tables, bit by bit
    for info in (mine, theirs):
        del info["run"], info["provenance"]["created"], info["provenance"]["command"], info["seal"]
        del info["provenance"]["cpu"]
    assert mine == theirs
    assert len(runs(swing)) == 2


def test_a_script_by_itself_fails_as_the_command_does(swing):
    write_swing(swing, drives=FAST)
    done = process(sys.executable, "swing.py", "--no-report", cwd=swing)
    assert done.returncode == 1
    done = process(sys.executable, "swing.py", "--set", "mass=1", cwd=swing)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sim: Scenario 'swing' has no parameter 'mass'")


def test_a_function_without_a_file_cannot_be_a_script():
    namespace = {}
    exec("def scenario(): pass", namespace)
    with pytest.raises(SystemExit) as leaving:
        command.main(namespace["scenario"], [])
    assert leaving.value.code == 2


def test_two_scenarios_of_one_name_are_not_written_over_each_other(sim_command, swing):
    (swing / "deep").mkdir()
    write_swing(swing / "deep")
    done = sim_command("run", "swing.py", "deep/swing.py", "--no-report", "--out", "all")
    assert done.status == 2
    assert "'swing' is named twice" in done.err
    assert not (swing / "all").exists()


def test_a_run_without_report_needs_no_mesh(sim_command, tmp_path):
    assert BOX in URDF
    write_swing(tmp_path, urdf=LOST)
    outcome = sim_command("run", "swing.py", "--no-report", "--json")
    assert outcome.status == 0, outcome.err
    assert outcome.document["verdict"] == "pass"


def test_a_missing_mesh_is_named_and_the_page_shows_a_box(sim_command, tmp_path, caplog):
    write_swing(tmp_path, urdf=LOST)
    outcome = sim_command("run", "swing.py", "--out", "run")
    assert outcome.status == 0, outcome.err
    assert "link 'upper_arm': mesh '../lost/arm.obj' does not exist; tried" in caplog.text
    notes = GlbScene.beside(tmp_path / "run").facts.notes
    assert any("mesh '../lost/arm.obj' does not exist; a box of" in note for note in notes)


@pytest.mark.parametrize(("end", "status"), [("0", "0"), ("", "None"), ("'no'", "no")])
def test_a_script_that_ends_the_program_is_no_success(sim_command, swing, end, status):
    """And in the function it is no success either; nothing is run and nothing written."""
    (swing / "gone.py").write_text(f"import sys\nsys.exit({end})\n", encoding="utf-8")
    inside = f"import sys\ndef scenario():\n    sys.exit({end})\n"
    (swing / "inside.py").write_text(inside, encoding="utf-8")
    for name, line in (("gone.py", 2), ("inside.py", 3)):
        done = sim_command("run", name, "swing.py", "--no-report")
        assert (done.status, done.out) == (2, "")
        assert f"{name}, line {line}: the script ends the program (SystemExit {status})" in done.err
        assert done.err.count("\n") == 1
    assert not (swing / "results").exists()


@pytest.mark.parametrize("indented", [False, True])
def test_a_script_that_dies_gives_no_verdict(sim_command, swing, indented):
    """Exit 1 is one: whatever a script raises, though it is no Exception, ends with 2."""
    head = "class Died(BaseException): pass\n" + ("def scenario():\n" if indented else "if True:\n")
    (swing / "dies.py").write_text(f"{head}    raise Died('no more')\n", encoding="utf-8")
    done = sim_command("run", "dies.py", "--no-report")
    assert (done.status, done.out) == (2, "")
    assert "dies.py, line 3: Died no more ends the program; raise an Exception" in done.err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_no_utf_8_is_told_with_the_remedy(sim_command, swing):
    name = os.fsdecode(b"caf\xe9")
    (swing / f"{name}.py").write_text((swing / "swing.py").read_text("utf-8"), encoding="utf-8")
    done = sim_command("run", f"{name}.py", "--no-report", "--out", "a")
    assert done.status == 2
    assert r"is not valid UTF-8: " in done.err
    assert r"caf\udce9" in done.err
    assert "rename the file" in done.err
    assert "mistake of sim" not in done.err
    assert not (swing / "a").exists()


def test_what_a_script_prints_is_not_in_the_document(sim_command, swing):
    text = (swing / "swing.py").read_text("utf-8")
    talking = text.replace("    motion =", "    print('built')\n    motion =") + "print('read')\n"
    (swing / "swing.py").write_text(talking, encoding="utf-8")
    done = sim_command("run", "swing.py", "--json", "--no-report")
    assert (done.status, done.document["verdict"]) == (0, "pass")
    assert done.err == "read\nbuilt\n"


def test_a_robot_beside_the_script_comes_before_one_where_the_shell_stands(sim_command, tmp_path):
    above = tmp_path / "deep"
    above.mkdir()
    write_swing(above)
    text = (above / "swing.py").read_text("utf-8")
    text = text.replace("Path(__file__).with_name('arm.urdf')", "'arm.urdf'")
    text = text.replace('Path(__file__).with_name("arm.urdf")', '"arm.urdf"')
    (above / "swing.py").write_text(text, encoding="utf-8")
    (tmp_path / "arm.urdf").write_text("no robot", encoding="utf-8")
    assert sim_command("run", "deep/swing.py", "--no-report").status == 0
    (above / "arm.urdf").rename(tmp_path / "arm.urdf")
    assert sim_command("run", "deep/swing.py", "--no-report").status == 0
    (tmp_path / "arm.urdf").unlink()
    done = sim_command("run", "deep/swing.py", "--no-report")
    assert done.status == 2
    assert f"{tmp_path / 'arm.urdf'} does not exist, nor {above / 'arm.urdf'}" in done.err


def test_a_page_or_index_never_replaces_a_file_of_a_user(sim_command, swing):
    (swing / "two.py").write_text((swing / "swing.py").read_text("utf-8"), encoding="utf-8")
    for name in ("index.html", "junit.xml"):
        out = swing / name.partition(".")[0]
        out.mkdir()
        (out / name).write_text("mine", encoding="utf-8")
        done = sim_command("run", "two.py", "swing.py", "--out", str(out))
        assert done.status == 2
        assert f"Cannot write {out / name}: it is there, and sim did not write it" in done.err
        assert [path.name for path in out.iterdir()] == [name]


@pytest.mark.rotates(2)
def test_a_long_run_says_before_what_it_takes_and_reads_its_tables_from_their_files(
    sim_command, swing, monkeypatch
):
    monkeypatch.setattr(run_scripts, "LONG", 400)
    monkeypatch.setattr(pieces, "PIECE", 150)
    monkeypatch.setattr(table_files, "LARGE", 1e4)
    said = sim_command("run", "swing.py", "--dt", "2.5e-4", "--out", "long", "--no-report")
    assert said.status == 0
    first = said.out.splitlines()[0]
    assert re.fullmatch(
        r"swing: 401 samples require about 0\.\d GB of memory and 0\.0 GB of disk", first
    )
    assert isinstance(Recording.read(Path("long")).recorded, StoredTable)
    for words in (
        ("check", "long"),
        ("compare", "long", "long"),
        ("report", "long"),
        ("export", "long", "long.csv"),
        ("export", "long", "long.xlsx", "--every", "2"),
        ("accept", "long", "--reason", "to see it"),
        ("compare", "long"),
    ):
        outcome = sim_command(*words)
        assert (outcome.status, outcome.err) == (0, ""), words
    monkeypatch.setattr(run_scripts, "LONG", 1e9)
    assert "samples take" not in sim_command("run", "swing.py", "--no-report").out
