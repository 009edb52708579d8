"""`sim sweep`, from the command line to the folder."""

import hashlib
import json
import re
import signal
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.command_runs import stopped_study

QUICK = ("--method", "ideal", "--dt", "0.01", "--workers", "1")


def sweep(sim_command, *words, out="study", **options):
    return sim_command("sweep", "swing.py", *words, *QUICK, "--out", out, **options)


def test_a_study_writes_its_tables_and_says_its_verdict_last(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=0:40:3", columns=80)
    assert done.status == 1
    assert done.out.splitlines()[-1] == "swing  answered   1 of 3 cases pass, 2 fail"
    assert all(len(line) <= 80 for line in done.out.splitlines())
    assert "rated torque" in done.out
    assert re.fullmatch(r"swing: 3 cases of about .* on 1 worker: about .*\n", done.err)
    table = pd.read_parquet(swing / "study/cases.parquet")
    assert table["load"].tolist() == [0.0, 20.0, 40.0]
    assert table["status"].tolist() == ["pass", "fail", "fail"]
    typed = pd.read_csv(swing / "study/cases.csv")
    assert typed["margin"].tolist() == pytest.approx(table["margin"].astype(float).tolist())
    facts = json.loads((swing / "study/study.json").read_text("utf-8"))
    assert (facts["state"], facts["counts"]) == ("done", {"fail": 2, "pass": 1})
    assert facts["provenance"]["command"] == [Path(sys.argv[0]).name, *sys.argv[1:]]


def test_a_study_that_passes_ends_with_0_and_json_has_all_rows(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=0,1", "--json", "--response", "rms tau.elbow")
    assert done.status == 0
    document = done.document
    assert [row["parameters"] for row in document["rows"]] == [{"load": 0.0}, {"load": 1.0}]
    assert list(document["rows"][0]["responses"]) == ["rms tau.elbow"]


def test_a_case_that_fails_is_told_with_its_reason_and_the_rest_goes_on(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=-1,1")
    assert done.status == 1
    assert "error    load=-1: Payload: mass -1 kg" in done.out
    assert done.out.splitlines()[-1].endswith("1 of 2 cases pass, 1 could not be computed")


def test_draws_have_mean_and_standard_deviation(sim_command, swing):
    drawn = "--tolerance", "load=0.4", "--samples", "9", "--response", "rms tau.elbow"
    done = sweep(sim_command, *drawn, columns=80)
    found = pd.read_csv(swing / "study/cases.csv")["rms tau.elbow"]
    (row,) = re.findall(r"rms tau.elbow +(\S+) N·m +(\S+) N·m", done.out)
    assert [float(x) for x in row] == pytest.approx([found.mean(), found.std(ddof=1)], rel=1e-3)
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_cases_that_fail_for_one_reason_are_listed_once(sim_command, swing):
    text = (swing / "swing.py").read_text("utf-8")
    refusal = "    if a:\n        raise sim.ScenarioError('The cell is closed')\n"
    text = re.sub(r"(def scenario\()(.*?:\n)", rf"\1a: int = 0, \2{refusal}", text)
    (swing / "swing.py").write_text(text, "utf-8")
    done = sweep(sim_command, "--vary", "a=1,2", "--analytic")
    assert done.status == 1
    assert done.out.count("error    ") == 1
    assert "error    a=1 and 1 other case: The cell is closed\n" in done.out
    assert done.out.splitlines()[-1].endswith("0 of 2 cases pass, 2 could not be computed")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "mass=0:1:3"), "has no parameter 'mass'"),
        (("--vary", "load=0:1"), "a grid needs values"),
        (("--tolerance", "mass=2%", "--design", "lhs"), "lhs samples the ranges of --vary P=A:B"),
        (("--vary", "load=0:1:3", "--set", "load=1"), "'load' is both varied and set"),
        ((), "No parameter varies"),
        (
            ("--vary", "load=0:1:3", "--response", "top tau"),
            "'top tau' is not a response; responses: margin",
        ),
        (("--vary", "load=0:1:3", "--samples", "4"), "--samples requires"),
        (("--vary", "load=0:1:1001", "--vary", "duration=1:2:1001"), "1,002,001 cases"),
        (("--resume", "nowhere"), "would define another one: the scenario, --method, --dt, --out"),
    ],
)
def test_misuse_is_one_line_and_leaves_nothing(sim_command, swing, words, said):
    done = sweep(sim_command, *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert not (swing / "study").exists()
    assert len(done.err.splitlines()) == 1
    assert not (swing / "study").exists()


def test_a_study_whose_folder_holds_other_files_is_refused(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=0,1", out=".")
    assert done.status == 2
    assert "contains other files and no study.json" in done.err


def test_the_worst_runs_are_kept_and_linked(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=0:40:3", "--keep", "1")
    assert "runs     1 kept in study/runs" in done.out
    table = pd.read_csv(swing / "study/cases.csv", keep_default_na=False)
    assert table["run"].tolist() == ["", "", "runs/3"]
    assert (swing / "study/runs/3/report.html").is_file()


def test_a_study_that_is_killed_goes_on_and_repeats_nothing(sim_command, swing):
    words = ("sweep", "swing.py", "--vary", "load=0:1:40", *QUICK, "--out", "study")
    status, _ = stopped_study(swing, signal.SIGKILL, *words)
    log = swing / "study/cases.jsonl"
    before = log.read_bytes()
    finished = before[: before.rindex(b"\n") + 1]
    done = sim_command("sweep", "--resume", "study", "--workers", "1")
    assert (done.status, status) == (0, -signal.SIGKILL)
    assert 3 <= finished.count(b"\n") < 40
    after = log.read_bytes()
    assert after.startswith(finished)
    keys = [json.loads(line)["key"] for line in after.splitlines()]
    assert len(keys) == len(set(keys)) == 40
    assert "of 40 cases are already finished" in done.err


def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(swing):
    words = ("sweep", "swing.py", "--vary", "load=0:1:2000", *QUICK, "--out", "study", "--yes")
    status, said = stopped_study(swing, signal.SIGINT, *words)
    assert status == 130
    kept = (swing / "study/cases.jsonl").read_bytes().count(b"\n")
    assert f"{kept} cases are kept in" in said
    assert "sim sweep --resume" in said
    assert said.splitlines()[-1] == "sim: interrupted"


def test_the_page_is_written_unless_nobody_wants_it(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=0,1")
    assert "page     study/study.html" in done.out
    done = sweep(sim_command, "--vary", "load=0,1", "--no-report", out="other")
    assert done.status == 0
    assert not (swing / "other/study.html").exists()


def test_cases_beyond_a_limit_are_no_failure_without_their_requirement(sim_command, swing):
    both = ("--vary", "load=0,40", "--vary", "duration=0.1,0.2", "--design", "grid")
    strict = sweep(sim_command, *both, columns=80)
    assert (
        strict.status == 1
    )  # a crossing of a limit is an answer, and fails its cases all the same
    assert strict.out.splitlines()[-1] == "swing  answered   2 of 4 cases pass, 2 fail"
    assert "load=40," in strict.out
    assert "duration=0.1" in strict.out
    assert not re.search(r"\bcase \d", strict.out)
    page = (swing / "study/study.html").read_text("utf-8")
    assert "✓ Answered" in page
    assert "✗ Fail" not in page
    beyond = ("--vary", "load=40,41")
    fails = sweep(sim_command, *beyond, out="beyond")
    assert (fails.status, fails.out.splitlines()[-1]) == (
        1,
        "swing  fail   0 of 2 cases pass, 2 fail",
    )
    freed = sweep(sim_command, *beyond, "--no-require", out="freed")
    last = "swing  answered   0 of 2 cases pass, 2 fail"
    assert (freed.status, freed.out.splitlines()[-1]) == (0, last)
    assert "✓ Answered" in (swing / "freed/study.html").read_text("utf-8")
    again = sim_command("sweep", "--resume", "freed")
    assert (again.status, again.out.splitlines()[-1]) == (0, last)
    error = sweep(sim_command, "--vary", "load=-1,40", "--no-require", out="error")
    assert error.status != 0  # a case that cannot be computed is no case beyond a limit


def test_a_search_says_what_holds_and_what_does_not_last(sim_command, swing):
    done = sweep(sim_command, "--largest", "load=0:40", "--to", "1", columns=80)
    assert done.status == 0
    assert done.out.splitlines()[-2:] == [
        "swing  answered   largest load with margin >= 0: 8 (7.5 satisfies it, 8.5",
        "         violates it: shoulder torque)",
    ]
    found = json.loads((swing / "study/study.json").read_text("utf-8"))["answer"]
    assert 0 < found["fails"] - found["holds"] <= 1
    none = sweep(sim_command, "--largest", "load=0:40", "--within", "margin>=2", out="none")
    assert none.status == 1
    assert none.out.splitlines()[-1].endswith("margin >= 2: no value between 0 and 40")
    assert re.search(r"\d\d values tried; limiting at the closest value: \w+ \w+", none.out)


def test_a_response_that_no_run_has_is_told_at_the_first_case_and_leaves_nothing(
    sim_command, swing
):
    for words in (("--vary", "load=0:1:5"), ("--largest", "load=0:40", "--within", "end tau.x<=1")):
        done = sweep(sim_command, *words, "--response", "peak nothing.*")
        assert (done.status, done.out) == (2, "")
        assert "No channel matches" in done.err
        assert "(seen at the first case)" in done.err
        assert not (swing / "study").exists()


def test_the_model_alone_is_proved_by_runs(sim_command, swing):
    done = sweep(sim_command, "--vary", "load=0:2:50", "--analytic", "--proof", "2", columns=80)
    assert done.status == 0
    assert "2 cases simulated as a check" in done.out
    facts = json.loads((swing / "study/study.json").read_text("utf-8"))
    assert facts["proof"]["ok"] is True
    assert len(facts["proof"]["cases"]) == 2


def test_a_tornado_is_a_table_and_goes_on_like_any_study(sim_command, swing):
    words = ("--vary", "load=0:2", "--vary", "duration=0.1:0.2", "--design", "tornado")
    done = sweep(sim_command, *words, "--response", "peak tau.elbow", columns=80)
    assert done.status == 0
    assert "low end" in done.out
    again = sim_command("sweep", "--resume", "study")
    other = sim_command("sweep", "--resume", "study", "--response", "energy")
    assert (other.status, other.out) == (2, "")
    assert other.err.endswith("would define another one: --response\n")
    assert again.err == "4 of 4 cases are already finished\n"  # the nominal case comes twice
    sim_command("sweep", "--resume", "study", "--no-report")
    assert "study.html" not in json.loads((swing / "study/study.json").read_text("utf-8"))["files"]
    assert "high end" in again.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--largest", "load=0:1:5"), "give the ends of the range"),
        (("--largest", "load=0:1", "--vary", "duration=1,2"), "cannot be combined with --vary"),
        (("--largest", "load=0:1", "--to", "-1"), "--to must be above 0"),
        (("--largest", "load=0:1", "--to", "1e-13"), "finer than the resolution of load"),
        (("--vary", "load=0,1", "--within", "margin>=0"), "--within requires --largest"),
        (("--vary", "load=0,1", "--tolerance", "mass=0%"), "--tolerance requires NAME=2%"),
        (("--vary", "load=0,1", "--cluster", "tcp://h:1", "--workers", "2"), "--workers sets"),
        (("--vary", "load=0:1", "--design", "sobol-indices", "--samples", "3"), "a power of two"),
        (("--vary", "load=0,1", "--analytic", "--keep", "1"), "--analytic makes none"),
    ],
)
def test_options_that_do_not_go_together_are_told_of(sim_command, swing, words, said):
    words = words if "--workers" in words else (*words, "--workers", "1")
    done = sim_command("sweep", "swing.py", *words, "--out", "study")
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert not (swing / "study").exists()


def test_what_a_reader_should_know_of_design_and_step_is_said_once_and_kept(sim_command, swing):
    words = ("--vary", "load=0:1", "--design", "sobol", "--samples", "3", "--dt", "0.03")
    done = sim_command("sweep", "swing.py", *words, "--method", "ideal", "--out", "study")
    notes = json.loads((swing / "study/study.json").read_text("utf-8"))["notes"]
    assert [note.split(",")[0][:40] for note in notes] == [
        "the first 3 of 4 points of a Sobol seque", "dt = 0.03 s does not divide the 0.1 s of"
    ]  # fmt: skip
    assert done.status == 0
    assert done.out.count("\nnote     ") == 2
    assert "Sobol" not in done.err


EVIL = 'raise SystemExit("executed")\n'


@pytest.mark.parametrize("place", ["elsewhere/swing.py", "here/study/swing.py", "here/swing.py"])
def test_a_received_study_executes_nothing_that_it_names_without_trust(
    sim_command, swing, monkeypatch, place
):
    """Of the user's own script only the text that the study was made with."""
    for name in ("here", "elsewhere"):
        (swing / name).mkdir()
    for name in ("swing.py", "arm.urdf"):
        (swing / "here" / name).write_bytes((swing / name).read_bytes())
    monkeypatch.chdir(swing / "here")
    assert sweep(sim_command, "--vary", "load=0,1").status == 0
    (swing / "here/swing.py").unlink()
    path = swing / place
    path.write_text(EVIL, "utf-8")
    description = swing / "here/study/study.json"
    facts = json.loads(description.read_text("utf-8"))
    facts["script"] = str(path)
    is_own = place == "here/swing.py"
    if not is_own:  # whoever sends it knows the hash of what he sends
        facts["identity"]["script"] = hashlib.sha256(EVIL.encode()).hexdigest()
    description.write_text(json.dumps(facts), "utf-8")
    done = sim_command("sweep", "--resume", "study")
    assert (done.status, done.out) == (2, "")
    assert "is not executed: it" in done.err
    assert ("has changed since" if is_own else "add --trust to execute it") in done.err
    assert "executed)" not in done.err
    trusted = sim_command("sweep", "--resume", "study", "--trust")
    assert trusted.status == 2
    assert ("has changed since" if is_own else "SystemExit executed") in trusted.err


def test_a_function_of_a_received_study_is_not_executed_either(sim_command, swing):
    (swing / "mine.py").write_text("def one(recording):\n    return 1\n", "utf-8")
    assert sweep(sim_command, "--vary", "load=0,1", "--response", "mine.py:one").status == 0
    assert sim_command("sweep", "--resume", "study").status == 0
    (swing / "mine.py").write_text(EVIL, "utf-8")
    done = sim_command("sweep", "--resume", "study")
    assert (done.status, done.out) == (2, "")
    assert "mine.py is not executed: it has changed since" in done.err
    assert "--trust requires --resume" in sweep(sim_command, "--vary", "load=0,1", "--trust").err


def test_a_limit_that_is_never_reached_is_named_in_a_whole_sentence(sim_command):
    words = ("--smallest", "load=0:4", "--dt", "0.1", "--method", "ideal", "--no-report", "--json")
    answer = sim_command("sweep", "two_link", *words).document["answer"]
    assert (answer["fails"], answer["binds"]) == (None, "shoulder speed")
