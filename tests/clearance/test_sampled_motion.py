"""Rates between samples against their bounds, and curves of a fast motion pose by pose."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from sim.clearance import Clearance
from sim.clearance.between_samples import PlacedPieces, smallest_at_samples
from sim.clearance.clearance_of_run import clearance_of_run, judged_pairs
from sim.kinematics import body_poses
from tests.clearance.arms import joint, link, motion, robot_of


@pytest.fixture
def star(tmp_path):
    """A rod that turns among three posts of one link."""
    posts = [((0.2, 0.2, 1), (0.8 * np.cos(a), 0.8 * np.sin(a), 0)) for a in (1.0, 3.1, 5.2)]
    return robot_of(
        tmp_path,
        link("posts", *posts),
        link("rod", ((0.5, 0.1, 0.2), (0.25, 0, 0))),
        joint("turn", "continuous", "posts", "rod"),
    )


def test_no_rate_between_samples_is_above_its_bound(star):
    """From rest to rest the rate in the middle is 3/2 of the slope, and 0 at both ends."""
    t = np.linspace(0.0, 1.0, 6)
    rng = np.random.default_rng(2)
    q, qd = rng.normal(size=6), np.zeros(6)
    for rates in (qd, rng.normal(size=6)):
        run = motion(star, t, q, rates)
        dense = np.linspace(0.0, 1.0, 5001)[1:-1]
        interval = np.searchsorted(t, dense) - 1
        assert (np.abs(run.rates_at(dense)) <= run.largest_rates[:, interval] + 1e-12).all()
        change = np.abs(np.gradient(run.rates_at(dense)[0], dense))[1:-1]
        inside = np.all(
            [interval[1:-1] == interval[k : k + dense.size - 2] for k in (0, 2)], axis=0
        )
        assert (change <= run.largest_changes[0, interval[1:-1]] + 1e-6)[inside].all()
    run = motion(star, t, q, qd)
    assert run.largest_rates[0] == pytest.approx(3 * np.abs(np.diff(q) / np.diff(t)), rel=1e-12)


def test_the_curve_of_a_motion_that_is_fast_between_samples(star):
    """0.4 rad from sample to sample, five of them in a block: other pieces become the nearest."""
    t = np.linspace(0.0, 5.0, 5001)
    run = motion(star, t, 400 * t, np.full_like(t, 400.0))
    (pair,) = judged_pairs(star, Clearance(), run.q).links
    placed = [PlacedPieces(run, pair.pieces, pair.queries)]
    (found,) = smallest_at_samples([pair], [np.ones(t.size, dtype=bool)], placed)
    for sample in range(0, t.size, 7):
        at_one = pair.nearest(body_poses(run.tree, run.q[:, sample : sample + 1]))[0]
        assert found.distance[sample] == pytest.approx(at_one, abs=1e-10)


@pytest.fixture
def swivel(tmp_path):
    """A rod of 1 m on a ball, and a wall 1.02 m away from it across x."""
    return robot_of(
        tmp_path,
        link("wall", ((0.1, 4, 4), (1.07, 0, 0))),
        link("rod", ((1.0, 1e-3, 1e-3), (0.5, 0, 0))),
        joint("ball", "spherical", "wall", "rod"),
        link("tool", ((0.01, 0.01, 0.01), (0.2, 0, 0))),
        joint("flange", "fixed", "rod", "tool"),
    )


def turning(t, axis, rate, start=0.0):
    """A ball that turns evenly about an axis through its half turn, by SciPy's rotations."""
    axis = np.array(axis) / np.linalg.norm(axis)
    q = Rotation.from_rotvec(np.outer(start + rate * t, axis)).as_rotvec().T
    return q, np.outer(axis, np.full_like(t, rate))


def test_a_ball_turns_evenly_between_samples_through_its_half_turn(swivel):
    t = np.linspace(0.0, 1.0, 8)
    q, qd = turning(t, (1, 2, -2), 9.0, 0.3)
    assert np.abs(np.diff(q)).max() > np.pi  # the vector jumps to its other end
    run, dense = motion(swivel, t, q, qd), np.linspace(0.0, 1.0, 500)
    wanted = Rotation.from_rotvec(turning(dense, (1, 2, -2), 9.0, 0.3)[0].T).as_matrix()
    found = run.poses_at(dense).R[2].transpose(2, 0, 1)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.rates_at(dense), turning(dense, (1, 2, -2), 9.0)[1], atol=1e-12)


def test_no_rate_of_a_ball_between_samples_is_above_its_bound(swivel):
    t, rng = np.linspace(0.0, 1.0, 7), np.random.default_rng(5)
    q, qd = rng.normal(size=(3, 7)), 6 * rng.normal(size=(3, 7))
    run, dense = motion(swivel, t, q, qd), np.linspace(0.0, 1.0, 6001)[1:-1]
    interval = np.searchsorted(t, dense) - 1
    rates = run.rates_at(dense)
    largest = np.linalg.norm(rates, axis=0)
    assert (largest <= run.largest_rates[0, interval] + 1e-12).all()
    # and they are those of the rotations themselves
    R = Rotation.from_matrix(run.poses_at(dense).R[2].transpose(2, 0, 1))
    step = dense[2] - dense[0]
    turned = (R[:-2].inv() * R[2:]).as_rotvec().T / step
    inside = interval[2:] == interval[:-2]
    np.testing.assert_allclose(turned[:, inside], rates[:, 1:-1][:, inside], rtol=0, atol=1e-3)
    change = np.linalg.norm(np.gradient(rates, dense, axis=1), axis=0)[1:-1]
    assert (change <= run.largest_changes[0, interval[1:-1]] + 1e-3)[inside].all()
    assert (change / run.largest_changes[0, interval[1:-1]])[inside].max() > 0.3
    assert not run.largest_rates[1:].any()


def test_a_rod_on_a_ball_comes_nearest_to_a_wall_between_samples(swivel):
    """Its tip is at x = cos² b + sin² b cos(9 t + 0.3), b between rod and axis; then half a mm."""
    t = np.linspace(0.0, 1.0, 8)
    q, qd = turning(t, (3, 1, 0), 9.0, 0.3)
    run = motion(swivel, t, q, qd)
    pairs = clearance_of_run(swivel, Clearance(), [run, run], {}).facts.pairs
    (pair,) = (one for one in pairs if "rod" in (one.first, one.second))
    assert pair.at == pytest.approx((2 * np.pi - 0.3) / 9.0, abs=1e-2)
    # where the rod lies along x again its corners are 1 m away, and 1.02 m is the wall
    corner = np.array([1.0, 5e-4, 5e-4])
    angle = np.linspace(-0.02, 0.02, 20001)
    axis = np.array([3, 1, 0]) / np.sqrt(10)
    corners = [corner * (1, a, b) for a in (1, -1) for b in (1, -1)]
    reach = max(
        Rotation.from_rotvec(np.outer(angle, axis)).apply(one)[:, 0].max() for one in corners
    )
    assert pair.distance == pytest.approx(1.02 - reach, abs=1e-5)
