"""Smallest distances between samples, against closed forms and brute force."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sim.clearance import Clearance
from sim.clearance.clearance_of_run import clearance_of_run, judged_pairs
from sim.engines.mujoco.piece_distances import MujocoQueries
from sim.robots import load_robot
from tests.clearance.arms import joint, link, motion, parabola, robot_of

SINGLE = 2e-7  # [m]; MuJoCo keeps corners in single precision
T = np.linspace(0.0, 1.0, 12)  # no least distance is at a sample


def found(robot, run, request=None, windows=None):
    return clearance_of_run(robot, request or Clearance(), [run, run], windows or {})


@pytest.fixture
def slide(tmp_path):
    """Two cubes of 1 m on a slide along x, 2 m apart: their distance is q + 1."""
    cube = ((1, 1, 1), (0, 0, 0))
    return robot_of(
        tmp_path,
        link("post", cube),
        link("slider", cube),
        joint("slide", "prismatic", "post", "slider", axis=(1, 0, 0), at=(2, 0, 0)),
        link("tool", ((0.1, 0.1, 0.1), (0, 0, 2))),
        joint("flange", "fixed", "slider", "tool"),
    )


def test_the_least_distance_of_two_boxes_is_found_between_samples(slide):
    q, qd = parabola(T, -0.95, 0.537)
    (pair,) = [p for p in found(slide, motion(slide, T, q, qd)).facts.pairs if p.second == "slider"]
    assert pair.distance == pytest.approx(0.05, abs=1e-5)
    assert pair.distance - pair.left_over <= 0.05 <= pair.distance
    assert pair.left_over <= 1e-5
    assert pair.at == pytest.approx(0.537, abs=math.sqrt(1e-5))
    first, second = np.array(pair.points)
    assert np.linalg.norm(second - first) == pytest.approx(pair.distance, abs=1e-9)
    assert first[0] == pytest.approx(0.5, abs=1e-9)


def test_a_depth_has_a_sign_and_the_first_touch_its_time(slide):
    q, qd = parabola(T, -1.1, 0.7)
    (pair,) = [p for p in found(slide, motion(slide, T, q, qd)).facts.pairs if p.second == "slider"]
    assert pair.distance == pytest.approx(-0.1, abs=1e-5)
    assert pair.first_touch == pytest.approx(0.7 - math.sqrt(0.1), abs=2e-6)


def test_links_that_touch_from_the_start_touch_at_the_start(slide):
    q, qd = parabola(T, -1.1, 0.0)
    (pair,) = [p for p in found(slide, motion(slide, T, q, qd)).facts.pairs if p.second == "slider"]
    assert pair.first_touch == 0.0


def test_the_curve_at_samples_is_the_distance_there(slide):
    q, qd = parabola(T, -0.95, 0.537)
    result = found(slide, motion(slide, T, q, qd), Clearance(floor=-2.0))
    assert result.columns[0]["clearance.links"] == pytest.approx(q + 1, abs=1e-9)
    assert result.columns[0]["clearance.floor"] == pytest.approx(1.5, abs=1e-12)


@pytest.fixture
def turning(tmp_path):
    """A rod of 1 m by 0.1 m that turns about z, and a post whose corner is at (0.8, 0.5)."""
    return robot_of(
        tmp_path,
        link("post", ((0.2, 0.2, 1), (0.7, 0.6, 0))),
        link("rod", ((1, 0.1, 0.2), (0.5, 0, 0))),
        joint("turn", "continuous", "post", "rod"),
    )


def test_a_rod_that_turns_towards_a_post(turning):
    """d = 0.5 cos q - 0.8 sin q - 0.05: the corner above the rod's face."""
    rate = 0.4
    q, qd = rate * T, np.full_like(T, rate)
    (pair,) = found(turning, motion(turning, T, q, qd)).facts.pairs
    assert pair.distance == pytest.approx(
        0.5 * math.cos(rate) - 0.8 * math.sin(rate) - 0.05, abs=1e-5
    )
    assert 1.0 - pair.at < 1e-4
    q, qd = T, np.ones_like(T)
    (pair,) = found(turning, motion(turning, T, q, qd)).facts.pairs
    angle = math.atan2(0.5, 0.8) - math.asin(0.05 / math.hypot(0.5, 0.8))
    assert pair.first_touch == pytest.approx(angle, abs=2e-6)


def test_parallel_rods_of_a_parallelogram_leave_nothing_over(tmp_path):
    """They stay 0.03 m apart while both joints turn: no travel of single links is in the bound."""
    robot = robot_of(
        tmp_path,
        link("rail", ((4, 0.1, 0.1), (0, 0, 0))),
        link("crank", ((0.1, 0.1, 0.1), (0, 0, 5))),
        link("rod", ((4, 0.1, 0.1), (0, 0, 0.13))),
        joint("first", "continuous", "rail", "crank"),
        joint("second", "continuous", "crank", "rod", at=(0.3, 0, 0)),
    )
    t = np.linspace(0.0, 2.0, 201)
    turn, rate = np.sin(3 * t), 3 * np.cos(3 * t)
    run = motion(robot, t, np.stack([turn, -turn]), np.stack([rate, -rate]))
    (pair,) = [p for p in found(robot, run).facts.pairs if {p.first, p.second} == {"rail", "rod"}]
    assert pair.distance == pytest.approx(0.03, abs=1e-9)
    assert pair.left_over <= 1e-5


def test_poses_between_show_nothing_lower_than_what_is_left_over():
    """UR10 through postures 0.2 s apart; at 1001 poses the least distance by MuJoCo."""
    robot = load_robot("ur10")
    t, rng = np.linspace(0.0, 2.0, 11), np.random.default_rng(3)
    q = np.cumsum(rng.uniform(-0.35, 0.35, (6, 11)), axis=1)
    run = motion(robot, t, q, rng.uniform(-1.5, 1.5, (6, 11)))
    free = [pair for pair in found(robot, run).facts.pairs if pair.distance > 0]
    judged = judged_pairs(robot, Clearance(), q)
    by_name = {one.pair: one for one in judged.links}
    queries = MujocoQueries(judged.pieces)
    for pair in free[:2]:
        other = replace(by_name[pair.first, pair.second], queries=queries)
        lowest = min(
            other.nearest(run.poses_at(np.array([time])))[0] for time in np.linspace(0.0, 2.0, 1001)
        )
        assert pair.left_over <= 1e-5
        assert lowest >= pair.distance - pair.left_over - SINGLE
