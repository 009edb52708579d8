"""Balls, cylinders and capsules: distances in closed form, of any size, and their bounds."""

import math

import numpy as np
import pytest

from sim.clearance import Clearance
from sim.clearance.clearance_of_run import clearance_of_run, judged_pairs
from sim.engines.mujoco.piece_distances import MujocoQueries
from sim.kinematics import body_poses, tree_of
from tests.clearance.arms import INERTIA, joint, motion, parabola, robot_of

KNOWN = 1e-5  # m; what is promised
ROUND = {
    "ball": '<sphere radius="{r!r}"/>',
    "cylinder": '<cylinder radius="{r!r}" length="{h!r}"/>',
    "capsule": '<capsule radius="{r!r}" length="{h!r}"/>',
    "box": '<box size="{r!r} {h!r} 1.0"/>',
}


def shape(kind, r, h=0.0, at=(0, 0, 0), rpy=(0, 0, 0)):
    """A visual: r and h are radius and length, or edges along x and y of a box."""
    place = f'xyz="{at[0]} {at[1]} {at[2]}" rpy="{rpy[0]} {rpy[1]} {rpy[2]}"'
    geometry = ROUND[kind].format(r=float(r), h=float(h))
    return f"<visual><origin {place}/><geometry>{geometry}</geometry></visual>"


def link(name, *shapes):
    return f'<link name="{name}">{INERTIA}{"".join(shapes)}</link>'


def slider(tmp_path, fixed, moved, axis=(1, 0, 0), at=(2, 0, 0)):
    """Two links; the second slides along an axis from where it is placed."""
    one, other = (x if isinstance(x, tuple) else (x,) for x in (fixed, moved))
    return robot_of(
        tmp_path, link("post", *one), link("body", *other),
        joint("slide", "prismatic", "post", "body", axis=axis, at=at),
    )  # fmt: skip


def at_pose(robot, q):
    """Signed distance of the two links at one position, by coal and by MuJoCo."""
    (pair,) = judged_pairs(robot, Clearance(), np.zeros((1, 1))).links
    poses = body_poses(tree_of(robot), np.array([[float(q)]]))
    again = MujocoQueries(pair.pieces)
    (R, p), (S, s) = ((poses.R[b, ..., 0], poses.p[b, :, 0]) if b >= 0 else (np.eye(3), np.zeros(3))
                      for b in pair.bodies)  # fmt: skip
    others = min(
        again.distance(int(a), int(b), again.pose(R, p), again.pose(S, s))
        for a, b in zip(pair.a, pair.b, strict=True)
    )
    return pair.nearest(poses)[0], others


TURN = (0.0, math.pi / 2, 0.0)  # z along x
SIDE = shape("cylinder", 0.5, 1, rpy=(0, 0, 0.065))
CASES = {
    "ball and ball": (shape("ball", 0.3), shape("ball", 0.5), 1.2),
    "ball and wall": (shape("box", 1.0, 4.0), shape("ball", 0.5), 1.0),
    "side of a cylinder and wall": (shape("box", 1, 4), SIDE, 1.0),
    "end of a cylinder and wall": (shape("box", 1, 4), shape("cylinder", 0.5, 1, rpy=TURN), 1.0),
    "leaning cylinder and wall": (
        shape("box", 1, 4), shape("cylinder", 0.3, 0.8, rpy=(0, 0.4, 0)),
        1.5 - 0.3 * math.cos(0.4) - 0.4 * math.sin(0.4),
    ),
    "capsule and wall": (
        shape("box", 1, 4), shape("capsule", 0.3, 0.8, rpy=(0, 0.4, 0)),
        1.5 - 0.3 - 0.4 * math.sin(0.4),
    ),
    "crossed capsules": (shape("capsule", 0.2, 1), shape("capsule", 0.3, 1, rpy=(1.1, 0, 0)), 1.5),
    "crossed cylinders": (
        shape("cylinder", 0.2, 1), shape("cylinder", 0.3, 1, rpy=(1.1, 0, 0)), 1.5
    ),
    "ball on a cylinder's end": (shape("ball", 0.2), shape("cylinder", 0.5, 1, rpy=TURN), 1.3),
    "capsule and cylinder side by side": (shape("cylinder", 0.2, 1), shape("capsule", 0.3, 1), 1.5),
    "the nearest of three shapes": (
        (shape("ball", 0.3), shape("cylinder", 0.1, 1, at=(0.5, 0, 0)), shape("box", 0.1, 0.1)),
        (shape("ball", 0.2), shape("box", 0.2, 0.2, at=(-0.6, 0, 0))),
        2 - 0.7 - 0.6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("gap", [None, 2e-3, 1e-6, -1e-3])
def test_distances_are_those_of_closed_forms(tmp_path, name, gap):
    """As placed, two millimetres and a micrometre away, and a millimetre deep."""
    fixed, moved, distance = CASES[name]
    robot = slider(tmp_path, fixed, moved)
    q = 0.0 if gap is None else gap - distance
    wanted = distance if gap is None else gap
    own, other = at_pose(robot, q)
    assert own == pytest.approx(wanted, abs=1e-6)
    if wanted > 0:
        assert other == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("size", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("kind", ["ball", "cylinder", "capsule"])
def test_shapes_of_any_size_are_exact(tmp_path, kind, size):
    """From a washer to a silo: polyhedra would be off by 0.3 % of a radius, 15 cm of the last."""
    turned = shape(kind, size, size, rpy=(0, 0, 0.065))
    at = (0.5 + size + 2e-3, 0, 0)
    robot = slider(tmp_path, shape("box", 1.0, 4.0 * size), turned, at=at)
    own, other = at_pose(robot, 0.0)
    assert own == pytest.approx(2e-3, abs=1e-6)
    assert other == pytest.approx(2e-3, abs=1e-6)


def test_a_ball_deep_in_a_cylinder_leaves_by_the_nearer_end(tmp_path):
    """coal alone takes it out sideways, 0.13 m."""
    robot = slider(tmp_path, shape("cylinder", 0.1, 0.4), shape("ball", 0.05), at=(5.02, 0, 0.18))
    assert at_pose(robot, -5.0)[0] == pytest.approx(-0.07, abs=1e-9)


def test_a_turning_cylinder_comes_nearest_between_samples(tmp_path):
    """A lying cylinder turns about z beside a wall: its rim is l/2 |sin q| + r |cos q| away."""
    r, length, wall, rate = 0.2, 0.5, 0.4, 2.0
    robot = robot_of(
        tmp_path,
        link("post", shape("box", 1.0, 1.0, at=(0, wall + 0.5, 0))),
        link("rod", shape("cylinder", r, length, rpy=TURN)),
        joint("turn", "continuous", "post", "rod"),
    )
    t = np.linspace(0.0, 1.0, 12)
    run = motion(robot, t, rate * t, np.full_like(t, rate))
    (pair,) = clearance_of_run(robot, Clearance(), [run, run], {}).facts.pairs
    reach = math.hypot(r, length / 2)
    assert pair.distance == pytest.approx(wall - reach, abs=KNOWN)
    assert pair.distance - pair.left_over <= wall - reach + 1e-9 and pair.left_over <= KNOWN
    assert pair.at == pytest.approx(math.atan2(length / 2, r) / rate, abs=5e-3)
    first, second = np.array(pair.points)
    assert np.linalg.norm(second - first) == pytest.approx(pair.distance, abs=1e-6)


@pytest.mark.parametrize("kind", ["ball", "cylinder", "capsule"])
def test_the_floor_is_below_the_lowest_point_of_a_round_shape(tmp_path, kind):
    """It turns about y by q(t); its lowest point is h/2 |cos q| + r |sin q|, or + r, below."""
    r, h, high = 0.2, 0.6, 1.0
    robot = robot_of(
        tmp_path,
        link("post", shape("box", 0.1, 0.1, at=(0, 9, 0))),
        link("body", shape(kind, r, h), shape("ball", 0.01, at=(0, 0, 0.1))),
        joint("turn", "continuous", "post", "body", axis=(0, 1, 0), at=(0, 0, high)),
    )
    t = np.linspace(0.0, 1.0, 9)
    q, qd = parabola(t, 0.1, 0.537)
    run = motion(robot, t, q, qd)

    def lowest(time):
        turned = 0.1 + (time - 0.537) ** 2
        ends = {"ball": 0.0, "cylinder": h / 2, "capsule": h / 2}[kind] * math.cos(turned)
        return high - ends - r * (math.sin(turned) if kind == "cylinder" else 1.0)

    wanted = min(lowest(time) for time in np.linspace(0, 1, 20_001))
    result = clearance_of_run(robot, Clearance(floor=0.0), [run, run], {})
    (pair,) = [one for one in result.facts.pairs if one.first == "floor"]
    assert pair.distance == pytest.approx(wanted, abs=KNOWN)
    assert pair.left_over <= KNOWN
    assert pair.points[1][2] == pytest.approx(pair.distance, abs=1e-9)
    assert result.columns[0]["clearance.floor"] == pytest.approx([lowest(x) for x in t], abs=1e-12)


def test_random_poses_have_the_distances_of_mujoco(tmp_path):
    rng = np.random.default_rng(4)
    for _ in range(30):
        kinds = rng.choice(["ball", "cylinder", "capsule", "box"], 2)
        (r, h, s, k), rpy = rng.uniform(0.1, 0.4, 4), rng.uniform(-3, 3, (2, 3))
        one, other = shape(kinds[0], r, h, rpy=rpy[0]), shape(kinds[1], s, k, rpy=rpy[1])
        at = rng.normal(size=3)
        robot = slider(tmp_path, one, other, at=rng.uniform(1.6, 2.2) * at / np.linalg.norm(at))
        own, again = at_pose(robot, 0.0)
        assert own > 0 and own == pytest.approx(again, abs=1e-6)


def test_no_distance_within_an_interval_is_below_its_bound(tmp_path):
    """Bounds that are tight: balls on a slide that go evenly, and bodies that brake evenly.

    Of balls what they can travel is the bound itself; at constant deceleration so are speed and
    acceleration along a direction. Half of either would be above the distance at an end.
    """
    robot = slider(tmp_path, shape("ball", 0.3), shape("ball", 0.5))
    t = np.linspace(0.0, 1.0, 11)
    q = np.where(t < 0.5, -0.4 * t, -0.2 - 1.0 * (t - 0.5))
    even = motion(robot, t, q, np.where(t < 0.45, -0.4, -1.0))
    braking = motion(robot, t, *parabola(t, 0.2, 0.4, -0.9))
    for run, limit in ((even, -np.inf), (braking, np.inf)):
        (pair,) = judged_pairs(robot, Clearance(), run.q).links
        for begin, end in ((0.0, 0.4), (0.5, 0.8), (0.6, 1.0), (0.35, 0.75), (0.0, 1.0)):
            bound = pair.look(run, np.array([begin]), np.array([end]), limit).bound[0]
            dense = np.linspace(begin, end, 401)
            distance = 1.2 + np.array([run.poses_at(dense).p[-1, 0] - 2.0])
            assert bound <= distance.min() + 1e-12
            if run is braking or begin >= 0.5 or end <= 0.4:
                assert bound == pytest.approx(distance.min(), abs=1e-9)
