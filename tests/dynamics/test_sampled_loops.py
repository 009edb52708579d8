"""Sampled controllers of closed loops and beside balls: reduced equations, hinges, momentum."""

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.integrate import solve_ivp

from sim.control import ComputedTorque, PDGravity
from sim.dynamics import LagrangianDynamics, Sensed, solve_motion
from sim.maths import rotations_of_vectors
from tests.dynamics.test_sampled import EXACT, G, answers, loop_of
from tests.helpers.free_paths import loose
from tests.helpers.loop_robots import FourBar, reduced
from tests.helpers.small_robots import crane, joint, link, robot

MACHINE_CODE = True

BARS = FourBar()


@pytest.mark.parametrize("law", [PDGravity, ComputedTorque])
def test_a_four_bar_under_a_shipped_law_moves_as_its_reduced_equation_says(law):
    T, count, w, d = 0.01, 8, 15.0, 0.8
    a, ad, goal, wanted, commands = 0.3, 1.0, 0.7, [], []
    start, rates, _ = BARS.motion(np.array([a]), np.array([ad]), np.zeros(1))
    m_0 = reduced(BARS, a, -G[2])[0]
    for _ in range(count):
        wanted.append((a, ad))
        (m, dm, dV), pull = reduced(BARS, a, -G[2]), w * w * (goal - a) - 2 * d * w * ad
        u = m_0 * pull + dV if law is PDGravity else m * pull + 0.5 * dm * ad * ad + dV
        commands.append(u)

        def rate(t, y, u=u):
            m, dm, dV = reduced(BARS, y[0], -G[2])
            return np.array([y[1], (u - 0.5 * dm * y[1] ** 2 - dV) / m])

        a, ad = solve_ivp(rate, (0, T), (a, ad), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    wanted.append((a, ad))
    closed, t = BARS.robot(), np.linspace(0.0, count * T, count + 1)
    at_start = {"pose": start[:, 0]} if law is PDGravity else {}
    loop = loop_of(closed, law(closed, w, d, **at_start), T, [goal, 0, 0],
                   idle=np.array([False, True, True]))  # fmt: skip
    every = BARS.motion(*np.transpose(wanted), np.zeros(count + 1))
    energy = sum(BARS.energies(*np.transpose(wanted), -G[2]))
    for found in answers(closed, loop, start[:, 0], rates[:, 0], t):
        np.testing.assert_allclose(found.q, every[0], rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.qd, every[1], rtol=0, atol=10 * EXACT)
        np.testing.assert_allclose(found.control.command[0, :-1], commands, rtol=0, atol=1e-8)
        assert not found.control.command[1:].any()
        np.testing.assert_allclose(found.works.work[0], energy - energy[0], rtol=0, atol=1e-9)


def test_steps_that_open_a_loop_are_brought_back_onto_it():
    """By the classic rule, whose steps leave 1e-11 of the equations."""
    closed, t = BARS.robot(), np.linspace(0.0, 0.05, 6)
    q, qd, _ = BARS.motion(np.array([0.3]), np.array([6.0]), np.zeros(1))
    loop = loop_of(closed, lambda x, state: (np.zeros(3), state), 0.01, rule="RK4",
                   idle=np.array([False, True, True]))  # fmt: skip
    path = replace(loose(q[:, 0], qd[:, 0]), actuation=loop)
    found = solve_motion([(0.0, LagrangianDynamics(closed, G))], path, t)
    every = BARS.motion(found.q[0], found.qd[0], 0 * t)
    np.testing.assert_allclose(found.q, every[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.qd, every[1], rtol=0, atol=1e-13)


def pulling(x, state):
    """PD of the cart, which is told how the load swings."""
    return np.array([40 * (0.2 - x.q[0]) - 9 * x.qd[0], *np.zeros(x.q.size - 1)]), state


def test_a_ball_that_swings_in_a_plane_beside_a_controlled_joint_is_a_hinge():
    t, swivel = np.linspace(0.0, 0.4, 21), crane()
    hinged = robot(
        link("cart", 1.0),
        link("bob", 0.5, "0 0 -0.3", "0.02 0.02 0.02"),
        joint("slide", "prismatic", "ground", "cart", "1 0 0"),
        joint("hinge", "revolute", "cart", "bob", "0 1 0"),
    )
    path = replace(loose([0.0, 0.4], [0.0, -1.0]), actuation=loop_of(hinged, pulling, 0.02))
    wanted = solve_motion([(0.0, LagrangianDynamics(hinged, G))], path, t)
    start = [0.0, 0.0, 0.4, 0.0], [0.0, 0.0, -1.0, 0.0]
    for found in answers(swivel, loop_of(swivel, pulling, 0.02), *start, t):
        np.testing.assert_allclose(found.q[[0, 2]], wanted.q, rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.qd[[0, 2]], wanted.qd, rtol=0, atol=EXACT)
        assert not found.q[[1, 3]].any()
        np.testing.assert_allclose(found.control.q[2], wanted.control.q[1], rtol=0, atol=EXACT)


def test_what_pushes_a_crane_is_all_the_momentum_that_it_gets():
    """Of cart and bob along x, with encoders and noise on the cart alone, through half turns."""
    t, T = np.linspace(0.0, 0.4, 21), 0.02
    noisy = {"quantum": np.array([1e-4, 0, 0, 0]), "noise": np.array([1e-4, 0, 0, 0])}
    loop = loop_of(crane("0.02 0.03 0.01"), pulling, T, **noisy)
    start = [0.0, 0.5, 2.9, 0.3], [0.0, 3.0, 8.0, -2.0]
    for found in answers(loop.robot, loop, *start, t):
        R = rotations_of_vectors(found.q[1:])
        spun = np.cross(found.qd[1:].T, [0.0, 0.0, -0.3])  # along the axes of the bob
        momentum = 1.5 * found.qd[0] + 0.5 * np.einsum("bN,Nb->N", R[0], spun)
        pushed = np.concatenate([[0.0], np.cumsum(found.tau[0, :-1] * T)])
        np.testing.assert_allclose(momentum - momentum[0], pushed, rtol=0, atol=1e-9)
        assert np.abs(np.diff(found.q[2])).max() > 1.0  # its vector went on at the other end
        seen = found.control
        np.testing.assert_array_equal(seen.q[1:, :-1], found.q[1:, :-1])
        np.testing.assert_array_equal(seen.qd[1:, :-1], found.qd[1:, :-1])
        np.testing.assert_allclose(seen.qd[0, 1:-1], np.diff(seen.q[0, :-1]) / T, atol=1e-12)


def test_a_cart_whose_load_hangs_on_a_ball_is_as_heavy_as_one_whose_hinge_is_free():
    """(M + m) - (m l)² / (I + m l²), by the closed form of a pendulum on a cart."""
    law = ComputedTorque(crane(), 10.0)
    rows = [np.zeros(4)] * 4
    torque, _ = law(Sensed(0.0, 0.01, *rows, np.array([2.0, 0, 0, 0])), None)
    heavy = 1.5 - 0.15**2 / (0.02 + 0.5 * 0.3**2)
    np.testing.assert_allclose(torque, [2.0 * heavy, 0, 0, 0], rtol=0, atol=1e-12)
    gains = PDGravity(crane(), 3.0)
    torque, _ = gains(Sensed(0.0, 0.01, *rows[:2], np.array([1.0, 5, 5, 5]), *rows[:2]), None)
    np.testing.assert_allclose(torque, [9.0 * heavy, 0, 0, 0], rtol=0, atol=1e-12)
