import numpy as np
import pytest

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import inverse_kinematics
from sim.kinematics.inverse.numerical import descend
from sim.kinematics.inverse.travel import joint_limits
from sim.maths import pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import urdf_of_axes
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import joint, link, robot


def arm(seed, n):
    rng = np.random.default_rng(seed)
    found = read_urdf(random_urdf(rng, n, branching=False))
    lower, upper = joint_limits(found)
    q = rng.uniform(lower, upper)
    return found, q, frame_pose(found, q[:, None])[..., 0]


def pinocchio_error(found, q, T):
    rows = PinocchioModel(found, (0, 0, 0)).frame_motion(found.tool, q[:, None], 0 * q[:, None])
    return max(
        np.abs(rows[:9, 0].reshape(3, 3) - T[:3, :3]).max(), np.abs(rows[9:12, 0] - T[:3, 3]).max()
    )


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("seed", range(3))
def test_any_chain_is_solved_inside_its_limits(n, seed):
    found, _, T = arm(10 * n + seed, n)
    answer = inverse_kinematics(found, T)
    assert answer.family in (("numerical", "general") if n in (6, 7) else ("numerical",))
    assert answer.nearest is not None
    for solution in answer.solutions:
        assert solution.residual <= 1e-10
        assert solution.inside_limits or answer.family == "general"
        assert pinocchio_error(found, solution.q, T) <= 1e-9
        assert solution.branch == answer.family


@pytest.mark.parametrize("n", [3, 6, 7])
def test_from_where_it_is_an_arm_stays_where_it_is(n):
    found, q, T = arm(n, n)
    answer = inverse_kinematics(found, T, near=q)
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, q, rtol=0, atol=1e-9)


def test_solutions_differ_and_the_nearest_comes_first():
    found, _, T = arm(61, 6)
    near = np.full(6, 0.5)
    answer = inverse_kinematics(found, T, near=near)
    q = np.array([solution.q for solution in answer.solutions])
    assert len(q) > 1
    travel = np.abs(q - near).sum(axis=1)
    assert answer.nearest == 0
    assert (np.diff(travel) >= 0).all()
    gaps = np.abs(q[:, None] - q[None]).max(axis=-1) + np.eye(len(q))
    assert gaps.min() > 1e-6


def test_the_answer_is_the_same_every_time():
    found, _, T = arm(62, 6)
    first, second = inverse_kinematics(found, T), inverse_kinematics(found, T)
    for a, b in zip(first.solutions, second.solutions, strict=True):
        np.testing.assert_array_equal(a.q, b.q)


def test_a_closed_form_arm_solved_by_numbers_gives_the_same_solutions():
    ur10 = load_robot("ur10")
    q = np.array([0.4, -1.2, 1.1, 0.3, 0.8, -0.5])
    T = frame_pose(ur10, q[:, None])
    listed = inverse_kinematics(ur10, T[..., 0]).solutions
    starts = np.random.default_rng(0).uniform(-np.pi, np.pi, (6, 64))
    fit = descend(ur10, None, T, starts, bounded=True)
    met = fit.error.residual <= 1e-10
    assert met.mean() > 0.5
    for column in fit.q[:, met].T:
        step = np.array([s.q for s in listed]) - column
        assert np.abs(step - 2 * np.pi * np.rint(step / (2 * np.pi))).max(axis=1).min() < 1e-8


def scara():
    """Three upright turns and a slide: exactly as many joints as a level tool needs."""
    axes = np.array([(0, 0, 1), (0, 0, 1), (0, 0, -1), (0, 0, 1)], float)
    points = np.array([(0, 0, 0.3), (0.4, 0, 0.3), (0.7, 0, 0.3), (0.7, 0, 0.3)])
    return read_urdf(urdf_of_axes(axes, points, pose(None, (0.7, 0, 0.1)), "rrpr"), tool="tool")


def test_a_scara_has_both_its_elbows():
    found = scara()
    q = np.array([0.3, 0.9, 0.05, -0.4])
    T = frame_pose(found, q[:, None])[..., 0]
    answer = inverse_kinematics(found, T)
    bends = sorted(round(float(s.q[1]) % (2 * np.pi), 6) for s in answer.solutions)
    assert {round(0.9, 6), round(2 * np.pi - 0.9, 6)} <= set(bends)


def test_a_pose_that_a_scara_cannot_take_is_told_with_the_nearest():
    tilted = pose([[1, 0, 0], [0, np.cos(0.2), -np.sin(0.2)], [0, np.sin(0.2), np.cos(0.2)]])
    tilted[:3, 3] = 0.5, 0.1, 0.1
    short = inverse_kinematics(scara(), tilted).shortfall
    assert short.distance < 1e-6
    assert short.angle == pytest.approx(0.2, abs=1e-6)
    assert short.reason.endswith("no joint turns it so")


def test_out_of_reach_is_told_by_the_distance():
    """Two links of 0.5 m that lie at full length."""
    found = robot(
        link("upper", 1.0),
        joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
        link("fore", 1.0),
        joint("elbow", "revolute", "upper", "fore", "0 1 0", '<origin xyz="0.5 0 0"/>'),
        link("tip", 1.0),
        joint("end", "fixed", "fore", "tip", "1 0 0", '<origin xyz="0.5 0 0"/>'),
    )
    short = inverse_kinematics(found, pose(None, (1.5, 0, 0))).shortfall
    assert short.distance == pytest.approx(0.5, abs=1e-6)
    assert "the tool is 0.5 m short" in short.reason
    assert not np.isnan(short.q).any()
    # Both hinges turn about the axis of the rotation that is missing: not having it is no reason.
    steep = pose([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], (0.6, 0, 0.3))
    assert "no joint turns it so" not in inverse_kinematics(found, steep).shortfall.reason


def test_a_pose_outside_the_limits_only_is_not_solved_outside_them():
    found = robot(
        link("arm", 1.0),
        '<joint name="hinge" type="revolute"><parent link="ground"/><child link="arm"/>'
        '<axis xyz="0 0 1"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>',
    )
    turned = frame_pose(found, np.array([[0.8]]), "arm")[..., 0]
    answer = inverse_kinematics(found, turned)
    assert answer.solutions == ()
    assert answer.shortfall.q[0] == pytest.approx(0.5, abs=1e-9)
    assert answer.shortfall.angle == pytest.approx(0.3, abs=1e-9)
    assert answer.shortfall.reason.endswith("in the world; at a position limit: hinge")


@pytest.mark.parametrize("seed", [4, 6, 13, 14, 17])
def test_solutions_at_the_very_limits_are_found(seed):
    """Seven joints of narrow range, about half of them at an end of it."""
    rng = np.random.default_rng(seed)
    text = random_urdf(rng, 7, branching=False, prismatic=False)
    while 'lower="-3.2" upper="3.2"' in text:
        narrow = f'lower="{-rng.uniform(0.2, 1)!r}" upper="{rng.uniform(0.2, 1)!r}"'
        text = text.replace('lower="-3.2" upper="3.2"', narrow, 1)
    found = read_urdf(text)
    lower, upper = joint_limits(found)
    end = np.where(rng.random(7) < 0.5, lower, upper)
    q = np.where(rng.random(7) < 0.6, end, rng.uniform(lower, upper))
    answer = inverse_kinematics(found, frame_pose(found, q[:, None])[..., 0])
    assert answer.nearest is not None


def test_joints_off_the_chain_stay_where_they_are():
    fork = robot(
        link("left", 1.0),
        link("right", 1.0),
        joint("a", "revolute", "ground", "left", "1 0 0"),
        joint("b", "revolute", "ground", "right", "1 0 0"),
    )
    T = frame_pose(fork, np.array([[0.4], [0.0]]), "left")[..., 0]
    answer = inverse_kinematics(fork, T, near=[0.0, 1.7], frame="left")
    for solution in answer.solutions:
        assert solution.q[1] == 1.7
    np.testing.assert_allclose(answer.solutions[answer.nearest].q, [0.4, 1.7], atol=1e-10)


@pytest.mark.parametrize("near", [(2.9, 2.9), (-3.0, 3.0), (0.0, 0.0)])
def test_an_arm_of_two_joints_reaches_what_is_a_turn_away_from_the_start(near):
    """Limits of less than a turn: the solution is near the other limit than the start."""
    hinges = (
        joint("a", "revolute", "ground", "upper", "0 0 1"),
        joint("b", "revolute", "upper", "fore", "0 0 1", '<origin xyz="0.4 0 0"/>'),
    )
    narrow = (text.replace("100", "3.1", 2) for text in hinges)
    end = joint("end", "fixed", "fore", "tip", "1 0 0", '<origin xyz="0.3 0 0"/>')
    planar = robot(link("upper", 1.0), link("fore", 1.0), link("tip", 0.1), *narrow, end)
    q = np.array([-2.7, -2.9])
    answer = inverse_kinematics(planar, frame_pose(planar, q), near=near)
    assert any(np.allclose(one.q, q, atol=1e-8) for one in answer.solutions)
