"""The view in three dimensions and the marks in time, in a real Chromium."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from sim.reports.page.page import write_page
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.page_runs import arm_scene, good_run
from tests.helpers.short_runs import DURATION


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("view") / "report.html"
    write_page(path, good_run(), arm_scene())
    return path


def at_its_start(page):
    page.seek(0)
    page.js("document.activeElement.blur()")
    for key in ("x", "1"):
        page.page.keyboard.press(key)
    return page


@pytest.fixture
def viewed(shared):
    """The page as it is when it opens."""
    return at_its_start(shared)


@pytest.fixture
def opened(flat):
    """The same without its view."""
    return at_its_start(flat)


def marks(opened):
    found = opened.js("run.state.marks")
    return found["a"], found["b"]


def flags(opened):
    """Where the letters stand on the time bar, as parts of it."""
    return opened.js(
        """Object.fromEntries([...document.querySelectorAll('#flags b')].map((flag) => {
          const bar = flag.parentElement.getBoundingClientRect();
          const { left, right } = flag.getBoundingClientRect();
          const at = flag.classList.contains('a') ? right - 1 : left + 1;
          return [flag.textContent, (at - bar.left) / bar.width];
        }))"""
    )


def test_a_and_b_mark_the_present_time_on_the_bar_and_x_takes_both_away(opened):
    assert marks(opened) == (None, None)
    opened.seek(0.1)
    opened.page.keyboard.press("a")
    opened.seek(0.2)
    opened.page.keyboard.press("b")
    assert marks(opened) == (0.1, 0.2)
    pixel = 1 / 100  # the bar is more than 100 pixels wide
    assert flags(opened) == {
        "A": pytest.approx(0.1 / DURATION, abs=2 * pixel),
        "B": pytest.approx(0.2 / DURATION, abs=2 * pixel),
    }
    opened.page.keyboard.press("x")
    assert (marks(opened), flags(opened)) == ((None, None), {})


def test_buttons_mark_too_and_a_mark_out_of_order_takes_the_other_away(opened):
    opened.seek(0.2)
    opened.page.click("[data-ab=a]")
    opened.seek(0.1)
    opened.page.click("[data-ab=b]")
    assert marks(opened) == (None, 0.1)
    opened.page.click("[data-ab=a]")  # a stretch of no length is none
    assert marks(opened) == (0.1, None)
    opened.page.click("#unmark")
    assert marks(opened) == (None, None)


def test_a_loop_plays_between_the_marks(opened):
    opened.js("run.seek(0.1)")
    opened.page.keyboard.press("a")
    opened.js("run.seek(0.15)")
    opened.page.keyboard.press("b")
    opened.page.keyboard.press("l")
    opened.js(
        """run.times = []; run.watch = () => { run.times.push(run.state.t);
        if (run.state.playing) requestAnimationFrame(run.watch); };
        run.play(); run.watch();"""
    )
    opened.until("run.times.length > 3 && run.times.some((t, k) => k && t < run.times[k - 1])")
    opened.page.keyboard.press(" ")
    opened.page.keyboard.press("l")
    times = opened.js("run.times")
    assert min(times[1:]) >= 0.1
    assert max(times[1:]) <= 0.15


def test_the_address_keeps_the_marks(flat_browser, opened, path):
    opened.seek(0.05)
    opened.page.keyboard.press("a")
    opened.seek(0.25)
    opened.page.keyboard.press("b")
    opened.until("location.hash.includes('a=0.05') && location.hash.includes('b=0.25')")
    again = Opened(flat_browser, path, "#t=0.1&b=0.05&a=0.25").ready()
    assert marks(again) == (0.05, 0.25)  # in order of time
    for nonsense in ("#t=0.1&a=x&b=", "#a=nan&t=0"):
        again = Opened(flat_browser, path, nonsense).ready()
        assert marks(again) == (None, None)


@pytest.fixture(scope="module")
def diving(browser, tmp_path_factory):
    """A run whose tool's path goes a metre below its base."""
    t = good_run().recorded.index.to_numpy()
    low = good_run().recorded.assign(**{"tool.z": -t / DURATION})
    path = tmp_path_factory.mktemp("diving") / "report.html"
    write_page(path, replace(good_run(), recorded=low), arm_scene())
    with leaving_pages():
        yield Opened(browser, path).ready()


def test_the_floor_is_under_a_path_that_dives_and_the_robot_on_a_pedestal(diving):
    floor = diving.js("run.floor")
    assert -1.1 < floor["height"] < -1.0
    assert floor["pedestal"] > 0
    assert diving.js("[...document.querySelectorAll('[data-ab]')].length") == 2


def test_the_path_is_seen_below_the_base(diving):
    """Pixels as blue as the path, about where its end is on the screen."""
    diving.js("run.seek(run.meta.t.last)")
    tool = good_run().recorded[["tool.x", "tool.y"]].iloc[-1]
    x, y = diving.js(f"run.onScreen([{tool['tool.x']}, {tool['tool.y']}, -0.9])")
    box = diving.page.locator("#view").bounding_box()
    column, row = box["x"] + box["width"] * (1 + x) / 2, box["y"] + box["height"] * (1 - y) / 2
    clip = {"x": column - 12, "y": row - 12, "width": 24, "height": 24}
    seen = np.asarray(Image.open(io.BytesIO(diving.page.screenshot(clip=clip))).convert("RGB"))
    red, _, blue = np.moveaxis(seen.astype(int), -1, 0)
    assert (blue - red > 90).sum() > 10


@pytest.mark.rotates(2)
@pytest.mark.parametrize("name", ["iso", "front", "side", "top"])
def test_a_standard_view_holds_all_that_is_reached_and_is_full_of_it(viewed, name):
    viewed.js(f"document.querySelector('[data-look={name}]').click()")
    points = viewed.js("run.meta.bounds.reached.map((p) => run.onScreen(p))")
    spans = np.ptp(points, axis=0)
    assert np.abs(points).max() <= 1
    assert spans.max() > 1.4  # of the 2 from edge to edge


def test_the_camera_follows_the_tool_in_the_middle_of_the_picture(viewed):
    viewed.page.keyboard.press("v")
    for t in (0.0, 0.12, 0.3):
        viewed.seek(t)
        row = good_run().recorded.loc[:t, ["tool.x", "tool.y", "tool.z"]].iloc[-1]
        assert viewed.js(f"run.onScreen({row.tolist()})") == pytest.approx([0, 0], abs=0.01)
    viewed.page.keyboard.press("v")
    viewed.page.keyboard.press("1")
    row = good_run().recorded[["tool.x", "tool.y", "tool.z"]].iloc[-1]
    assert np.abs(viewed.js(f"run.onScreen({row.tolist()})")).max() > 0.05


def test_two_clicked_points_are_measured_now_and_over_the_run(viewed):
    """Distance of two points on two links, by the poses of the links at other times."""
    viewed.page.locator("label:has([data-mark=measure])").click()
    box = viewed.page.locator("#view canvas").bounding_box()
    clicked = []
    for link in ("upper_arm", "forearm"):
        pose = np.array(viewed.js("(name) => run.poseOf(name)", link)).reshape(4, 4).T
        local = np.array([0.02, 0.0, 0.0, 1.0])
        x, y = viewed.js("(p) => run.onScreen(p)", (pose @ local)[:3].tolist())
        viewed.page.mouse.click(
            box["x"] + box["width"] * (1 + x) / 2, box["y"] + box["height"] * (1 - y) / 2
        )
        clicked = viewed.js("run.measured()")
    assert len(clicked) == 2
    name = f"distance {clicked[0][0]} to {clicked[1][0]}"
    curve = viewed.js("(name) => run.channels.get(name)", name)
    for k in (0, 133, 400):
        viewed.seek(curve["x"][k])
        ends = [
            np.array(viewed.js("(name) => run.poseOf(name)", link)).reshape(4, 4).T[:3]
            @ np.append(local, 1.0)
            for link, local in clicked
        ]
        assert curve["recorded"][k] == pytest.approx(np.linalg.norm(ends[1] - ends[0]), abs=1e-6)
    viewed.page.locator("label:has([data-mark=measure])").click()
    assert viewed.js("run.measured()") == []


def test_a_link_can_be_hidden(viewed):
    before = viewed.page.locator("#view canvas").screenshot()
    viewed.page.locator("#links").click()
    viewed.page.locator(".menu button", has_text="forearm").click()
    viewed.page.keyboard.press("Escape")
    viewed.until("!document.querySelector('.menu')")
    assert viewed.page.locator("#view canvas").screenshot() != before
    viewed.page.locator("#links").click()
    assert viewed.page.locator(".menu button", has_text="☐ forearm").count() == 1
    viewed.page.locator(".menu button", has_text="forearm").click()
    viewed.page.keyboard.press("Escape")
