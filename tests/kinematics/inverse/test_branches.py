import numpy as np
import pytest

from sim.errors import ModelError, ScenarioError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import branches, inverse_kinematics
from sim.kinematics.inverse.branches import CHUNK, moving_joints, polish
from sim.robots import load_robot, read_urdf
from tests.helpers.random_robots import random_urdf

ROBOTS = {name: load_robot(name) for name in ("ur10", "kr210", "weld5")}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_all_poses_at_once_are_solved_as_one_by_one(robot):
    n = len(robot.joint_names)
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (n, 25))
    T = frame_pose(robot, q)
    T[:3, 3, :5] *= 1.7  # some out of reach
    found = branches(robot, T)
    for k in range(25):
        answer = inverse_kinematics(robot, T[..., k])
        listed = {solution.branch: solution.q for solution in answer.solutions}
        reached = {found.labels[b]: found.q[b, :, k] for b in np.flatnonzero(found.reached[:, k])}
        assert listed.keys() == reached.keys()
        for name, expected in reached.items():
            turns = (listed[name] - expected) / (2 * np.pi)
            np.testing.assert_allclose(turns, np.rint(turns), rtol=0, atol=1e-9)


def test_more_poses_than_a_pass_holds_are_all_solved():
    q = np.random.default_rng(1).uniform(-3, 3, (6, 2 * CHUNK + 7))
    T = frame_pose(ROBOTS["ur10"], q)
    whole = branches(ROBOTS["ur10"], T)
    for part in (slice(0, 5), slice(CHUNK - 2, CHUNK + 2), slice(2 * CHUNK, None)):
        some = branches(ROBOTS["ur10"], T[..., part])
        np.testing.assert_array_equal(some.q, whole.q[..., part])
        np.testing.assert_array_equal(some.reached, whole.reached[:, part])


def test_positions_are_within_half_a_turn_and_never_nan():
    rng = np.random.default_rng(2)
    for robot in ROBOTS.values():
        T = frame_pose(robot, rng.uniform(-3, 3, (len(robot.joint_names), 500)))
        T[:3, 3] += rng.uniform(-2, 2, (3, 500))
        found = branches(robot, T)
        assert (np.abs(found.q) <= np.pi + 1e-12).all()
        assert not found.reached.all()


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_the_origin_and_other_special_places_give_numbers(robot):
    """Poses on axis 1, at the shoulder and at the base bring no division by zero."""
    T = np.repeat(np.eye(4)[:, :, None], 4, axis=2)
    T[2, 3] = 0, 0.1273, 0.675, 1.0
    found = branches(robot, T)
    assert np.isfinite(found.q).all()


def test_where_a_joint_is_free_it_stays_near():
    q = np.repeat([[0.3], [-1.1], [1.3], [0.2], [0.0], [0.4]], 3, axis=1)
    found = branches(ROBOTS["ur10"], frame_pose(ROBOTS["ur10"], q), near=q[:, 0])
    assert found.free.any(axis=0).all()
    assert (found.singular | ~found.free).all()
    held = found.reached & found.free & (np.abs(found.q[:, 5] - 0.4) < 1e-12)
    assert held.any(axis=0).all()


def test_polishing_changes_only_what_it_mends():
    robot = ROBOTS["ur10"]
    q = np.random.default_rng(3).uniform(-1, 1, (6, 4)) + np.array([[0], [0], [1.5], [0], [2], [0]])
    T = frame_pose(robot, q)
    T[:3, 3, 3] = 5, 5, 5
    start = np.stack([q + 1e-4])
    tried = start.copy()
    mended = polish(robot, None, T, tried)
    np.testing.assert_array_equal(mended, [[True, True, True, False]])
    np.testing.assert_allclose(tried[0, :, :3], q[:, :3], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(tried[0, :, 3], start[0, :, 3])


def test_doubly_singular_poses_lose_no_branch_to_rounding():
    """A wrist 1e-9 from singular hides its turn, which moves a straight elbow out of reach."""
    rng = np.random.default_rng(4)
    q = rng.uniform(-3, 3, (6, 3000))
    q[2], q[4] = 0.0, 10 ** rng.uniform(-10, -7, 3000)
    assert branches(ROBOTS["ur10"], frame_pose(ROBOTS["ur10"], q)).reached.any(axis=0).all()


def test_the_moving_joints_are_those_on_the_chain():
    np.testing.assert_array_equal(moving_joints(ROBOTS["ur10"], "forearm_link"), [0, 1, 2])


def test_a_robot_without_closed_form_says_what_to_use_instead():
    robot = read_urdf(random_urdf(np.random.default_rng(0), 6, branching=False))
    with pytest.raises(ModelError, match="use inverse_kinematics"):
        branches(robot, np.eye(4)[..., None])


def test_bad_poses_are_refused_with_their_sample():
    T = np.repeat(np.eye(4)[:, :, None], 3, axis=2)
    T[0, 0, 1] = 2
    with pytest.raises(ScenarioError, match="at sample 1"):
        branches(ROBOTS["ur10"], T)
