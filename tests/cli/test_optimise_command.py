"""`sim optimise`, from the command line to the folder."""

import json
import signal

import pytest

from tests.cli.command_runs import stopped_study

QUICK = ("--method", "ideal", "--dt", "0.01", "--workers", "1")


def optimise(sim_command, *words, out="study", **options):
    return sim_command("optimise", "swing.py", *words, *QUICK, "--out", out, **options)


def test_an_optimum_is_printed_in_eighty_columns_with_its_verdict_last(sim_command, swing):
    words = ("--maximise", "load", "--vary", "load=0:40", "--subject-to", "checks")
    done = optimise(sim_command, *words, columns=80)
    assert done.status == 0
    *_, last = done.out.splitlines()
    assert last.startswith("swing  answered   maximum of load ")
    assert last.endswith("(limiting: checks)")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    searched = sim_command(
        "sweep", "swing.py", "--largest", "load=0:40", *QUICK, "--to", "0.001", "--out", "searched",
        "--no-report", "--json",
    )  # fmt: skip
    holds = searched.document["answer"]["holds"]
    facts = json.loads((swing / "study/study.json").read_text("utf-8"))
    assert facts["answer"]["parameters"]["load"] == pytest.approx(holds, abs=1.5e-3)
    page = (swing / "study/study.html").read_text("utf-8")
    assert "sim optimise swing.py" in page


def test_json_has_the_answer_and_nothing_feasible_ends_with_1(sim_command, swing):
    words = ("--minimise", "energy", "--vary", "load=1:2", "--subject-to", "peak tau.elbow <= 0")
    done = optimise(sim_command, *words, "--json")
    assert done.status == 1
    answer = done.document["answer"]
    assert (answer["is_feasible"], answer["parameters"]) == (False, {"load": 1.0})
    assert answer["constraints"][0]["slack"] < 0
    assert len(done.document["rows"]) == answer["evaluations"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "load=0:1"), "Nothing is optimised: give --minimise EXPR"),
        (("--minimise", "energy", "--vary", "load=0:1", "--vary", "load=2:3"), "'load' twice"),
        (("--minimise", "energy", "--vary", "mass=0:1"), "has no parameter 'mass'"),
        (("--minimise", "energi", "--vary", "load=0:1"), "'energi' is neither a response nor"),
    ],
)
def test_misuse_ends_with_2_in_one_line(sim_command, swing, words, said):
    done = optimise(sim_command, *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (swing / "study").exists()


def test_a_stopped_search_goes_on_where_it_was(sim_command, swing):
    words = ("--minimise", "energy", "--vary", "load=0.1:2", "--vary", "duration=0.1:0.2")
    options = ("--simulate", "--out", "study", "--no-report", *QUICK)
    command = ("optimise", "swing.py", *words, *options)
    status, err = stopped_study(swing, signal.SIGINT, *command)
    log = swing / "study/cases.jsonl"
    assert status == 130
    assert "continue with: sim optimise --resume study" in err
    kept = log.read_bytes()
    done = sim_command("optimise", "--resume", "study", "--workers", "1")
    assert done.status == 0
    assert log.read_bytes().startswith(kept)
