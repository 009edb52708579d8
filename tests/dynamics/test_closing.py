"""Closed loops at one state in machine code, against the same by NumPy; an engine answers alone."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from sim.dynamics import LagrangianDynamics
from sim.dynamics.closed_positions import close_positions, loop_rank
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.single_state import switch
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.loops import equations_at
from sim.dynamics.wrench import AppliedWrench, world_point_on_tree
from sim.robots import Loop, Mimic
from tests.dynamics.test_marker_loads import chain
from tests.helpers.loop_robots import FourBar, slider_crank

pytestmark = pytest.mark.usefixtures("compiled")

G = (0.3, -0.2, -9.81)
PINNED = chain().with_loops(
    Loop("pin", "d", (0.1, 0.2, 0.3), "ground", (0.4, 0.1, 0.2), None, ("socket",))
)
FOLLOWS = replace(PINNED.joint("slide"), mimic=Mimic("turn", 0.3, 0.1))
GEARED = replace(PINNED, joints=tuple(FOLLOWS if j.name == "slide" else j for j in PINNED.joints))
ROBOTS = {
    "four bars": FourBar().robot(),
    "with equations that repeat others": FourBar().robot(None),
    "a ball in a loop": PINNED,
    "a ball in a loop, and a joint that follows another": GEARED,
    "a slider and a crank": slider_crank(0.2, 0.5),
}


@pytest.fixture
def settings(monkeypatch):
    """Sets machine code, or NumPy, as it is asked."""
    monkeypatch.setattr(switch, "is_installed", lambda: True)
    return lambda setting: monkeypatch.setenv(switch.SWITCH, setting)


def heavier(inertia):
    return replace(inertia, mass=1.01 * inertia.mass, tensor=1.01 * inertia.tensor)


def near(robot, seed=3):
    """A closed state, some of its joints held."""
    rng = np.random.default_rng(seed)
    nothing = np.zeros(len(robot.coordinates), dtype=bool)
    q = close_positions(robot, rng.uniform(-0.6, 0.9, nothing.size), nothing, 99).q
    return q, *rng.uniform(-1, 1, (2, q.size)), rng.normal(0, 5, (q.size, 2)), rng


@pytest.mark.parametrize("is_held", [False, True])
@pytest.mark.parametrize("kind", ROBOTS)
def test_the_model_on_loops_is_as_by_numpy(kind, is_held, settings):
    robot = ROBOTS[kind]
    settings("0")
    q, qd, qdd, effort, rng = near(robot)
    held = np.zeros(q.size, dtype=bool)
    held[0] = is_held
    wrench = AppliedWrench(robot.links[-1].name, rng.normal(0, 1, 3), *rng.normal(0, 3, (2, 3, 1)))
    wrenches = [replace(wrench, place=world_point_on_tree(robot, robot.q_tree(q[:, None]), wrench))]
    dynamics = ConstrainedDynamics(LagrangianDynamics(robot, G), loop_rank(robot, q, held))
    found = []
    for setting in "01":
        settings(setting)
        found.append(dynamics.at_instant(Instant(robot, G, q, qd), qdd, held, effort, wrenches))
    for numpy, fast in zip(*found, strict=True):
        np.testing.assert_allclose(fast, numpy, rtol=0, atol=1e-11 * np.abs(numpy).max())


@pytest.mark.parametrize("kind", ROBOTS)
def test_positions_come_onto_loops_as_by_numpy(kind, settings):
    robot = ROBOTS[kind]
    settings("0")
    q, *_, rng = near(robot)
    held, apart = np.zeros(q.size, dtype=bool), q + rng.uniform(-0.03, 0.03, q.size)
    rank, found = loop_rank(robot, q, held), []
    for setting in "01":
        settings(setting)
        found.append(close_positions(robot, apart, held, rank))
    numpy, fast = found
    for name in ("q", "G", "J"):
        np.testing.assert_allclose(getattr(fast, name), getattr(numpy, name), rtol=0, atol=1e-11)
    np.testing.assert_allclose(fast.modes.sizes, numpy.modes.sizes, rtol=0, atol=1e-11)
    assert np.abs(equations_at(robot, fast.q)[0]).max() < 1e-13 > fast.gap - 1e-11


@pytest.mark.parametrize("kind", ROBOTS)
def test_an_engine_that_holds_other_masses_answers_for_itself(kind, settings):
    """The model's λ only begin the questions: they end where the engine's own loops are closed."""
    robot = ROBOTS[kind]
    settings("0")
    q, qd, qdd, effort, _ = near(robot)
    held = np.zeros(q.size, dtype=bool)
    links = tuple(
        one if one.inertia is None or k % 2 else structs.replace(one, inertia=heavier(one.inertia))
        for k, one in enumerate(robot.links)
    )
    other, rank = replace(robot, links=links), loop_rank(robot, q, held)
    wanted = ConstrainedDynamics(LagrangianDynamics(other, G), rank).at_instant(
        Instant(other, G, q, qd), qdd, held, effort
    )
    settings("1")

    class Engine:
        """Of the other robot, which it does not tell."""

        gravity = G

        def __init__(self):
            self.robot, self.own = robot, LagrangianDynamics(other, G)

        def at_instant(self, at, *rest):
            return self.own.at_instant(Instant(other, G, at.q, at.qd), *rest)

    found = ConstrainedDynamics(Engine(), rank).at_instant(
        Instant(robot, G, q, qd), qdd, held, effort
    )
    np.testing.assert_allclose(found[0], wanted[0], rtol=0, atol=1e-9 * np.abs(wanted[0]).max())
