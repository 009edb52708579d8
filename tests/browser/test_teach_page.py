"""The teach page in a real Chromium, against the model: poses, solutions, the taught scenario."""

from __future__ import annotations

import numpy as np
import pytest

from sim.cli.command import status
from sim.kinematics import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.maths import rpy_from_rotation
from sim.playback.teach_state import teach_state
from sim.recording import Recording
from sim.robots import load_robot
from tests.helpers.opened_page import Opened
from tests.helpers.small_robots import joint, link, robot

PLACE = 1e-12  # m, and of the axes: rounding of a chain of seven frames
REACHED = 1e-9  # m and rad, of the search
SIGMA = 1e-12  # of singular values that are of the order of one


@pytest.fixture(scope="module")
def arm():
    return load_robot("ur10")


def opened(browser, name, path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webbrowser.open", lambda url, new: True)
        assert status(["teach", name, "--browser", "--out", str(path)]) == 0
    return Opened(browser, path).ready()


@pytest.fixture(scope="module")
def page(flat_browser, arm, tmp_path_factory):
    found = opened(flat_browser, "ur10", tmp_path_factory.mktemp("teach") / "ur10.html")
    yield found
    assert found.errors == []
    assert found.asked == [found.page.url]
    found.close()


def pose_at(page, q):
    return np.array(page.js("q => { teaching.go(q); return teaching.arm.pose(); }", list(q)))


def typed(page, values):
    """Type a pose in millimetres and degrees, and go."""
    for k, value in enumerate(values):
        page.page.locator(f"#p{k}").fill(repr(float(value)))
    page.page.get_by_role("button", name="go", exact=True).click()
    return np.array(page.js("teaching.q"))


def test_the_tool_is_where_the_model_has_it(page, arm):
    for q in np.random.default_rng(3).uniform(-2.0, 2.0, (4, 6)):
        np.testing.assert_allclose(pose_at(page, q), frame_pose(arm, q)[:3], rtol=0, atol=PLACE)
        state = teach_state(arm, q)
        assert page.js("teaching.least()") == pytest.approx(state.sigma, abs=SIGMA)
        told = [float(page.page.input_value(f"#p{k}")) for k in range(6)]
        wanted = [*state.T_0e[:3, 3] * 1000, *np.degrees(state.rpy)]
        np.testing.assert_allclose(told, wanted, rtol=0, atol=0.0051)  # printed to 0.01 mm


def test_a_typed_pose_is_reached_by_several_branches(page, arm):
    q = np.array([0.4, -1.2, 1.1, -0.6, 0.9, 0.3])
    T = frame_pose(arm, q)
    page.js("q => teaching.go(q)", list(q + 0.2))
    found = typed(page, [*T[:3, 3] * 1000, *np.degrees(rpy_from_rotation(T[:3, :3]))])
    np.testing.assert_allclose(found, q, rtol=0, atol=1e-8)  # rad: the branch nearest by
    known = [solution.q for solution in inverse_kinematics(arm, T).solutions]
    buttons = page.page.locator("#branches button")
    assert buttons.count() == len(known) == 8
    for k in range(buttons.count()):
        buttons.nth(k).click()
        here = np.array(page.js("teaching.q"))
        np.testing.assert_allclose(frame_pose(arm, here), T, rtol=0, atol=REACHED)
        apart = [np.abs(np.remainder(here - q + np.pi, 2 * np.pi) - np.pi).max() for q in known]
        assert min(apart) < 1e-6
        known.pop(int(np.argmin(apart)))
    before = page.js("teaching.q")
    typed(page, [9000, 0, 0, 0, 0, 0])
    assert page.js("teaching.q") == before
    assert "Not reached" in page.page.inner_text("#reached")


def test_taught_poses_run_as_a_scenario(page, arm, tmp_path, monkeypatch, capsys):
    taught = {
        'the "first"': [0.1, -1.2, 0.9, -0.5, 0.2, 0.0],
        "b": [0.3, -1.0, 0.7, -0.5, 0.2, 0.1],
        "c": [0.2, -1.1, 0.8, -0.4, 0.3, 0.1],
    }
    assert page.page.locator("#copy").is_disabled()
    for name, q in {**taught, "gone": [0.0] * 6}.items():
        page.js("q => teaching.go(q)", q)
        page.page.fill("#name", name)
        page.page.get_by_role("button", name="teach", exact=True).click()
    page.page.get_by_role("button", name="remove gone").click()
    page.page.get_by_role("button", name='go to the "first"').click()
    assert page.js("teaching.q") == taught['the "first"']
    page.page.fill("#move", "0.4")
    text = page.js("teaching.script()")
    assert page.page.locator("#text textarea").input_value() == text
    (tmp_path / "taught.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = ["run", "taught.py", "--set", "hold=0.1", "--method", "ideal"]
    assert status(words) == 0
    assert "1 s" in capsys.readouterr().out
    table = Recording.read(next((tmp_path / "results").rglob("run.json")).parent).recorded
    for k, name in enumerate(arm.joint_names):
        q = np.asarray(table[f"q.{name}"])
        wanted = [pose[k] for pose in taught.values()]
        rests = np.interp([0.0, 0.4, 0.5, 0.9, 1.0], table.index, q)  # 0.4 s a move, 0.1 s of rest
        np.testing.assert_allclose(rests, np.repeat(wanted, [1, 2, 2]), rtol=0, atol=1e-9)  # rad


def test_joints_that_follow_keep_the_palletizer_closed(flat_browser, tmp_path):
    palletizer = load_robot("irb460")
    page = opened(flat_browser, "irb460", tmp_path / "page.html")
    q = np.array([0.3, 0.2, -0.1, 0.5])
    np.testing.assert_allclose(pose_at(page, q), frame_pose(palletizer, q)[:3], rtol=0, atol=PLACE)
    assert page.js("teaching.least()") == pytest.approx(teach_state(palletizer, q).sigma, abs=SIGMA)
    T = page.js("teaching.arm.pose()")
    found = page.js("T => { teaching.go([0, 0, 0, 0]); return teaching.solutions(T); }", T)
    assert any(np.abs(np.array(one["q"]) - q).max() < 1e-8 for one in found)
    assert page.errors == []
    page.close()


def test_slides_and_joints_that_follow_with_an_offset_move_as_in_the_model(flat_browser, tmp_path):
    share = '<mimic joint="slide" multiplier="-0.7" offset="0.3"/><origin xyz="0.2 0 0.1"/>'
    more = '<mimic joint="turn" multiplier="0.1" offset="0.05"/><origin rpy="0.4 0 0"/>'
    small = robot(
        *(link(name, 1.0, moments="0.1 0.1 0.1") for name in "abcd"),
        joint("slide", "prismatic", "ground", "a", "0 0.6 0.8"),
        joint("swing", "revolute", "a", "b", "1 0 0", share),
        joint("turn", "revolute", "b", "c", "0 0 1", '<origin xyz="0.3 0 0"/>'),
        joint("push", "prismatic", "c", "d", "1 0 0", more),
    )
    (tmp_path / "small.urdf").write_text(small.text, encoding="utf-8")
    page = opened(flat_browser, str(tmp_path / "small.urdf"), tmp_path / "page.html")
    q = np.array([0.4, -0.7])
    np.testing.assert_allclose(pose_at(page, q), frame_pose(small, q)[:3], rtol=0, atol=PLACE)
    assert page.js("teaching.least()") == pytest.approx(teach_state(small, q).sigma, abs=SIGMA)
    assert page.errors == []
    page.close()
