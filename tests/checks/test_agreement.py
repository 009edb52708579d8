"""What recorded and analytic tables must hold, in numbers that do not follow our own limits."""

import math

import numpy as np
import pytest

from sim.checks import check
from sim.motion import JointMotion
from sim.scenario import Scenario
from sim.simulation import run as simulate
from tests.helpers.short_runs import DURATION, SMOOTH, rubbing_arm, short_run, spoiled


@pytest.mark.parametrize("table", ["recorded", "analytic"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_value_that_is_no_number_is_counted_in_either_table(table, value):
    run = short_run()
    found = spoiled(run, "pe", value, 70, table)
    (one,) = (one for one in check(found) if one.name == "finite numbers")
    assert (one.ok, one.worst, one.channel) == (False, 1.0, "pe")
    assert one.at == pytest.approx(run.t[70])


@pytest.mark.parametrize("joint", ["shoulder", "elbow"])
@pytest.mark.parametrize("share", [1e-3, 3e-4])
def test_a_torque_by_steps_is_held_to_a_few_ten_thousandths_of_its_peak(joint, share):
    """A smooth run at 1 ms: 2e-6 of the peak and a quarter of the bend, here 1.6e-4 of it."""
    run, channel = short_run("stepped"), f"tau.{joint}"
    peak = float(np.max(np.abs(run.analytic[channel])))
    wrong = spoiled(run, channel, share * peak, 150)
    assert ("torque", channel) in {(one.name, one.channel) for one in check(wrong) if not one.ok}
    (sound,) = (c for c in check(run) if (c.name, c.channel) == ("torque", channel))
    assert sound.limit < 2e-4 * peak


@pytest.mark.parametrize("method", ["stepped", "ideal"])
def test_friction_that_is_not_that_of_the_motion_is_seen_at_any_sample(method):
    motion = JointMotion.displacement(SMOOTH)
    run = simulate(Scenario(rubbing_arm(), motion, DURATION, method=method))
    assert all(one.ok for one in check(run))
    found = check(spoiled(run, "friction.shoulder", 1e-6, 151))
    assert "recomputed friction" in {one.name for one in found if not one.ok}
