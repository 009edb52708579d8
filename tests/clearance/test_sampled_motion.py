"""Rates between samples against their bounds, and curves of a fast motion pose by pose."""

import numpy as np
import pytest

from sim.clearance import Clearance
from sim.clearance.curves import PlacedPieces, smallest_at_samples
from sim.clearance.judged_pairs import judged_pairs
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
