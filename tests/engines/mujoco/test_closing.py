"""Loop equations by MuJoCo's constraints: against closed forms, and the model's own reading."""

import numpy as np
import pytest
from hypothesis import given, settings

from sim.engines.contract import Reacting
from sim.engines.mujoco.mujoco import Mujoco
from sim.engines.opening import open_engine
from sim.kinematics.loop_equations import loop_equations
from sim.robots import load_robot
from tests.helpers.loop_robots import FourBar, looped
from tests.helpers.small_robots import pendulum

G = (0.0, 0.0, -9.81)
few = settings(max_examples=40, deadline=None, derandomize=True)


def row_space(J):
    """The projection onto what some equations forbid: the same for all equations that say it."""
    return np.linalg.pinv(J, rcond=1e-9) @ J


@pytest.mark.parametrize("normal", [(0.0, 1.0, 0.0), None])
def test_the_gradient_of_a_four_bar_forbids_all_but_its_one_motion(normal):
    a = np.linspace(0.2, 6.0, 7)
    bars = FourBar()
    q, rate, _ = bars.motion(a, np.ones_like(a), 0 * a)
    with Mujoco(bars.robot(normal), G) as engine:
        found = engine.loops(q)
    assert found.loop == (0, 0) if normal else (0, 0, 0)
    np.testing.assert_allclose(found.e, 0.0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(np.einsum("rjN,jN->rN", found.J, rate), 0, rtol=0, atol=1e-13)
    for k in range(a.size):
        assert np.linalg.matrix_rank(found.J[..., k], tol=1e-9) == 2
        size = np.linalg.norm(found.D[..., k], axis=1)
        np.testing.assert_allclose(size, 1.0, rtol=1e-14)


@given(looped())
@few
def test_equations_of_random_loops_forbid_what_those_of_the_model_forbid(case):
    robot, q, *_ = case
    q_tree = robot.q_tree(q[:, None])
    with Mujoco(robot, G) as engine:
        found = engine.loops(q_tree)
        again = engine.loops(q_tree)
    model = loop_equations(robot, q_tree)
    assert found.loop == model.loop
    np.testing.assert_array_equal(found.J, again.J)
    scale = np.abs(model.J).max(initial=1e-3)
    off = row_space(found.J[..., 0]) - row_space(model.J[..., 0])
    np.testing.assert_allclose(off, 0, rtol=0, atol=1e-8)
    # of an open one too, for the size of a force depends on it: J itself, in the model's directions
    turn = np.einsum("raN,saN->rs", model.D, found.D)
    own = np.einsum("rs,sjN->rjN", turn, found.J)
    np.testing.assert_allclose(own, model.J, rtol=0, atol=1e-12 * (1 + scale))


def test_the_torques_and_forces_of_a_palletizer_are_shared_alike():
    robot = load_robot("irb460")
    q = np.tile(robot.pose("zero")[:, None], 3) + 0.02 * np.arange(3)
    with Mujoco(robot, G) as engine:
        found = engine.loops(robot.q_tree(q))
    model = loop_equations(robot, robot.q_tree(q))
    for k in range(3):
        off = row_space(found.J[..., k]) - row_space(model.J[..., k])
        np.testing.assert_allclose(off, 0, rtol=0, atol=1e-10)


def test_loops_are_felt_by_no_question_and_no_march():
    """What is asked after the loops is what was asked before."""
    bars = FourBar().robot()
    q, qd, qdd = FourBar().motion(*(np.full(1, x) for x in (0.4, 2.0, -1.0)))
    held = np.ones(3, dtype=bool)
    with Mujoco(bars, G) as engine:
        before = engine.hybrid_dynamics(q, qd, qdd, held, 0 * q)[1], engine.reactions(q, qd, qdd)
        engine.loops(q)
        after = engine.hybrid_dynamics(q, qd, qdd, held, 0 * q)[1], engine.reactions(q, qd, qdd)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_mujoco_reacts_by_itself_and_pybullet_does_not():
    for name, reacts in (("bullet", False), ("mujoco", True)):
        with open_engine(name, pendulum(1.0, 1.0), G) as engine:
            assert isinstance(engine, Reacting) is reacts
