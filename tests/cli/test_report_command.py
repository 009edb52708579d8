import re

import pytest

SHORT = '''"""A swing of the two-link arm."""
import sim
from sim.shipped import scenarios


def scenario(turn: float = 15.0) -> sim.Scenario:
    robot = sim.load_robot(scenarios() / "two_link.urdf")
    motion = sim.JointMotion.displacement({"shoulder": f"STEP5(time, 0, 0, 0.3, {turn}d)"})
    return sim.Scenario(robot, motion, duration=0.3)
'''


@pytest.fixture
def scripts(sim_command, tmp_path):
    """The command, with a short scenario in its working folder."""
    (tmp_path / "one.py").write_text(SHORT)
    return sim_command


def words(path):
    return re.sub(r"<[^>]+>", " ", path.read_text("utf-8"))


def test_a_second_run_is_laid_over_the_first(scripts, tmp_path):
    scripts("run", "one.py", "--out", "first", "--no-report")
    scripts("run", "one.py", "--set", "turn=20", "--out", "second", "--no-report")
    done = scripts("report", "first", "second", "--out", "both.html")
    assert done.status == 0
    assert done.out.split() == ["page", "both.html"]
    html = (tmp_path / "both.html").read_text("utf-8")
    assert re.findall(r'<span class="name">(.*?)</span>', html) == ["turn 20"]
    assert "Against turn 20 (second)" in " ".join(words(tmp_path / "both.html").split())
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


OTHER = '''"""Another robot."""
import sim


def scenario() -> sim.Scenario:
    robot = sim.load_robot("ur10")
    motion = sim.JointMotion.displacement({"elbow_joint": "STEP5(time, 0, 0, 0.1, 1d)"})
    return sim.Scenario(robot, motion, duration=0.1)
'''


@pytest.mark.parametrize("out", [(), ("--out", "both.html")])
def test_a_robot_of_other_joints_is_refused_and_no_page_is_replaced(scripts, tmp_path, out):
    (tmp_path / "ur.py").write_text(OTHER)
    scripts("run", "one.py", "--out", "run")
    scripts("run", "ur.py", "--out", "ur", "--no-report")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    failed = scripts("report", "run", "ur", *out)
    assert failed.status == 2
    (line,) = failed.err.splitlines()
    assert "ur (robot ur10) cannot be laid over run (robot two_link)" in line
    assert "only run has shoulder, elbow; only ur has shoulder_pan_joint" in line
    assert "sim report ur" in line
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
