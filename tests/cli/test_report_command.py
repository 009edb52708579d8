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
    assert re.findall(r'<span class="name">(.*?)</span>', html) == ["turn = 15", "turn = 20"]
    assert "Against turn = 20 (second)" in " ".join(words(tmp_path / "both.html").split())
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


@pytest.mark.parametrize("out", ["report.html", "both.html"])
def test_runs_of_other_joints_have_a_page_each_and_an_index_that_leads_to_both(
    scripts, tmp_path, out
):
    (tmp_path / "ur.py").write_text(OTHER)
    scripts("run", "one.py", "--out", "runs/run")
    scripts("run", "ur.py", "--out", "runs/ur", "--no-report")
    place = tmp_path / ("runs" if out == "report.html" else ".") / out
    where = () if out == "report.html" else ("--out", out)
    done = scripts("report", "runs/run", "runs/ur", *where)
    assert done.status == 0, done.err
    assert done.out.split() == ["index", str(place.relative_to(tmp_path))]
    index = place.read_text("utf-8")
    for name in ("run", "ur"):
        page = tmp_path / "runs" / name / "report.html"
        assert f'href="{page.relative_to(place.parent).as_posix()}"' in index
        assert 'overlays":[]' in page.read_text("utf-8")  # neither is laid over the other
    assert index.count("✓ pass") == 2


def test_an_index_replaces_nothing_of_somebody_else(scripts, tmp_path):
    (tmp_path / "ur.py").write_text(OTHER)
    scripts("run", "one.py", "--out", "runs/run", "--no-report")
    scripts("run", "ur.py", "--out", "runs/ur", "--no-report")
    (tmp_path / "runs" / "report.html").write_text("my own")
    failed = scripts("report", "runs/run", "runs/ur")
    assert failed.status == 2
    assert "sim did not write it" in failed.err
    assert (tmp_path / "runs" / "report.html").read_text() == "my own"
    assert len(list(tmp_path.rglob("*.html"))) == 1
