"""Paper 003, chapter 3: the heart curve on the KR 210, against independently computed tables."""

import numpy as np
import pytest

from sim.functions import heart, spline
from sim.kinematics import frame_pose
from sim.motion import PointMotion
from sim.robots import load_robot

PERIOD = 2 * np.pi
T = np.linspace(0.0, PERIOD, 721)
DOWN = {"b1": "180d", "b2": 0, "b3": 0}


def followed(robot, centre, a):
    arm = load_robot(robot)
    return arm, PointMotion({**heart(a, centre), **DOWN}).on(arm, PERIOD).at(T)


# robot, centre [m], a [m], margin to the ranges, least |theta 5|, largest speed over limit, largest
# step between 721 samples, start of joints 2, 3, 5; angles in degrees. An independent computation
# (other code, other inverse kinematics) printed to these digits.
TABLE = [
    ("kr210_paper", (2, 0, 0.8), 0.26, 34.6, 72.0, 0.525, 0.51, (-14.21, 30.41, 73.80)),
    ("kr210_paper", (2, 0, 0.8), 0.32, 25.3, 72.0, 0.642, 0.63, (-24.69, 37.44, 77.25)),
    ("kr210", (2, 0, 1.2), 0.26, 34.6, 72.0, 0.523, 0.51, None),
    ("kr210", (2, 0, 1.2), 0.32, 25.9, 72.0, 0.638, 0.62, (-24.13, 37.11, 77.02)),
]


@pytest.mark.parametrize(
    ("robot", "centre", "a", "margin", "wrist", "speed", "step", "begin"), TABLE
)
def test_a_placed_heart_keeps_its_distances(robot, centre, a, margin, wrist, speed, step, begin):
    arm, path = followed(robot, centre, a)
    limits = [joint.limits for joint in arm.independent_joints]
    lower, upper, fastest = (
        np.array([getattr(limit, name) for limit in limits])[:, None]
        for name in ("lower", "upper", "velocity")
    )
    q = np.degrees(path.q)
    spare = np.minimum(path.q - lower, upper - path.q).min()
    assert np.degrees(spare) == pytest.approx(margin, abs=0.05)
    assert np.abs(q[4]).min() == pytest.approx(wrist, abs=0.05)
    assert (np.abs(path.qd) / fastest).max() == pytest.approx(speed, abs=5e-4)
    assert np.abs(np.diff(q)).max() == pytest.approx(step, abs=6e-3)
    if begin is not None:
        np.testing.assert_allclose(q[[1, 2, 4], 0], begin, rtol=0, atol=6e-3)


def drives(variant, a=0.32):
    motion = PointMotion({**heart(a, (0, 0, 0), variant=variant), **DOWN})
    return motion.positions


def test_the_heart_is_as_long_and_as_fast_as_its_formula():
    """Length 16 a, extent -3a to 1.5a and ±2.598a, speed 4a at the start."""
    fine = np.linspace(0, PERIOD, 20_001)
    p = drives("corrected")(fine)
    length = np.sqrt((np.diff(p) ** 2).sum(axis=0)).sum()
    assert length == pytest.approx(16 * 0.32, rel=1e-6)
    assert p[0].min() == pytest.approx(-3 * 0.32)
    assert p[0].max() == pytest.approx(1.5 * 0.32, rel=1e-6)
    assert p[1].max() == pytest.approx(2.598 * 0.32, rel=1e-4)
    assert np.hypot(*(p[:2, 1] - p[:2, 0])) / fine[1] == pytest.approx(4 * 0.32, rel=1e-4)


def test_the_drives_as_printed_are_an_ellipse_with_a_ripple_of_a_millimetre():
    p = drives("printed")(T)
    ellipse = np.array([-0.52 * np.cos(T), -0.64 * np.sin(T)])
    assert np.abs(p[:2] - ellipse).max() == pytest.approx(1e-3)


# Of X and Y as they are printed [mm], and with the factors that make eq. (3-1) of them.
PRINTED = ((-520, -1), (-640, -1))
CORRECTED = ((-640, -320), (-640, -320))


@pytest.mark.parametrize(
    ("variant", "factors", "overrun"),
    [("printed", PRINTED, 74.9), ("corrected", CORRECTED, 149.2)],
)
def test_after_6_4_seconds_the_curve_has_overrun_its_start(variant, factors, overrun):
    def curve(t):
        (x1, x2), (y1, y2) = factors
        return x1 * np.cos(t) + x2 * np.cos(2 * t), y1 * np.sin(t) + y2 * np.sin(2 * t)

    by_hand = np.hypot(*np.subtract(curve(6.4), curve(0.0)))
    assert by_hand == pytest.approx(overrun, abs=0.05)  # mm
    p = drives(variant)(np.array([0.0, 6.4]))
    assert 1000 * np.linalg.norm(p[:, 1] - p[:, 0]) == pytest.approx(by_hand, abs=1e-9)
    at_period = drives(variant)(np.array([0.0, PERIOD]))
    assert np.abs(at_period[:, 1] - at_period[:, 0]).max() < 1e-12


def test_a_ramp_starts_and_ends_at_rest_and_makes_the_same_curve():
    motion = PointMotion({**heart(0.26, (2, 0, 0.8), ramp=1.0), **DOWN})
    arm = load_robot("kr210_paper")
    path = motion.on(arm, PERIOD + 1.0).at(np.linspace(0, PERIOD + 1.0, 1001))
    assert np.abs(path.qd[:, [0, -1]]).max() < 1e-12
    p = frame_pose(arm, path.q)[:2, 3] - [[2], [0]]
    theta = np.unwrap(np.arctan2(p[1], p[0]))
    assert theta[-1] - theta[0] == pytest.approx(PERIOD, abs=1e-9)
    np.testing.assert_allclose(p[:, -1], p[:, 0], rtol=0, atol=1e-12)


# Largest distance of the replayed tool from the heart [m] through 721 points: what the paper calls
# almost coincident. A natural spline has no curvature at its ends, where the heart has.
@pytest.mark.parametrize(
    ("kind", "far"), [("notaknot", 1e-8), ("akima", 1e-6), ("cubic", 1e-5), ("linear", 3e-5)]
)
def test_splines_replay_the_heart(kind, far):
    arm, path = followed("kr210_paper", (2, 0, 0.8), 0.26)
    fine = np.linspace(0, PERIOD, 9001)
    q = np.stack([spline(T, row, kind).value(fine) for row in path.q])
    wanted = PointMotion({**heart(0.26, (2, 0, 0.8)), **DOWN}).positions(fine)
    away = np.sqrt(((frame_pose(arm, q)[:3, 3] - wanted) ** 2).sum(axis=0)).max()
    assert far / 20 < away < far
