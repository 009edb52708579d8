"""Controllers in scenarios: what is refused, and what a description keeps."""

import hashlib
import inspect

import numpy as np
import pytest

import sim
from sim.simulation import build_problem, solved_motion
from tests.helpers.small_robots import (
    cylindrical,
    double_pendulum,
    lift,
    pendulum_on_cart,
)

HOLD = {"slide": "0.1*SIN(5*time)"}


def spring(x, state):
    """A law of a block, for the hash of its source."""
    return 80 * (x.q_ref - x.q) + 12 * (x.qd_ref - x.qd), state


def scene(law, dt=0.01, robot=None, motion=None, **more):
    robot = lift(1.0, "1 0 0") if robot is None else robot
    motion = sim.JointMotion.displacement(HOLD) if motion is None else motion
    controller = sim.Controller(law, **{"sample_time": 0.01, **more})
    return sim.Scenario(robot, motion, 0.2, dt=dt, method="adaptive", controller=controller)


def solve(scenario):
    problem = build_problem(scenario)
    return solved_motion(problem, problem.broken_path, problem.t)


def later(value):
    """A law that commands 0 until sample 3, and then `value`; one that is called if it can be."""

    def law(x, state):
        if x.t < 0.025:
            return np.zeros(1), state
        return value(x) if callable(value) else (value, state)

    return law


def fails(x):
    raise ZeroDivisionError("no speed")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (np.array([np.nan]), "the torque of joint 'slide' is nan"),
        (np.array([-np.inf]), "the torque of joint 'slide' is -inf"),
        (
            np.zeros(2),
            r"1 numbers, one per joint \(slide\); the law returned an array of shape \(2,",
        ),
        (1.0, r"returned an array of shape \(\)"),
        (["much"], "1 numbers, one per joint .slide.; the law returned a list"),
        ({}, "the law returned a dict"),
        (np.array([1j]), "1 numbers, one per joint .slide.; the law returned a ndarray"),
        (lambda x: np.zeros(1), r"\(torques, next state\), a tuple of two; it returned a ndarray"),
        (fails, "the law of joints slide raised ZeroDivisionError: no speed"),
    ],
)
def test_what_a_law_must_not_give_is_named_with_sample_time_and_joint(value, says):
    with pytest.raises(sim.ScenarioError, match=f"^Controller at sample 3, t = 0.03 s: .*{says}"):
        solve(scene(later(value)))


def test_a_law_cannot_change_what_it_is_given():
    def law(x, state):
        x.q[0] = 1.0
        return np.zeros(1), state

    with pytest.raises(sim.ScenarioError, match=r"sample 0, .* raised ValueError: assignment dest"):
        solve(scene(law))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"sample_time": 0.0}, "sample_time must be a positive number of seconds, got 0.0"),
        ({"sample_time": np.nan}, "sample_time must be a positive"),
        ({"delay": -1}, "delay must be a whole number of samples from 0 to 1000, got -1"),
        ({"delay": 1.5}, "delay must be a whole number"),
        ({"encoder_bits": 0}, "encoder_bits must be a whole number of bits per turn from 1 to 40"),
        ({"noise": -1e-3}, "noise must be a standard deviation of 0 or more"),
        ({"seed": True}, "seed must be a whole number"),
        ({"rule": "Euler"}, "rule 'Euler': choose one of DOP853, RK4"),
        ({"limits": {"slid": 1.0}}, "limit of joint 'slid': it is not in robot .* slide"),
        ({"limits": {"slide": 0.0}}, "limit of joint 'slide' must be positive, got 0.0"),
        ({"sample_time": 0.015}, "0.015 s and the run's step dt = 0.01 s: one must be a whole"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(more, says):
    with pytest.raises(sim.ScenarioError, match=says):
        build_problem(scene(spring, **more))


def test_what_a_controller_cannot_drive_is_refused():
    with pytest.raises(sim.ScenarioError, match=r"a function .* got a float"):
        sim.Controller(3.0)
    with pytest.raises(sim.ScenarioError, match=r"controller must be a sim\.Controller, got funct"):
        sim.Scenario(lift(1.0), sim.JointMotion.displacement({}), 1.0, controller=spring)
    with pytest.raises(sim.ScenarioError, match="Method 'stepped' prescribes the motion, but"):
        sim.Scenario(lift(1.0), sim.JointMotion.displacement(HOLD), 1.0,
                     controller=sim.Controller(spring))  # fmt: skip
    floor = sim.GroundContact("load", stiffness=1e4)
    with pytest.raises(
        sim.ScenarioError, match=r"Rule 'RK4' does not see .* touch the ground; use"
    ):
        sim.Scenario(lift(1.0), sim.JointMotion.displacement(HOLD), 1.0, method="adaptive",
                     contacts=(floor,), controller=sim.Controller(spring, rule="RK4"))  # fmt: skip
    with pytest.raises(sim.ScenarioError, match="must not contain torques"):
        build_problem(scene(spring, motion=sim.JointMotion.torque({"slide": "1"})))
    with pytest.raises(sim.ScenarioError, match="it prescribes none"):
        build_problem(scene(spring, motion=sim.JointMotion({}, free=("slide",))))
    with pytest.raises(sim.ScenarioError, match="Controller of joint 'slid': it is not in robot"):
        build_problem(scene({"slid": "1"}))
    cart = pendulum_on_cart(1.0, 0.5, 0.3)
    motion = sim.JointMotion.displacement(HOLD, free=("hinge",))
    with pytest.raises(sim.ScenarioError, match="joint 'hinge' is free and has no motor; its"):
        solve(scene(lambda x, state: (np.ones(2), state), robot=cart, motion=motion))


def test_a_free_joint_stays_free_beside_a_controlled_one():
    """Of a cart that nothing outside pushes along x but its motor: m x'' is the motor's torque."""
    cart = pendulum_on_cart(1.0, 0.5, 0.3)
    motion = sim.JointMotion.displacement(HOLD, free=("hinge",))

    def law(x, state):
        return np.array([40 * (x.q_ref[0] - x.q[0]) - 3 * x.qd[0], 0.0]), state

    found = solve(scene(law, robot=cart, motion=motion))
    q, qd = found.q, found.qd
    momentum = 1.5 * qd[0] + 0.5 * -0.3 * np.cos(q[1]) * qd[1]
    pushed = momentum[0] + np.concatenate([[0.0], np.cumsum(found.tau[0, :-1] * 0.01)])
    np.testing.assert_allclose(momentum, pushed, rtol=0, atol=1e-11)
    assert np.abs(q[1]).max() > 1e-3
    assert not found.tau[1].any()


def test_an_encoder_steps_the_joints_that_turn():
    turn = sim.JointMotion.displacement({"turn": "0.1*time", "slide": "0.1*time"})
    law = sim.PDGravity(cylindrical(), 10.0)
    log = solve(scene(law, robot=cylindrical(), motion=turn, encoder_bits=10)).control
    steps = log.q / (2 * np.pi / 1024)
    assert np.abs(steps[0] - np.round(steps[0])).max() < 1e-12 < np.ptp(steps[0])
    assert np.abs(steps[1] - np.round(steps[1])).max() > 1e-3


def test_ratings_of_joint_and_motor_limit_what_is_commanded():
    drives = {"shoulder": sim.DriveTrain(-50, motor_peak_torque=2.0)}
    robot = double_pendulum(1.0, 1.0, 0.5, 0.5).with_drives(drives)
    law = sim.Controller(spring)
    assert law.limits_of(robot).tolist() == [100.0, 1000.0]
    assert sim.Controller(spring, limits={"elbow": 3.0}).limits_of(robot).tolist() == [np.inf, 3.0]


def test_a_description_identifies_the_law():
    facts = sim.Controller(spring, delay=2, noise=1e-4).describe(lift(1.0))
    assert facts.law == "spring"
    assert facts.source_sha256 == hashlib.sha256(inspect.getsource(spring).encode()).hexdigest()
    shipped = sim.Controller(sim.PDGravity(lift(1.0), 20.0)).describe(lift(1.0))
    assert shipped.law == "PDGravity"
    assert shipped.parameters == {"frequency": (20.0,), "damping": (1.0,), "gravity": (0, 0, -9.81)}
    space = {}
    exec("law = lambda x, state: (0 * x.q, state)", space)  # no file has its source
    assert sim.Controller(space["law"]).describe(lift(1.0)).source_sha256 is not None
    strings = sim.Controller({"slide": "-3"}).describe(lift(1.0))
    assert (strings.strings, strings.source_sha256) == ({"slide": "-3"}, None)
