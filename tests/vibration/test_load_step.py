from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import Chebyshev
from scipy.linalg import expm
from scipy.optimize import brentq

import sim
from sim import JointSpring
from sim.errors import ScenarioError
from sim.robots import load_robot
from sim.vibration import load_step
from sim.vibration.roots import first_order
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import double_pendulum, joint, lift, link, pendulum, robot

G = 9.81


def test_a_scale_sags_by_its_weight_and_overshoots_as_in_the_books():
    m, load, k, d = 3.0, 1.5, 900.0, 20.0
    found = load_step(lift(m), [0.2], load, k, d)
    assert found.sag == pytest.approx([0, 0, -load * G / k], rel=1e-13)
    assert found.sag_unlinearised == pytest.approx(found.sag, rel=1e-9)
    omega = np.sqrt(k / (m + load))
    ratio = d / (2 * np.sqrt(k * (m + load)))
    damped = omega * np.sqrt(1 - ratio**2)
    assert found.overshoot == pytest.approx(np.exp(-np.pi * ratio * omega / damped), rel=1e-9)
    assert found.peak_time == pytest.approx(np.pi / damped, rel=1e-6)  # of a flat top
    t = np.linspace(0, 3, 7)
    swing = np.cos(damped * t) + ratio * omega / damped * np.sin(damped * t)
    wanted = -load * G / k * (1 - np.exp(-ratio * omega * t) * swing)
    np.testing.assert_allclose(found.load_deflection(t)[2], wanted, rtol=0, atol=1e-15)
    after = np.linspace(found.settling_time, found.settling_time + 5, 20_001)
    late = found.load_deflection(after)[2] / found.sag[2] - 1
    assert np.abs(late).max() == pytest.approx(0.02, rel=1e-6)
    before = found.load_deflection([found.settling_time - 1e-6])[2] / found.sag[2] - 1
    assert abs(before.item()) > 0.02


def test_two_coupled_joints_follow_the_matrix_exponential():
    found = load_step(load_robot("ur10"), np.full(6, 0.4), 8.0, 4e4, 40.0)
    A = first_order(found.loaded.system)
    still = np.array(list(found.joint_sag.values()))
    start = np.concatenate([-still, np.zeros(6)])
    for t in (0.0, 0.003, 0.05, 0.4):
        wanted = still + (expm(A * t) @ start)[:6]
        np.testing.assert_allclose(
            found.deflection([t])[:, 0], wanted, rtol=0, atol=1e-10 * np.abs(still).max()
        )


def test_damping_that_is_critical_or_none():
    k, load, m = 900.0, 1.5, 3.0
    critical = 2 * np.sqrt(k * (m + load))
    creeping = load_step(lift(m), [0.0], load, k, 3 * critical)
    assert (creeping.overshoot, creeping.peak_time) == (0.0, np.inf)
    s = np.roots([m + load, 3 * critical, k])
    slow = s[np.argmax(s)]
    # y/y_s - 1 = -(s_fast e^(s_slow t) - s_slow e^(s_fast t)) / (s_fast - s_slow)
    fast = s.sum() - slow
    assert creeping.settling_time == pytest.approx(
        np.log(0.02 * (fast - slow) / fast) / slow, rel=1e-6
    )
    swinging = load_step(lift(m), [0.0], load, k)
    assert swinging.overshoot == pytest.approx(1.0, rel=1e-9)
    assert swinging.settling_time == np.inf


def test_a_nonlinear_run_with_joint_springs_comes_nearer_as_the_load_shrinks():
    """Half the deflection has half the relative error: what is left is of second order."""
    arm = robot(
        link("upper", 2.0, "0.4 0 0", "0.01 0.2 0.2"),
        link("lower", 1.0, "0.3 0 0", "0.01 0.1 0.1"),
        link("tip", 0.2, moments="0.001 0.001 0.001"),
        joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
        joint("elbow", "revolute", "upper", "lower", "0 1 0", '<origin xyz="0.8 0 0"/>'),
        '<joint name="flange" type="fixed"><parent link="lower"/><child link="tip"/>'
        '<origin xyz="0.6 0 0"/></joint>',
    )
    q0 = np.array([-0.3, 0.7])
    held = sim.gravity(arm, q0)
    left = []
    for mass in (0.2, 0.1):
        stiff, damped = {"shoulder": 4000.0, "elbow": 1500.0}, {"shoulder": 20.0, "elbow": 5.0}
        springs = {
            name: JointSpring(stiff[name], damped[name], place, preload)
            for name, place, preload in zip(arm.joint_names, q0, held, strict=True)
        }
        scenario = sim.Scenario(
            arm.with_springs(springs),
            sim.JointMotion.displacement(
                {}, q0=dict(zip(arm.joint_names, q0, strict=True)), free=arm.joint_names
            ),
            duration=0.25,
            dt=1e-3,
            method="adaptive",
            events=(sim.PickUp(0.0, sim.Payload(mass)),),
        )
        run = sim.run(scenario)
        assert run.passed
        found = load_step(arm, q0, mass, stiff, damped)
        moved = np.array([run[f"q.{name}"] for name in arm.joint_names]) - q0[:, None]
        wanted = found.deflection(run.t)
        left.append(np.abs(moved - wanted).max() / np.abs(wanted).max())
    assert left[0] < 2e-3
    assert left[1] / left[0] == pytest.approx(0.5, abs=0.05)


def test_the_spring_of_a_robot_gives_way_to_a_load_too():
    k, q0, at = 60.0, 0.4, (0, 0, -0.7)
    held = 2.0 * G * 0.7 * np.sin(q0)
    sprung = pendulum(2.0, 0.7).with_springs({"hinge": JointSpring(k, 1.0, q0, held)})
    bare = load_step(pendulum(2.0, 0.7), [q0], 0.3, k, 1.0, com=at)
    own = load_step(sprung, [q0], 0.3, com=at)
    for name in ("sag", "sag_unlinearised", "overshoot", "settling_time"):
        np.testing.assert_allclose(getattr(own, name), getattr(bare, name), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(
    ("of", "q", "mass", "stiffness", "says"),
    [
        (lift(1.0), [0.0], 0.0, 10.0, "mass of a load is a positive number .kg.; got 0.0"),
        (lift(1.0), [0.0], np.inf, 10.0, "got inf"),
        (pendulum(0.1, 0.7), [0.0], 1.0, 10.0, "deflects no elastic joint in this pose .hinge"),
        (double_pendulum(1, 1, 1, 1), [np.pi, 0], 9.0, 50.0, "has no equilibrium near the pose"),
    ],
)
def test_loads_that_are_refused(of, q, mass, stiffness, says):
    with pytest.raises(ScenarioError, match=says):
        load_step(of, q, mass, stiffness)


def test_a_load_on_a_four_bar_turns_its_crank_as_its_one_coordinate_says():
    """m a'' + d a' + (k + V'' + load g z'') a = -load g z', of the crank's angle a."""
    bars, a_0, load, k, d = FourBar(), 0.4, 0.2, 900.0, 9.0
    robot = replace(bars.robot(), tool="rocker")
    guess, tip = [a_0, 0.5, 0.9], np.array([0.0, 0.0, bars.rocker])

    def place(a):
        c = bars.absolute(a)[2]
        return bars.rocker * np.stack([np.sin(c), np.cos(c)])

    def reduced(f, order, at=a_0):
        return Chebyshev.interpolate(f, 40, [a_0 - 0.25, a_0 + 0.25]).deriv(order)(at)

    def potential(a):
        return bars.energies(a, 0 * a, G)[1]

    def height(a):
        return place(a)[1]

    def out(a):
        return place(a)[0]

    found = load_step(robot, guess, load, {"crank_joint": k}, {"crank_joint": d}, com=tip)
    pull = -load * G * reduced(height, 1)
    stiffness = k + reduced(potential, 2) + load * G * reduced(height, 2)
    turn = pull / stiffness
    assert found.joint_sag["crank_joint"] == pytest.approx(turn, rel=1e-9)
    wanted = turn * np.array([reduced(out, 1), 0.0, reduced(height, 1)])
    np.testing.assert_allclose(found.sag, wanted, rtol=1e-9, atol=1e-15)
    inertia = 2 * bars.energies(np.array([a_0]), np.ones(1), G)[0][0]
    inertia += load * (reduced(out, 1) ** 2 + reduced(height, 1) ** 2)
    assert found.loaded.modes[0].root == pytest.approx(
        np.roots([inertia, d, stiffness])[0], rel=1e-9
    )

    def torque(a):
        own = reduced(potential, 1, a) - reduced(potential, 1) + load * G * reduced(height, 1, a)
        return own + k * (a - a_0)

    rest = np.array([a_0, brentq(torque, a_0 - 0.2, a_0 + 0.2, xtol=1e-14)])
    x, z = place(rest)
    np.testing.assert_allclose(
        found.sag_unlinearised, [x[1] - x[0], 0.0, z[1] - z[0]], rtol=1e-7, atol=1e-12
    )
    late = found.deflection([10.0])[:, 0]
    rates = bars.motion(np.array([a_0]), np.ones(1), np.zeros(1))[1][:, 0]
    np.testing.assert_allclose(late, turn * rates, rtol=1e-6)
