from functools import cache

import numpy as np
import pytest

from sim.motion import JointMotion
from sim.recording import Recording
from sim.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.small_robots import pendulum

G = 9.81  # [m/s²]
MASS, LENGTH, MOMENT, RATE = 2.0, 0.7, 0.1, 8.0
# The ideal method leaves rounding: some 1e-16 of moments of about ten newton metres.
ROUNDING = 1e-11


@cache
def swinging() -> Recording:
    motion = JointMotion.velocity({"hinge": f"SIN({RATE}*time)"})
    return run(Scenario(pendulum(MASS, LENGTH, MOMENT), motion, 0.4), method="ideal", name="swing")


def by_hand(t):
    """A pendulum that its motor turns at sin(RATE t), from hanging down."""
    q, qd, qdd = (1 - np.cos(RATE * t)) / RATE, np.sin(RATE * t), RATE * np.cos(RATE * t)
    inertia = MASS * LENGTH**2 + MOMENT
    tau = inertia * qdd + MASS * G * LENGTH * np.sin(q)
    return {
        "q.hinge": (q, "rad"),
        "qd.hinge": (qd, "rad/s"),
        "qdd.hinge": (qdd, "rad/s²"),
        "tau.hinge": (tau, "N·m"),
        "power.hinge": (tau * qd, "W"),
        "friction.hinge": (0 * t, "N·m"),
        "reaction.hinge.my": (tau, "N·m"),
        "ke.bob": (inertia * qd**2 / 2, "J"),
        "pe": (-MASS * G * LENGTH * np.cos(q), "J"),
    }


@pytest.mark.parametrize("channel", by_hand(np.zeros(1)))
@pytest.mark.parametrize("side", ["recorded", "analytic"])
def test_a_column_is_what_its_name_says_in_its_unit(side, channel):
    table = getattr(swinging(), side)
    values, unit = by_hand(swinging().t)[channel]
    np.testing.assert_allclose(table[channel].to_numpy(), values, rtol=0, atol=ROUNDING)
    assert swinging().run.units[channel] == unit


def test_both_sides_have_the_same_columns_at_the_same_times():
    recorded, analytic = swinging().recorded, swinging().analytic
    assert set(analytic.columns) <= set(recorded.columns)
    assert recorded.index.equals(analytic.index)
    assert recorded.index.name == "t"
