"""Shipped laws against Pinocchio and recurrences."""

import numpy as np
import pinocchio as pin
import pytest

import sim
from sim.control import Cascade, ComputedTorque, PDGravity, StringLaw
from sim.dynamics import Sensed
from tests.helpers.small_robots import double_pendulum, joint, lift, link, robot

RNG = np.random.default_rng(5)
STATE = [RNG.uniform(-1, 1, 2) for _ in range(5)]


@pytest.fixture(scope="module")
def arm():
    """Two links, rotors in both joints, and Pinocchio's model of it."""
    drives = {
        "shoulder": sim.DriveTrain(50, rotor_inertia=2e-4),
        "elbow": sim.DriveTrain(-40, rotor_inertia=1e-4),
    }
    robot = double_pendulum(1.5, 0.8, 0.6, 0.9).with_drives(drives)
    model = pin.buildModelFromXML(double_pendulum(1.5, 0.8, 0.6, 0.9).text)
    model.armature = np.array([50**2 * 2e-4, 40**2 * 1e-4])
    return robot, model, model.createData()


def test_pd_has_the_gains_of_its_frequency_and_gravity_as_pinocchio_has_it(arm):
    robot, model, data = arm
    pose, w, d = [0.4, -0.3], np.array([12.0, 18.0]), 0.7
    q, qd, q_ref, qd_ref, qdd_ref = STATE
    m = np.diag(pin.crba(model, data, np.array(pose))).copy()
    wanted = m * (w * w * (q_ref - q) + 2 * d * w * (qd_ref - qd))
    wanted += pin.computeGeneralizedGravity(model, data, q)
    sensed = Sensed(0.1, 1e-3, q, qd, q_ref, qd_ref, qdd_ref)
    torque, _ = PDGravity(robot, w, d, pose)(sensed, None)
    np.testing.assert_allclose(torque, wanted, rtol=0, atol=1e-12)


def test_computed_torque_is_what_pinocchio_needs_for_the_acceleration_asked(arm):
    robot, model, data = arm
    w, d = 15.0, 0.9
    q, qd, q_ref, qd_ref, qdd_ref = STATE
    asked = qdd_ref + w * w * (q_ref - q) + 2 * d * w * (qd_ref - qd)
    wanted = pin.rnea(model, data, q, qd, asked) - 0.0
    torque, _ = ComputedTorque(robot, w, d)(Sensed(0.1, 1e-3, *STATE), None)
    np.testing.assert_allclose(torque, wanted, rtol=0, atol=1e-11)


def test_the_cascade_is_a_p_around_a_pi_behind_a_filter():
    mass, T, kv, kp, ti, tf = 3.0, 2e-3, 9.0, 40.0, 0.25, 5e-3
    law, state = Cascade(lift(mass), kv, kp, ti, tf), None
    v, integral = None, 0.0
    for k in range(20):
        q, qd, goal, rate = np.sin(0.3 * k), np.cos(0.7 * k), 0.5, 0.1
        v = qd if v is None else (tf * v + T * qd) / (tf + T)  # T_f (v - v_before)/T + v = qd
        e = rate + kv * (goal - q) - v
        integral += T * e
        rows = [np.array([x]) for x in (q, qd, goal, rate, 0.0)]
        torque, state = law(Sensed(k * T, T, *rows), state)
        assert torque[0] == pytest.approx(mass * (kp * e + kp / ti * integral), abs=1e-10)


def test_strings_read_what_is_sensed(arm):
    robot, _, _ = arm
    markers = (sim.Marker("arm", "upper"), sim.Marker("base", "ground"))
    law = StringLaw(robot, {"shoulder": "-30*AY(arm, base) + time"}, sim.Names(markers))
    torque, _ = law(Sensed(0.25, 1e-3, *STATE), None)
    np.testing.assert_allclose(torque, [-30 * STATE[0][0] + 0.25, 0.0], rtol=0, atol=1e-13)


def test_strings_count_the_turns_of_angles_from_sample_to_sample():
    """Of Rz(5 t) Rx(0.3 t) AZ is 5 t; by 2.5 rad a sample it is known by its rate alone."""
    rolls = robot(
        link("upper", 1.0), link("lower", 1.0),
        joint("one", "continuous", "ground", "upper", "0 0 1"),
        joint("two", "continuous", "upper", "lower", "1 0 0"),
    )  # fmt: skip
    names = sim.Names((sim.Marker("body", "lower"),))
    law, state = StringLaw(rolls, {"one": "AZ(body)", "two": "2*AZ(body)"}, names), None
    for t in 0.5 * np.arange(9):
        rows = [t * np.array([5.0, 0.3]), np.array([5.0, 0.3]), *np.zeros((3, 2))]
        torque, state = law(Sensed(t, 0.5, *rows), state)
        assert torque == pytest.approx([5 * t, 10 * t], abs=1e-12)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda r: PDGravity(r, -1.0), "frequency of joint 'shoulder' must be positive"),
        (lambda r: PDGravity(r, [1.0, 2.0, 3.0]), r"or 2, one per joint .* got shape \(3,\)"),
        (lambda r: PDGravity(r, "fast"), "frequency must be numbers in rad/s; got 'fast'"),
        (lambda r: ComputedTorque(r, 10.0, np.nan), "damping of joint 'shoulder' must be positive"),
        (lambda r: Cascade(r, 1.0, 1.0, 1.0, 0.0), "filter_time of joint 'shoulder'"),
        (lambda r: PDGravity(r, 10.0, pose=[0.0]), "needs 2 finite numbers"),
        (lambda r: PDGravity("ur10", 10.0), "a sim.Robot; got a str"),
    ],
)
def test_a_gain_that_cannot_be_is_refused(arm, make, says):
    with pytest.raises(sim.ScenarioError, match=says):
        make(arm[0])


@pytest.mark.parametrize("law", [lambda r: PDGravity(r, 9.0), lambda r: ComputedTorque(r, 9.0),
                                 lambda r: Cascade(r, 1.0, 9.0, 1.0)])  # fmt: skip
def test_a_law_that_knows_another_robot_says_which(law):
    rows = [np.zeros(2)] * 5
    with pytest.raises(
        sim.ScenarioError,
        match=r"was created for robot .* 1 joints \(slide\).* receives the positions of 2",
    ):
        law(lift(1.0))(Sensed(0.0, 1e-3, *rows), None)
