import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.command_runs import FAST
from tests.helpers.command_scripts import write_swing


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
    for command in (["check", "fast"], ["accept", "fast", "--reason", "please"]):
        refused = sim_command(*command)
        assert refused.status == 2
        assert "run.json was edited since it was written" in refused.err


def test_a_check_writes_junit_with_the_way_to_the_run(sim_command, swing):
    write_swing(swing, drives=FAST)
    sim_command("run", "swing.py", "--no-report", "--out", "runs/fast")
    (swing / "ci").mkdir()
    done = sim_command("check", "runs/fast", "--verbose", "--junit", "ci/junit.xml")
    assert (done.status, done.err) == (1, "")
    (suite,) = ET.parse("ci/junit.xml").getroot()
    failed = [case for case in suite if case.find("failure") is not None]
    assert len(failed) == done.out.count("failed   ") == int(suite.get("failures")) > 0
    assert {case.find("failure").text for case in failed} == {"../runs/fast"}


def test_a_junit_file_that_cannot_be_written_is_misuse(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--out", "there")
    for file in ("nowhere/junit.xml", "there", ""):
        done = sim_command("check", "there", "--junit", file)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert "Cannot write" in done.err


@pytest.mark.parametrize("what", ["truncated", "gone", "swapped"])
def test_a_damaged_run_is_refused_by_every_judge(sim_command, tmp_path, what):
    write_swing(tmp_path)
    sim_command("run", "swing.py", "--no-report", "--out", "there")
    table = Path("there/recording.parquet")
    if what == "truncated":
        table.write_bytes(table.read_bytes()[:500])
    elif what == "gone":
        table.unlink()
    else:
        table.write_bytes(Path("there/analytic.parquet").read_bytes())
    for arguments in (("check",), ("compare",), ("accept", "--reason", "x")):
        done = sim_command(arguments[0], "there", *arguments[1:])
        assert (done.status, done.out) == (2, "")
        assert str(table) in done.err
        assert done.err.count("\n") == 1


def test_the_terms_of_a_limit_are_shown_and_add_up_to_it(sim_command, swing):
    sim_command("run", "swing.py", "--no-report", "--out", "there")
    shown = sim_command("check", "there", "--why", "tau.elbow")
    assert shown.status == 0
    assert "torque tau.elbow" in shown.out
    assert "discretisation" in shown.out
    listed = json.loads(sim_command("check", "there", "--why", "tau.*", "--json").out)
    torques = [one for one in listed if one["name"] == "torque"]
    assert len(torques) > 1
    for one in torques:
        assert sum(term["value"] for term in one["terms"]) == pytest.approx(one["limit"], rel=1e-12)
    refused = sim_command("check", "there", "--why", "tau.elbw")
    assert (refused.status, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "the nearest are tau.elbow" in refused.err
