"""`sim run --clearance`: what it prints and writes, and input that it refuses."""

import json

import pytest


@pytest.fixture
def asked(sim_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        return sim_command("run", "two_link", "--dt", "0.02", "--method", "ideal", *words)

    return run


def test_a_run_prints_its_smallest_distances_and_its_page_lists_them(asked, tmp_path):
    found = asked("--clearance", "--floor", "-3", "--out", "there")
    lines = {line.split()[0]: line for line in found.out.splitlines() if line.strip()}
    assert " mm upper_arm – payload at " in lines["between"]
    assert lines["floor"].startswith("floor    ")
    facts = json.loads((tmp_path / "there" / "run.json").read_text())["settings"]["clearance"]
    assert facts["floor"] == -3.0
    assert [pair["first"] for pair in facts["pairs"]][:2] == ["upper_arm", "floor"]
    page = (tmp_path / "there" / "report.html").read_text()
    assert '<section id="clearance">' in page
    assert 'data-mark="apart"' in page


def test_a_run_without_it_has_no_such_section(asked, tmp_path):
    asked("--out", "there")
    page = (tmp_path / "there" / "report.html").read_text()
    assert 'id="clearance"' not in page
    assert 'data-mark="apart"' not in page


def test_a_distance_that_is_not_kept_fails_the_run(asked):
    found = asked("--clearance", "--wanted-clearance", "5", "--no-report")
    assert found.status == 1
    assert "failed   clearance clearance.links" in found.out


def test_pairs_are_excluded_by_name(asked):
    found = asked("--clearance", "--exclude", "upper_arm,payload", "--no-report")
    assert found.status == 2
    assert "no two links to judge" in found.err


def test_a_repeated_run_judges_its_distances_again(sim_command, asked):
    asked("--clearance", "--floor", "-3", "--no-report", "--out", "first")
    again = sim_command("run", "--from", "first", "--no-report", "--out", "again")
    assert again.status == 0, again.out
    assert "same to the bit" in again.out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--floor", "0"], "--floor requires --clearance"),
        (["--wanted-clearance", "0.1"], "--wanted-clearance requires --clearance"),
        (["--exclude", "a,b"], "--exclude requires --clearance"),
        (["--clearance", "--exclude", "a"], "--exclude must be two links, A,B; got 'a'"),
        (["--clearance", "--exclude", "a,floor"], "no link 'a', which is to be excluded with"),
        (["--clearance", "--wanted-clearance", "-1"], "must not be negative"),
        (["--clearance", "--floor", "nan"], "floor must be a finite number of metres"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(asked, tmp_path, words, text):
    found = asked(*words, "--out", "there")
    assert found.status == 2
    assert text in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "there").exists()


def test_a_claim_of_distances_is_not_judged_without_it_and_the_reason_is_given(sim_command):
    words = ("--dt", "0.1", "--method", "ideal", "--no-report", "--verbose")
    found = sim_command("run", "ur10_step", *words)
    assert "not evaluated: the run was made without --clearance" in found.out
