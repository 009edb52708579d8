import re
from dataclasses import replace

import pytest

from sim.checks import judge_recording
from sim.comparison.between_engines import between_engines
from sim.errors import RecordingError
from sim.motion import JointMotion
from sim.reports.page.engines_page import EnginesRow, write_engines_page
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import lift, pendulum


def row(robot, motion, by=0.0, method="ideal"):
    """Of a robot by both engines; the torques of the second are off by a number."""
    scenario = Scenario(robot, motion, 0.05, method=method)
    one, other = (run(scenario, engine=name) for name in ("bullet", "mujoco"))
    table = other.recorded.copy()
    table[[c for c in table if c.startswith("tau.")]] += by
    pair = judge_recording(one), judge_recording(replace(other, recorded=table))
    pages = ("bullet/report.html", "bullet/report.html#engines")
    return EnginesRow.of(list(zip(pair, pages, strict=True)), between_engines(*pair), None)


def text_of(path):
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", path.read_text("utf-8")).split())


SWING = JointMotion.displacement({"hinge": "0.5*SIN(3*time)"})


def test_engines_that_agree_pass_and_each_leads_to_its_page(tmp_path):
    path = tmp_path / "engines.html"
    write_engines_page(path, [row(pendulum(1.0, 0.5), SWING)])
    html, text = path.read_text("utf-8"), text_of(path)
    assert (
        "✓ Pass 1 scenario by PyBullet and MuJoCo Both engines agree with the analytic model"
        in text
    )
    assert 'href="bullet/report.html"' in html
    assert 'href="bullet/report.html#engines"' in html
    assert re.search(r'href="bullet/report.html#ch=[^"]+&amp;t=[^"]+&amp;view=compared"', html)
    assert "<script" not in html


def test_engines_that_differ_fail_with_size_and_channel(tmp_path):
    path = tmp_path / "engines.html"
    write_engines_page(path, [row(pendulum(1.0, 0.5), SWING, by=1e-3)])
    text = text_of(path)
    assert "✗ Fail" in text
    assert "1 failed." in text
    assert "tau.hinge" in text
    assert "0.001 of" in text


def test_where_no_motor_gives_a_torque_a_dash_stands_for_it(tmp_path):
    free = JointMotion.displacement({}, free=["slide"])
    path = tmp_path / "engines.html"
    write_engines_page(path, [row(lift(1.0), free, method="adaptive")])
    assert path.read_text("utf-8").count(">–</td>") == 3


def test_a_page_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(RecordingError, match="Cannot write"):
        write_engines_page(tmp_path / "none" / "engines.html", [])
