"""Modes about a motion: a pendulum on a spindle, against its reduced equation."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

import sim
from sim.dynamics import GRAVITY
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.vibration import modes, run_modes
from sim.vibration.elastic_drives import elastic_drives
from sim.vibration.modes import modes_at
from sim.vibration.second_answer import roots_apart
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import joint, link, robot

G, M, L, SPINDLE = 9.81, 1.3, 0.6, 0.25
SPEED = 7.0  # rad/s, more than √(g / L)
LEAN = np.arccos(G / (L * SPEED**2))  # where the pendulum stays
TINY = 1e-9  # kg·m², without which an engine has no inertia of a point


def spun():
    """A spindle about z, and a point mass that hangs on it by a hinge about y."""
    return robot(
        link("spindle", 1.0, "0 0 0", f"{SPINDLE} {SPINDLE} {SPINDLE}"),
        link("bob", M, f"0 0 {-L}", f"{TINY} {TINY} {TINY}"),
        joint("spin", "revolute", "ground", "spindle", "0 0 1"),
        joint("hinge", "revolute", "spindle", "bob", "0 1 0"),
    )


def test_a_pendulum_on_a_driven_spindle_leans_and_swings():
    """m L² θ'' = m L² Ω² sin θ cos θ - m g L sin θ: about the lean by Ω sin θ."""
    found = modes(spun(), [0.3, LEAN], free=["hinge"], speeds=([SPEED, 0], [0, 0]))
    (mode,) = found.modes
    assert abs(mode.root) == pytest.approx(SPEED * np.sin(LEAN), rel=1e-8)  # 3e-9 is of TINY
    assert found.unbalanced == {}
    still = modes(spun(), [0.3, LEAN], free=["hinge"])
    assert set(still.unbalanced) == {"hinge"}


def test_a_free_spindle_keeps_its_momentum():
    """V = h²/2I - m g L cos θ with I = I_s + m L² sin² θ; the spindle's own mode drifts."""
    inertia = SPINDLE + TINY + M * L**2 * np.sin(LEAN) ** 2
    slope, bend = M * L**2 * np.sin(2 * LEAN), 2 * M * L**2 * np.cos(2 * LEAN)
    stiffness = SPEED**2 * (slope**2 / inertia - bend / 2) + M * G * L * np.cos(LEAN)
    found = modes(spun(), [0.3, LEAN], free=["spin", "hinge"], speeds=([SPEED, 0], [0, 0]))
    fastest = found.modes[-1].root
    assert abs(fastest) == pytest.approx(np.sqrt(stiffness / (M * L**2)), rel=1e-7)
    assert all(abs(mode.root) < 1e-4 for mode in found.modes[:-1])  # a double zero, by rounding


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_differentiated_about_a_run_have_the_same_roots(engine):
    pytest.importorskip({"bullet": "pybullet", "mujoco": "mujoco"}[engine])
    drive = sim.JointMotion.displacement(
        {"spin": "7*time+0.2*SIN(9*time)"}, free=["hinge"], q0={"hinge": 0.9}
    )
    scenario = sim.Scenario(spun(), drive, duration=0.2, dt=5e-3, method="adaptive", engine=engine)
    found = run_modes(sim.run(scenario)).at(0.13, moving=True)
    assert found.speeds[0][0] == pytest.approx(7 + 1.8 * np.cos(9 * 0.13))
    assert found.unbalanced == {}
    with open_engine(engine, found.drives.robot, GRAVITY) as opened:
        assert roots_apart(found, EngineDynamics(opened)) < 1e-9


BARS, A_0, RATE, SECOND, HOLD = FourBar(), 0.4, 6.0, -3.0, 40.0  # rad, rad/s, rad/s², N·m/rad


def reduced(f, order):
    """A derivative of a function of the crank's angle at A_0: of a polynomial through 41 points."""
    return Chebyshev.interpolate(f, 40, [A_0 - 0.25, A_0 + 0.25]).deriv(order)(A_0)


@pytest.fixture(scope="module")
def driven_bars():
    """A four-bar whose crank turns on an elastic drive; the passive joints are guessed."""
    q, qd, qdd = np.array([A_0, 0.5, 0.9]), np.array([RATE, 0, 0]), np.array([SECOND, 0, 0])
    return modes(BARS.robot(), q, {"crank_joint": HOLD}, speeds=(qd, qdd))


def test_a_four_bar_that_is_driven_has_the_roots_of_its_reduced_equation(driven_bars):
    """m a'' + m' a'²/2 + V' = τ - k (a - a_0), of the crank's angle a."""

    def inertia(a):
        return 2 * BARS.energies(a, np.ones_like(a), G)[0]

    def height(a):
        return BARS.energies(a, 0 * a, G)[1]

    m, slope, bend = (reduced(inertia, order) for order in (0, 1, 2))
    stiffness = slope * SECOND + bend * RATE**2 / 2 + reduced(height, 2) + HOLD
    wanted = np.roots([m, slope * RATE, stiffness])
    wanted = wanted[wanted.imag > 0]
    assert [mode.root for mode in driven_bars.modes] == pytest.approx(wanted, rel=1e-9)
    assert abs(slope * RATE) > 0.02 * m * abs(wanted[0])  # the speed counts
    rates = BARS.motion(np.array([A_0]), np.ones(1), np.zeros(1))[1][:, 0]
    shape = driven_bars.modes[0].shape
    found = np.array([shape[name] for name in BARS.robot().joint_names])
    np.testing.assert_allclose(found / found[0], rates, rtol=1e-9)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_differentiated_about_a_driven_loop_have_the_same_roots(engine, driven_bars):
    pytest.importorskip({"bullet": "pybullet", "mujoco": "mujoco"}[engine])
    with open_engine(engine, driven_bars.drives.robot, GRAVITY) as opened:
        assert roots_apart(driven_bars, EngineDynamics(opened)) < 1e-8


def test_a_drive_at_a_dead_point_of_its_loop_has_no_modes_about_its_motion():
    """Crank and coupler in one line: the rocker turns back, and does not say how they move."""
    reach = BARS.crank + BARS.coupler
    x = (reach**2 - BARS.rocker**2 + BARS.ground**2) / (2 * BARS.ground)
    z = np.sqrt(reach**2 - x**2)
    q = np.array([[np.arctan2(x, z)], [np.arctan2(x - BARS.ground, z)], [0.0]])
    plain = BARS.robot()
    passive = replace(plain.loops[0], passive=("crank_joint", "coupler_joint"))
    drives = elastic_drives(replace(plain, loops=(passive,)), {"rocker_joint": 20.0}, None)
    with pytest.raises(ScenarioError, match=r"'rocker_joint' .* is at a dead point"):
        modes_at(drives, q, GRAVITY, 0.0, (0 * q, 0 * q))
    assert modes_at(drives, q, GRAVITY).system.M.shape == (1, 1, 1)


def test_speeds_of_too_few_joints_are_refused():
    with pytest.raises(ScenarioError, match="is 2 finite numbers"):
        modes(spun(), [0, 0], 1.0, speeds=([1.0], [0, 0]))


# --- balls --------------------------------------------------------------------------------------

AXIAL, ACROSS, ARM = 0.02, 0.15, 0.3  # kg·m² about the foot, m


def top():
    """A symmetric top of mass M about its foot; its axis is z."""
    inertia = ACROSS - M * ARM**2
    body = link("top", M, f"0 0 {ARM}", f"{inertia!r} {inertia!r} {AXIAL}")
    return robot(body, joint("foot", "spherical", "ground", "top", "0 0 1"))


def test_a_spherical_pendulum_swings_alike_about_two_axes():
    """Two frequencies √(m g l / I), about whichever axes; and no moment about its own."""
    hanging = np.pi * np.array([0.6, 0.8, 0.0])
    found = modes(top(), hanging)
    wanted = np.sqrt(M * G * ARM / ACROSS)
    roots = [mode.root for mode in found.modes]
    assert roots[-2:] == pytest.approx([1j * wanted, 1j * wanted], rel=1e-10)
    assert all(abs(root) < 1e-5 * wanted for root in roots[:-2])
    assert found.unbalanced == {} and {"foot.x", "foot.y", "foot.z"} == set(found.modes[0].shape)
    assert set(modes(top(), [0.3, 0.0, 0.0]).unbalanced) == {"foot.x"}


def test_a_top_held_out_of_balance_swings_alike_about_two_axes_and_spins_about_the_vertical():
    """K = m (r·g 1 - g rᵀ): what holds it turns with it, so that K has no energy."""
    leaning = (np.pi - 0.6) * np.array([0.6, 0.8, 0.0])
    wanted = np.sqrt(M * G * ARM * np.cos(0.6) / ACROSS) / (2 * np.pi)
    found = modes(top(), leaning)
    np.testing.assert_allclose(found.frequency, [0, wanted, wanted], rtol=1e-10, atol=0)
    assert set(found.unbalanced) == {"foot.x", "foot.y"}


@pytest.mark.parametrize("spin", [90.0, 60.0])
def test_a_sleeping_top_nutates_as_in_the_books(spin):
    """I1 λ² - I3 Ω λ + m g l = 0 in space (Goldstein, section 5.7); λ - Ω along its own axes."""
    found = modes(top(), [0, 0, 0.7], speeds=([0, 0, spin], [0, 0, 0]))
    space = np.roots([ACROSS, -AXIAL * spin, M * G * ARM])
    roots = np.array([mode.root for mode in found.modes])
    own = 1j * (space - spin)  # and their conjugates
    own = np.where(own.imag < 0, own.conj(), own)
    own = own[np.argsort(np.abs(own), kind="stable")]
    roots, own = (x[np.lexsort((x.imag, np.round(x.real, 6)))] for x in (roots[-2:], own))
    np.testing.assert_allclose(roots, own, rtol=1e-9)
    falls = (AXIAL * spin) ** 2 < 4 * ACROSS * M * G * ARM
    assert any(mode.runs_away for mode in found.modes[-2:]) is falls is (spin == 60.0)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_differentiated_about_a_top_have_the_same_roots(engine):
    pytest.importorskip({"bullet": "pybullet", "mujoco": "mujoco"}[engine])
    held = robot(
        link("arm", 0.5, "0 0 0.1", "0.01 0.02 0.01"),
        link("top", M, f"0 0.05 {ARM}", "0.03 0.05 0.02"),
        joint("hinge", "revolute", "ground", "arm", "0 1 0"),
        joint("foot", "spherical", "arm", "top", "0 0 1", '<origin xyz="0.1 0.2 0.3"/>'),
    )
    speeds = [0.7, 1.0, -2.0, 9.0], [-0.4, 3.0, 2.0, 1.0]
    found = modes(held, [0.3, 0.5, -0.6, 0.7], {"hinge": 300.0}, 4.0, speeds=speeds)
    with open_engine(engine, held, GRAVITY) as opened:
        assert roots_apart(found, EngineDynamics(opened)) < 1e-8
