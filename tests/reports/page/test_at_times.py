"""Channels of two runs at the same times, against an even turn about one axis."""

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from sim.maths import other_vectors
from sim.reports.page.at_times import both_at_times, straight_between

NAMES = ("q.ball.x", "q.ball.y", "q.ball.z")
AXIS = np.array([0.48, 0.6, 0.64])


def vectors(t):
    return Rotation.from_rotvec(np.outer(9.0 * t, AXIS)).as_rotvec()  # rad; past half a turn


def test_an_even_turn_is_exact_between_samples_and_over_wraps():
    t, other = np.linspace(0, 1, 41), np.linspace(0, 1, 14)
    run = pd.DataFrame(vectors(t), index=t, columns=NAMES)
    turned = pd.DataFrame(other_vectors(vectors(other).T).T, index=other, columns=NAMES)
    at = np.linspace(0.01, 0.99, 29)
    for k, name in enumerate(NAMES):
        mine, theirs = both_at_times(at, name, run, turned, dict.fromkeys(NAMES, NAMES))
        # rounding of numbers below a whole turn
        np.testing.assert_allclose(mine, vectors(at)[:, k], rtol=0, atol=1e-13)
        np.testing.assert_allclose(theirs, mine, rtol=0, atol=1e-13)


def test_values_at_their_own_times_are_those_and_otherwise_straight_between():
    t, values = np.array([0.0, 1.0, 2.0]), np.array([3.0, np.nan, 5.0])
    for at in (t, np.array([0.0, 0.5, 2.0])):
        np.testing.assert_array_equal(straight_between(at, t, values), np.interp(at, t, values))
