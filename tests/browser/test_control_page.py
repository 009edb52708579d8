"""The page of a run under a controller, in a real Chromium."""

import pytest

from sim.reports.page.page import write_page
from tests.helpers.controlled_runs import controlled
from tests.helpers.opened_page import Opened, leaving_pages


@pytest.fixture(scope="module")
def opened(flat_browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("control") / "report.html"
    write_page(path, controlled(), None, [])
    with leaving_pages():
        yield Opened(flat_browser, path).ready()


def test_an_error_leads_to_its_plot_at_its_time(opened):
    page, error = opened.page, controlled().recorded["tracking.slide"].abs()
    page.locator("#control [data-seek='tracking.slide']").click()
    page.wait_for_url(lambda url: "ch=tracking.slide" in url)  # written when it rests
    assert float(page.locator("#time").inner_text()) == pytest.approx(error.idxmax(), abs=5e-4)


@pytest.mark.parametrize("width", [400, 1280])
def test_reference_answer_error_and_command_are_drawn_within_the_screen(opened, width):
    page = opened.page
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("document.querySelector('details.loops').open = true")
    figures = page.locator("#control svg.loop")
    assert figures.count() == 6
    for box in (figures.nth(k).bounding_box() for k in range(6)):
        assert box["width"] >= 150
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
