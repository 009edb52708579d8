import contextlib
import json
import shutil
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from sim.cli.command import status
from tests.cli.command_runs import runs
from tests.helpers.command_scripts import write_swing

NAMES = ("arc", "bow")


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A folder with ``swing.py``, where nothing is shipped."""
    monkeypatch.setattr("sim.shipped.scenarios", lambda: tmp_path / "shipped")
    monkeypatch.setattr("sim.shipped.baselines", lambda: tmp_path / "shipped")
    write_swing(tmp_path)
    return tmp_path


def run(sim_command, *more, script="swing.py"):
    done = sim_command("run", script, "--no-report", "--json", *more)
    assert done.status == 0, done.err
    return done.document["run"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with one run of swing, which is its baseline."""
    folder = tmp_path_factory.mktemp("made")
    write_swing(folder)
    with contextlib.chdir(folder):
        assert status(["run", "swing.py", "--no-report"]) == 0
        assert status(["accept", str(*runs(folder)), "--reason", "first"]) == 0
    return folder


@pytest.fixture
def accepted(made, alone):
    """One run of swing, which is its baseline."""
    shutil.copytree(made, alone, dirs_exist_ok=True)
    return alone


def rows(done):
    return {row["scenario"]: row for row in done.document["scenarios"]}


def test_a_run_that_is_its_baseline_passes_and_the_summary_is_the_last_line(sim_command, accepted):
    done = sim_command("compare", "--all", "--out", "page")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[-2:] == [
        "page     page/index.html",
        "1 of 1 inside tolerance (1 same to the bit)",
    ]
    assert {path.name for path in (accepted / "page").iterdir()} == {
        "comparisons.json", "index.html", "swing",
    }  # fmt: skip
    assert {path.name for path in (accepted / "page" / "swing").iterdir()} == {"report.html"}


def test_without_out_each_comparison_has_a_folder_of_its_own(sim_command, accepted):
    for count in (1, 2):
        assert sim_command("compare", "--all").status == 0
        assert len(list((accepted / "results" / "comparisons").glob("*/index.html"))) == count


def test_a_run_that_differs_fails_at_the_first_instant_beyond_its_limit(sim_command, accepted):
    baseline = next((accepted / "results" / "runs" / "swing").iterdir())
    other = accepted / run(sim_command, "--set", "load=0.6")
    done = sim_command("compare", "--all", "--json", "--junit", "junit.xml")
    assert (done.status, done.err) == (1, "")
    row = rows(done)["swing"]
    assert (row["ok"], row["word"]) == (False, "differs")
    assert row["changes"][0] == "parameter load: 0.5 → 0.6"
    # The instant, from the two tables alone: beyond a millionth of the peak and what is beside it.
    tables = [pd.read_parquet(folder / "recording.parquet") for folder in (baseline, other)]
    worst = row["worst"]
    wanted, found = (table[worst["channel"]] for table in tables)
    assert worst["worst"] == pytest.approx((found - wanted).abs().max(), rel=1e-3)
    assert worst["diverges"] == (found - wanted).abs().gt(1.001 * worst["limit"]).idxmax()
    assert worst["limit"] == pytest.approx(1e-6 * wanted.abs().max(), rel=0.01)
    assert done.document["summary"] == (
        "0 of 1 inside tolerance (0 same to the bit); "
        f"swing differs first at {row['diverges']:.6g} s ({row['first']})"
    )
    (failure,) = ET.parse(accepted / "junit.xml").iter("failure")
    assert f"; {failure.get('message')}" in done.document["summary"]
    place = failure.text.splitlines()[-1]
    assert place == row["page"]
    assert (accepted / place.partition("#")[0]).is_file()
    assert f"t={row['diverges']}" in place


def test_whatever_has_no_partner_fails_and_a_shipped_scenario_without_either_does_not_count(
    sim_command, accepted
):
    assert sim_command("accept", "swing", "--reason", "again").status == 0
    (accepted / "other.py").write_text((accepted / "swing.py").read_text())
    run(sim_command, script="other.py")
    shutil.copytree(accepted / "results" / "baselines" / "swing", accepted / "kept")
    (accepted / "shipped").mkdir()
    (accepted / "shipped" / "idle.py").write_text((accepted / "swing.py").read_text())
    (accepted / "kept").rename(accepted / "results" / "baselines" / "gone")
    done = sim_command("compare", "--all", "--json")
    assert done.status == 1
    words = {name: row["word"] for name, row in rows(done).items()}
    assert words == {
        "gone": "no run",
        "other": "no baseline",
        "swing": "same to the bit",
    }


def test_a_damaged_run_or_baseline_does_not_stop_the_others(sim_command, accepted):
    for name in ("bad", "odd"):
        shutil.copyfile(accepted / "swing.py", accepted / f"{name}.py")
        folder = run(sim_command, script=f"{name}.py")
        assert sim_command("accept", folder, "--reason", "first").status == 0
    (next((accepted / "results/runs/bad").iterdir()) / "recording.parquet").write_bytes(b"no")
    next((accepted / "results/baselines/odd").glob("*.parquet")).write_bytes(b"no")
    shutil.copytree(next((accepted / "results/runs/swing").iterdir()), accepted / "results/runs/x")
    done = sim_command("compare", "--all", "--json")
    assert done.status == 1
    found = rows(done)
    assert {name: row["word"] for name, row in found.items()} == {
        "bad": "cannot be read",
        "odd": "baseline cannot be read",
        "swing": "same to the bit",
        "x": "cannot be read",
    }
    assert "recording.parquet" in found["bad"]["reason"]
    assert "is a run of 'swing'" in found["x"]["reason"]


def test_a_page_that_cannot_be_written_is_no_difference(sim_command, accepted, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sim.reports.page.comparisons.write_compared", full)
    done = sim_command("compare", "--all", "--out", "page")
    assert done.status == 2
    assert done.err == f"sim: Cannot write to {accepted / 'page'}: No space left on device\n"
    assert not (accepted / "page").exists()


def test_the_newest_run_counts_here_and_in_a_folder_of_runs(sim_command, accepted):
    run(sim_command, "--set", "load=0.6")
    assert sim_command("compare", "--all").status == 1
    run(sim_command)
    assert sim_command("compare", "--all").status == 0
    run(sim_command, "--set", "load=0.6", "--out", "ci/swing")
    assert sim_command("compare", "--all", "--runs", "ci").status == 1
    assert sim_command("compare", "--all").status == 0


def test_fresh_runs_are_made_of_what_is_shipped(sim_command, accepted, monkeypatch):
    run(sim_command, "--set", "load=0.6")
    monkeypatch.setattr("sim.shipped.scenarios", lambda: accepted)
    assert sim_command("compare", "--all").status == 1
    assert sim_command("compare", "--all", "--run").status == 0
    assert len(list((accepted / "results" / "runs" / "swing").iterdir())) == 3


def test_a_scenario_that_cannot_be_run_fails_whatever_older_run_it_has(
    sim_command, accepted, monkeypatch
):
    monkeypatch.setattr("sim.shipped.scenarios", lambda: accepted)
    (accepted / "swing.py").write_text("def scenario():\n    raise ValueError('broken')\n")
    done = sim_command("compare", "--all", "--run", "--json")
    assert done.status == 1
    row = rows(done)["swing"]
    assert row["word"] == "cannot be run"
    assert "broken" in row["reason"]


@pytest.mark.rotates(2)
def test_many_runs_are_compared_by_processes_as_by_one(sim_command, accepted, monkeypatch):
    for name in NAMES:
        shutil.copyfile(accepted / "swing.py", accepted / f"{name}.py")
        run(sim_command, "--set", "load=0.6", "--out", f"many/{name}", script=f"{name}.py")
        folder = run(sim_command, script=f"{name}.py")
        assert sim_command("accept", folder, "--reason", "first").status == 0
    documents = []
    for least in (1, 99):
        monkeypatch.setattr("sim.cli.compare_all.WORTH_IT", least)
        done = sim_command("compare", "--all", "--runs", "many", "--json", "--out", f"out{least}")
        documents.append(json.loads(done.out.replace(f"out{least}/", "out/")))
        pages = [accepted / f"out{least}" / name / "report.html" for name in NAMES]
        assert all(page.is_file() for page in pages)
    assert documents[0] == documents[1]
    words = {row["scenario"]: row["word"] for row in documents[0]["scenarios"]}
    assert words == dict.fromkeys(NAMES, "differs") | {"swing": "no run"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--all", "swing"], "leave 'swing' out"),
        (["--all", "--runs", "nowhere"], "--runs: nowhere does not exist"),
        (["--all", "--out", "."], "is the working folder"),
        (["--all", "--out", "results"], "contains other files"),
        (["--all", "--junit", "results"], "results: it is a folder"),
        (["--all", "--junit", "gone/junit.xml"], "gone is not a folder"),
        (["swing", "--run"], "--run requires --all"),
        (["swing", "--junit", "x.xml"], "--junit requires --all"),
        ([], "Name a run"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_written(sim_command, accepted, arguments, said):
    before = sorted(accepted.rglob("*"))
    done = sim_command("compare", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert sorted(accepted.rglob("*")) == before


def test_rules_that_cannot_be_read_stop_it_before_anything_is_compared(sim_command, accepted):
    (accepted / "results" / "baselines" / "tolerances.toml").write_text("[[rule]]\n")
    done = sim_command("compare", "--all")
    assert (done.status, done.out) == (2, "")
    assert "tolerances.toml" in done.err


def test_a_rule_widens_the_limit_of_its_channels(sim_command, accepted):
    run(sim_command, "--set", "load=0.50001")
    assert sim_command("compare", "--all").status == 1
    (accepted / "results" / "baselines" / "tolerances.toml").write_text(
        '[[rule]]\nchannels = "*"\nrelative = 1e-4\nreason = "scales are no better"\n'
    )
    done = sim_command("compare", "--all", "--json")
    assert done.status == 0
    assert "tolerances.toml, rule 1" in rows(done)["swing"]["worst"]["rule"]


def test_nothing_to_compare_is_refused_with_the_remedy(sim_command, tmp_path):
    for folder in (tmp_path, tmp_path / "results" / "baselines"):
        folder.mkdir(parents=True, exist_ok=True)
        done = sim_command("compare", "--all")
        assert (done.status, done.out) == (2, "")
        assert "No run in results/runs and no baseline in results/baselines; " in done.err
        assert "sim compare --all --run" in done.err
        assert not (tmp_path / "results" / "comparisons").exists()


def test_shipped_baselines_count_only_for_runs_that_exist(sim_command, accepted):
    (accepted / "results" / "baselines").rename(accepted / "shipped")
    shutil.copytree(accepted / "shipped" / "swing", accepted / "shipped" / "idle")
    done = sim_command("compare", "--all", "--json")
    assert done.status == 0, done.err
    assert [*rows(done)] == ["swing"]
