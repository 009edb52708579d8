from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.dynamics.lagrange import terms
from sim.dynamics.loop_forces import forward_dynamics
from sim.dynamics.loop_motion import free_loop_motion
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import loop_error
from sim.robots import load_robot
from tests.helpers.loop_robots import FourBar, slider_crank, windows
from tests.helpers.small_robots import pendulum

G = 9.81
GRAVITY = (0.0, 0.0, -G)
BARS = FourBar()  # its crank can turn all the way round


def start(bars, a, ad):
    q, qd, _ = bars.motion(np.array([a]), np.array([ad]), np.array([0.0]))
    return q[:, 0], qd[:, 0]


@pytest.mark.parametrize("ad", [12.0, 1.0, -12.0])
def test_a_free_four_bar_keeps_its_energy_and_its_loop(ad):
    robot = BARS.robot()
    t = np.linspace(0.0, 1.0, 101)
    q, qd, qdd = free_loop_motion(robot, *start(BARS, 0.4, ad), t, GRAVITY)
    assert loop_error(robot, q).max() < 1e-11  # [m]
    kinetic, potential = BARS.energies(q[0], qd[0], G)
    energy = kinetic + potential
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-8 * np.ptp(potential))
    reference = BARS.motion(q[0], qd[0], qdd[0])
    for got, wanted in zip((qd, qdd), reference[1:], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())
    wanted, _ = forward_dynamics(robot, q, qd, 0 * q, GRAVITY)
    np.testing.assert_allclose(qdd, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())
    assert np.ptp(q[0]) > (6 if abs(ad) > 10 else 1)  # it goes round, or swings back and forth


def test_a_free_four_bar_takes_the_time_that_its_energy_tells():
    """dt = da √(m/2(E - V)): the time of a turn is an integral over the crank's angle."""
    from scipy.integrate import quad

    q0, qd0 = start(BARS, 0.0, 12.0)
    total = sum(x[0] for x in BARS.energies(q0[:1], qd0[:1], G))

    def slowness(a):
        angle = np.array([a])
        m = 2 * BARS.energies(angle, np.array([1.0]), G)[0][0]
        return np.sqrt(m / (2 * (total - BARS.energies(angle, 0 * angle, G)[1][0])))

    turn, _ = quad(slowness, 0, 2 * np.pi, epsabs=1e-13, epsrel=1e-13, limit=200)
    q, qd, _ = free_loop_motion(BARS.robot(), q0, qd0, np.array([0.0, turn]), GRAVITY)
    assert q[0, 1] == pytest.approx(2 * np.pi, abs=1e-8)  # [rad]
    assert qd[0, 1] == pytest.approx(12.0, abs=1e-7)


@pytest.mark.parametrize("gap", [1e-4, 1e-6])
def test_a_four_bar_that_is_nearly_a_parallelogram_takes_its_sharp_bends(gap):
    """All bars nearly in line, two ways to go on lie close together; its own is one of them."""
    bars = FourBar(ground=1.0, crank=0.5 - gap, coupler=1.0, rocker=0.5)
    robot = bars.robot()
    t = np.linspace(0.0, 0.6, 7)
    q, qd, _ = free_loop_motion(robot, *start(bars, 0.4, 12.0), t, GRAVITY)
    assert q[0, -1] > 2 * np.pi
    reference = bars.motion(q[0], qd[0], 0 * t)[0]
    turned = (q - reference + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(turned, 0, rtol=0, atol=1e-9)  # [rad]
    energy = sum(bars.energies(q[0], qd[0], G))
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=2e-9)  # [J] of 100


def test_a_slider_crank_swings_through_its_dead_points():
    r, length = 0.3, 0.8
    robot = slider_crank(r, length)
    names = robot.joint_names
    q0, qd0 = np.zeros((2, 3))
    q0[names.index("rod_joint")] = np.pi / 2 + np.arcsin(r / length)
    q0[names.index("slider_joint")] = np.sqrt(length**2 - r**2)
    t = np.linspace(0.0, 1.0, 21)
    # The slider's joint alone would have dead points; along the path there are none.
    speed = 12.0
    qd0[names.index("crank_joint")] = speed
    qd0[names.index("rod_joint")] = -speed
    qd0[names.index("slider_joint")] = r * speed
    q, qd, _ = free_loop_motion(robot, q0, qd0, t, GRAVITY)
    a = q[names.index("crank_joint")]
    place = r * np.sin(a) + np.sqrt(length**2 - (r * np.cos(a)) ** 2)
    np.testing.assert_allclose(q[names.index("slider_joint")], place, rtol=0, atol=1e-11)
    model = terms(robot, q, qd, GRAVITY)
    energy = model.ke.sum(axis=0) + model.pe.sum(axis=0)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    assert a[-1] > 2 * np.pi


def test_a_mechanism_at_rest_falls_as_its_one_freedom_lets_it():
    """A leaning window: m l² (2/3 + 1) θ'' = 2 m g l sin θ, from two posts and one beam."""
    t = np.linspace(0.0, 1.0, 21)
    lean = 0.3
    q0 = np.array([lean, lean, -lean])  # foot_0, foot_1, corner_0
    q, qd, _ = free_loop_motion(windows(1), q0, np.zeros(3), t, GRAVITY)
    k = 2.0 * G / (2 / 3 + 1)
    reference = solve_ivp(
        lambda _, y: [y[1], k * np.sin(y[0])],
        (0, 1),
        [lean, 0],
        "DOP853",
        t,
        rtol=1e-13,
        atol=1e-13,
    ).y
    np.testing.assert_allclose(q[0], reference[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(qd[0], reference[1], rtol=0, atol=1e-8)
    np.testing.assert_allclose(q[1], q[0], rtol=0, atol=1e-11)


def test_without_gravity_a_mechanism_at_rest_stays():
    q0, qd0 = start(BARS, 0.4, 0.0)
    q, qd, qdd = free_loop_motion(BARS.robot(), q0, qd0, np.array([0.0, 5.0]), (0, 0, 0))
    np.testing.assert_allclose(
        q, np.stack([q0, q0], axis=1), rtol=0, atol=1e-12
    )  # [rad], Newton's rounding
    np.testing.assert_array_equal([qd, qdd], 0)


def test_one_hinge_without_a_loop_swings_like_a_pendulum():
    m, length = 2.0, 0.7
    t = np.linspace(0.0, 3.0, 31)
    q, _, _ = free_loop_motion(pendulum(m, length), np.array([2.5]), np.zeros(1), t, GRAVITY)
    reference = solve_ivp(
        lambda _, y: [y[1], -G / length * np.sin(y[0])], (0, 3), [2.5, 0], "DOP853", t,
        rtol=1e-13, atol=1e-13,
    ).y  # fmt: skip
    np.testing.assert_allclose(q[0], reference[0], rtol=0, atol=1e-8)


def failure(robot, q0, qd0):
    with pytest.raises(ScenarioError) as caught:
        free_loop_motion(robot, q0, qd0, np.array([0.0, 1.0]), GRAVITY)
    return str(caught.value)


def test_a_start_that_is_open_is_refused():
    q0, qd0 = start(BARS, 0.4, 1.0)
    assert "is open by" in failure(BARS.robot(), q0 + np.array([0, 0.01, 0]), qd0)


def test_a_start_velocity_that_opens_a_loop_is_refused():
    q0, qd0 = start(BARS, 0.4, 1.0)
    message = failure(BARS.robot(), q0, qd0 + np.array([0, 0.5, 0]))
    assert "opens its loops, by 0." in message
    assert "m/s" in message


def test_a_path_that_no_polynomial_follows_ends(monkeypatch):
    monkeypatch.setattr("sim.dynamics.loop_motion.SMOOTH", 0.0)
    monkeypatch.setattr("sim.dynamics.loop_motion.ROUNDING", 0.0)
    message = failure(BARS.robot(), *start(BARS, 0.4, 1.0))
    assert "The path of robot 'small' ends: no smooth motion leads on from q = [0.4," in message


def test_a_mechanism_with_several_freedoms_is_refused():
    ur10 = load_robot("ur10")
    assert "can move in 6 ways" in failure(ur10, np.zeros(6), np.zeros(6))
    assert "can move in 6 ways" in failure(ur10, np.zeros(6), np.ones(6))


def test_a_rigid_frame_is_refused():
    # a third loop from the coupler's middle to the ground
    q0, qd0 = start(BARS, 0.4, 0.0)
    robot = BARS.robot()
    (loop,) = robot.loops
    middle = np.array([0.0, 0.0, BARS.coupler / 2])
    _, b, _ = BARS.absolute(np.array([0.4]))[:, 0]
    tip = BARS.crank * np.array([np.sin(0.4), 0, np.cos(0.4)])
    place = tip + BARS.coupler / 2 * np.array([np.sin(b), 0, np.cos(b)])
    strut = replace(loop, name="strut", point_a=middle, link_b="ground", point_b=place)
    assert "can move in 0 ways" in failure(replace(robot, loops=(loop, strut)), q0, qd0)


def test_at_a_crossing_of_its_paths_a_mechanism_at_rest_must_be_told_where_to_go():
    flat = np.array([np.pi / 2, np.pi / 2, -np.pi / 2])
    message = failure(windows(1), flat, np.zeros(3))
    assert "can move in 2 ways" in message
    assert "start velocity" in message
    t = np.array([0.0, 0.1])
    rate = np.array([1.0, 1.0, -1.0])  # as a parallelogram
    q, _, _ = free_loop_motion(windows(1), flat, rate, t, GRAVITY)
    assert q[0, 1] > flat[0] + 0.1
    np.testing.assert_allclose(q[:, 1], q[0, 1] * rate + (flat - np.pi / 2 * rate), atol=1e-11)
