from math import sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

import sim
from sim.capacity import time_optimal
from sim.errors import ScenarioError
from tests.helpers.small_robots import joint, lift, link, robot

pytest.importorskip("toppra")
G = 9.81


def rise(robot, text="STEP5(time, 0, 0, 2, 0.5)", duration=2.0):
    motion = sim.JointMotion.displacement({"slide": text})
    return sim.Scenario(robot, motion, duration, 0.01)


@pytest.mark.parametrize(("friction", "most"), [(0.0, 3e-3), (6.0, 3e-3)])
def test_a_lift_goes_at_full_force_up_and_then_full_force_down(friction, most):
    # a1 = (F - f)/m - g up to its top speed, a2 = (F + f)/m + g down from there
    m, F, d = 3.0, 60.0, 0.5
    robot = lift(m, more=f'<dynamics friction="{friction}"/>')
    a1, a2 = (F - friction) / m - G, (F + friction) / m + G
    least = sqrt(2 * d * (1 / a1 + 1 / a2))
    found = time_optimal(rise(robot), torque={"slide": F})
    assert least * (1 - 1e-9) <= found.duration <= least * (1 + most)
    assert found.ok
    assert found.fit.used == pytest.approx(1.0, abs=1e-9)
    motion = found.motion
    assert motion.q[0, [0, -1]] == pytest.approx([0.0, 0.5], abs=1e-9)
    assert motion.qd[0, [0, -1]] == pytest.approx([0.0, 0.0], abs=1e-6)
    tau = sim.inverse_dynamics(motion.robot, motion.q, motion.qd, motion.qdd)
    assert np.abs(tau).max() <= F * (1 + 1e-9)


def test_a_rated_speed_is_kept_in_the_middle():
    # up to v at a1, at v, down at a2
    m, F, d, v = 3.0, 60.0, 0.5, 0.8
    a1, a2 = F / m - G, F / m + G
    least = d / v + v / 2 * (1 / a1 + 1 / a2)
    found = time_optimal(rise(lift(m)), torque={"slide": F}, speed={"slide": v})
    assert least * (1 - 1e-9) <= found.duration <= least * (1 + 3e-3)
    assert np.abs(found.motion.qd).max() <= v * (1 + 1e-12)


def test_viscous_friction_is_overcome_in_the_least_time():
    # m v' = ±F - m g - d v: v tends to u while it rises, and to -w while it slows down
    m, F, d, x = 3.0, 60.0, 25.0, 0.5
    u, w, lag = (F - m * G) / d, (F + m * G) / d, m / d

    def down(up):
        return lag * np.log(1 + u / w * (1 - np.exp(-up / lag)))

    up = brentq(lambda up: u * up - w * down(up) - x, 0.0, 10.0)
    least = up + down(up)
    found = time_optimal(rise(lift(m, more=f'<dynamics damping="{d}"/>')), torque={"slide": F})
    assert least * (1 - 1e-9) <= found.duration <= least * (1 + 3e-3)
    assert found.fit.used == pytest.approx(1.0, abs=1e-9)


def test_a_path_with_sharp_bends_takes_the_time_of_another_solver():
    """1.1297 s by Pinocchio's torques in a forward and a backward pass over 4000 points."""
    arm = robot(
        link("upper", 4.0, "0.2 0 0.01", "0.01 0.06 0.06"),
        link("fore", 3.5, "0.2 0.02 0", "0.004 0.05 0.05"),
        joint("turn", "revolute", "ground", "upper", "0 1 0"),
        joint(
            *("elbow", "revolute", "upper", "fore", "0 1 0"),
            '<origin xyz="0.45 0 0"/><dynamics damping="2"/>',
        ),
    )
    drives = {"turn": "STEP5(time, 0, -0.3, 1.5, 0.9)", "elbow": "0.8*SIN(2*PI*time/1.5)"}
    scenario = sim.Scenario(arm, sim.JointMotion.displacement(drives), 1.5, 0.01)
    limits = {"torque": {"turn": 80.0, "elbow": 30.0}, "speed": {"turn": 3.0, "elbow": 3.0}}
    found = time_optimal(scenario, **limits)
    assert 1.1297 < found.duration < 1.1297 * 1.005
    assert found.ok


def test_a_path_that_turns_back_stops_there_and_rests_are_left_out():
    m, F, d = 3.0, 60.0, 0.5
    there_and_back = "STEP5(time, 0, 0, 1, 0.5) - STEP5(time, 2, 0, 3, 0.5)"
    found = time_optimal(rise(lift(m), there_and_back, 3.0), torque={"slide": F})
    once = sqrt(2 * d * (1 / (F / m - G) + 1 / (F / m + G)))
    assert found.stretches == 2
    assert found.duration == pytest.approx(2 * once, rel=3e-3)
    assert found.ok


def test_an_arm_stays_on_its_path_and_within_its_ratings():
    scenario, _ = sim.load_script("ur10_path").build({})
    found = time_optimal(scenario)
    assert found.duration < sim.fit_time(scenario).duration
    motion = found.motion
    tau = sim.inverse_dynamics(motion.robot, motion.q, motion.qd, motion.qdd)
    for row, limits in enumerate(one.limits for one in motion.robot.coordinates):
        assert np.abs(tau[row]).max() <= limits.effort * (1 + 1e-9)
        assert np.abs(motion.qd[row]).max() <= limits.velocity * (1 + 1e-9)
    tool = sim.frame_pose(motion.robot, motion.q)[:3, 3]  # on the straight line of the scenario
    share = (tool[1] + 0.4) / 0.8
    np.testing.assert_allclose(tool[0], 0.7, rtol=0, atol=1e-6)
    np.testing.assert_allclose(tool[2], 0.3 + 0.3 * share, rtol=0, atol=1e-6)


def test_what_cannot_be_is_said():
    with pytest.raises(ScenarioError, match="stands still"):
        time_optimal(rise(lift(3.0), "0.2"), torque={"slide": 60.0})
    with pytest.raises(ScenarioError, match="cannot be run from rest to rest"):
        time_optimal(rise(lift(3.0)), torque={"slide": 20.0})
