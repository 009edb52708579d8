import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

import sim
from sim.motion import PointMotion
from sim.reports.figures.figures import path_figure, write_figures
from sim.robots import load_robot
from tests.helpers.short_runs import short_run, spoiled

SVG = "{http://www.w3.org/2000/svg}"
MISSED = 2.5e-3  # m
SAMPLE = 70


@pytest.fixture(scope="module")
def recording():
    """The UR10's tool on an upright ellipse, with one sample of its path moved aside."""
    robot = load_robot("ur10")
    ellipse = {"x": 0.7, "y": "0.2*SIN(20*time)", "z": "0.5 + 0.1*COS(20*time)"}
    down = {"b1": "180d", "b2": 0, "b3": 0}
    scenario = sim.Scenario(robot, PointMotion({**ellipse, **down}), duration=0.25, dt=1e-3)
    run = replace(sim.run(scenario, method="ideal"))
    return spoiled(run.with_description(scenario="ellipse"), "tool.y", MISSED, SAMPLE)


@pytest.fixture(scope="module")
def folder(recording, tmp_path_factory):
    folder = tmp_path_factory.mktemp("path")
    write_figures(recording, folder)
    return folder


def titles(figure):
    return [axes.get_title(loc) for axes in figure.axes for loc in ("left", "center", "right")]


@pytest.mark.rotates(2)
def test_a_run_with_a_path_has_its_figure_as_png_and_svg(folder):
    names = {path.name for path in folder.iterdir()}
    assert {"path.png", "path.svg"} <= names


@pytest.mark.usefixtures("without_png")
def test_a_run_without_a_path_has_none(tmp_path):
    assert "path.png" not in {path.name for path in write_figures(short_run(), tmp_path)}


def test_the_png_shows_both_paths(folder):
    image = plt.imread(folder / "path.png")
    ink = np.mean(np.any(image[:, :, :3] < 0.9, axis=2))
    assert 0.005 < ink < 0.5
    red, green, blue = (image[:, :, k] for k in range(3))
    assert np.sum((blue - red > 0.25) & (blue > green)) > 500
    assert np.sum((red < 0.15) & (green < 0.15) & (blue < 0.15)) > 200


def test_the_svg_names_what_it_shows(folder):
    tree = ET.parse(folder / "path.svg")
    words = [" ".join(element.itertext()).strip() for element in tree.iter(f"{SVG}text")]
    text = " ".join(words)
    for wanted in ("ellipse: Tool path", "tool (PyBullet)", "target", "y [m]", "z [m]", "time [s]"):
        assert wanted in text
    assert f"largest {MISSED:.2g} m at {SAMPLE * 1e-3:.2f} s" in text


def test_the_title_has_the_largest_distance_and_its_time(recording):
    shown = " ".join(titles(path_figure(recording)))
    told, at = re.search(r"largest (\S+) m at (\S+) s", shown).groups()
    assert float(told) == pytest.approx(MISSED, rel=0.05)
    assert float(at) == pytest.approx(SAMPLE * 1e-3, abs=5e-3)


def test_how_far_the_end_is_from_the_start_is_in_the_title(recording):
    """A quarter of a second at 20 rad/s is 5 rad of the ellipse."""
    gap = np.hypot(0.2 * np.sin(5), 0.1 * (np.cos(5) - 1))
    assert f"end {gap:.2g} m from start" in titles(path_figure(recording))


def test_the_plane_is_the_one_in_which_the_path_is_widest(recording):
    plane, distance = path_figure(recording).axes
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("y [m]", "z [m]")
    tool, target = plane.lines[:2]
    t = recording.recorded.index.to_numpy()
    np.testing.assert_allclose(target.get_xdata(), 0.2 * np.sin(20 * t), rtol=0, atol=1e-12)
    np.testing.assert_allclose(target.get_ydata(), 0.5 + 0.1 * np.cos(20 * t), rtol=0, atol=1e-12)
    missed = np.argmax(np.abs(tool.get_xdata() - target.get_xdata()))
    assert missed == SAMPLE
    assert np.max(distance.lines[0].get_ydata()) == pytest.approx(MISSED, rel=1e-6)
