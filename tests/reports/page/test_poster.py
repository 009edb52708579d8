import base64
import io
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
from PIL import Image

from sim.reports.page.poster import bounds, ground, picture, poster, sparkline
from tests.helpers.page_runs import arm_scene, good_run


def test_the_robot_is_drawn_inside_the_picture():
    svg = ET.fromstring(poster(arm_scene(), good_run(), 0.5))
    image = next(one for one in svg if one.tag == "image")
    data = base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"))
    alpha = np.asarray(Image.open(io.BytesIO(data)))[:, :, 3]
    assert alpha.shape == (200, 240)
    rows, columns = np.nonzero(alpha)
    assert max(np.ptp(rows) / 200, np.ptp(columns) / 240) > 0.5
    edges = np.concatenate([alpha[[0, -1]].ravel(), alpha[:, [0, -1]].ravel()])
    assert edges.max() == 0


def test_the_same_triangles_are_drawn_once_and_others_anew(tmp_path, monkeypatch):
    """The oracle is the same picture drawn without a cache."""
    drawn = []

    def draw(*triangles):
        drawn.append(triangles)
        return picture(*triangles)

    monkeypatch.setattr("sim.reports.page.poster.picture", draw)
    table = good_run().recorded
    moved = {name: table[name] + 0.5 for name in table if name.startswith("q.")}
    turned = replace(good_run(), recorded=table.assign(**moved))
    runs = [(good_run(), 0.5), (turned, 0.5), (good_run(), 0.6)]
    monkeypatch.setattr("sim.disk_cache.cache_folder", lambda: None)
    fresh = [poster(arm_scene(), run, scale) for run, scale in runs]
    monkeypatch.setattr("sim.disk_cache.cache_folder", lambda: tmp_path)
    assert [poster(arm_scene(), run, scale) for run, scale in runs] == fresh
    assert len(drawn) == 6
    assert [poster(arm_scene(), run, scale) for run, scale in runs] == fresh
    assert len(drawn) == 6
    assert len(set(fresh)) == 3


def test_the_way_of_the_tool_starts_at_the_tool():
    svg = ET.fromstring(poster(arm_scene(), good_run()))
    way = next(one for one in svg if one.tag == "polyline")
    points = np.array([[float(x) for x in p.split(",")] for p in way.get("points").split()])
    assert points.min() >= 0
    assert points[:, 0].max() <= 480
    assert points[:, 1].max() <= 400
    image = next(one for one in svg if one.tag == "image").get("href").partition(",")[2]
    alpha = np.asarray(Image.open(io.BytesIO(base64.b64decode(image))))[:, :, 3]
    x, y = points[0].astype(int)
    assert alpha[y - 30 : y + 30, x - 30 : x + 30].any()


def test_the_floor_is_level_square_and_below_all_that_is_drawn():
    svg = ET.fromstring(poster(arm_scene(), good_run()))
    floor = next(one for one in svg if one.get("class") == "floor").get("d")
    lines = np.array(
        [[float(x) for x in line.replace(",", " ").split()] for line in floor.split("M")[1:]]
    )
    along = lines[:, 2:] - lines[:, :2]
    # The eye looks from 40 degrees beside x and 22 degrees above: x goes to the left and down.
    a, h = np.radians(40), np.radians(22)
    for x, y in ((-np.sin(a), np.cos(a) * np.sin(h)), (np.cos(a), np.sin(a) * np.sin(h))):
        same = np.abs(along @ [y, -x]) <= 0.2  # [px]; a tenth is printed
        assert 4 < same.sum() < len(lines)
        gaps = np.diff(lines[same][:, :2] @ [y, -x])
        assert np.ptp(gaps) <= 0.3
    image = next(one for one in svg if one.tag == "image").get("href").partition(",")[2]
    alpha = np.asarray(Image.open(io.BytesIO(base64.b64decode(image))))[:, :, 3]
    assert np.nonzero(alpha.any(axis=1))[0].max() < lines[:, 1::2].max()
    assert svg[0].get("class") == "floor"  # drawn first, so that the robot stands before it


def test_what_rises_goes_up_in_the_drawing():
    t = good_run().recorded.index.to_numpy()
    rising = replace(good_run(), recorded=good_run().recorded.assign(**{"tool.z": 100 * t}))
    svg = ET.fromstring(poster(arm_scene(), rising, 0.1))
    way = next(one for one in svg if one.tag == "polyline").get("points").split()
    heights = [float(pair.split(",")[1]) for pair in way]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] - heights[-1] > 200


def test_the_bounds_hold_the_tool_throughout():
    centre, radius = bounds(ground(arm_scene(), [good_run().recorded]))
    tool = good_run().recorded[["tool.x", "tool.y", "tool.z"]].to_numpy()
    assert np.linalg.norm(tool - centre, axis=1).max() <= radius


def test_a_sparkline_has_the_shape_of_its_values():
    svg = ET.fromstring(sparkline(np.sin(np.linspace(0, 6.28, 1000)), 100, 40))
    pairs = np.array([[float(x) for x in p.split(",")] for p in svg[0].get("points").split()])
    assert pairs[:, 1].min() >= 1
    assert pairs[:, 1].max() <= 39
    assert pairs[np.argmin(pairs[:, 1]), 0] < 50 < pairs[np.argmax(pairs[:, 1]), 0]


def test_a_constant_is_a_level_line():
    svg = ET.fromstring(sparkline(np.full(100, 7.0), 100, 40))
    assert {p.split(",")[1] for p in svg[0].get("points").split()} == {"20.0"}
