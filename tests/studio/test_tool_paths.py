"""Functions of tool paths against the geometry that they are to have."""

from pathlib import Path

import numpy as np
import pytest

import sim
from sim.scenario import load_script
from sim.studio import Setup, read_script, write_script
from sim.studio.folder import Folder
from sim.studio.preview import preview, scenario_of
from sim.studio.refusal import RefusalError
from sim.studio.setup import Points
from sim.studio.tool_paths import Arc, Line, Stops, path_functions

DOWN = {"b1": "180d", "b2": "0", "b3": "0"}
ROUNDED = 4e-9  # m; three numbers to a nanometre each


def places(shape, t):
    rows = path_functions(shape)
    return np.array([sim.expression(rows[axis]).value(t) for axis in "xyz"])


@pytest.mark.parametrize("seed", range(5))
def test_an_arc_is_on_the_circle_through_its_points_and_passes_them_in_order(seed):
    """Three distances determine a circle: chords a, b, c and its radius abc / 4A."""
    begin, via, end = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
    p = places(Arc(tuple(begin), tuple(via), tuple(end), 2.0), np.linspace(0, 2, 4001))
    np.testing.assert_allclose(p[:, [0, -1]].T, [begin, end], atol=ROUNDED)
    near = np.linalg.norm(p.T - via, axis=1)
    assert near.min() < np.linalg.norm(np.diff(p), axis=0).max()
    a, b, c = (np.linalg.norm(x) for x in (via - begin, end - via, begin - end))
    radius = a * b * c / (2 * np.linalg.norm(np.cross(via - begin, end - begin)))
    speed = np.gradient(p, axis=1)
    speed, turn = speed[:, 500:-500], np.gradient(speed, axis=1)[:, 500:-500]
    bend = np.linalg.norm(np.cross(speed.T, turn.T), axis=1) / np.linalg.norm(speed, axis=0) ** 3
    np.testing.assert_allclose(bend, 1 / radius, rtol=1e-4)


def test_points_in_one_line_have_no_circle():
    with pytest.raises(RefusalError, match="in one line"):
        path_functions(Arc((0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (3.0, 3.0, 0.0), 1.0))


def test_it_goes_straight_from_stop_to_stop():
    points = [(0.1, 0.2, 0.3), (0.4, 0.2, -0.3), (0.4, 0.9, 0.0)]
    t = np.linspace(0, 4, 401)
    p = places(Stops(points, 2.0), t)
    np.testing.assert_allclose(p[:, [0, 200, 400]].T, points, atol=ROUNDED)
    for part, (a, b) in ((p[:, :201], points[:2]), (p[:, 200:], points[1:])):
        along = np.subtract(b, a)
        np.testing.assert_allclose(np.cross(part.T - a, along), 0, atol=ROUNDED)
    assert np.abs(np.gradient(p, t, axis=1)[:, [0, 200, 400]]).max() < 1e-2


def test_the_shipped_line_is_that_of_the_forms(tmp_path):
    line = Line((0.7, -0.4, 0.3), (0.7, 0.4, 0.6), 3.0)
    setup = Setup("ur10", path=path_functions(line) | DOWN, start="home", payload=5.0, duration=3.0)
    shown = scenario_of(Folder(tmp_path), setup)
    shipped, _ = load_script("ur10_path").build({})
    t = np.linspace(0, 3, 50)
    q = [one.motion.on(one.robot, 3.0).at(t).q for one in (shown, shipped)]
    np.testing.assert_allclose(*q, atol=1e-7)


def test_a_script_with_points_has_the_motion_that_is_shown(tmp_path):
    points = Points([0.0, 1.0, 2.0, 3.0], {"x": [0.7, 0.8, 0.7, 0.7], "y": [-0.3, 0.0, 0.2, 0.3]})
    setup = Setup("ur10", path=DOWN | {"z": "0.4"}, points=points, start="home", duration=3.0)
    path = tmp_path / "one.py"
    path.write_text(write_script(setup))
    assert read_script(path.read_text()).setup == setup
    script, _ = load_script(str(path)).build({})
    shown = scenario_of(Folder(tmp_path), setup)
    t = np.linspace(0, 3, 31)
    q = [one.motion.on(one.robot, 3.0).at(t).q for one in (shown, script)]
    np.testing.assert_array_equal(*q)
    p = sim.frame_pose(shown.robot, q[0][:, [0, 10, 20, 30]])[:3, 3]
    np.testing.assert_allclose(p[:2].T, np.transpose([*points.columns.values()]), atol=1e-9)


BENT = {
    "shoulder_lift_joint": -1.2,
    "elbow_joint": 1.5,
    "wrist_1_joint": -0.8,
    "wrist_2_joint": 1.5,
}


@pytest.mark.parametrize(("positions", "is_singular"), [({}, True), (BENT, False)])
def test_a_path_that_fails_from_a_stretched_arm_has_the_remedy_of_its_start(positions, is_singular):
    path = {"x": "2 + time", "y": "0", "z": "0.5"} | DOWN  # out of reach
    setup = Setup("ur10", path=path, positions=positions, duration=1.0)
    answer = preview(Folder(Path()), setup)
    assert "cannot follow its path" in answer["failed"]
    assert ("bend the arm" in answer["hint"]) is is_singular
