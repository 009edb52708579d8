"""Charts: marks in the units of two scales."""

import numpy as np
import pytest
from lxml import html

from sim.reports.svg.chart import Chart

CHART = Chart(200, 100, 40, 10, 5, 25, x=(0.0, 10.0), y=(-1.0, 1.0))  # inside: 150 by 70 px


def drawn(*marks, chart=CHART):
    return html.fromstring(str(chart.drawing(marks, "a chart")))


def points_of(line):
    return drawn(line).xpath("//polyline/@points")[0].split()


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def test_a_number_is_where_its_share_of_the_scale_is():
    assert [CHART.across(x) for x in (0, 5, 10)] == [40, 115, 190]
    assert [CHART.up(y) for y in (-1, 0, 1)] == [75, 40, 5]
    log = Chart(200, 100, 40, 10, 5, 25, (0, 1), (0.1, 1000.0), is_log=True)
    assert [log.up(y) for y in (0.1, 10.0, 1000.0)] == pytest.approx([75, 40, 5])
    labels = [text.text for text in drawn(log.grid(y=3), chart=log).xpath("//text")]
    assert labels == ["0.1", "1", "10", "100", "1000"]


def test_an_area_has_open_ends_and_may_be_given_from_either_side():
    beyond, bar = drawn(
        CHART.area("beyond", y=(0.5, None)), CHART.area("bar", (8, 2), (0, -1), "a bar", inset=1)
    ).xpath("//rect")
    assert numbers(beyond, "x", "y", "width", "height") == [40, 5, 150, 17.5]
    assert numbers(bar, "x", "y", "width", "height") == [71, 41, 88, 33]
    assert bar.xpath("string(title)") == "a bar"
    assert CHART.area("nothing", (2, 2)) == ""


def test_ticks_are_counted_given_or_shares():
    svg = drawn(CHART.grid(5, [(-1.0, "low"), (1.0, "high")], x_title="t [s]"))
    assert [one.text for one in svg.xpath("//text")] == [
        *("low", "high"), *("0", "2", "4", "6", "8", "10"), "t [s]"
    ]  # fmt: skip
    assert len(svg.xpath('//line[@class="grid"]')) == 8
    shares = drawn(CHART.grid(y=4, percent="y")).xpath("//text/text()")
    assert shares == ["−100 %", "−50 %", "0 %", "50 %", "100 %"]


def test_points_without_a_number_are_left_out_and_dots_have_their_own_classes():
    x, y = np.array([0.0, 5.0, 10.0]), np.array([0.0, np.nan, 1.0])
    svg = drawn(CHART.line(x, y, "curve"), CHART.dots(x, y, 2, ["a", "b", "c"], ["1", "2", "3"]))
    assert svg.xpath("//polyline/@points") == ["40.0,40.0 190.0,5.0"]
    assert svg.xpath("//circle/@class") == ["a", "c"]
    assert svg.xpath("//circle/title/text()") == ["1", "3"]


def test_a_line_of_many_points_keeps_what_each_pixel_shows():
    x, y = np.linspace(0.0, 10.0, 100_000), np.zeros(100_000)
    y[31_415], y[31_416], y[92_653] = 0.9, -0.8, np.nan
    points = [tuple(map(float, one.split(","))) for one in points_of(CHART.line(x, y, "curve"))]
    assert len(points) < 4 * 151
    assert points[0] == (40.0, 40.0) and points[-1] == (190.0, 40.0)
    peaks = [CHART.up(0.9), CHART.up(-0.8)]
    assert [up for _, up in points if up != 40.0] == pytest.approx(peaks)
    back = points_of(CHART.line(x[::-1], y, "curve"))
    assert len(back) == 99_999  # a path that goes back is drawn whole


def test_a_path_has_several_lines_and_marks_may_be_nested():
    lines = [np.array([[0, 0], [10, 0]]), np.array([[0, 1], [5, 1]])]
    svg = drawn([[CHART.path(lines, "edge", closed=True)], [CHART.segment((0, 5), (0, 1), "to")]])
    assert svg.xpath("//path/@d") == ["M40.0,40.0L190.0,40.0ZM40.0,5.0L115.0,5.0Z"]
    assert numbers(svg.xpath("//line")[0], "x1", "y1", "x2", "y2") == [40, 40, 115, 5]
