"""The page of a workspace in a real Chromium: clicks, postures, width, silence."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sim.kinematics import frame_pose
from sim.workspaces.outline import arm_lines
from sim.workspaces.page import map_chart, page
from tests.helpers.coarse_workspaces import coarse_workspace
from tests.helpers.opened_page import Opened

TABLE = (
    "[...document.querySelectorAll('#joints tr')].map(r => [...r.cells].map(c => c.textContent))"
)
ARMS = "[...document.querySelectorAll('.posture .arm')].map(p => p.getAttribute('d'))"


@pytest.fixture(scope="module", params=["kr210", "irb460"])
def shown(request, tmp_path_factory):
    found = coarse_workspace(request.param)
    path = tmp_path_factory.mktemp("workspace") / "workspace.html"
    path.write_text(page(found), encoding="utf-8")
    return found, path


def opened(browser, path, **context):
    one = Opened(browser, path, **context)
    one.until("document.documentElement.dataset.script === 'on'")
    return one


def test_a_click_shows_the_posture_of_each_map_at_that_point(shown, flat_browser):
    found, path = shown
    one = opened(flat_browser, path)
    box = one.page.locator("figure svg").first.bounding_box()
    one.page.mouse.click(box["x"] + 0.72 * box["width"], box["y"] + 0.5 * box["height"])
    x, z = (
        float(re.search(rf"{axis} (−?[\d.]+)", one.page.inner_text("#place"))[1].replace("−", "-"))
        for axis in "xz"
    )
    rows = one.js(TABLE)
    assert rows[0][0] == "value"
    arms = iter(one.js(ARMS))
    chart = map_chart(found)
    for column, here in enumerate(found.maps, 1):
        q = found.posture(here.name, x, z)
        told = [float(row[column].rstrip(" ◂°").replace("−", "-")) for row in rows[1:]]
        np.testing.assert_allclose(told, np.degrees(q), atol=0.051 + 0.011)  # printed, and packed
        assert np.abs(frame_pose(found.robot, q)[[0, 2], 3] - [x, z]).max() < 1e-3
        ends = np.array(re.findall(r"-?[\d.e-]+", next(arms)), dtype=float).reshape(-1, 2)
        wanted = np.concatenate(arm_lines(found.robot, q))[:, [0, 2]]
        pixels = [(chart.across(u), chart.up(v)) for u, v in wanted]
        np.testing.assert_allclose(ends, pixels, atol=0.1)  # px
    assert one.asked == [path.as_uri()]


def test_arrow_keys_move_the_point_and_out_of_reach_is_said(shown, flat_browser):
    found, path = shown
    one = opened(flat_browser, path)
    one.page.locator("figure svg").first.focus()
    before = one.page.inner_text("#place")
    one.page.keyboard.press("ArrowLeft")
    assert one.page.inner_text("#place") != before
    for _ in range(found.u.size):
        one.page.keyboard.press("ArrowLeft")
    assert one.js(TABLE)[0][1] == "not reached"


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1280, "dark")])
def test_the_page_is_no_wider_than_its_window(shown, flat_browser, width, scheme):
    one = opened(flat_browser, shown[1], color_scheme=scheme)
    one.page.set_viewport_size({"width": width, "height": 900})
    assert one.js("document.documentElement.scrollWidth") <= width


def test_without_scripts_maps_and_numbers_are_there(shown, flat_browser):
    one = Opened(flat_browser, shown[1], java_script_enabled=False)
    assert one.page.locator("figure svg image").count() == 2 * len(shown[0].maps)
    assert one.page.locator("#point").is_hidden()
    assert one.page.locator("#summary").is_visible()
