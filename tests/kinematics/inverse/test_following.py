import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse import follow
from sim.kinematics.inverse.following import WINDOW
from sim.kinematics.poe import screws_of
from sim.maths import pose
from sim.robots import load_robot, read_urdf
from tests.helpers.axes_robot import disguised
from tests.helpers.random_robots import random_urdf

UR10, KR210, PAPER, WELD5 = (load_robot(n) for n in ("ur10", "kr210", "kr210_paper", "weld5"))
seeds = st.integers(0, 2**32 - 1)


def sweep(robot, seed, samples=1500, size=1.2):
    """A smooth joint motion inside the limits that turns back nowhere."""
    rng = np.random.default_rng(seed)
    n = len(robot.joint_names)
    start, end = rng.uniform(-size, size, (2, n, 1))
    s = np.linspace(0, 1, samples)
    return start + (end - start) * s + 0.1 * rng.normal(size=(n, 1)) * np.sin(np.pi * s)


def inside(robot, q):
    lower = np.array([joint.limits.lower for joint in robot.independent_joints])
    upper = np.array([joint.limits.upper for joint in robot.independent_joints])
    return bool(((lower <= q.T) & (upper >= q.T)).all())


@given(seeds, st.sampled_from([UR10, KR210, WELD5]))
def test_a_path_from_where_the_arm_is_gives_back_its_motion_through_every_singularity(seed, robot):
    q = sweep(robot, seed)
    if not inside(robot, q):
        return
    found = follow(robot, frame_pose(robot, q), near=q[:, 0])
    assert found.is_possible
    # At a crossing within a few samples of the start there is no way yet to go straight on by.
    if np.abs(found.q - q).max() > 1e-5:
        first = np.argmax(np.abs(found.q - q).max(axis=0) > 1e-5)
        assert first < 3
    assert np.maximum(found.distance, found.angle).max() <= 1e-10


def test_a_path_across_the_singular_wrist_goes_straight_through():
    q = np.repeat(np.array([[0.3], [-1.1], [1.3], [0.2], [0.0], [0.4]]), 401, axis=1)
    q[4] = np.linspace(-0.5, 0.5, 401)  # exactly singular in the middle
    q[5] += np.linspace(0, 0.2, 401)
    found = follow(UR10, frame_pose(UR10, q), near=q[:, 0])
    assert found.is_possible
    assert found.singular.sum() == 1
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)
    assert set(found.labels[b].split(", ")[2] for b in found.branch) == {
        "wrist unflipped",
        "wrist flipped",
    }


def test_along_a_singular_stretch_the_free_joint_goes_evenly():
    q = np.repeat(np.array([[0.3], [-1.1], [1.3], [0.2], [0.0], [0.4]]), 300, axis=1)
    q[0] += np.linspace(0, 0.5, 300)
    q[4, :100] = np.linspace(0.3, 0.0, 100)
    q[4, 200:] = np.linspace(0.0, 0.3, 100)
    found = follow(UR10, frame_pose(UR10, q), near=q[:, 0])
    assert found.is_possible
    assert found.singular.sum() == 102
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)


def test_a_path_that_is_singular_all_along_holds_the_free_joint():
    q = np.repeat(np.array([[0.3], [-1.1], [1.3], [0.2], [0.0], [0.4]]), 50, axis=1)
    q[1] += np.linspace(0, 0.3, 50)
    found = follow(UR10, frame_pose(UR10, q), near=q[:, 0])
    assert found.singular.all()
    np.testing.assert_allclose(found.q[5], 0.4, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)


def test_whole_turns_are_counted_on():
    q = np.zeros((6, 2 * WINDOW + 100))
    q[:] = np.array([[-6.2], [-1.1], [1.3], [0.2], [0.7], [6.2]])
    q[0] = np.linspace(-6.2, 6.2, q.shape[1])
    q[5] = np.linspace(6.2, -6.2, q.shape[1])
    found = follow(UR10, frame_pose(UR10, q), near=q[:, 0])
    assert found.is_possible
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)


def test_the_whole_path_is_shifted_into_the_limits():
    """From zero the nearest start of joint 5 would leave its range of ±350° on the way."""
    q = np.repeat(np.radians([[30.0], [-60], [60], [40], [170]]), 200, axis=1)
    q[4] = np.radians(np.linspace(170, 400, 200))
    found = follow(WELD5, frame_pose(WELD5, q))
    assert found.is_possible
    np.testing.assert_allclose(found.q, q - np.radians([[0], [0], [0], [0], [360]]), atol=1e-9)


@pytest.mark.parametrize("crossing", [WINDOW - 1, WINDOW, WINDOW + 1])
def test_a_singularity_between_two_windows_is_crossed_too(crossing):
    q = np.repeat(np.array([[0.3], [-1.1], [0.0], [0.2], [0.9], [0.4]]), 2 * WINDOW, axis=1)
    q[2] = 1e-3 * (np.arange(2 * WINDOW) - crossing + 0.5)
    found = follow(UR10, frame_pose(UR10, q), near=q[:, 0])
    assert found.is_possible
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-9)


def test_a_branch_that_ends_waits_and_does_not_jump_to_another():
    """Over its back the arm reaches less far than to the front."""
    q = np.radians([[150.0], [-40], [-140], [20], [60], [10]])
    start = frame_pose(KR210, q)
    T = np.repeat(start, 200, axis=2)
    outward = start[:2, 3, 0] / np.linalg.norm(start[:2, 3, 0])
    T[:2, 3] += outward[:, None] * np.linspace(0, 0.6, 200)
    found = follow(KR210, T, near=q[:, 0])
    assert found.labels[found.branch[0]].startswith("shoulder back")
    assert not found.reached[-1]
    assert (found.branch == found.branch[0]).all()
    assert follow(KR210, T[..., ::-1]).reached.all()  # another branch reaches it all
    assert np.abs(np.diff(found.q)).max() < 0.3


def heart(a, centre, samples=721):
    """The heart curve of the paper, the tool straight down."""
    t = np.linspace(0, 2 * np.pi, samples)
    T = np.zeros((4, 4, samples))
    T[:3, :3], T[3, 3] = np.diag([1.0, -1.0, -1.0])[..., None], 1.0
    T[0, 3] = centre[0] + a * (2 * np.cos(t) - np.cos(2 * t))
    T[1, 3] = centre[1] + a * (2 * np.sin(t) - np.sin(2 * t))
    T[2, 3] = centre[2]
    return T


@pytest.mark.parametrize(
    ("robot", "a", "height", "step", "wrist"),
    [
        (PAPER, 0.26, 0.8, 0.51, 72.0),
        (PAPER, 0.32, 0.8, 0.63, 72.0),
        (KR210, 0.26, 1.2, 0.51, 72.0),
        (KR210, 0.32, 1.2, 0.62, 72.0),
    ],
)
def test_the_heart_curve_is_followed_on_one_branch_and_closes(robot, a, height, step, wrist):
    found = follow(robot, heart(a, (2.0, 0.0, height)))
    assert found.is_possible
    assert {found.labels[b] for b in found.branch} == {"shoulder front, elbow up, wrist unflipped"}
    np.testing.assert_allclose(found.q[:, -1], found.q[:, 0], rtol=0, atol=1e-11)
    assert np.degrees(np.abs(np.diff(found.q)).max()) == pytest.approx(step, abs=0.005)
    assert np.degrees(np.abs(found.q[4]).min()) == pytest.approx(wrist, abs=0.05)
    assert found.distance.max() < 1e-14


def test_a_start_is_taken_from_which_the_whole_path_can_be_followed():
    """The elbow-down start is nearer, but leaves the range of axis 3 on the way."""
    T = heart(0.26, (2.0, 0.0, 0.8))
    below = follow(PAPER, T, near=np.radians([0, 110, -150, 0, 0, 0]))
    assert below.is_possible


def test_where_the_arm_already_stands_at_the_path_it_does_not_jump():
    q = np.repeat(np.radians([[10.0], [20], [-60], [30], [50], [340]]), 100, axis=1)
    q[5] = np.radians(np.linspace(340, 400, 100))  # out of range on the way
    found = follow(KR210, frame_pose(KR210, q), near=q[:, 0])
    assert not found.is_possible
    assert found.reached.all()
    np.testing.assert_array_equal(found.inside_limits, q[5] <= np.radians(350) + 1e-9)


def test_a_path_that_leaves_the_workspace_says_where_and_by_how_much():
    s = np.linspace(0, 1, 101)
    T = np.repeat(pose(np.diag([1.0, -1.0, -1.0]), (0, 0, 0.4))[..., None], 101, axis=2)
    T[0, 3] = 1.5 + 2 * s
    found = follow(KR210, T)
    assert not found.is_possible
    assert np.isfinite(found.q).all()
    leaves = np.argmin(found.reached)
    assert found.reached[:leaves].all()
    assert not found.reached[leaves:].any()
    # Wrist centre at z = 0.615, shoulder at (0.35, 0.675), links 1.15 and √(1.2² + 0.041²).
    reach = np.sqrt((1.15 + np.hypot(1.2, 0.041)) ** 2 - (0.4 + 0.215 - 0.675) ** 2) + 0.35
    assert T[0, 3, leaves - 1] < reach < T[0, 3, leaves]
    radius = np.hypot(T[0, 3] - 0.35, 0.06) - 1.15 - np.hypot(1.2, 0.041)
    np.testing.assert_allclose(found.distance[leaves:], radius[leaves:], rtol=0, atol=1e-12)
    assert found.angle.max() < 1e-12


def test_a_path_that_comes_back_into_reach_goes_on_with_its_branch():
    s = np.linspace(0, np.pi, 301)
    T = np.repeat(pose(np.diag([1.0, -1.0, -1.0]), (0, 0, 0.4))[..., None], 301, axis=2)
    T[0, 3] = 1.8 + 1.2 * np.sin(s)
    found = follow(KR210, T)
    assert not found.reached.all()
    assert found.reached[-1]
    np.testing.assert_allclose(found.q[:, -1], found.q[:, 0], rtol=0, atol=1e-9)


def test_a_rough_geometry_is_followed_as_it_is():
    robot = read_urdf(UR10.text.replace("1.5707963267948966", "1.5708"), tool="tool0")
    q = sweep(robot, 5, 200, 0.5) + np.array([[0], [-1], [1.2], [0], [1], [0]])
    found = follow(robot, frame_pose(robot, q), near=q[:, 0])
    assert found.is_possible
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-8)


def test_a_strangers_arm_is_followed():
    robot = read_urdf(disguised(screws_of(KR210), np.random.default_rng(3)), tool="tool")
    q = sweep(robot, 6)
    found = follow(robot, frame_pose(robot, q), near=q[:, 0])
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-7)


def test_six_joints_without_a_closed_form_are_followed_along_their_tracks():
    text = random_urdf(np.random.default_rng(7), 6, branching=False, prismatic=False)
    robot = read_urdf(text)
    q = sweep(robot, 8, 60, 0.8)
    found = follow(robot, frame_pose(robot, q), near=q[:, 0])
    assert set(found.labels) == {f"general {k + 1}" for k in range(len(found.labels))}
    assert found.is_possible
    np.testing.assert_allclose(found.q, q, rtol=0, atol=1e-7)


def test_an_empty_path_is_empty():
    found = follow(UR10, np.zeros((4, 4, 0)))
    assert found.q.shape == (6, 0)
    assert found.is_possible
