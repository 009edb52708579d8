import re
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

import sim
from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.functions import expression
from sim.kinematics import frame_pose, jacobian
from sim.kinematics.inverse import inverse_kinematics
from sim.maths import inverse_pose, pose, rotation_from_rpy
from sim.motion import PointMotion
from sim.motion import tool_path as follower
from sim.motion.target import COMPONENTS, least_norm, rate_matrix
from sim.robots import load_robot
from tests.helpers.differences import central_difference
from tests.helpers.inverse_checks import apart
from tests.helpers.pinocchio_model import PinocchioModel

UR10, KR210, WELD5 = (load_robot(name) for name in ("ur10", "kr210_paper", "weld5"))
DOWN = {"b1": "180d", "b2": 0, "b3": 0}
BENT = (0.1, -1.2, 1.4, -1.7, -1.5, 0.2)  # rad; the UR10 far from its singular poses
DURATION = 1.0  # [s]
T = np.linspace(0.05, 0.95, 19)  # inside by more than the differences reach
# Differences over 2e-2 s: error of 3e-14 s⁸ times a ninth derivative below 1e3, and rounding of
# 1e-14 / h = 1e-12.
STEP = 5e-3
SMOOTH = 1e-10  # [rad/s] and [rad/s²], against numbers of about 1
WEIGHTLESS = (0.0, 0.0, 0.0)

# Each drive as it is typed and as a function of NumPy
SWAYING = {
    "b1": ("180d + 0.3*SIN(time)", lambda t: np.pi + 0.3 * np.sin(t)),
    "b2": ("0.2*SIN(2*time)", lambda t: 0.2 * np.sin(2 * t)),
    "b3": ("0.5*time", lambda t: 0.5 * t),
}
UR10_PATH = {
    "x": ("0.7 + 0.1*SIN(time)", lambda t: 0.7 + 0.1 * np.sin(t)),
    "y": ("0.2 + 0.2*SIN(2*time)", lambda t: 0.2 + 0.2 * np.sin(2 * t)),
    "z": ("0.5 - 0.15*COS(time)", lambda t: 0.5 - 0.15 * np.cos(t)),
    **SWAYING,
}
KR210_PATH = {
    "x": ("2.0 + 0.3*SIN(time)", lambda t: 2.0 + 0.3 * np.sin(t)),
    "y": ("0.6*SIN(2*time)", lambda t: 0.6 * np.sin(2 * t)),
    "z": ("0.8 - 0.2*COS(time)", lambda t: 0.8 - 0.2 * np.cos(t)),
    **SWAYING,
}
PATHS = {"ur10": (UR10, UR10_PATH, BENT), "kr210": (KR210, KR210_PATH, None)}


def typed(path):
    return {name: text for name, (text, _) in path.items()}


def wanted(path, t):
    """What is prescribed, zero where it is not, shape (6, N)."""
    zero = ("0", np.zeros_like)
    return np.stack([path.get(name, zero)[1](t) for name in COMPONENTS])


def rotations(b):
    return np.moveaxis(Rotation.from_euler("XYZ", b.T).as_matrix(), 0, -1)


def turned_by(R):
    """Body 1-2-3 angles of rotations, by SciPy, shape (3, N)."""
    return Rotation.from_matrix(np.moveaxis(R, -1, 0)).as_euler("XYZ").T


def only(path, names):
    return {name: path[name] for name in names}


def followed(robot, components, start=None, duration=DURATION, **where):
    return PointMotion(components, start=start, **where).on(robot, duration)


def lost(robot, components, start=None, duration=DURATION, **where):
    """The message of a motion that cannot be."""
    with pytest.raises(ScenarioError) as caught:
        followed(robot, components, start, duration, **where)
    message = str(caught.value)
    assert "nan" not in message.replace("finite, got nan", "")
    return message


def time_in(message):
    return float(re.search(r"at t = (\S+) s", message)[1])


def assert_rates_are_derivatives(path, close=SMOOTH):
    at = path.at(T)
    for values, rates in (("q", "qd"), ("qd", "qdd")):
        expected = central_difference(lambda t, name=values: getattr(path.at(t), name), T, STEP)
        np.testing.assert_allclose(getattr(at, rates), expected, rtol=0, atol=close)
        assert np.abs(expected).max() > 0.1


# A whole pose


@pytest.mark.parametrize(("robot", "drives", "start"), PATHS.values(), ids=PATHS)
def test_the_tool_is_where_the_functions_say(robot, drives, start):
    q = followed(robot, typed(drives), start).at(T).q
    R, p, _, _ = world_motion(robot, q, 0 * q)
    goal = wanted(drives, T)
    np.testing.assert_allclose(p, goal[:3], rtol=0, atol=1e-12)  # m
    np.testing.assert_allclose(R, rotations(goal[3:]), rtol=0, atol=1e-12)


def world_motion(robot, q, qd):
    """R, p, v, w of the tool, by Pinocchio."""
    motion = PinocchioModel(robot, WEIGHTLESS).frame_motion(robot.tool, q, qd)
    return motion[:9].reshape(3, 3, -1), motion[9:12], motion[12:15], motion[15:]


@pytest.mark.parametrize(("robot", "drives", "start"), PATHS.values(), ids=PATHS)
def test_the_tool_moves_as_fast_as_the_functions_say(robot, drives, start):
    at = followed(robot, typed(drives), start).at(T)
    _, _, v, w = world_motion(robot, at.q, at.qd)
    expected = central_difference(lambda t: wanted(drives, t), T, STEP)
    np.testing.assert_allclose(v, expected[:3], rtol=0, atol=1e-10)  # m/s
    spin = central_difference(lambda t: rotations(wanted(drives, t)[3:]), T, STEP)
    spin = np.einsum("abN,cbN->acN", spin, rotations(wanted(drives, T)[3:]))
    np.testing.assert_allclose(w, [spin[2, 1], spin[0, 2], spin[1, 0]], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("robot", "drives", "start"), PATHS.values(), ids=PATHS)
def test_velocities_and_accelerations_are_the_derivatives_of_the_positions(robot, drives, start):
    assert_rates_are_derivatives(followed(robot, typed(drives), start))


def test_any_link_can_be_moved_instead_of_the_tool():
    path = followed(UR10, typed(UR10_PATH), BENT, frame="wrist_3_link")
    T_0e = frame_pose(UR10, path.at(T).q, "wrist_3_link")
    goal = wanted(UR10_PATH, T)
    np.testing.assert_allclose(T_0e[:3, 3], goal[:3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(T_0e[:3, :3], rotations(goal[3:]), rtol=0, atol=1e-12)


def test_the_start_chooses_the_branch():
    begin = wanted(UR10_PATH, np.zeros(1))
    T_0e = pose(rotations(begin[3:])[..., 0], begin[:3, 0])
    branches = [s for s in inverse_kinematics(UR10, T_0e).solutions if s.inside_limits]
    assert len(branches) == 8
    for branch in branches:
        path = followed(UR10, typed(UR10_PATH), branch.q)
        np.testing.assert_allclose(path.at(0).q[:, 0], branch.q, rtol=0, atol=1e-10)  # rad


def test_a_start_may_be_off_the_path_and_named_by_joint():
    exact = followed(UR10, typed(UR10_PATH), BENT).at(T).q
    near = dict(zip(UR10.joint_names, np.add(BENT, 0.1), strict=True))
    np.testing.assert_array_equal(followed(UR10, typed(UR10_PATH), near).at(T).q, exact)


# Free components

FREED = {
    "the orientation": "x y z",
    "all but one coordinate": "x",
    "the spin about the tool": "x y z b1 b2",
    "the position": "b1 b2 b3",
    "all but a tilt": "y b2",
}


def prescribed_rows(robot, q, names):
    """Rows that take joint velocities to the rates of the named components."""
    J = jacobian(robot, q[:, None])[..., 0]
    angles = turned_by(frame_pose(robot, q[:, None])[:3, :3])
    b = np.linalg.solve(rate_matrix(angles)[..., 0], J[3:])
    return np.vstack([J[:3], b])[[COMPONENTS.index(name) for name in names]]


@pytest.fixture(scope="module", params=FREED.values(), ids=FREED)
def freed(request):
    """Names of the prescribed components, and the UR10's path over a fifth of a second."""
    names = request.param.split()
    return names, followed(UR10, typed(only(UR10_PATH, names)), BENT, 0.2)


SHORT = np.linspace(0.03, 0.17, 5)


def test_prescribed_components_are_met_whatever_is_free(freed):
    names, path = freed
    T_0e = frame_pose(UR10, path.at(SHORT).q)
    found = np.concatenate([T_0e[:3, 3], turned_by(T_0e[:3, :3])])
    rows = [COMPONENTS.index(name) for name in names]
    miss = found[rows] - wanted(UR10_PATH, SHORT)[rows]
    miss -= 2 * np.pi * np.rint(miss / (2 * np.pi)) * (np.array(rows) > 2)[:, None]
    assert np.abs(miss).max() < 1e-10  # m, rad


def test_free_components_are_chosen_so_that_the_joint_velocities_are_least(freed):
    names, path = freed
    at = path.at(SHORT)
    rates = central_difference(lambda t: wanted(UR10_PATH, t), SHORT, STEP)
    for k in range(SHORT.size):
        A = prescribed_rows(UR10, at.q[:, k], names)
        needed = rates[[COMPONENTS.index(name) for name in names], k]
        if names == ["b1", "b2", "b3"]:  # compared as a rotation: the same rows, other rates
            A = rate_matrix(wanted(UR10_PATH, SHORT[[k]])[3:])[..., 0] @ A
            needed = rate_matrix(wanted(UR10_PATH, SHORT[[k]])[3:])[..., 0] @ needed
        N = null_space(A)
        assert N.shape[1] == 6 - len(names)
        np.testing.assert_allclose(N.T @ at.qd[:, k], 0, rtol=0, atol=1e-10)  # rad/s
        np.testing.assert_allclose(A @ at.qd[:, k], needed, rtol=0, atol=1e-10)


def test_with_free_components_the_rates_are_still_derivatives(freed):
    _, path = freed
    at = path.at(SHORT)
    speeds = central_difference(lambda t: path.at(t).q, SHORT, STEP)
    # The integrated path is good to 1e-11 a step; the differences over 5e-3 s make 1e-8 of it.
    np.testing.assert_allclose(at.qd, speeds, rtol=0, atol=1e-8)
    turns = central_difference(lambda t: path.at(t).qd, SHORT, STEP)
    np.testing.assert_allclose(at.qdd, turns, rtol=0, atol=1e-8)
    assert np.abs(turns).max() > 1e-2


# Relative to something else

AWAY = pose(rotation_from_rpy([0.2, -0.1, 0.7]), [0.1, -0.2, 0.05])


def test_components_may_be_relative_to_a_pose():
    path = followed(UR10, typed(UR10_PATH), BENT, relative_to=AWAY)
    goal = wanted(UR10_PATH, T)
    T_0e = frame_pose(UR10, path.at(T).q)
    p = AWAY[:3, :3] @ goal[:3] + AWAY[:3, 3:]
    np.testing.assert_allclose(T_0e[:3, 3], p, rtol=0, atol=1e-12)  # m
    R = np.einsum("ab,bcN->acN", AWAY[:3, :3], rotations(goal[3:]))
    np.testing.assert_allclose(T_0e[:3, :3], R, rtol=0, atol=1e-12)
    assert_rates_are_derivatives(path)


def test_relative_to_the_base_is_relative_to_where_the_base_stands():
    robot = UR10.mounted(AWAY[:3, 3], (0.2, -0.1, 0.7))
    start = followed(robot, typed(UR10_PATH), BENT, relative_to=AWAY).at(0).q[:, 0]
    by_pose, by_link = (
        followed(robot, typed(UR10_PATH), start, relative_to=reference).at(T)
        for reference in (AWAY, "base_link")
    )
    for name in ("q", "qd", "qdd"):
        found, expected = getattr(by_link, name), getattr(by_pose, name)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_a_start_far_from_the_path_brings_no_whole_turns():
    """Newton's method goes from here to an elbow that is turned once, beyond its range."""
    still = {"x": 0.6, "y": 0.1, "z": 0.4, **DOWN}
    q = followed(UR10, still, BENT, 0.2, relative_to="base_link").at(0).q
    assert np.abs(q[:, 0] - BENT).max() <= np.pi + 1e-9
    np.testing.assert_allclose(frame_pose(UR10, q)[:3, 3, 0], [0.6, 0.1, 0.4], rtol=0, atol=1e-12)


def test_components_may_be_relative_to_a_link_that_moves():
    here = np.array(BENT)[:, None]
    seen = inverse_pose(frame_pose(UR10, here, "upper_arm_link")[..., 0])
    x, y, z = (seen @ frame_pose(UR10, here)[..., 0])[:3, 3]
    moved = {"x": f"{x} - 0.05*SIN(time)", "y": f"{y} + 0.04*time", "z": float(z)}
    path = followed(UR10, moved, BENT, 0.2, relative_to="upper_arm_link")
    q = path.at(SHORT).q
    T_re = np.stack(
        [
            inverse_pose(T_0r) @ T_0e
            for T_0r, T_0e in zip(
                np.moveaxis(frame_pose(UR10, q, "upper_arm_link"), -1, 0),
                np.moveaxis(frame_pose(UR10, q), -1, 0),
                strict=True,
            )
        ]
    )
    expected = [x - 0.05 * np.sin(SHORT), y + 0.04 * SHORT, z + 0 * SHORT]
    np.testing.assert_allclose(T_re[:, :3, 3].T, expected, rtol=0, atol=1e-10)  # m
    # the joints before the upper arm do not matter, so that the least motion leaves them at rest
    np.testing.assert_allclose(path.at(SHORT).qd[:2], 0, rtol=0, atol=1e-12)


def test_components_that_too_few_joints_can_move_are_told_at_once(monkeypatch):
    """Seen from the forearm two joints move the tool's origin: it keeps to a surface."""
    asked = []

    def counted(A, b):
        asked.append(b)
        return least_norm(A, b)

    monkeypatch.setattr(follower, "least_norm", counted)
    here = np.array(BENT)[:, None]
    seen = inverse_pose(frame_pose(UR10, here, "forearm_link")[..., 0])
    x, y, z = (seen @ frame_pose(UR10, here)[..., 0])[:3, 3]
    leaving = {"x": f"{x} + 0.05*time", "y": float(y), "z": float(z)}
    message = lost(UR10, leaving, BENT, 0.2, relative_to="forearm_link")
    assert "no joint motion satisfies all prescribed components" in message
    # [s] of 0.2; when a singular matrix makes the joints run away is decided by its rounding
    assert time_in(message) < 5e-2
    assert len(asked) < 1000


def test_the_prescribed_positions_are_told_in_the_world_where_all_three_are_known():
    goal = wanted(UR10_PATH, T)[:3]
    np.testing.assert_allclose(PointMotion(typed(UR10_PATH)).positions(T), goal, atol=1e-15)
    moved = PointMotion(typed(UR10_PATH), relative_to=AWAY).positions(T)
    np.testing.assert_allclose(moved, AWAY[:3, :3] @ goal + AWAY[:3, 3:], atol=1e-15)
    assert PointMotion(typed(only(UR10_PATH, "xy"))).positions(T) is None
    assert PointMotion(typed(UR10_PATH), relative_to="base_link").positions(T) is None


# Where it cannot follow


def test_a_line_that_leaves_the_workspace_says_where_and_by_how_much():
    """Tool down, the wrist centre 415 mm above it has to stay within 1150 + 1200 mm of joint 2."""
    speed, x0, z = 0.5, 1.5, 0.8
    reach = 0.35 + np.sqrt(2.35**2 - (z + 0.415 - 0.435) ** 2)
    leaves = (reach - x0) / speed
    duration = 2.5
    grid = duration / 1999
    message = lost(KR210, {"x": f"{x0} + {speed}*time", "y": 0, "z": z, **DOWN}, None, duration)
    assert message.startswith("Frame 'tool0' of robot 'kr210_paper' cannot follow its path at t =")
    assert leaves < time_in(message) < leaves + grid + 1e-5
    assert f"x = {x0 + speed * time_in(message):.4f}"[:9] in message
    away = float(re.search(r"reaches is (\S+) m and", message)[1])
    ahead = x0 + speed * time_in(message) - reach
    # the nearest point of the sphere is nearer than the point straight back
    assert 0 < away < 1.02 * ahead


def test_a_path_that_passes_a_joint_limit_names_the_joint_and_its_range():
    """Around joint 1, which starts at -180° and turns by 1 rad/s to its end at 185°."""
    circle = {"x": "-1.5*COS(time)", "y": "-1.5*SIN(time)", "z": 0.8, **DOWN}
    message = lost(KR210, circle, None, 6.6)
    assert "joint 'joint_1' would have to be at " in message
    assert "outside its range of -185 to 185 °, and no other branch can follow" in message
    assert time_in(message) < 6.6
    degrees = float(re.search(r"would have to be at (\S+) °", message)[1])
    assert 185 < abs(degrees) < 185.5  # one step of the grid beyond


def test_a_path_with_free_components_may_not_pass_a_joint_limit_either():
    start = np.radians([150, 0, 0, 0, 60, 0])
    x, y, z = frame_pose(KR210, start[:, None])[:3, 3, 0]
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    circle = {"x": f"{r}*COS(time + {angle})", "y": f"{r}*SIN(time + {angle})", "z": float(z)}
    message = lost(KR210, circle, start, 1.5)
    joint, low, high = re.search(r"joint '(\w+)' .* range of (\S+) to (\S+) °", message).groups()
    limits = KR210.joint(joint).limits
    found = [float(low), float(high)]
    np.testing.assert_allclose(found, np.degrees([limits.lower, limits.upper]), rtol=1e-3)
    assert "no other branch" not in message


def test_free_components_that_cannot_be_found_are_told_with_the_time():
    message = lost(UR10, {"x": 3.0}, BENT)
    assert "at t = 0 s (x = 3): no joint motion satisfies" in message


def two_link():
    return load_robot(Path(__file__).parents[2] / "scenarios" / "two_link.urdf")


def test_a_stretched_start_is_left_for_a_bent_pose_that_meets_the_path():
    """Upper arm 0.5 m and forearm 0.4 m hang straight; the law of cosines bends the elbow."""
    robot, t = two_link(), np.linspace(0, 1, 11)
    path = PointMotion({"x": "0.2*time", "z": -0.6}, start=(0.0, 0.0)).on(robot, 1.0)
    q = path.at(t).q
    r = np.hypot(0.2 * t, 0.6)
    bend = np.arccos((r**2 - 0.5**2 - 0.4**2) / (2 * 0.5 * 0.4))
    np.testing.assert_allclose(np.abs(q[1]), bend, rtol=0, atol=1e-9)  # rad
    x = -0.5 * np.sin(q[0]) - 0.4 * np.sin(q[0] + q[1])
    np.testing.assert_allclose(x, 0.2 * t, rtol=0, atol=1e-9)  # m


def test_an_arm_that_stands_stretched_at_its_path_is_told_what_to_do():
    message = lost(two_link(), {"x": 0.0, "z": "-0.9 + 0.3*time"}, (0.0, 0.0), 1.0)
    assert "at t = 0 s" in message
    assert "a singular pose (an arm that is stretched or folded) is in the way" in message
    assert "pass as `start` a bent pose" in message


@pytest.mark.parametrize("start", [(0.0, 0.0), (0.8, -1.6)])
def test_a_free_path_that_leaves_the_workspace_says_where_when_and_by_how_much(start):
    """It reaches 0.9 m: at z = -0.6 m to x = 0.6708 m, and at t = 1 s the path is at x = 1.2 m."""
    message = lost(two_link(), {"x": "0.2 + time", "z": -0.6}, start, 1.0)
    assert 0.45 < time_in(message) < 0.4709
    away, when = re.search(r"limits are (\S+) m and 0° away (there|at t = 1 s);", message).groups()
    assert when == "at t = 1 s"
    assert float(away) == pytest.approx(np.hypot(1.2, 0.6) - 0.9, abs=6e-4)  # three digits


def test_a_place_out_of_reach_at_once_says_by_how_much():
    message = lost(two_link(), {"x": 3.0}, (0.3, 0.4))
    assert "2.1 m and 0° away there" in message


def test_a_five_axis_arm_is_told_how_far_an_orientation_is_from_what_it_can():
    """The torch leans in the plane of the arm: it cannot lean sideways by a right angle."""
    message = lost(WELD5, {"x": 0.9, "y": 0, "z": 0.5, "b1": "90d", "b2": 0, "b3": 0})
    assert "of robot 'weld5' cannot follow its path at t = 0 s" in message
    distance, angle = re.search(r"is (\S+) m and (\S+)° away", message).groups()
    assert float(distance) < 1e-9
    assert float(angle) == pytest.approx(90, abs=1e-3)


def test_a_five_axis_arm_follows_what_it_can():
    drives = {**only(KR210_PATH, "yz"), "x": ("0.8", lambda t: 0.8 + 0 * t)}
    path = followed(WELD5, {**typed(drives), **DOWN}, None, 0.2)
    at = path.at(SHORT)
    T_0e = frame_pose(WELD5, at.q)
    np.testing.assert_allclose(T_0e[:3, 3], wanted(drives, SHORT)[:3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        at.qd, central_difference(lambda t: path.at(t).q, SHORT, STEP), rtol=0, atol=SMOOTH
    )


def test_a_path_near_a_singularity_has_a_warning_with_its_time():
    lean = {"x": 2.0, "y": 0, "z": 1.2, "b1": "180d - 0.02", "b2": "1.2*time", "b3": 0}
    motion = PointMotion(lean)
    (warning,) = motion.describe(KR210, 1.5)[0].warnings
    t = np.linspace(0, 1.5, 3001)
    J = jacobian(KR210, motion.on(KR210, 1.5).at(t).q)
    least = np.linalg.svd(np.moveaxis(J, -1, 0), compute_uv=False)[:, -1]
    assert time_in(warning) == pytest.approx(t[np.argmin(least)], abs=1.5 / 399)
    told = float(re.search(r"Jacobian is (\S+);", warning)[1])
    assert least.min() <= told * 1.05
    assert told < 2 * least.min()


def test_a_path_far_from_singularities_has_no_warning():
    facts = PointMotion(typed(UR10_PATH), start=BENT).describe(UR10, DURATION)
    assert [fact.warnings for fact in facts] == [()] * 6
    assert [fact.joint for fact in facts] == [f"tool0.{name}" for name in COMPONENTS]
    assert facts[0].function == "0.7 + 0.1*SIN(time)"
    assert {fact.level for fact in facts} == {"displacement"}


# What cannot be prescribed


@pytest.mark.parametrize("name", ["X", "roll", "", "b4"])
def test_an_unknown_component_is_told_the_known_ones(name):
    with pytest.raises(ScenarioError, match=f"Component '{name}' .* x, y, z, b1, b2, b3, each at"):
        PointMotion({"x": 1, name: 0})


def test_no_component_is_no_motion():
    with pytest.raises(ScenarioError, match="prescribes at least one component"):
        PointMotion({})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, [1, 2], abs])
def test_a_component_is_a_finite_number_if_it_is_one(value):
    with pytest.raises(ScenarioError, match=r"Component 'y' of a point motion: .* is not a"):
        PointMotion({"x": 1, "y": value})


def test_a_component_may_be_a_function_of_time():
    drives = {**typed(UR10_PATH), "x": expression(UR10_PATH["x"][0])}
    found = followed(UR10, drives, BENT).at(T).q
    np.testing.assert_array_equal(found, followed(UR10, typed(UR10_PATH), BENT).at(T).q)


def test_a_component_that_cannot_be_read_shows_where():
    with pytest.raises(ExpressionError, match="SINE"):
        PointMotion({"x": "SINE(time)"})


def test_a_component_that_stops_being_a_number_is_named_with_its_time():
    message = lost(UR10, {**typed(UR10_PATH), "y": "0.1 + 0*SQRT(0.6 - time)"}, BENT)
    assert message.startswith("component 'y' of the point motion: its ")
    # the derivative of the root ends at 0.6 s, and looking is done at 400 times
    assert time_in(message) == pytest.approx(0.6, abs=DURATION / 399)


@pytest.mark.parametrize("where", [{"frame": "hand"}, {"relative_to": "hand"}])
@pytest.mark.parametrize("names", ["x y z b1 b2 b3", "x"])
def test_an_unknown_frame_is_told_the_known_ones(where, names):
    with pytest.raises(ModelError, match=r"'hand' is not in robot 'ur10'; .*forearm_link"):
        followed(UR10, typed(only(UR10_PATH, names.split())), BENT, **where)


@pytest.mark.parametrize("bad", [np.eye(3), 2 * np.eye(4), np.full((4, 4), np.nan), 5.0])
def test_what_it_is_relative_to_is_a_pose(bad):
    with pytest.raises(ScenarioError, match="A pose "):
        PointMotion({"x": 1}, relative_to=bad)


@pytest.mark.parametrize("start", [(1, 2), (np.nan,) * 6, {"elbow": 1}])
@pytest.mark.parametrize("names", ["x y z b1 b2 b3", "x"])
def test_a_start_is_a_position_of_the_robot(start, names):
    with pytest.raises(ScenarioError, match="start"):
        followed(UR10, typed(only(UR10_PATH, names.split())), start)


# Corners


@pytest.mark.parametrize("names", ["x y z b1 b2 b3", "x y z"])
def test_at_a_corner_of_the_path_the_velocity_jumps_and_the_position_does_not(names):
    stops = {**typed(UR10_PATH), "x": "0.7", "y": "IF(time - 0.1: 0.2 + time, 0.3, 0.3)"}
    drives = {name: stops[name] for name in names.split()}
    if "b1" in drives:
        drives.update(DOWN)
    drives["z"] = 0.4
    path = followed(UR10, drives, BENT, 0.2)
    np.testing.assert_allclose(path.corners, [0.1], rtol=0, atol=1e-12)
    t = np.array([0.1 - 1e-9, 0.1, 0.15])
    at = path.at(t)
    v = np.einsum("anN,nN->aN", jacobian(UR10, at.q)[:3], at.qd)
    np.testing.assert_allclose(v[1], [1, 0, 0], rtol=0, atol=1e-8)  # m/s; from the right at 0.1 s
    assert apart(at.q[:, :1], at.q[:, 1:2]).max() < 1e-7  # rad
    np.testing.assert_allclose(at.qd[:, 1:], 0, atol=1e-9)
    np.testing.assert_allclose(frame_pose(UR10, at.q)[1, 3], [0.3 - 1e-9, 0.3, 0.3], atol=1e-12)


# In a run


@pytest.mark.parametrize(("method", "close"), [("ideal", 1e-12), ("stepped", 1e-6)])
def test_a_run_keeps_the_tool_on_its_path(method, close):
    scenario = sim.Scenario(
        UR10.with_payload(mass=5.0), PointMotion(typed(UR10_PATH), start=BENT), duration=0.3
    )
    run = sim.run(scenario, method=method).recorded
    t = run.index.to_numpy()
    goal = wanted(UR10_PATH, t)[:3]
    np.testing.assert_allclose(run[["target.x", "target.y", "target.z"]].T, goal, atol=1e-15)
    away = run[["tool.x", "tool.y", "tool.z"]].to_numpy().T - goal
    assert np.sqrt((away**2).sum(axis=0)).max() <= close  # m
