"""`sim report`, and what `sim run` leaves for people and machines to read."""

import json
import re
from xml.etree import ElementTree as ET

import pytest

SHORT = '''"""A swing of the two-link arm."""
import sim
from sim.shipped import scenarios


def scenario(turn: float = 15.0) -> sim.Scenario:
    robot = sim.load_robot(scenarios() / "two_link.urdf")
    motion = sim.JointMotion.displacement({{"shoulder": f"STEP5(time, 0, 0, 0.3, {{turn}}d)"}})
    return sim.Scenario(robot, motion, duration={duration})
'''


@pytest.fixture
def scripts(sim_command, tmp_path):
    """Two short scenarios in the working folder; the command."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(SHORT.format(duration=0.3))
    return sim_command


def words(path):
    return re.sub(r"<[^>]+>", " ", path.read_text("utf-8"))


def test_a_run_ends_with_the_path_of_its_page(scripts, tmp_path):
    done = scripts("run", "one.py", "--out", "run")
    assert done.status == 0
    assert done.out.split()[-1] == "run/report.html"
    assert "one" in words(tmp_path / "run" / "report.html")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["page"] == "report.html"


def test_several_runs_leave_an_index_and_a_junit_file(scripts, tmp_path):
    done = scripts("run", "one.py", "two.py", "--out", "all")
    assert done.status == 0
    assert done.out.split()[-1] == "all/index.html"
    index = (tmp_path / "all" / "index.html").read_text("utf-8")
    for name in ("one", "two"):
        assert f'href="{name}/report.html"' in index
    suites = ET.parse(tmp_path / "all" / "junit.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["one", "two"]
    assert [suite.get("failures") for suite in suites] == ["0", "0"]
    assert len(suites[0]) == int(suites[0].get("tests")) > 20


def test_without_reports_there_is_no_index(scripts, tmp_path):
    assert scripts("run", "one.py", "two.py", "--out", "all", "--no-report").status == 0
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"one", "two"}


def test_a_second_run_is_laid_over_the_first(scripts, tmp_path):
    scripts("run", "one.py", "--out", "first", "--no-report")
    scripts("run", "one.py", "--set", "turn=20", "--out", "second", "--no-report")
    done = scripts("report", "first", "second", "--out", "both.html")
    assert done.status == 0
    assert done.out.split() == ["page", "both.html"]
    page = words(tmp_path / "both.html")
    assert "second" in page
    assert not (tmp_path / "first" / "report.html").exists()


def test_the_page_of_a_run_can_be_written_again(scripts, tmp_path):
    scripts("run", "one.py", "--out", "run")
    before = (tmp_path / "run" / "report.html").read_bytes()
    (tmp_path / "run" / "report.html").unlink()
    assert scripts("report", "run").status == 0
    assert (tmp_path / "run" / "report.html").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("report", "nothing"), "no run 'nothing'"),
        (("report", "run", "--out", "no/where.html"), "no is not a folder"),
        (("report", "damaged"), "has changed since the run wrote it"),
        (("report", "foreign"), "cannot be read as JSON"),
    ],
)
def test_what_cannot_be_reported_is_one_line_and_leaves_nothing(
    scripts, tmp_path, arguments, words
):
    scripts("run", "one.py", "--out", "run", "--no-report")
    scripts("run", "one.py", "--out", "damaged", "--no-report")
    table = tmp_path / "damaged" / "recording.parquet"
    table.write_bytes(table.read_bytes()[:-100])
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "run.json").write_text("not json")
    failed = scripts(*arguments)
    assert failed.status == 2
    assert words in failed.err
    assert len(failed.err.splitlines()) == 1
    assert list(tmp_path.rglob("*.html")) == []
