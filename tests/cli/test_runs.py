import re
from pathlib import Path

import pytest

from sim.cli.runs import folder_above_runs, folder_of_run
from sim.errors import RecordingError
from sim.recording.files.run_folders import RUNS, find_run
from tests.cli.command_runs import runs


@pytest.mark.parametrize(
    ("out", "several", "folder"),
    [("there", False, "there"), ("there", True, "there/swing"), ("a/b", True, "a/b/swing")],
)
def test_a_new_run_is_in_the_folder_given_or_in_one_of_its_own_there(out, several, folder):
    assert folder_of_run(out, "swing", several=several) == Path(folder)
    assert folder_above_runs(out) == Path(out)


@pytest.mark.parametrize("several", [False, True])
def test_without_a_folder_a_new_run_is_named_after_scenario_and_time(several):
    folder = folder_of_run(None, "swing", several=several)
    assert folder.parent == RUNS / "swing"
    assert re.fullmatch(r"\d{8}T\d{6}\.\d{3}", folder.name)
    assert folder_above_runs(None) == RUNS


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Make an empty file in the working folder, with the folders above it."""
    monkeypatch.chdir(tmp_path)

    def touch(name):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()

    return touch


def test_a_run_is_found_by_its_folder_or_the_newest_by_its_scenario(here):
    for stamp in ("20260102", "20260103", "20260101", ".20260104"):
        here(f"results/runs/swing/{stamp}/run.json")
    here("results/runs/swing/20260105/notes.txt")
    assert find_run("swing") == RUNS / "swing" / "20260103"  # what is half written is none
    assert find_run("results/runs/swing/20260101") == RUNS / "swing" / "20260101"
    assert find_run("results/runs/swing/20260102/run.json") == RUNS / "swing" / "20260102"
    here("swing/run.json")
    assert find_run("swing") == Path("swing")


def test_what_is_no_run_is_named(here):
    here("other/notes.txt")
    with pytest.raises(RecordingError, match="other is not a run: it has no run"):
        find_run("other")
    with pytest.raises(RecordingError, match="There is no run 'nothing'"):
        find_run("nothing")


def test_a_scenarios_name_means_its_newest_run(sim_command, swing):
    for load in ("1", "2"):
        sim_command("run", "swing.py", "--no-report", "--set", f"load={load}")
    newest = sim_command("check", "swing", "--json").document
    assert newest["parameters"]["load"] == 2.0
    assert newest["run"] == str(runs(swing)[-1].relative_to(swing))
