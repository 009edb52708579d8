"""Rounding of positions that closed loops determine, and of accelerations from them."""

import numpy as np
import pytest

import sim
from sim.checks.closing_rounding import closing_rounding
from sim.kinematics import close_motion
from tests.helpers.page_runs import judged

TAUGHT = {"swing_joint": "STEP5(time, 0, 0, 0.2, 8d)", "lower_arm_joint": "0", "crank_joint": "0"}
REST = ("acceleration", "qdd.wrist_joint")


@pytest.fixture(scope="module")
def arm():
    return sim.load_robot("irb460_paper")


def test_closed_positions_scatter_by_the_rounding_of_their_loops(arm):
    """While the base alone turns, no loop moves: what changes in them is rounding."""
    t = np.linspace(0.0, 1.0, 400)
    q = np.zeros((len(arm.coordinates), t.size))
    q[arm.joint_names.index("swing_joint")] = t
    closed, _, _ = close_motion(arm, t, q, 0 * q, 0 * q)
    rounding = closing_rounding(arm, closed)
    named = {name for loop in arm.loops for name in loop.passive}
    passive = np.isin(arm.joint_names, list(named))
    scatter = np.ptp(closed, axis=1)
    allowed = np.array([rounding[name] for name in arm.joint_names])
    assert (scatter <= 2 * allowed)[passive].all()  # of two positions
    assert scatter[passive].max() > allowed.max() / 8  # it is no larger than needed
    assert (allowed[~passive] == 0.0).all() and (allowed[passive] > 0.0).all()
    assert closing_rounding(sim.load_robot("ur10"), np.zeros((6, 3))) == {}


def test_a_passive_joint_that_rests_near_zero_is_allowed_the_rounding_of_its_loop(arm):
    scenario = sim.Scenario(arm, sim.JointMotion.displacement(TAUGHT), 0.2)
    found = judged(sim.run(scenario)).run.checks
    assert [one for one in found if not one.ok] == []
    wrist = next(one for one in found if (one.name, one.channel) == REST)
    assert 1e-8 < wrist.worst < wrist.limit < 1e-6  # rad/s²
