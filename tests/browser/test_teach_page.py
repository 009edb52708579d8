"""The teach page in a real Chromium, against the model: poses, solutions, the taught scenario."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from PIL import Image

from sim.cli.command import status
from sim.kinematics import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.maths import rpy_from_rotation
from sim.playback.teach_state import teach_state
from sim.recording import Recording
from sim.robots import load_robot
from tests.helpers.decoded_video import decoded
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.small_robots import joint, link, robot

PLACE = 1e-12  # m, and of the axes: rounding of a chain of seven frames
REACHED = 1e-9  # m and rad, of the search
SIGMA = 1e-12  # of singular values that are of the order of one


@pytest.fixture(scope="module")
def arm():
    return load_robot("ur10")


def opened(browser, name, path, **context):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webbrowser.open", lambda url, new: True)
        assert status(["teach", name, "--browser", "--out", str(path)]) == 0
    return Opened(browser, path, **context).ready()


@pytest.fixture(scope="module")
def page(flat_browser, arm, tmp_path_factory):
    with leaving_pages():
        found = opened(flat_browser, "ur10", tmp_path_factory.mktemp("teach") / "ur10.html")
        yield found
        assert found.asked == [found.page.url]


def pose_at(page, q):
    return np.array(page.js("q => { teaching.go(q); return teaching.arm.pose(); }", list(q)))


def typed(page, values):
    """Type a pose in millimetres and degrees, and go."""
    for k, value in enumerate(values):
        page.page.locator(f"#teach-p{k}").fill(repr(float(value)))
    page.page.get_by_role("button", name="go", exact=True).click()
    return np.array(page.js("teaching.q"))


def test_the_tool_is_where_the_model_has_it(page, arm):
    for q in np.random.default_rng(3).uniform(-2.0, 2.0, (4, 6)):
        np.testing.assert_allclose(pose_at(page, q), frame_pose(arm, q)[:3], rtol=0, atol=PLACE)
        state = teach_state(arm, q)
        assert page.js("teaching.least()") == pytest.approx(state.sigma, abs=SIGMA)
        told = [float(page.page.input_value(f"#teach-p{k}")) for k in range(6)]
        wanted = [*state.T_0e[:3, 3] * 1000, *np.degrees(state.rpy)]
        np.testing.assert_allclose(told, wanted, rtol=0, atol=0.0051)  # printed to 0.01 mm


def test_a_typed_pose_is_reached_by_several_branches(page, arm):
    q = np.array([0.4, -1.2, 1.1, -0.6, 0.9, 0.3])
    T = frame_pose(arm, q)
    page.js("q => teaching.go(q)", list(q + 0.2))
    found = typed(page, [*T[:3, 3] * 1000, *np.degrees(rpy_from_rotation(T[:3, :3]))])
    np.testing.assert_allclose(found, q, rtol=0, atol=1e-8)  # rad: the branch nearest by
    known = {one.branch: one.q for one in inverse_kinematics(arm, T, near=q + 0.2).solutions}
    buttons = page.page.locator("#teach-branches button")
    assert buttons.count() == len(known) == 8
    for k in range(buttons.count()):
        buttons.nth(k).click()
        branch, _, move = buttons.nth(k).inner_text().partition(": ")
        np.testing.assert_allclose(page.js("teaching.q"), known[branch], rtol=0, atol=REACHED)
        largest = np.degrees(np.abs(known.pop(branch) - q - 0.2).max())
        assert move == f"{largest:.1f}\u00a0°"
        assert page.page.inner_text("#teach-stands") == f"Branch {branch}"
    before = page.js("teaching.q")
    typed(page, [9000, 0, 0, 0, 0, 0])
    assert page.js("teaching.q") == before
    assert "Not reached" in page.page.inner_text("#teach-reached")


@pytest.mark.parametrize("name", ["ur10", "kr210", "puma560", "weld5", "irb460"])
def test_every_branch_of_a_family_is_found_by_its_name(flat_browser, page, tmp_path, name):
    robot = load_robot(name)
    there = page if name == "ur10" else opened(flat_browser, name, tmp_path / "page.html")
    rows = there.js("teaching.arm.rows")
    near, *ends = (np.array([row[key] for row in rows]) for key in ("start", "low", "high"))
    ends = np.clip(ends, -np.pi, np.pi)
    poses = [*np.random.default_rng(5).uniform(*ends, (4, len(near))), near]
    for q in poses:  # the last, of UR10 and PUMA 560, is singular
        T = frame_pose(robot, q)
        found = there.js("([q, T]) => { teaching.go(q); return teaching.solutions(T); }",
                         [near.tolist(), T[:3].tolist()])  # fmt: skip
        known = inverse_kinematics(robot, T, near=near).solutions
        assert [one["label"] for one in found if one["inside"]], name
        assert {one["label"]: one["inside"] for one in found} == {
            one.branch: one.inside_limits for one in known
        }
        for one in known:
            (q_there,) = (each["q"] for each in found if each["label"] == one.branch)
            np.testing.assert_allclose(q_there, one.q, rtol=0, atol=REACHED)
        there.js("q => teaching.go(q)", q.tolist())
        assert there.page.inner_text("#teach-stands b") == teach_state(robot, q).branch


def test_taught_poses_run_as_a_scenario(page, arm, tmp_path, monkeypatch, capsys):
    taught = {
        'the "first"': [0.1, -1.2, 0.9, -0.5, 0.2, 0.0],
        "b": [0.3, -1.0, 0.7, -0.5, 0.2, 0.1],
        "c": [0.2, -1.1, 0.8, -0.4, 0.3, 0.1],
    }
    assert page.page.locator("#teach-copy").is_disabled()
    for name, q in {**taught, "gone": [0.0] * 6}.items():
        page.js("q => teaching.go(q)", q)
        page.page.fill("#teach-name", name)
        page.page.get_by_role("button", name="teach", exact=True).click()
    page.page.get_by_role("button", name="remove gone").click()
    page.page.get_by_role("button", name='go to the "first"').click()
    assert page.js("teaching.q") == taught['the "first"']
    page.page.fill("#teach-move", "0.4")
    page.page.fill("#teach-move", "-3")  # marked, and the last good one counts
    assert page.js("document.querySelector('#teach-move').matches(':invalid')")
    page.page.fill("#teach-hold", "0.1")
    text = page.js("teaching.script()")
    assert page.page.locator("#teach-text textarea").input_value() == text
    (tmp_path / "taught.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert status(["run", "taught.py", "--method", "ideal"]) == 0
    assert "1 s" in capsys.readouterr().out
    table = Recording.read(next((tmp_path / "results").rglob("run.json")).parent).recorded
    for k, name in enumerate(arm.joint_names):
        q = np.asarray(table[f"q.{name}"])
        wanted = [pose[k] for pose in taught.values()]
        rests = np.interp([0.0, 0.4, 0.5, 0.9, 1.0], table.index, q)  # 0.4 s a move, 0.1 s of rest
        np.testing.assert_allclose(rests, np.repeat(wanted, [1, 2, 2]), rtol=0, atol=1e-9)  # rad
    # the page plays what was run: at every sample, and to its end
    shown = page.js("t => t.map(s => teaching.player.motion.at(s))", table.index.tolist())
    ran = np.array([table[f"q.{name}"] for name in arm.joint_names]).T
    np.testing.assert_allclose(shown, ran, rtol=0, atol=1e-14)  # rad
    page.page.get_by_role("button", name="Play").click()
    page.until("teaching.player.t >= 1 && !teaching.player.playing")
    np.testing.assert_allclose(page.js("teaching.q"), ran[-1], rtol=0, atol=1e-14)
    assert page.page.inner_text("#time") == "1.00 / 1.00"
    page.page.locator("#scrub").fill("0.2")
    np.testing.assert_allclose(page.js("teaching.q"), page.js("teaching.player.motion.at(0.2)"))
    page.page.get_by_role("button", name="Play").click()
    page.page.get_by_role("button", name="home").click()  # who moves a joint ends it
    assert not page.js("teaching.player.playing")
    np.testing.assert_array_equal(page.js("teaching.q"), arm.pose("home"))


def swipe(opened, *fingers):
    """Fingers on the screen, each from a place to another."""
    session = opened.context.new_cdp_session(opened.page)
    places = [
        [{"x": a + (c - a) * k / 4, "y": b + (d - b) * k / 4} for (a, b), (c, d) in fingers]
        for k in range(5)
    ]
    for kind, points in zip(["touchStart", *["touchMove"] * 4], places, strict=True):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


SMALL = """() => [...document.querySelectorAll('button, input, summary')]
    .filter(one => one.offsetParent)
    .map(one => [one.id || one.textContent, one.getBoundingClientRect()])
    .filter(([, box]) => box.height < 40 || box.width < 40).map(([name]) => name)"""


def test_a_phone_teaches_plays_and_records(browser, tmp_path, arm):
    phone = {"has_touch": True, "is_mobile": True, "accept_downloads": True}
    there = opened(browser, "ur10", tmp_path / "page.html", **phone)
    there.page.set_viewport_size({"width": 360, "height": 640})
    for q in ([0.0, -1.5, 0.5, 0, 0, 0], [0.6, -1.0, 1.0, 0, 0, 0]):
        there.js("q => teaching.go(q)", q)
        there.page.get_by_role("button", name="teach", exact=True).tap()
    there.page.get_by_role("button", name="go", exact=True).tap()
    assert there.js("document.documentElement.scrollWidth") == 360
    assert there.js(SMALL) == []

    slider = there.page.locator("input[aria-label=elbow_joint]")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    swipe(there, (at, (at[0] + 60, at[1])))
    share = 60 / (box["width"] - 16)  # of the way of a thumb that is 16 pixels wide
    assert there.js("teaching.q[2]") == pytest.approx(share * 4 * np.pi, abs=0.05)
    place, far = "teaching.view.camera.position", "distanceTo(teaching.view.controls.target)"
    before, distance = there.js(f"[{place}.toArray(), {place}.{far}]")
    swipe(there, ((100, 150), (180, 150)))
    after, turned = there.js(f"[{place}.toArray(), {place}.{far}]")
    assert turned == pytest.approx(distance, rel=1e-9)
    assert np.linalg.norm(np.subtract(after, before)) > 0.1  # m
    swipe(there, ((150, 150), (90, 150)), ((210, 150), (270, 150)))
    assert there.js(f"{place}.{far}") < 0.7 * distance  # fingers three times as far apart

    there.page.fill("#teach-move", "0.12")
    there.page.fill("#teach-hold", "0")
    with there.page.expect_download() as pictures:
        there.page.locator("#teach-pictures").tap()
    with zipfile.ZipFile(pictures.value.path()) as file:
        names = file.namelist()
        stills = [Image.open(file.open(name)).convert("RGB") for name in names]
    assert names == [f"ur10_{k:04}.png" for k in range(1, 5)]  # 0, 0.04, 0.08 and 0.12 s
    with there.page.expect_download() as video:
        there.page.locator("#teach-video").tap()
    saved = tmp_path / video.value.suggested_filename
    video.value.save_as(saved)
    assert saved.name == "ur10.webm"
    width, height = (size - size % 2 for size in stills[0].size)
    said, films = decoded(saved, width, height)
    assert "25 fps" in said and "Duration: 00:00:00.16" in said and len(films) == 4
    still = np.array([np.asarray(one)[:height, :width] for one in stills], dtype=float)
    apart = np.abs(np.array(films, dtype=float)[:, None] - still[None]).mean(axis=(2, 3, 4))
    assert np.argmin(apart, axis=1).tolist() == [0, 1, 2, 3]  # each picture at its time
    assert apart.diagonal().max() < 3  # of 255: VP9


def test_joints_that_follow_keep_the_palletizer_closed(flat_browser, tmp_path):
    palletizer = load_robot("irb460")
    page = opened(flat_browser, "irb460", tmp_path / "page.html")
    q = np.array([0.3, 0.2, -0.1, 0.5])
    np.testing.assert_allclose(pose_at(page, q), frame_pose(palletizer, q)[:3], rtol=0, atol=PLACE)
    assert page.js("teaching.least()") == pytest.approx(teach_state(palletizer, q).sigma, abs=SIGMA)
    T = page.js("teaching.arm.pose()")
    found = page.js("T => { teaching.go([0, 0, 0, 0]); return teaching.solutions(T); }", T)
    assert any(np.abs(np.array(one["q"]) - q).max() < 1e-8 for one in found)


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
