"""Modes about a motion: a pendulum on a spindle, against its reduced equation."""

import numpy as np
import pytest

import sim
from sim.dynamics import GRAVITY
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ScenarioError
from sim.vibration import modes, run_modes
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


def test_speeds_of_closed_loops_and_of_too_few_joints_are_refused():
    bars = FourBar()
    q, qd, qdd = (x[:, 0] for x in bars.motion(*np.full((3, 1), 0.4)))
    with pytest.raises(ScenarioError, match="what speeds add to modes is found for trees only"):
        modes(bars.robot(), q, 20.0, speeds=(qd, qdd))
    with pytest.raises(ScenarioError, match="is 2 finite numbers"):
        modes(spun(), [0, 0], 1.0, speeds=([1.0], [0, 0]))
