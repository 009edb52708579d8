import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engine_names import ENGINES
from sim.engines.contract import Reacting
from sim.engines.ideal import solve_ideal
from sim.engines.opening import open_engine
from sim.kinematics.tree import tree_of
from sim.maths.rotations import rotations_of
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import gravities, robots
from tests.helpers.random_wrenches import random_wrenches

TORQUE = 1e-11  # of the largest torque on the path; the engine rounds as often as we do
ENERGY = 1e-11  # of the largest energy on the path
MOTION = 1e-11  # [m, m/s, rad/s] beside an arm of some metres

each = pytest.mark.parametrize("kind", ENGINES)
quick = settings(max_examples=25, deadline=None, derandomize=True)


def sine_path(n, seed, samples=25):
    """Every joint on its own sine, with its exact derivatives, each (n, N)."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 2.0, samples)
    middle, size, rate, phase = rng.uniform([[-2], [0.2], [1], [0]], [[2], [1], [4], [6]], (4, n))
    angle = rate[:, None] * t + phase[:, None]
    a, w = size[:, None], rate[:, None]
    return t, middle[:, None] + a * np.sin(angle), a * w * np.cos(angle), -a * w**2 * np.sin(angle)


def require_ideal_torque(kind, robot, gravity, seed):
    t, q, qd, qdd = sine_path(len(robot.tree_joints), seed)
    with open_engine(kind, robot, gravity) as engine:
        found = solve_ideal(engine, t, q, qd, qdd)
    reference = PinocchioModel(robot, gravity).torque(q, qd, qdd)
    assert np.abs(found.tau - reference).max() < TORQUE * np.abs(reference).max()
    np.testing.assert_allclose(found.qdd, qdd, rtol=0, atol=1e-9)  # [rad/s²], qd 1e-12 over 1 ms


def require_survey(kind, robot, gravity, seed):
    _, q, qd, _ = sine_path(len(robot.tree_joints), seed)
    links = tuple(mass.link for mass in tree_of(robot).masses)
    with open_engine(kind, robot, gravity) as engine:
        found = engine.energies(q, qd, links)
    oracle = PinocchioModel(robot, gravity)
    assert found.links == links
    totals = oracle.energies(q, qd)
    for got, reference in ((found.ke, totals[0]), (found.pe, totals[1])):
        assert np.abs(got.sum(axis=0) - reference).max() <= ENERGY * np.abs(got).sum(axis=0).max()
    for row, name in enumerate(links):
        np.testing.assert_allclose(
            np.stack([found.ke[row], found.pe[row]]),
            link_energies(robot, name, oracle, gravity, q, qd),
            rtol=0,
            atol=ENERGY * (found.ke.max() + np.abs(found.pe).max()),
        )
    if robot.tool is not None:
        reference = oracle.frame_motion(robot.tool, q, qd)
        np.testing.assert_allclose(tool_rows(found.tool), reference, rtol=0, atol=MOTION)


def link_energies(robot, name, oracle, gravity, q, qd):
    """Of one rigid body, from Pinocchio's motion of its frame (R, p, v, w), shape (2, N)."""
    body = robot.link(name).inertia
    inertia = pin.Inertia(body.mass, body.com, body.tensor)
    rows = []
    for x in oracle.frame_motion(name, q, qd).T:
        R = x[:9].reshape(3, 3)
        twist = pin.Motion(R.T @ x[12:15], R.T @ x[15:18])
        height = -np.dot(gravity, x[9:12] + R @ body.com)
        rows.append((0.5 * twist.vector @ (inertia * twist).vector, body.mass * height))
    return np.transpose(rows)


def tool_rows(tool):
    """Rows R, p, v, w from the rows x y z, qx qy qz qw, v, w of a survey."""
    return np.concatenate([rotations_of(tool[3:7]).reshape(9, -1), tool[:3], tool[7:]])


def tilted_ur10():
    robot = load_robot("ur10").with_payload(10.0, (0.02, -0.01, 0.1), np.diag([0.1, 0.08, 0.05]))
    return robot.mounted((0.1, 0.2, 0.3), (0.4, -0.5, 0.6))


@each
def test_ideal_torque_of_ur10_with_payload_is_that_of_pinocchio(kind):
    require_ideal_torque(kind, tilted_ur10(), (1.0, 2.0, -9.0), seed=1)


@each
def test_survey_of_ur10_with_payload_is_that_of_pinocchio(kind):
    require_survey(kind, tilted_ur10(), (1.0, 2.0, -9.0), seed=1)


@given(robots(), gravities, st.integers(0, 1000))
@quick
@each
def test_ideal_torque_of_random_trees_is_that_of_pinocchio(kind, robot, gravity, seed):
    require_ideal_torque(kind, robot, gravity, seed)


@given(robots(mimic=True), gravities, st.integers(0, 1000))
@quick
@each
def test_ideal_torque_of_coupled_joints_is_that_of_pinocchio(kind, robot, gravity, seed):
    require_ideal_torque(kind, robot, gravity, seed)


@given(robots(), gravities, st.integers(0, 1000))
@quick
@each
def test_energies_and_tool_motion_of_random_trees_are_those_of_pinocchio(
    kind, robot, gravity, seed
):
    require_survey(kind, robot, gravity, seed)


@each
def test_a_robot_that_ends_in_a_heavy_tool_reports_the_tools_frame_not_its_mass_centre(kind):
    robot = load_robot("ur10").mounted((0.5, 0, 0), (0, 0.3, 0))
    heavy = robot.with_payload(3.0, (0.1, 0.2, 0.3), frame="tool0")
    _, q, qd, _ = sine_path(6, seed=2)
    with open_engine(kind, heavy, (0, 0, -9.81)) as engine:
        got = engine.energies(q, qd, ("payload",)).tool
    with open_engine(kind, robot, (0, 0, -9.81)) as engine:
        wanted = engine.energies(q, qd, ()).tool
    np.testing.assert_allclose(got, wanted, rtol=0, atol=MOTION)


def require_reactions(robot, gravity, seed):
    """Of engines that tell them by themselves, with and without wrenches on links."""
    _, q, qd, qdd = sine_path(len(robot.tree_joints), seed, samples=5)
    oracle, external = PinocchioModel(robot, gravity), random_wrenches(robot, 5, seed)
    wanted = (oracle.reactions(q, qd, qdd), oracle.loaded(q, qd, qdd, external)[1])
    with open_engine("mujoco", robot, gravity) as engine:
        assert isinstance(engine, Reacting)
        found = (engine.reactions(q, qd, qdd), engine.reactions(q, qd, qdd, external))
        alone = engine.reactions(q, qd, qdd)  # nothing of the wrenches is left
    for got, reference in zip((*found, alone), (*wanted, wanted[0]), strict=True):
        assert np.abs(got - reference).max() < TORQUE * np.abs(reference).max()


def test_reactions_of_ur10_with_payload_are_those_of_pinocchio():
    require_reactions(tilted_ur10(), (1.0, 2.0, -9.0), seed=1)


@given(robots(), gravities, st.integers(0, 1000))
@quick
def test_reactions_of_random_trees_are_those_of_pinocchio(robot, gravity, seed):
    require_reactions(robot, gravity, seed)
