"""Joints with elastic gears: the motor's angle beside the joint's, and the spring between them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import eigh

import sim
from sim.dynamics import ElementSum, linearise
from sim.errors import ModelError, ScenarioError
from sim.robots import DriveTrain, TwistLaw, read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.small_robots import pendulum

TWO_LINK = Path(__file__).parents[1] / "scenarios" / "two_link.urdf"
N, J, K = np.array([100.0, 80.0]), np.array([5e-5, 2e-5]), np.array([8e3, 3e3])
AT = np.deg2rad([30.0, 60.0])
STILL = (0.0, 0.0, 0.0)

# A pendulum of 1 kg at 0.5 m, about its hinge 0.25 kg·m², with a rotor of as much there.
INERTIA, RATIO, ROTOR, STIFF = 0.25, -50.0, 1e-4, 400.0
LOCKED = np.sqrt(STIFF / INERTIA)  # rad/s, with the motor locked


def trains(**more):
    return {
        name: DriveTrain(n, rotor_inertia=j, stiffness=k, **more)
        for name, n, j, k in zip(("shoulder", "elbow"), N, J, K, strict=True)
    }


def swinging(motion, duration=0.2, **more):
    """A run of the pendulum without gravity by its elastic gear."""
    train = DriveTrain(RATIO, rotor_inertia=ROTOR, stiffness=STIFF, **more)
    robot = pendulum(1.0, 0.5).with_drives({"hinge": train})
    return run(
        Scenario(robot, motion, duration, dt=2e-3, method="adaptive", gravity=STILL,
                 engine="mujoco")
    )  # fmt: skip


def faults(recording):
    return [(one.name, one.channel) for one in sim.check(recording) if not one.ok]


@pytest.mark.parametrize("is_carried", [False, True])
def test_modes_of_two_links_are_those_of_the_closed_form(is_carried):
    """Spong's where the rotors stand; with the part that links carry where they are bodies.

    A carried rotor is a part of its link's inertia; here of a link with so much more.
    """
    c2 = np.cos(AT[1])
    m1, m2, l1, r1, r2, I1, I2 = 2.4, 1.5, 0.5, 0.25, 0.2, 0.05, 0.02  # of two_link.urdf
    M22 = I2 + m2 * r2**2
    M12 = M22 + m2 * l1 * r2 * c2
    M11 = I1 + m1 * r1**2 + M22 + m2 * l1**2 + 2 * m2 * l1 * r2 * c2
    M = np.zeros((4, 4))  # of q1, q2 and the motors' angles over N
    M[:2, :2], M[2:, 2:] = [[M11, M12], [M12, M22]], np.diag(N**2 * J)
    if is_carried:  # the second rotor is on the first link
        M[0, 0] += J[1]
        M[0, 3] = M[3, 0] = N[1] * J[1]
    spring = np.block([[np.diag(K), -np.diag(K)], [-np.diag(K), np.diag(K)]])
    expected = np.sqrt(eigh(spring, M, eigvals_only=True)[2:])
    printed = [160.46448, 298.44143] if is_carried else [160.32745, 298.99539]
    np.testing.assert_allclose(expected, printed, rtol=0, atol=1e-5)  # rad/s

    text = TWO_LINK.read_text().replace('iyy="0.05"', f'iyy="{0.05 + float(J[1]) * is_carried!r}"')
    robot = read_urdf(text).with_drives(trains(gyroscopic=is_carried))
    motion = sim.JointMotion.torque({}, q0=AT)
    q, n = motion.on(robot, 1.0).q0[:, None], len(robot.row_names)
    elements = ElementSum(robot, Scenario(robot, motion, 1.0).elements)
    rigid = np.zeros(n)
    system = linearise(elements, q, np.ones(n, dtype=bool), rigid, rigid, STILL)
    found = eigh(system.K[..., 0], system.M[..., 0], eigvals_only=True)
    np.testing.assert_allclose(np.sqrt(found[2:]), expected, rtol=1e-9)


@pytest.fixture(scope="module")
def freely():
    """Both are loose, and the spring is twisted by a push on the motor's side."""
    motion = sim.JointMotion.torque({}, free=["hinge"], q0={"spin_of_hinge": 0.1 * RATIO})
    return swinging(motion)


def test_motor_and_link_swing_against_each_other(freely):
    """Two inertias on a spring: omega² = k (1/I + 1/N²J), about a point that moves evenly."""
    a, b = INERTIA, RATIO**2 * ROTOR
    omega = np.sqrt(STIFF * (1 / a + 1 / b))
    t = freely.t
    twist = 0.1 * np.cos(omega * t)
    link = b / (a + b) * (0.1 - twist)
    for table in (freely.recorded, freely.analytic):
        np.testing.assert_allclose(table["twist.hinge"], twist, rtol=0, atol=1e-10)  # rad
        np.testing.assert_allclose(table["q.hinge"], link, rtol=0, atol=1e-10)
        np.testing.assert_allclose(
            table["gear_spring.hinge"], STIFF * twist, rtol=0, atol=STIFF * 1e-10
        )
        np.testing.assert_allclose(table["stored"], 0.5 * STIFF * twist**2, rtol=0, atol=1e-9)
        np.testing.assert_allclose(table["motor_qd.hinge"], table["qd.spin_of_hinge"], rtol=1e-15)
    spin = freely.recorded["qd.spin_of_hinge"]
    np.testing.assert_allclose(freely.recorded["ke.rotor_of_hinge"], 0.5 * ROTOR * spin**2)
    assert faults(freely) == []


@pytest.mark.parametrize(
    ("channel", "by"), [("gear_spring.hinge", 1e-3), ("stored", 1e-3), ("twist.hinge", 1e-3)]
)
def test_a_wrong_number_at_the_spring_fails(freely, channel, by):
    table = freely.recorded.copy()
    table[channel] += by * np.linspace(0.0, 1.0, len(table))
    assert faults(freely.having(recorded=table))


def test_a_motor_that_is_moved_shakes_its_link():
    """The motor follows a t²/2 at the joint; the link is a t²/2 - a/w² (1 - cos w t)."""
    recording = swinging(sim.JointMotion.displacement({"hinge": "0.5*8*time**2"}))
    t, table = recording.t, recording.recorded
    expected = 4 * t**2 - 8 / LOCKED**2 * (1 - np.cos(LOCKED * t))
    np.testing.assert_allclose(table["q.hinge"], expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(table["q.spin_of_hinge"], RATIO * 4 * t**2, rtol=0, atol=1e-12)
    # the motor turns its rotor and the spring
    spring = STIFF * (4 * t**2 - expected) / RATIO
    torque = ROTOR * RATIO * 8 + spring
    np.testing.assert_allclose(table["motor_tau.hinge"], torque, rtol=0, atol=1e-9)
    assert faults(recording) == []


@pytest.mark.parametrize(("torques", "free"), [({"hinge": 0.0}, ()), ({}, ("hinge",))])
def test_friction_of_the_motor_holds_the_motor_and_not_the_link(torques, free):
    """While the spring asks for less than the dry friction, the link swings on a motor at rest."""
    start = {"hinge": 0.02, "spin_of_hinge": 0.0}
    motion = sim.JointMotion.torque(torques, q0=start, free=free)
    held = swinging(motion, coulomb=0.2, coulomb_back=0.3)  # the spring asks for 0.16 N·m
    table = held.recorded
    assert (table["q.spin_of_hinge"] == 0.0).all()
    np.testing.assert_allclose(table["q.hinge"], 0.02 * np.cos(LOCKED * held.t), atol=1e-11)
    assert faults(held) == []


def test_a_motor_breaks_away_where_the_spring_pulls_more_than_its_friction_each_way():
    """At |k d / N| = c, of the sense in which it is turned; a negative ratio swaps nothing."""
    motion = sim.JointMotion.torque({"hinge": 0.0}, q0={"hinge": 0.05, "spin_of_hinge": 0.0})
    slipping = swinging(motion, coulomb=0.6, coulomb_back=0.3)
    table = slipping.recorded
    # 0.05 rad ask for 0.4 N·m: the joint pulls its motor forwards, against 0.6; then back with 0.3
    moves = np.abs(table["qd.spin_of_hinge"].to_numpy()) > 0
    turn = slipping.t[np.argmax(moves)]
    first = np.arccos(-0.3 * 50 / (STIFF * 0.05)) / LOCKED
    assert 0 <= turn - first < 2e-3 + 1e-9
    assert table["qd.spin_of_hinge"].to_numpy()[np.argmax(moves)] > 0  # the joint backwards
    assert faults(slipping) == []


THREE = {"stiffness": 400.0, "stiffness_2": 700.0, "stiffness_3": 900.0, "knee": 8.0,
         "knee_2": 20.0}  # fmt: skip


@pytest.mark.parametrize(
    "law",
    [
        TwistLaw(400.0),
        TwistLaw(400.0, backlash=0.004),
        TwistLaw(**THREE),
        TwistLaw(**THREE, backlash=0.004),
    ],
)
def test_energy_is_the_integral_of_the_torque_and_slopes_are_its_differences(law):
    nothing = np.zeros(1)
    for end in (0.0019, 0.0021, 0.01, 0.03, 0.06):
        kinks = [0.0016, 0.0024, 0.02, 0.022, 0.02 + 12 / 700, 0.022 + 12 / 700]
        work, _ = quad(lambda d: law.torque(np.array([d]), nothing)[0], 0.0, end, limit=200,
                       points=[kink for kink in kinks if kink < end] or None)  # fmt: skip
        assert law.energy(np.array([end]))[0] == pytest.approx(work, rel=1e-9, abs=1e-12)
        assert law.torque(np.array([-end]), nothing) == -law.torque(np.array([end]), nothing)
        beside = np.array([end - 1e-7, end + 1e-7])
        steep = np.diff(law.torque(beside, 0 * beside))[0] / 2e-7
        assert law.gradients(np.array([end]), nothing)[0][0] == pytest.approx(steep, rel=1e-5)


def test_torques_over_the_slopes_of_a_catalogue():
    """By hand: 8 N·m at 0.02 rad, 20 N·m 12/700 rad further, then 900 N·m/rad."""
    law = TwistLaw(**THREE)
    twist = np.array([0.02, 0.02 + 12 / 700, 0.02 + 12 / 700 + 0.01])
    np.testing.assert_allclose(law.torque(twist, 0 * twist), [8.0, 20.0, 29.0], rtol=1e-14)


def test_engine_and_model_agree_through_backlash_and_slopes():
    motion = sim.JointMotion.torque({"hinge": "20*SIN(40*time)"})
    recording = swinging(motion, 0.1, stiffness_2=700.0, stiffness_3=900.0, knee=8.0, knee_2=20.0,
                         gear_damping=0.2, backlash=0.004)  # fmt: skip
    off = recording.recorded["q.hinge"] - recording.analytic["q.hinge"]
    assert np.abs(off).max() < 1e-10  # rad
    assert np.abs(recording.recorded["gear_spring.hinge"]).max() > 20.0  # N·m: all three slopes
    assert faults(recording) == []


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"stiffness": 0.0}, "stiffness 0.0 N·m/rad or N/m must be above 0"),
        ({"backlash": 0.01}, "backlash 0.01 is of an elastic gear, which needs a stiffness"),
        ({"stiffness": 1e3, "rotor_inertia": 0.0}, "a stiffness makes the rotor a body"),
        ({"stiffness": 1e3, "stiffness_2": 2e3}, "stiffness_2 and knee"),
        (
            {"stiffness": 1e3, "stiffness_2": 2e3, "knee": 9.0, "stiffness_3": 3e3, "knee_2": 8.0},
            "knee_2 8 N·m must be above knee",
        ),
        (
            {"stiffness": 1e3, "stiffness_2": 2e3, "knee": 0.1, "backlash": 0.01},
            "reaches the knee",
        ),
    ],
)
def test_impossible_gears_are_refused(numbers, says):
    with pytest.raises(ModelError, match=says):
        DriveTrain(100, **{"rotor_inertia": 1e-4, **numbers})


def test_modes_have_locked_motors_unless_these_are_free():
    """Of one inertia on its spring, and of two; model and both engines."""
    train = DriveTrain(RATIO, rotor_inertia=ROTOR, stiffness=STIFF)
    robot = pendulum(1.0, 0.5).with_drives({"hinge": train})
    both = np.sqrt(STIFF * (1 / INERTIA + 1 / (RATIO**2 * ROTOR)))
    for free, expected in ((None, LOCKED), (["hinge", "spin_of_hinge"], both)):
        found = sim.modes(robot, np.zeros(2), free=free, gravity=STILL)
        assert found.frequency.max() == pytest.approx(expected / (2 * np.pi), rel=1e-12)


def test_what_cannot_be_solved_is_refused_by_name():
    train = DriveTrain(100, rotor_inertia=1e-4, stiffness=1e3)
    robot = pendulum(1.0, 0.5).with_drives({"hinge": train})
    motion = sim.JointMotion.displacement({"hinge": "time"})
    with pytest.raises(ScenarioError, match="'hinge' is free"):
        run(Scenario(robot, motion, 0.1, method="ideal"))
    both = motion | sim.JointMotion.displacement({"spin_of_hinge": "time"})
    with pytest.raises(ScenarioError, match="'hinge' and its motor 'spin_of_hinge' both"):
        both.on(robot, 1.0)
    with pytest.raises(ModelError, match=r"'spin_of_hinge' .* is a motor's angle"):
        robot.with_drives({"spin_of_hinge": train})
    path = sim.PointMotion({"x": "0.1*time"}, frame="bob")
    with pytest.raises(ScenarioError, match="gear of joint 'hinge' gives way, and a tool's path"):
        path.on(robot, 1.0)
    stiff = DriveTrain(100, rotor_inertia=1e-4, stiffness=1e12)
    hard = pendulum(1.0, 0.5).with_drives({"hinge": stiff})
    with pytest.raises(ScenarioError, match=r"'hinge' is stiff: .* oscillates at .* Hz, .* steps"):
        run(Scenario(hard, motion, 1.0, method="adaptive"))


def test_a_robot_without_its_elastic_gear_is_the_one_before():
    plain = pendulum(1.0, 0.5)
    train = DriveTrain(100, rotor_inertia=1e-4, stiffness=1e3)
    elastic = plain.with_drives({"hinge": train})
    assert elastic.row_names == ("hinge", "spin_of_hinge")
    assert elastic.with_drives({"hinge": train}).text == elastic.text
    back = elastic.without_drives()
    assert (back.row_names, back.joint("hinge").forces) == (plain.row_names, ())
    rigid = elastic.with_drives({"hinge": DriveTrain(100, rotor_inertia=1e-4)})
    assert rigid.row_names == ("hinge",)
    assert rigid.joint("hinge").forces == ()
