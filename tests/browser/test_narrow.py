"""The page of a run on narrow screens, in a real Chromium."""

from __future__ import annotations

import shutil

import msgspec
import pytest

from sim.reports.page.overlay import Overlay
from sim.reports.page.page import write_page
from tests.helpers.page_runs import arm_scene, good_run

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next((path for name in NAMES if (path := shutil.which(name))), None)
sync_api = pytest.importorskip(
    "playwright.sync_api", reason="Playwright drives the browser: pip install playwright"
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium"
)
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


@pytest.fixture(scope="module")
def opened(path):
    with sync_api.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def at(width):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(path.as_uri())
            page.locator("body[data-ready]").wait_for(timeout=60_000)
            return page

        yield at
        browser.close()


@pytest.mark.parametrize("width", [420, 800])
def test_a_long_word_makes_the_page_no_wider_than_the_screen(opened, width):
    page = opened(width)
    assert LONG_WORD in page.content()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


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
    page.close()


def test_the_search_stands_beside_the_curves_at_1280(opened):
    page = opened(1280)
    tops = [page.locator(one).bounding_box()["y"] for one in ("#search", "[data-trace=recorded]")]
    assert tops[0] == pytest.approx(tops[1], abs=6)  # the same row
    page.close()
