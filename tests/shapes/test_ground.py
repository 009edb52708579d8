"""The floor below a motion: a pendulum's lowest point has a closed form."""

import math
import tracemalloc

import numpy as np
import pytest

from sim.maths import pose
from sim.shapes.ground import MARGIN, SLIGHT, ground_of, samples_of

LENGTH, HALF = 1.0, 0.05  # of the pendulum's bar, and half its thickness [m]
BAR = np.array([(x, y, -z) for x in (-HALF, HALF) for y in (-HALF, HALF) for z in (0, LENGTH)])
FOOT = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.02, 0.1)])


def pendulum(angles, height=0.5, T_0b=None):
    """Ground of a bar that hangs from a base at the origin, its hinge `height` above it."""
    c, s = np.cos(angles), np.sin(angles)
    T = np.zeros((4, 4, len(angles)))
    T[0, 0], T[0, 2], T[2, 0], T[2, 2] = c, s, -s, c
    T[1, 1] = T[3, 3] = 1.0
    T[2, 3] = height
    still = np.repeat(np.eye(4)[:, :, None], len(angles), axis=2)
    outlines, poses = {"foot": FOOT, "bar": BAR}, {"foot": still, "bar": T}
    tip = np.stack([-LENGTH * s, 0 * s, height - LENGTH * c], axis=1)
    return ground_of(outlines, {"bar"}, [poses], tip, np.eye(4) if T_0b is None else T_0b)


def length_of(ground):
    return float(np.linalg.norm(np.ptp(ground.reached, axis=0)))


@pytest.mark.parametrize("most", [0.0, 0.3, 0.9])
def test_the_floor_is_below_the_lowest_corner_of_a_pendulum(most):
    """A corner of the bar is at -L cos a - h sin a below the hinge, a the angle."""
    angles = np.linspace(most, 1.5, 400)
    found = pendulum(angles)
    lowest = 0.5 - LENGTH * math.cos(most) - HALF * math.sin(most)
    corner = math.atan(HALF / LENGTH)  # where a corner hangs straight down
    if most < corner:
        lowest = 0.5 - math.hypot(LENGTH, HALF)
    size = length_of(found)
    # samples 4 mrad apart: a corner is missed by at most 1 m * (2 mrad)² / 2, two micrometres
    assert found.floor == pytest.approx(lowest - MARGIN * size, abs=0.003 * size)
    assert found.floor < lowest


def test_a_robot_that_stays_above_its_base_has_the_floor_there_and_no_pedestal():
    found = pendulum(np.array([math.pi, 3.0]))
    assert (found.floor, found.pedestal, found.pierced) == (
        0.0,
        0.0,
        False,
    )  # not at -0.02, the foot


def test_the_path_and_other_runs_count_as_the_robot_does():
    still = np.eye(4)[:, :, None]
    low = still.copy()
    low[2, 3] = -2.0
    box = {"bar": FOOT}
    above = np.array([[0.0, 0.0, 1.0]])
    for motions, path in (
        ([{"bar": still}], np.array([[1.0, 0.0, -2.02], [np.nan] * 3])),
        ([{"bar": still}, {"bar": low}], above),
    ):
        found = ground_of(box, {"bar"}, motions, path, np.eye(4))
        assert found.floor == pytest.approx(-2.02 - MARGIN * length_of(found), rel=1e-2)


def test_a_hair_below_the_base_is_still_on_the_floor():
    path = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, -SLIGHT]])
    assert ground_of({}, set(), [], path, np.eye(4)).floor == 0.0


def test_the_pedestal_is_as_wide_as_the_foot_and_is_seen_through_where_the_robot_comes():
    found = pendulum(np.linspace(0, 0.5, 50))
    assert found.pedestal == pytest.approx(math.hypot(0.1, 0.1))
    assert found.pierced  # it hangs before its own base
    assert not pendulum(np.linspace(1.0, 1.2, 50), height=0.4).pierced


def test_a_robot_that_hangs_has_no_pedestal():
    upside_down = np.diag([1.0, -1.0, -1.0, 1.0])
    found = pendulum(np.linspace(0, 0.5, 50), T_0b=upside_down)
    assert found.floor < -0.5
    assert found.pedestal == 0.0


def test_no_point_lies_farther_out_than_those_that_are_kept():
    found = pendulum(np.linspace(0, 0.5, 50))
    for axis in np.eye(3):
        assert (found.reached @ axis).max() >= (FOOT @ axis).max()
    assert len(found.reached) < 200
    assert (found.reached @ [0, 0, 1]).min() == pytest.approx(found.floor)  # the pedestal's foot


def test_the_samples_looked_at_hold_the_first_and_the_last():
    assert samples_of(5) == [0, 1, 2, 3, 4]
    assert samples_of(10_001)[-1] == 10_000


def test_poses_of_the_maths_room_are_taken():
    T = pose(position=[0.0, 0.0, -1.0])[:, :, None]
    found = ground_of({"box": FOOT}, {"box"}, [{"box": T}], np.zeros((0, 3)), np.eye(4))
    assert found.floor < -1.02


def test_memory_stays_small_however_many_corners_a_robot_has():
    """A ball of 4000 corners that turns: all places, in all directions at once, are 1.6 GB."""
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(4000, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    turn = np.linspace(0, 6, 300)
    poses = np.zeros((4, 4, 300))
    poses[0, 0] = poses[2, 2] = np.cos(turn)
    poses[0, 2], poses[2, 0], poses[1, 1] = np.sin(turn), -np.sin(turn), 1
    poses[0, 3] = 3.0
    tracemalloc.start()
    try:
        ground = ground_of({"ball": ball}, {"ball"}, [{"ball": poses}], np.zeros((0, 3)), np.eye(4))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6  # bytes
    assert ground.floor == pytest.approx(-1 - 0.02 * np.linalg.norm([5.0, 2.0, 2.0]), abs=0.02)
