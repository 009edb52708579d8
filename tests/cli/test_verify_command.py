"""`sim verify`, as a user types it."""

import re
import xml.etree.ElementTree as ET

import pytest

from sim.cli.command import COMMANDS

OWN = """'''A square of 3 m has a diagonal of 3 √2 m.

By Pythagoras.
'''
import math
import sim

CASE = sim.Case(
    source=sim.Source("Euclid", 1908, "The Elements, by T. L. Heath", "book I, proposition 47"),
    expected=lambda: {{"diagonal": sim.Expected(3 * math.sqrt(2), "m", {within}, "rounding")}},
    compute=lambda method: {{"diagonal": math.hypot(3, {side})}},
    methods=("model",),
)
"""


@pytest.fixture
def own(tmp_path):
    def write(side="3", within="1e-12"):
        (tmp_path / "my_case.py").write_text(OWN.format(side=side, within=within), "utf-8")
        return "my_case.py"

    return write


def test_some_cases_fit_a_terminal_and_are_written_as_junit_and_page(sim_command, tmp_path):
    names = ("damped_slide", "two_equal_pendulums", "step_functions")
    done = sim_command("verify", *names, "--junit", "j.xml", "--page", "p.html", columns=80)
    assert (done.status, done.err) == (0, "")
    assert max(len(line.rstrip()) for line in done.out.splitlines()) <= 80
    for words in ("Closed forms", "Textbooks", "ADAMS", "PyBullet", "3 passed"):
        assert words in done.out
    root = ET.parse(tmp_path / "j.xml").getroot()
    assert [one.get("name") for one in root] == ["closed_forms", "textbooks", "adams"]
    assert (
        sum(int(one.get("tests")) for one in root) == len(list(root.iter("testcase"))) == 9 + 4 + 9
    )
    page = (tmp_path / "p.html").read_text("utf-8")
    assert re.search(r"<script|src=|url\(", page) is None
    assert all(f'id="{name}"' in page for name in names)
    assert page.count("<svg") == 2 + 2  # the slide and the pendulums; two curves
    assert "Meirovitch, L. (2001)" in page


def test_a_case_of_a_user_passes_and_fails(sim_command, own):
    done = sim_command("verify", own(), columns=80)
    assert (done.status, done.err) == (0, "")
    assert "Euclid (1908), The Elements" in done.out
    done = sim_command("verify", own("3.1"), "--json")
    assert done.status == 1
    (case,) = done.document["cases"]
    (reading,) = case["readings"]
    assert (case["status"], reading["ok"], reading["share"] > 1e9) == ("failed", False, True)
    assert done.document["ok"] is False


def test_a_folder_of_own_cases_is_verified_and_one_without_is_refused(sim_command, own, tmp_path):
    folder = tmp_path / "cases"
    folder.mkdir()
    done = sim_command("verify", "cases")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "Folder cases has no .py file with `CASE" in done.err
    for name in ("a", "b"):
        (tmp_path / own()).rename(folder / f"{name}.py")
    (folder / "shared.py").write_text("SIDE = 3\n", "utf-8")  # what several cases share
    done = sim_command("verify", "cases", "--json")
    assert (done.status, [one["name"] for one in done.document["cases"]]) == (0, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import sim\nCASE = sim.Case(source=None, expected=dict)", "a case needs a source"),
        ("x = 1", "defines no case; it has `CASE = sim.Case(source=…, …)`"),
        ("CASE = 1 / 0", "line 1: ZeroDivisionError"),
        (
            OWN.format(side="3", within="0"),
            "Case 'my_case': An expected value needs `within`, a tolerance above 0 in m",
        ),
        (OWN.format(side="'a'", within="1"), "'my_case': TypeError: must be real number"),
    ],
)
def test_a_case_that_lacks_something_is_one_line(sim_command, tmp_path, text, words):
    (tmp_path / "my_case.py").write_text(text, "utf-8")
    done = sim_command("verify", "my_case.py")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert words.lower() in done.err.lower()


@pytest.mark.parametrize(
    ("word", "near"),
    [("pendulm", "pendulum"), ("textbook", "textbooks"), ("puma", "puma_gravity_load")],
)
def test_an_unknown_case_names_those_near_it(sim_command, word, near):
    done = sim_command("verify", word)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"no case or chapter '{word}'" in done.err and near in done.err


def test_the_list_names_every_chapter_and_computes_nothing(sim_command):
    done = sim_command("verify", "--list", columns=80)
    assert done.status == 0
    assert "andrews_squeezer" in done.out and "[machine]" in done.out


def test_without_engines_the_model_answers_alone(sim_command):
    done = sim_command("verify", "damped_slide", "--engine", "none", "--json")
    (case,) = done.document["cases"]
    assert {one["method"] for one in case["readings"]} == {"model"}


def test_a_chapter_is_verified_whole_and_what_lacks_data_is_skipped(sim_command, monkeypatch):
    monkeypatch.delenv("SIM_UR10_LOG", raising=False)
    done = sim_command("verify", "machine", columns=80)
    assert done.status == 0
    assert "skipped  ur10_log: environment variable SIM_UR10_LOG is not set" in done.out
    assert "verify" in COMMANDS


def test_a_file_of_another_origin_is_not_replaced(sim_command, tmp_path):
    (tmp_path / "p.html").write_text("mine")
    done = sim_command("verify", "damped_slide", "--page", "p.html")
    assert (done.status, done.out) == (2, "")
    assert (tmp_path / "p.html").read_text() == "mine"
