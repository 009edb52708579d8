"""Closed loops whose joints nothing prescribes, against closed forms and minimal coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipj, ellipk

from sim.dynamics import LagrangianDynamics
from sim.dynamics.closed_positions import loop_rank
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.loop_forces import inverse_dynamics
from sim.errors import ScenarioError
from tests.helpers.free_paths import loose
from tests.helpers.loop_robots import FourBar, slider_crank, windows

MACHINE_CODE = True

G = 9.81
GRAVITY = (0.0, 0.0, -G)
BARS = FourBar()  # its crank can turn all the way round


def fall(robot, q0, qd0, t):
    return integrate([(t[0], LagrangianDynamics(robot, GRAVITY))], loose(q0, qd0), t)


def test_a_parallelogram_swings_as_the_simple_pendulum_that_it_is():
    """θ'' = -w² sin θ, sin(θ/2) = k sn(K - w t, k²), k = sin(θ_0/2), of a swing from rest."""
    length, (m1, m2, m3), start = 0.4, BARS.masses, 1.2
    bars = FourBar(ground=0.5, crank=length, coupler=0.5, rocker=length)
    inertia = ((m1 + m3) / 3 + m2) * length**2
    w = np.sqrt(((m1 + m3) / 2 + m2) * length * G / inertia)
    t = np.linspace(0.0, 2.0, 41)
    crank = np.pi + start
    robot = bars.robot()
    motion = fall(robot, np.array([crank, crank, np.pi / 2 - crank]), np.zeros(3), t)
    k = np.sin(start / 2)
    angle = 2 * np.arcsin(k * ellipj(ellipk(k**2) - w * t, k**2)[0])
    np.testing.assert_allclose(motion.q[0] - np.pi, angle, rtol=0, atol=1e-10)  # [rad]
    np.testing.assert_allclose(motion.q[1], motion.q[0], rtol=0, atol=1e-12)
    level = motion.q[0] + motion.q[2] - np.pi / 2
    np.testing.assert_allclose(level, 0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("normal", [(0.0, 1.0, 0.0), None])
def test_a_four_bar_that_falls_keeps_its_energy_with_and_without_repeated_equations(normal):
    robot = BARS.robot(normal)
    q0, qd0, _ = BARS.motion(np.array([0.4]), np.array([1.0]), np.array([0.0]))
    t = np.linspace(0.0, 0.5, 26)
    motion = fall(robot, q0[:, 0], qd0[:, 0], t)
    kinetic, potential = BARS.energies(motion.q[0], motion.qd[0], G)
    energy = kinetic + potential
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-9 * np.ptp(potential))
    q, qd, qdd = BARS.motion(motion.q[0], motion.qd[0], motion.qdd[0])
    turned = (motion.q - q + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(turned, 0, rtol=0, atol=1e-12)  # [rad]
    np.testing.assert_allclose(motion.qd, qd, rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion.qdd, qdd, rtol=0, atol=1e-9)
    assert np.ptp(motion.q[0]) > 0.5


def crank_inertia(a, r, length, slider=2.0):
    """m and V of ½ m(a) a'² + V(a): bars of 1 and 0.8 kg on a crank of angle a, slider along x."""
    x, dx = r * np.sin(a), r * np.cos(a)  # of the crank's tip; z = dx, dz = -x
    reach = np.sqrt(length**2 - dx**2)
    dplace = dx + dx * x / reach  # of the slider at x + reach
    vx, vz, turn = (dx + dplace) / 2, -x / 2, -x / reach  # of the rod, by a; its sine is dx/length
    m = r**2 / 3 + 0.8 * (vx**2 + vz**2 + length**2 / 12 * turn**2) + slider * dplace**2
    return m, (1.0 / 2 + 0.8 / 2) * G * dx


def test_a_slider_crank_falls_as_its_one_coordinate_does():
    """½ m(a) a'² + V(a): m a'' + ½ m' a'² + V' = 0, slopes by complex steps, solved by SciPy."""
    r, length, lean = 0.3, 0.8, 0.3
    robot, t = slider_crank(r, length), np.linspace(0.0, 1.0, 21)

    def rate(_, y):
        m, V = crank_inertia(y[0] + 1e-30j, r, length)
        return [y[1], -(0.5 * m.imag * y[1] ** 2 + V.imag) / 1e-30 / m.real]

    exact = solve_ivp(rate, (0, 1), [lean, 0.0], "DOP853", t, rtol=1e-13, atol=1e-13).y
    q0 = np.zeros(3)
    rod = np.pi / 2 + np.arcsin(r * np.cos(lean) / length)
    place = r * np.sin(lean) + np.sqrt(length**2 - (r * np.cos(lean)) ** 2)
    for name, value in (("crank", lean), ("slider", place), ("rod", rod - lean)):
        q0[robot.joint_names.index(f"{name}_joint")] = value
    motion = fall(robot, q0, np.zeros(3), t)
    crank = robot.joint_names.index("crank_joint")
    np.testing.assert_allclose(motion.q[crank], exact[0], rtol=0, atol=1e-10)  # [rad]
    np.testing.assert_allclose(motion.qd[crank], exact[1], rtol=0, atol=1e-9)
    assert np.ptp(exact[0]) > 2


def test_two_windows_swing_through_their_singular_poses_as_the_benchmark_says():
    """IFToMM A02: θ'' = 3.5/3 g sin θ; all bars come to lie in one line three times."""
    robot, t = windows(2), np.linspace(0.0, 3.0, 16)
    rate = np.array([1.0 if name.startswith("foot") else -1.0 for name in robot.joint_names])
    motion = fall(robot, 0 * rate, rate, t)
    k = 3.5 / 3 * G
    exact = solve_ivp(
        lambda _, y: [y[1], k * np.sin(y[0])], (0, 3), [0, 1], "DOP853", t, rtol=1e-13, atol=1e-14
    ).y
    assert exact[0, -1] > 2.5 * np.pi
    np.testing.assert_allclose(motion.q, np.sign(rate)[:, None] * exact[0], rtol=0, atol=1e-9)
    energy = 1.5 * motion.qd[0] ** 2 + 3.5 * G * np.cos(motion.q[0])
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-9)  # [J] of 70


def test_a_free_four_bar_takes_the_time_that_its_energy_tells():
    """dt = da √(m/2(E - V)): the time of a turn is an integral over the crank's angle."""
    q0, qd0, _ = BARS.motion(np.zeros(1), np.array([12.0]), np.zeros(1))
    total = sum(x[0] for x in BARS.energies(q0[0], qd0[0], G))

    def slowness(a):
        angle = np.array([a])
        m = 2 * BARS.energies(angle, np.array([1.0]), G)[0][0]
        return np.sqrt(m / (2 * (total - BARS.energies(angle, 0 * angle, G)[1][0])))

    turn, _ = quad(slowness, 0, 2 * np.pi, epsabs=1e-13, epsrel=1e-13, limit=200)
    motion = fall(BARS.robot(), q0[:, 0], qd0[:, 0], np.array([0.0, turn]))
    assert motion.q[0, 1] == pytest.approx(2 * np.pi, abs=1e-8)  # [rad]
    assert motion.qd[0, 1] == pytest.approx(12.0, abs=1e-7)


def test_a_four_bar_that_is_nearly_a_parallelogram_takes_its_sharp_bends():
    """All bars nearly in line, two ways to go on lie close together; its own is one of them."""
    bars = FourBar(ground=1.0, crank=0.5 - 1e-6, coupler=1.0, rocker=0.5)
    t = np.linspace(0.0, 0.6, 7)
    q0, qd0, _ = bars.motion(np.array([0.4]), np.array([12.0]), np.zeros(1))
    motion = fall(bars.robot(), q0[:, 0], qd0[:, 0], t)
    assert motion.q[0, -1] > 2 * np.pi
    reference = bars.motion(motion.q[0], motion.qd[0], 0 * t)[0]
    turned = (motion.q - reference + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(turned, 0, rtol=0, atol=1e-9)  # [rad]
    energy = sum(bars.energies(motion.q[0], motion.qd[0], G))
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=2e-9)  # [J] of 100


def test_an_antiparallelogram_stays_one_through_a_change_point():
    """tan φ/2 = -(g + a)/(g - a) tan θ/2; at θ = 0 and π it could go on as a parallelogram."""
    g, a, masses = 0.5, 0.3, (1.0, 1.5, 1.2)
    bars = FourBar(ground=g, crank=a, coupler=g, rocker=a, masses=masses, crossed=True)
    c = (g + a) / (g - a)

    def follows(angle):
        """φ without jumps, and dφ/dθ; angles of crank and rocker from the ground's line."""
        x, y = np.cos(angle / 2), np.sin(angle / 2)
        return -angle - 2 * np.arctan2((c - 1) * x * y, x * x + c * y * y), -c / (
            x * x + c * c * y * y
        )

    def rate(_, angle):
        (phi, k), (m1, m2, m3) = follows(angle), masses
        level = angle + phi  # of the coupler
        vx = -a * np.sin(angle) - g / 2 * np.sin(level) * (1 + k)
        vz = a * np.cos(angle) + g / 2 * np.cos(level) * (1 + k)
        doubled = a * a / 3 * (m1 + m3 * k * k) + m2 * (vx**2 + vz**2 + (g * (1 + k)) ** 2 / 12)
        height = (m1 + 2 * m2) * a / 2 * np.sin(angle) + m3 * a / 2 * np.sin(phi)
        return np.sqrt(2 * (40.0 - G * (height + m2 * g / 2 * np.sin(level))) / doubled)

    t = np.linspace(0.0, 0.1, 11)
    exact = solve_ivp(rate, (0, 0.1), [2.7], "DOP853", t, rtol=1e-13, atol=1e-13).y[0]
    phi, k = follows(exact)
    q = np.stack([np.pi / 2 - exact, np.pi / 2 - phi, -phi])
    speeds = -rate(0, exact[0]) * np.array([1.0, k[0], k[0]])
    motion = fall(bars.robot(), q[:, 0], speeds, t)
    np.testing.assert_allclose(motion.q, q, rtol=0, atol=1e-10)  # rad
    assert len(motion.singular_times) == 1


def test_a_crank_that_is_driven_takes_the_torque_of_its_loops():
    robot, held = BARS.robot(), np.array([True, False, False])
    q, qd, qdd = BARS.motion(*np.array([[0.4, 2.0, 4.0], [1.0, -3.0, 5.0], [2.0, -1.0, 0.5]]))
    dynamics = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 2)
    got, effort = dynamics.hybrid_dynamics(q, qd, qdd, held, 0 * q)
    np.testing.assert_allclose(got, qdd, rtol=0, atol=1e-11)  # [rad/s²], the closed form's
    tau = inverse_dynamics(robot, q, qd, qdd, GRAVITY).tau
    np.testing.assert_allclose(effort[0], tau[0], rtol=0, atol=1e-11)  # [N·m]


def test_equations_that_are_independent_are_counted_beside_singular_poses_too():
    free = np.zeros(3, dtype=bool)
    q, _, _ = BARS.motion(np.array([0.4]), np.array([0.0]), np.array([0.0]))
    assert loop_rank(BARS.robot(), q[:, 0], free) == 2
    assert loop_rank(BARS.robot(None), q[:, 0], free) == 2  # of three
    flat = np.array([np.pi / 2, np.pi / 2, -np.pi / 2])  # all bars of a window in one line
    assert loop_rank(windows(1), flat, free) == 2


def test_what_is_a_little_open_is_closed_with_no_energy_from_outside():
    """The nearest velocity in the measure of the mass: M (u - u') is Jᵀ times an impulse."""
    robot, free = BARS.robot(), np.zeros(3, dtype=bool)
    q, qd, _ = BARS.motion(np.array([0.4]), np.array([3.0]), np.array([0.0]))
    aside = np.array([[1e-6], [-2e-6], [3e-6]])
    dynamics = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 2)
    got, rate = dynamics.project(np.zeros(1), q + aside, qd + 1e3 * aside, free)
    wanted, along, _ = BARS.motion(got[0], rate[0], np.zeros(1))
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)  # [rad]
    np.testing.assert_allclose(rate, along, rtol=0, atol=1e-12)  # [rad/s]
    M = mass_matrix(robot, got)[:, :, 0]
    change = (M @ (qd + 1e3 * aside - rate))[:, 0]
    assert change @ along[:, 0] == pytest.approx(0.0, abs=1e-14)  # [J] of a change of 1e-3


def test_a_drive_across_a_dead_point_is_an_error():
    robot = slider_crank(0.3, 0.8)
    held = np.array([name == "slider_joint" for name in robot.joint_names])
    q, qd = np.zeros((2, 3, 1))
    for name, value in (("slider", 1.1), ("crank", np.pi / 2), ("rod", 0.0)):
        q[robot.joint_names.index(f"{name}_joint")] = value
    qd[held] = 1.0  # crank and rod are stretched, and the slider shall go on
    dynamics = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 2)
    with pytest.raises(ScenarioError, match=r"dead point at t = 0\.25 s: .* at 1 m/s"):
        dynamics.project(np.array([0.25]), q, qd, held)


def test_an_open_loop_names_itself():
    robot = BARS.robot()
    robot = replace(robot, loops=(replace(robot.loops[0], point_b=(0, 0, 3.0)),))
    dynamics = ConstrainedDynamics(LagrangianDynamics(robot, GRAVITY), 2)
    with pytest.raises(ScenarioError, match=r"'coupler on rocker' .* is open by .* at t = 0\.5 s"):
        dynamics.project(np.array([0.5]), np.zeros((3, 1)), np.zeros((3, 1)), np.zeros(3, bool))
