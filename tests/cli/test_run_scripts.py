import json
import sys

import pytest

from sim.cli import command
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


def test_a_report_names_link_and_file_before_anything_is_simulated(sim_command, tmp_path):
    write_swing(tmp_path, urdf=LOST)
    outcome = sim_command("run", "swing.py")
    assert outcome.status == 2
    assert "link 'upper_arm': mesh '../lost/arm.obj' does not exist" in outcome.err
    assert not (tmp_path / "results").exists()
