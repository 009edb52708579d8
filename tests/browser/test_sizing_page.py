"""The page of motors and gears for a run, on a wide screen and on a phone."""

import pytest

from sim import shipped
from sim.sizing import read_gears, read_motors, size_motors
from sim.sizing.page import write_page
from tests.helpers.short_runs import short_run


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder, parts = tmp_path_factory.mktemp("sizing"), shipped.scenarios()
    motors, gears = (
        read_motors(parts / "made_up_motors.csv"),
        read_gears(parts / "made_up_gears.csv"),
    )
    write_page(size_motors(short_run("ideal"), motors, gears), folder / "page.html")
    return (folder / "page.html").as_uri()


@pytest.mark.parametrize("width", [1280, 400])
def test_the_motion_lies_inside_its_regions_and_nothing_is_wider_than_the_screen(
    flat_browser, address, width
):
    page = flat_browser.new_page(viewport={"width": width, "height": 900})
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("svg.shaft").count() == 2
    for drawing in page.locator("svg.shaft").all():
        inner, outer = (drawing.locator(name).bounding_box() for name in (".motion", ".moment"))
        assert inner["x"] >= outer["x"] - 1
        assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 1
        assert inner["y"] >= outer["y"] - 1
        assert inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1
    page.locator("summary").first.click()
    assert page.get_by_text("RMS torque", exact=True).first.is_visible()
    assert messages == []
    page.close()
