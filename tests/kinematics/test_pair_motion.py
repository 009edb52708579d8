"""The motion of one body as seen from another, against differences of poses, and its bounds."""

import numpy as np
import pytest

from sim.kinematics import body_poses, tree_of
from sim.kinematics.pair_motion import pair_motion
from sim.robots import load_robot

STEP = 1e-4  # [s]
POINTS = np.array([[0.3, 0.1, -0.2], [-0.1, 0.4, 0.2]])  # [m], in the second body


def bodies_of(name):
    robot = load_robot(name)
    tree = tree_of(robot)
    rng = np.random.default_rng(5)
    count = 4000
    t = np.linspace(0.0, 4.0, count)
    rate, size = rng.uniform(0.5, 3.0, (tree.n, 1)), rng.uniform(0.3, 2.0, (tree.n, 1))
    at = rng.uniform(0, 6, (tree.n, 1))
    return tree, (
        size * np.sin(rate * t + at),
        size * rate * np.cos(rate * t + at),
        -size * rate**2 * np.sin(rate * t + at),
    )


def seen_from(tree, first, second, q):
    """The points of the second body in the frame of the first, (2, 3, N), and both rotations."""
    poses = body_poses(tree, q)
    world = np.stack([poses.point(second, x) for x in POINTS])
    R, p = poses.rotation(first, np.eye(3)), poses.point(first, np.zeros(3))
    return np.einsum("baN,kbN->kaN", R, world - p), R, world, poses


PAIRS = [("ur10", 1, 4), ("ur10", -1, 5), ("irb460", 6, 8), ("irb460", 3, 1), ("irb460", 10, 2)]


@pytest.mark.parametrize(("name", "first", "second"), PAIRS)
def test_the_relative_twist_is_that_of_differences_of_poses(name, first, second):
    tree, (q, qd, qdd) = bodies_of(name)
    motion = pair_motion(tree, first, second, POINTS, q)
    _, R, world, poses = seen_from(tree, first, second, q)
    w, v = motion.twist(poses, qd)
    found = np.einsum("baN,kbN->kaN", R, v + np.cross(w[None], world, axis=1))
    after, before = (
        seen_from(tree, first, second, q + h * qd + h * h / 2 * qdd)[0] for h in (STEP, -STEP)
    )
    # what is left of a central difference is h² x''' / 6
    assert found == pytest.approx((after - before) / (2 * STEP), abs=1e-5)


@pytest.mark.parametrize(("name", "first", "second"), PAIRS)
def test_speed_and_acceleration_stay_below_their_bounds_and_near_them(name, first, second):
    tree, (q, qd, qdd) = bodies_of(name)
    motion = pair_motion(tree, first, second, POINTS, q)
    steps = (-STEP, 0.0, STEP)
    x = [seen_from(tree, first, second, q + h * qd + h * h / 2 * qdd)[0] for h in steps]
    speed = np.linalg.norm((x[2] - x[0]) / (2 * STEP), axis=1).max(axis=0)
    acceleration = np.linalg.norm((x[2] - 2 * x[1] + x[0]) / STEP**2, axis=1).max(axis=0)
    shares = (
        speed / motion.speed_bound(np.abs(qd)),
        acceleration / motion.acceleration_bound(np.abs(qd), np.abs(qdd)),
    )
    for share in shares:
        assert share.max() <= 1 + 1e-5
        assert share.max() > 0.1


def test_bodies_on_one_way_count_only_the_joints_between_them():
    tree, (q, _, _) = bodies_of("ur10")
    assert pair_motion(tree, 1, 4, POINTS, q).joints == (2, 3, 4)
    assert pair_motion(tree, 4, 1, POINTS, q).joints == (2, 3, 4)
    assert set(pair_motion(tree, 4, 1, POINTS, q).sign) == {-1.0}
