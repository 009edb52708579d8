"""The page of a run on narrow screens, in a real Chromium."""

from __future__ import annotations

import msgspec
import pytest

from sim.reports.page.overlay import Overlay
from sim.reports.page.page import write_page
from tests.helpers.page_runs import arm_scene, good_run

LONG_WORD = "kroshu/kuka_robot_descriptions/" * 4


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    run = good_run()
    robot = msgspec.structs.replace(run.run.robot, assumed=(LONG_WORD,))
    path = tmp_path_factory.mktemp("narrow") / "report.html"
    write_page(
        path, run.with_description(robot=robot), arm_scene(), [Overlay("baseline", run.recorded)]
    )
    return path


@pytest.fixture
def opened(shared):
    def at(width):
        shared.page.set_viewport_size({"width": width, "height": 900})
        shared.page.wait_for_timeout(200)
        return shared.page

    return at


@pytest.mark.parametrize("width", [420, 800])
def test_a_long_word_makes_the_page_no_wider_than_the_screen(opened, width):
    page = opened(width)
    assert LONG_WORD in page.content()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [420, 1280])
def test_all_that_is_reached_is_below_the_boxes_of_the_view(opened, width):
    page = opened(width)
    assert page.locator("body[data-ready] .left.live").count() == 1  # there is WebGL
    boxes, highest = page.evaluate(
        """() => { const [hud, canvas] = ['#view .hud', '#view canvas']
            .map(one => document.querySelector(one).getBoundingClientRect());
        const up = Math.max(...run.meta.bounds.reached.map(point => run.onScreen(point)[1]));
        return [hud.bottom - canvas.top, (1 - up) / 2 * canvas.height]; }"""
    )
    assert highest >= boxes


def test_the_search_stands_beside_the_curves_at_1280(opened):
    page = opened(1280)
    tops = [page.locator(one).bounding_box()["y"] for one in ("#search", "[data-trace=recorded]")]
    assert tops[0] == pytest.approx(tops[1], abs=6)  # the same row
