"""Point motions at and through singular poses, of arms with spare joints, and of idle components.

What is expected comes from Pinocchio (poses), from differences (velocities) and from symmetry.
"""

import numpy as np
import pytest

import sim
from sim.errors import ScenarioError
from sim.motion import PointMotion
from sim.motion.bridges import SingularSpan, bridge
from sim.motion.target import COMPONENTS, angles_123
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.small_robots import joint, link
from tests.helpers.small_robots import robot as small

UR10, KR210 = load_robot("ur10"), load_robot("kr210")
WEIGHTLESS = (0.0, 0.0, 0.0)
DURATION = 1.0  # [s]
T = np.linspace(0.0, 0.998, 999)  # STEP ends at 1 s, and its second derivative jumps there


def tool_at(robot, q):
    """R (3, 3, N) and p (3, N) of the tool, by Pinocchio."""
    found = PinocchioModel(robot, WEIGHTLESS).frame_motion(robot.tool, q, 0 * q)
    return found[:9].reshape(3, 3, -1), found[9:12]


def from_here(robot, q0, moved):
    """A whole pose: that at q0, with what is `moved` added to its components."""
    R, p = tool_at(robot, np.asarray(q0, dtype=float)[:, None])
    here = dict(zip(COMPONENTS, [*p[:, 0], *angles_123(R)[:, 0]], strict=True))
    return {name: f"{float(x)!r} + {moved.get(name, '0')}" for name, x in here.items()}


def followed(robot, q0, moved):
    motion = PointMotion(from_here(robot, q0, moved), start=q0)
    return motion.on(robot, DURATION).at(T)


def assert_one_motion(at, close):
    """Each step of q is the integral of qd, and of qd that of qdd, by Simpson's rule."""
    for values, rates in ((at.q, at.qd), (at.qd, at.qdd)):
        h = T[1] - T[0]
        steps = values[:, 2::2] - values[:, :-2:2]
        simpson = h / 3 * (rates[:, :-2:2] + 4 * rates[:, 1:-1:2] + rates[:, 2::2])
        np.testing.assert_allclose(steps, simpson, rtol=0, atol=close)


def assert_held(robot, q0, moved, at, close=1e-9):
    """The tool is where it was plus what is moved along x, y, z; it does not turn."""
    R, p = tool_at(robot, at.q)
    R0, p0 = tool_at(robot, np.asarray(q0, dtype=float)[:, None])
    for row, name in enumerate("xyz"):
        wanted = p0[row] + sim.expression(moved.get(name, "0")).value(T)
        np.testing.assert_allclose(p[row], wanted, rtol=0, atol=close)
    if not {"b1", "b2", "b3"} & set(moved):
        np.testing.assert_allclose(R, np.broadcast_to(R0, R.shape), rtol=0, atol=close)


BACK = "-STEP(time, 0, 0, 1, 0.2)"
ALONG = "STEP(time, 0, 0, 1, 0.2)"


@pytest.mark.parametrize("moved", [{"x": BACK}, {"x": BACK, "z": ALONG}], ids=["back", "and up"])
def test_from_its_home_pose_with_an_aligned_wrist_the_arm_moves_in_its_plane(moved):
    """By symmetry joints 1, 4 and 6 stay where they are; joint 4 began at 3.2995 rad."""
    home = np.zeros(6)
    at = followed(KR210, home, moved)
    np.testing.assert_allclose(at.q[[0, 3, 5]], 0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(at.qd[[0, 3, 5]], 0, rtol=0, atol=1e-8)
    assert np.abs(np.diff(at.q, axis=1)).max() < 1e-3
    assert_held(KR210, home, moved, at)
    assert_one_motion(at, 1e-10)


def test_a_stretched_arm_that_is_pulled_in_bends_at_the_rate_that_its_length_asks_for():
    """The elbow of the UR10 with upper arm a and forearm b, pulled in by s = 0.6 t² - 0.4 t³.

    Law of cosines: the distance L - s from shoulder to wrist gives cos q3, so that q3² is nearly
    2 s L / (a b): at t = 0 the elbow turns at the square root of 1.2 L / (a b). The wrist stays
    bent (joint 5), else there would be a choice; joint 1 keeps it on the axis of the shoulder.
    """
    a, b = 0.612, 0.5723  # m, along x of the two links
    stretched = np.array([0.0, 0.0, 0.0, 0.0, 0.7, 0.0])
    at = followed(UR10, stretched, {"x": ALONG})
    s = 0.6 * T**2 - 0.4 * T**3
    assert abs(at.qd[2, 0]) == pytest.approx(np.sqrt(1.2 * (a + b) / (a * b)), rel=1e-6)
    bend = np.arccos(np.clip(((a + b - s) ** 2 - a * a - b * b) / (2 * a * b), -1, 1))
    np.testing.assert_allclose(np.abs(at.q[2]), bend, rtol=0, atol=2e-8)  # arccos ends at √eps
    assert np.abs(at.q).max() < np.pi  # 596.9 rad it was
    assert_held(UR10, stretched, {"x": ALONG}, at)
    assert_one_motion(at, 1e-9)


def test_a_path_that_goes_on_only_after_a_jump_is_told_where_to_begin():
    """Sideways the wrist has to roll by a right angle first; from there the path goes on."""
    home = np.zeros(6)
    sideways = {"y": BACK}
    with pytest.raises(
        ScenarioError, match=r"t = 0 s .* is singular there, and joint 'joint_[46]'"
    ):
        followed(KR210, home, sideways)
    begin = np.array([0, 0, 0, -np.pi / 2, 0, np.pi / 2])
    components = from_here(KR210, home, sideways)
    at = PointMotion(components, start=begin).on(KR210, DURATION).at(T)
    np.testing.assert_allclose(at.q[:, 0], begin, rtol=0, atol=1e-8)
    assert_held(KR210, home, sideways, at)
    assert_one_motion(at, 1e-9)


def test_a_wrist_that_is_aligned_half_way_is_crossed_with_its_velocity():
    """The tool noses down through level: joint 5 changes its sign, joints 4 and 6 stay."""
    down = np.array([0.0, 0.1, -0.2, 0.0, 0.3, 0.0])
    moved = {"x": "-0.3*time", "z": "-0.9*time + 0.3*time**2"}
    at = followed(KR210, down, moved)
    assert at.q[4].min() < -0.01 < 0.01 < at.q[4].max()
    np.testing.assert_allclose(at.q[[0, 3, 5]], 0, rtol=0, atol=1e-9)
    assert_held(KR210, down, moved, at)
    assert_one_motion(at, 1e-10)


@pytest.mark.rotates(2)
def test_where_a_path_stays_singular_spare_joints_share_and_positions_follow_velocities():
    """A roll of the tool with an aligned wrist: joints 4 and 6 turn by half each (least norm)."""
    rolled = np.zeros((6, T.size))
    rolled[3] = rolled[5] = 0.2 * T**2 * (3 - 2 * T)
    R, p = tool_at(KR210, rolled)
    np.testing.assert_allclose(p, np.repeat(p[:, :1], T.size, axis=1), rtol=0, atol=1e-12)
    about_x = R[:, :, -1] @ R[:, :, 0].T  # of the world, along which the tool looks at home
    angle = np.arctan2(about_x[2, 1], about_x[1, 1]) / rolled[3, -1]
    moved = {"b1": f"{float(0.2 * angle)!r}*STEP(time, 0, 0, 1, 1)"}
    at = followed(KR210, np.zeros(6), moved)
    np.testing.assert_allclose(at.q, rolled, rtol=0, atol=1e-9)
    assert_one_motion(at, 1e-10)


# Bridges by themselves


def test_a_bridge_goes_through_a_gap_of_a_smooth_curve():
    def positions(t):
        assert not np.any((t > 0.4) & (t < 0.5))
        return np.stack([np.sin(3 * t), np.exp(-t)])

    found = bridge(positions, lambda t, q: 0.0, SingularSpan(0.4, 0.5, 0.0, 1.0))
    t = np.linspace(0.4, 0.5, 21)
    q, qd, qdd = found.at(t)
    np.testing.assert_allclose(q, [np.sin(3 * t), np.exp(-t)], rtol=0, atol=1e-12)
    np.testing.assert_allclose(qd, [3 * np.cos(3 * t), -np.exp(-t)], rtol=0, atol=1e-10)
    np.testing.assert_allclose(qdd, [-9 * np.sin(3 * t), np.exp(-t)], rtol=0, atol=1e-7)
    assert found.covers(np.array([0.39, 0.4, 0.5, 0.51])).tolist() == [False, True, True, False]


def test_no_bridge_goes_over_a_jump():
    def positions(t):
        return np.where(t < 0.45, 0.0, 1.0)[None]

    assert bridge(positions, lambda t, q: 0.0, SingularSpan(0.4, 0.5, 0.0, 1.0)) is None


def test_no_bridge_leaves_what_is_prescribed():
    def away(t, q):
        return float(np.abs(q - t**2).max())

    span = SingularSpan(0.4, 0.5, 0.0, 1.0)
    assert bridge(lambda t: t[None] ** 2, away, span) is not None
    assert bridge(lambda t: t[None] ** 2 + 2e-10, away, span) is None


# Seven joints


def seven_joints():
    """An arm of the kind of the LBR iiwa: axes z y z -y z y z, 0.36 0.42 0.4 0.126 m."""
    axes = ["0 0 1", "0 1 0", "0 0 1", "0 -1 0", "0 0 1", "0 1 0", "0 0 1"]
    rises = [0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081]
    parts = []
    for k, (axis, rise) in enumerate(zip(axes, rises, strict=True)):
        parent = "ground" if k == 0 else f"l{k}"
        parts.append(link(f"l{k + 1}", 4.0 - 0.5 * k, "0 0.02 0.08", "0.05 0.04 0.02"))
        origin = f'<origin xyz="0 0 {rise}"/>'
        parts.append(joint(f"j{k + 1}", "revolute", parent, f"l{k + 1}", axis, origin))
    return small(*parts, '<link name="tool0"/>', fixed("l7", "tool0", "0 0 0.045"))


def fixed(parent, child, xyz):
    return (
        f'<joint name="{child}_mount" type="fixed"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{xyz}"/></joint>'
    )


SEVEN = seven_joints()
READY = np.array([0.3, 0.6, -0.2, -1.3, 0.4, 0.9, 0.1])
SWAY = {"x": "0.1*SIN(2*time)", "y": "0.15*time", "z": "-0.1*SIN(time)**2"}


@pytest.fixture(scope="module")
def swaying():
    return followed(SEVEN, READY, SWAY)


def test_positions_of_an_arm_with_a_spare_joint_are_the_integral_of_its_velocities(swaying):
    at = swaying
    np.testing.assert_allclose(at.q[:, 0], READY, rtol=0, atol=1e-9)
    assert_held(SEVEN, READY, SWAY, at)
    assert_one_motion(at, 1e-11)
    assert np.abs(at.qd).max() > 0.1


def test_the_spare_joint_moves_with_the_least_norm_of_the_velocities(swaying):
    at = swaying
    model = PinocchioModel(SEVEN, WEIGHTLESS)
    for k in (0, 500, -1):
        q = np.repeat(at.q[:, [k]], 7, axis=1)
        J = model.frame_motion(SEVEN.tool, q, np.eye(7))[12:]
        idle = np.linalg.svd(J)[2][-1]
        np.testing.assert_allclose(J @ idle, 0, atol=1e-12)
        assert abs(idle @ at.qd[:, k]) < 1e-10


def test_a_run_of_an_arm_with_a_spare_joint_passes_all_its_checks():
    motion = PointMotion(from_here(SEVEN, READY, SWAY), start=READY)
    run = sim.run(sim.Scenario(SEVEN, motion, duration=0.1, method="ideal"))
    failed = [check for check in run.run.checks if not check.ok]
    assert failed == []


# Components that no joint moves


def planar():
    """Three joints about z at a height of 80 mm."""
    return small(
        link("a", 2.0, "0.2 0 0", "0.01 0.02 0.02"),
        link("b", 1.5, "0.2 0 0", "0.01 0.02 0.02"),
        link("c", 1.0, "0.1 0 0", "0.01 0.02 0.02"),
        '<link name="tool0"/>',
        joint("one", "revolute", "ground", "a", "0 0 1", '<origin xyz="0 0 0.08"/>'),
        joint("two", "revolute", "a", "b", "0 0 1", '<origin xyz="0.4 0 0"/>'),
        joint("three", "revolute", "b", "c", "0 0 1", '<origin xyz="0.4 0 0"/>'),
        fixed("c", "tool0", "0.2 0 0"),
    )


PLANAR = planar()
PLANE = {"x": "0.5 + 0.1*SIN(2*time)", "y": "0.3 - 0.1*time"}
BENT = (0.1, 0.9, 0.4)
WHILE = 0.2  # [s]
SHORT = T[T <= WHILE]


@pytest.fixture(scope="module")
def in_plane():
    return PointMotion(PLANE, start=BENT).on(PLANAR, WHILE).at(SHORT)


@pytest.mark.parametrize("more", ["z", "z b1", "z b1 b2"])
def test_a_component_that_is_true_wherever_the_joints_are_is_left_out_and_said(in_plane, more):
    true = {"z": 0.08, "b1": 0.0, "b2": "0*time"}
    said = {name: true[name] for name in more.split()}
    motion = PointMotion({**PLANE, **said}, start=BENT)
    found = motion.on(PLANAR, WHILE).at(SHORT)
    np.testing.assert_array_equal(found.q, in_plane.q)
    facts = motion.describe(PLANAR, WHILE)
    assert [fact.joint.partition(".")[2] for fact in facts] == [*PLANE, *said]
    words = facts[0].warnings[: len(said)]
    assert words[0] == (
        "component 'z' is 0.08 m wherever the joints are, as prescribed; no joint moves it, and it "
        "is left out"
    )
    assert len(words) == len(said)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("z", 0.09, "'z' of frame 'tool0' is 0.08 m wherever .* 0.09 m is prescribed, 0.01 m away"),
        ("b1", "10d", r"'b1' of frame 'tool0' is 0 ° wherever .* 10 ° is prescribed, 10 ° away"),
        ("z", "0.08 + 0.02*time", r"At t = 1 s 0\.1 m is prescribed, 0.02 m away; leave 'z' out"),
    ],
)
def test_a_component_that_no_joint_can_make_true_is_named_with_its_value(name, value, words):
    with pytest.raises(ScenarioError, match=words):
        PointMotion({**PLANE, name: value}, start=BENT).on(PLANAR, DURATION)


def test_components_that_move_nothing_at_all_are_no_motion():
    with pytest.raises(ScenarioError, match=r"moves what is prescribed \(z\); prescribe a"):
        PointMotion({"z": 0.08}, start=BENT).on(PLANAR, DURATION)
