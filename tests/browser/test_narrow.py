"""The page of a run on narrow screens, in a real Chromium."""

from __future__ import annotations

from itertools import pairwise

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
    page.locator("#model > p").first.evaluate(
        "(one, long) => { one.firstChild.data = long; }", LONG_WORD
    )  # the name of the tool frame
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


def test_long_names_leave_room_for_the_title_and_each_other(opened):
    page = opened(1280)
    title, *facts = page.evaluate(
        """long => { const names = [...document.querySelectorAll('.facts dt')].slice(1);
        const before = names.map(one => one.textContent);
        names.forEach(one => { one.textContent += long.replaceAll('/', '_'); });
        const boxes = [...document.querySelectorAll('h1, .facts dd')].map((one) => {
            const all = document.createRange(); all.selectNodeContents(one);
            const box = all.getBoundingClientRect(); return [box.left, box.right, box.height]; });
        names.forEach((one, k) => { one.textContent = before[k]; });
        return boxes; }""",
        LONG_WORD,
    )
    assert title[2] < 40  # px: one line
    assert len(facts) == 3
    assert all(one[1] < other[0] for one, other in pairwise(facts))


def test_a_table_that_is_scrolled_is_not_squeezed_as_well(opened):
    page = opened(420)
    code = page.locator(".drives code").first
    code.evaluate("one => { one.textContent = 'STEP(time, 0, 0, 1, 1) + '.repeat(8); }")
    assert page.locator(".drives tbody tr").first.bounding_box()["height"] < 150  # px


def test_the_row_of_a_check_has_its_channel_on_a_line_alone(opened):
    channel, worst = opened(420).locator(".checks td:nth-child(2), .checks td.n").all()[:2]
    assert worst.bounding_box()["y"] > channel.bounding_box()["y"]


def test_the_buttons_of_a_plot_stay_side_by_side(opened):
    page = opened(1280)
    figure = page.locator(".card").first
    tops = figure.evaluate(
        """one => { const out = one.querySelector('output'), tops = [];
        for (let n = 1; n < 60; n += 1) { out.textContent = '8'.repeat(n);
            tops.push([...one.querySelectorAll('button.icon')].map(b => b.offsetTop)); }
        return tops; }"""
    )
    assert all(larger == more for larger, more in tops)
