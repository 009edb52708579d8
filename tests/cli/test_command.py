import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from sim import script
from sim.checks import Check
from sim.cli import command, running
from sim.cli.output import progress
from sim.errors import EngineError
from sim.robots import shipped_robots
from sim.scenario import METHODS
from sim.script import shipped_scenarios
from tests.command_scripts import script_text, write_swing

SIM = [sys.executable, "-c", "import sim; sim.main()"]
REPOSITORY = Path(__file__).parents[2]

FILES = {"analytic.parquet", "recording.parquet", "robot.urdf", "run.json"}
FIGURES = {
    f"{name}.{suffix}"
    for name in ("velocity", "kinetic_energy", "torque", "torque_speed")
    for suffix in ("png", "svg")
} | {"report.html", "scene.glb"}

FAST = '{"elbow": "STEP5(time, 0, 0, 0.1, 40d)"}'  # 13 rad/s where 3 are rated
IMPOSSIBLE = '{"elbow": "1e300 * time**2"}'


def process(*arguments, cwd):
    """A command in a process of its own, from any folder."""
    return subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"},
        check=False,
    )


@pytest.fixture
def swing(tmp_path):
    write_swing(tmp_path)
    return tmp_path


def runs(folder, name="swing"):
    return sorted((folder / "results" / "runs" / name).iterdir())


# Help and lists


def test_the_methods_typed_in_the_command_are_those_of_a_scenario():
    assert command.METHODS == METHODS


@pytest.mark.parametrize("name", ["", "run", "list", "check", "compare", "accept"])
def test_help_tells_what_there_is_and_ends_well(sim_command, name):
    done = sim_command(*([name] if name else []), "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: sim {name}".rstrip())


def test_help_names_every_command_and_the_meaning_of_the_exit_status(sim_command):
    text = sim_command("--help").out
    for name in ("list", "run", "check", "compare", "accept"):
        assert re.search(rf"^ +{name} ", text, re.MULTILINE)
    for word in ("0 all is well", "1 judged", "2 misuse", "3 the engine"):
        assert word in " ".join(text.split())


def test_help_loads_nothing_heavy(tmp_path):
    code = (
        "import sys\nimport sim\n"
        "try: sim.main(argv=['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = ('numpy', 'pandas', 'scipy', 'rich', 'pybullet', 'matplotlib', 'lxml', 'lark')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = process(sys.executable, "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stderr == ""


def test_list_tells_every_scenario_with_its_parameters_and_every_robot(sim_command):
    done = sim_command("list")
    assert (done.status, done.err) == (0, "")
    for name in (*shipped_scenarios(), *shipped_robots()):
        assert name in done.out
    assert "payload=10.0, start=upright" in done.out


def test_list_as_json_is_one_document(sim_command):
    done = sim_command("list", "--json")
    assert done.out.count("\n") == 1
    scenarios = {s["name"]: s for s in done.document["scenarios"]}
    assert tuple(scenarios) == shipped_scenarios()
    assert scenarios["ur10_step"]["parameters"] == {"payload": 10.0, "start": "upright"}
    assert scenarios["two_link"]["title"].startswith("Two links")
    assert tuple(done.document["robots"]) == shipped_robots()


# Running


def test_a_run_leaves_its_files_in_a_folder_of_its_own(sim_command, swing):
    done = sim_command("run", "swing.py")
    assert (done.status, done.err) == (0, "")
    (folder,) = runs(swing)
    assert re.fullmatch(r"\d{8}T\d{6}\.\d{3}", folder.name)
    assert {path.name for path in folder.iterdir()} == FILES | FIGURES
    assert done.out.startswith("swing  pass   stepped, 0.1 s at 1 ms, load = 0.5")
    assert f"files    {folder.relative_to(swing)}  (" in done.out


def test_run_json_holds_what_the_contract_promises(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--set", "load=1.5", "--out", "there")
    info = json.loads((swing / "there" / "run.json").read_text("utf-8"))
    assert info["scenario"] == "swing"
    assert info["verdict"] == "pass"
    assert info["run"] == "there"
    assert info["method"] == "stepped"
    assert info["parameters"] == {"load": 1.5, "duration": 0.1, "dt": 1e-3}
    assert {tuple(check) for check in info["checks"]} == {tuple(Check.__annotations__)}
    assert tuple(Check.__annotations__) == (
        "name", "channel", "worst", "limit", "unit", "at", "ok",
    )  # fmt: skip
    table = pd.read_parquet(swing / "there" / "recording.parquet")
    assert info["peaks"]["tau.elbow"] == table["tau.elbow"].abs().max()
    assert {"created", "python", "platform", "versions"} <= set(info["provenance"])
    assert len(info["script"]["sha256"]) == 64


def test_json_is_one_document_and_equal_to_run_json(sim_command, swing):
    done = sim_command("run", "swing.py", "--json", "--no-report")
    assert (done.status, done.err, done.out.count("\n")) == (0, "", 1)
    written = json.loads((Path(done.document["run"]) / "run.json").read_text("utf-8"))
    assert done.document == written


def test_no_report_writes_no_figures(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--out", "there")
    assert {path.name for path in (swing / "there").iterdir()} == FILES


def test_method_and_step_can_be_chosen(sim_command, swing):
    arguments = ("run", "swing.py", "--json", "--no-report", "--method", "ideal", "--dt", "0.005")
    document = sim_command(*arguments).document
    assert document["method"] == "ideal"
    assert document["settings"]["dt"] == 0.005
    assert document["settings"]["samples"] == 21


def test_a_parameter_set_twice_has_its_last_value(sim_command, swing):
    arguments = ("--set", "load=1", "--set", "duration=0.05", "--set", "load= 2")
    document = sim_command("run", "swing.py", "--json", "--no-report", *arguments).document
    assert document["parameters"] == {"load": 2.0, "duration": 0.05, "dt": 1e-3}
    assert document["robot"]["masses"]["payload"] == 2.0


def test_several_scenarios_make_one_list_and_a_folder_each(sim_command, swing):
    (swing / "other.py").write_text(script_text(), encoding="utf-8")
    done = sim_command("run", "swing.py", "other.py", "--json", "--no-report", "--out", "all")
    assert [d["scenario"] for d in done.document] == ["swing", "other"]
    assert [d["run"] for d in done.document] == ["all/swing", "all/other"]
    assert sorted(path.name for path in (swing / "all").iterdir()) == ["other", "swing"]


def test_two_scenarios_of_one_name_are_not_written_over_each_other(sim_command, swing):
    (swing / "deep").mkdir()
    write_swing(swing / "deep")
    done = sim_command("run", "swing.py", "deep/swing.py", "--no-report", "--out", "all")
    assert done.status == 2
    assert "'swing' is named twice" in done.err
    assert not (swing / "all").exists()


def test_all_runs_every_shipped_scenario(sim_command, swing, monkeypatch):
    (swing / "scenarios").mkdir()
    write_swing(swing / "scenarios")
    monkeypatch.setattr(script.shipped, "scenarios", lambda: swing / "scenarios")
    done = sim_command("run", "--all", "--json", "--no-report")
    assert done.status == 0
    assert done.document["scenario"] == "swing"


def test_a_second_run_into_the_same_folder_replaces_the_first(sim_command, swing):
    sim_command("run", "swing.py", "--out", "there")
    assert sim_command("run", "swing.py", "--out", "there", "--no-report").status == 0
    assert {path.name for path in (swing / "there").iterdir()} == FILES


def test_a_run_that_is_found_wanting_is_recorded_and_ends_with_one(sim_command, swing):
    write_swing(swing, drives=FAST)
    done = sim_command("run", "swing.py", "--json", "--no-report")
    assert (done.status, done.err) == (1, "")
    assert done.document["verdict"] == "fail"
    assert any(c["name"] == "rated speed" and not c["ok"] for c in done.document["checks"])
    assert len(runs(swing)) == 1


def test_one_failing_scenario_of_several_is_enough(sim_command, swing):
    (swing / "fast.py").write_text(script_text(FAST), encoding="utf-8")
    done = sim_command("run", "fast.py", "swing.py", "--json", "--no-report")
    assert done.status == 1
    assert [d["verdict"] for d in done.document] == ["fail", "pass"]


def test_an_engine_that_fails_ends_with_three_and_leaves_nothing_behind(sim_command, swing):
    write_swing(swing, drives=IMPOSSIBLE)
    before = sorted(swing.rglob("*"))
    done = sim_command("run", "swing.py")
    assert (done.status, done.out) == (3, "")
    assert re.fullmatch(r"sim: The simulation .* diverged: joint .* at t = .*\n", done.err)
    assert sorted(swing.rglob("*")) == before


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 2), (EngineError, 3)])
def test_an_interrupted_run_leaves_nothing_behind(sim_command, swing, monkeypatch, error, status):
    def interrupted(*arguments, **options):
        raise error("stopped")

    monkeypatch.setattr(running, "run", interrupted)
    before = sorted(swing.rglob("*"))
    done = sim_command("run", "swing.py")
    assert done.status == status
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    assert sorted(swing.rglob("*")) == before


def test_a_disk_that_fails_is_told_in_one_line(sim_command, swing, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(running, "run", full)
    done = sim_command("run", "swing.py")
    assert (done.status, done.err) == (2, "sim: [Errno 28] No space left on device\n")


# A script by itself


def test_a_script_run_by_python_does_what_sim_run_does(swing):
    arguments = ("--json", "--no-report", "--set", "load=1.5", "--method", "ideal", "--dt", "0.002")
    alone = process(sys.executable, "swing.py", *arguments, cwd=swing)
    by_sim = process(*SIM, "run", "swing.py", *arguments, cwd=swing)
    assert (alone.returncode, alone.stderr) == (by_sim.returncode, by_sim.stderr) == (0, "")
    mine, theirs = json.loads(alone.stdout), json.loads(by_sim.stdout)
    infos = [json.loads((swing / d["run"] / "run.json").read_text("utf-8")) for d in (mine, theirs)]
    assert infos[0]["files"] == infos[1]["files"]  # the tables, bit by bit
    for info in (mine, theirs):
        del info["run"], info["provenance"]["created"], info["provenance"]["command"]
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


# From run to baseline


def test_a_run_is_checked_accepted_and_compared(sim_command, swing):
    run = sim_command("run", "swing.py", "--json", "--no-report").document
    again = sim_command("check", "swing", "--json")
    assert (again.status, again.err) == (0, "")
    assert again.document["checks"] == run["checks"]
    assert again.document["run"] == run["run"]

    missing = sim_command("compare", "swing")
    assert missing.status == 2
    assert "has no baseline" in missing.err

    accepted = sim_command("accept", "swing", "--reason", "first run")
    assert (accepted.status, accepted.err) == (0, "")
    assert accepted.out == "baseline results/baselines/swing\n"

    same = sim_command("compare", "swing", "--json")
    assert (same.status, same.err) == (0, "")
    assert same.document["ok"]
    assert (same.document["scenario"], same.document["against"]) == ("swing", "baseline")
    assert set(same.document) == {
        "scenario", "against", "differences", "missing", "new", "notes", "ok",
    }  # fmt: skip

    sim_command("run", "swing.py", "--no-report", "--set", "load=0.6")
    differs = sim_command("compare", "swing")
    assert (differs.status, differs.err) == (1, "")
    assert "swing against baseline  differs" in differs.out
    assert "setting  load: 0.6, reference 0.5" in differs.out

    old = sim_command("compare", "swing", run["run"], "--json")
    assert (old.status, old.document["against"]) == (1, run["run"])
    assert sim_command("compare", run["run"]).status == 0


def test_a_scenarios_name_means_its_newest_run(sim_command, swing):
    for load in ("1", "2"):
        sim_command("run", "swing.py", "--no-report", "--set", f"load={load}")
    newest = sim_command("check", "swing", "--json").document
    assert newest["parameters"]["load"] == 2.0
    assert newest["run"] == str(runs(swing)[-1].relative_to(swing))


def test_a_failed_run_fails_again_when_checked_and_cannot_be_accepted(sim_command, swing):
    write_swing(swing, drives=FAST)
    sim_command("run", "swing.py", "--no-report", "--out", "fast")
    checked = sim_command("check", "fast")
    assert (checked.status, checked.err) == (1, "")
    assert "failed   rated speed qd.elbow" in checked.out
    refused = sim_command("accept", "fast", "--reason", "it was late")
    assert (refused.status, refused.out) == (2, "")
    assert "verdict 'fail'" in refused.err
    assert not (swing / "results").exists()


def test_a_verdict_that_was_written_by_hand_is_not_believed(sim_command, swing):
    write_swing(swing, drives=FAST)
    sim_command("run", "swing.py", "--no-report", "--out", "fast")
    path = swing / "fast" / "run.json"
    path.write_text(path.read_text("utf-8").replace('"fail"', '"pass"'), encoding="utf-8")
    assert sim_command("check", "fast").status == 1
    assert sim_command("accept", "fast", "--reason", "please").status == 2


def test_a_pipe_whose_reader_has_gone_does_not_change_the_exit_status(swing):
    write_swing(swing, drives=FAST)
    for output in ([], ["--json"]):
        gone = subprocess.Popen(
            [*SIM, "run", "swing.py", "--no-report", *output],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=swing,
            env={"PYTHONPATH": str(REPOSITORY)},
        )  # fmt: skip
        gone.stdout.close()
        with gone.stderr:
            assert gone.stderr.read() == b""
        assert gone.wait(timeout=60) == 1


# Progress


class Screen(io.StringIO):
    """A terminal that somebody looks at."""

    def isatty(self):
        return True


def test_progress_is_shown_on_stderr_where_somebody_looks(monkeypatch):
    screen = Screen()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    with progress("ur10_step") as tick:
        tick(1, 2)
        tick(2, 2)
    assert "ur10_step" in screen.getvalue()
    assert "100 %" in screen.getvalue()


def test_progress_says_nothing_into_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress("ur10_step") as tick:
        tick(1, 2)
    assert sys.stderr.getvalue() == ""
