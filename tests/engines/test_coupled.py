from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import AppliedWrench, LagrangianDynamics, joint_torque
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.stepping import UNLIMITED_EFFORT
from sim.engines.coupled import EngineDynamics, Instant
from sim.engines.opening import open_engine
from sim.kinematics import frame_pose
from sim.robots import DriveTrain, load_robot
from tests.helpers.random_worlds import in_random_states, worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import double_pendulum

G = (0.0, 0.0, -9.81)
CLOSE = 1e-10  # of the largest acceleration or effort in the sample


def worst(got, wanted):
    return np.max(np.abs(got - wanted).max(axis=0) / (np.abs(wanted).max(axis=0) + 1e-3))


def compare(world, held, seed, wrenches):
    """The engine's answer against the model's, twice: the first must leave nothing behind."""
    effort = np.random.default_rng(seed).uniform(-20, 20, world.q.shape)
    question = (world.q, world.qd, world.qdd, held, effort, wrenches)
    wanted = LagrangianDynamics(world.robot, world.gravity).hybrid_dynamics(*question)
    with Bullet(world.robot, world.gravity) as engine:
        response = EngineDynamics(engine)
        response.hybrid_dynamics(world.q, world.qd, world.qdd, ~held, effort, wrenches)
        for got, want in zip(response.hybrid_dynamics(*question), wanted, strict=True):
            assert worst(got, want) < CLOSE


@given(worlds(most=7), st.integers(0, 2**16), st.integers(0, 127))
def test_the_engine_and_the_model_give_one_answer(world, seed, bits):
    held = np.array([bool(bits >> i & 1) for i in range(len(world.robot.joint_names))])
    compare(world, held, seed, random_wrenches(world.robot, world.q.shape[1], seed))


@given(worlds(most=7, mimic=True), st.integers(0, 2**16), st.integers(0, 127))
def test_joints_that_follow_others_are_coupled_in_the_engine_too(world, seed, bits):
    held = np.array([bool(bits >> i & 1) for i in range(len(world.robot.joint_names))])
    compare(world, held, seed, random_wrenches(world.robot, world.q.shape[1], seed))


@pytest.mark.parametrize("part", ["force", "torque"])
def test_a_wrench_acts_where_and_as_the_jacobian_says(part):
    """Force and torque alone: what holds the robot still loses exactly Jᵀ F."""
    world = in_random_states(load_robot("ur10").mounted((1, 2, 3), (0.3, 0.5, -0.7)), G, 1, 4)
    rows = {"force": np.zeros((3, 4)), "torque": np.zeros((3, 4))}
    rows[part] = np.random.default_rng(2).uniform(-50, 50, (3, 4))
    wrench = AppliedWrench("wrist_2_link", np.array([0.3, -0.2, 0.1]), **rows)
    held = np.ones(6, dtype=bool)
    with Bullet(world.robot, G) as engine:
        state = (world.q, world.qd, world.qdd, held, world.q)
        _, loaded = EngineDynamics(engine).hybrid_dynamics(*state, [wrench])
        _, alone = EngineDynamics(engine).hybrid_dynamics(*state)
    wanted = joint_torque(world.robot, world.q, [wrench])
    np.testing.assert_allclose(alone - loaded, wanted, rtol=0, atol=1e-10 * np.abs(alone).max())
    assert np.abs(wanted).max() > 1.0


@pytest.mark.parametrize("name", ["bullet", "mujoco"])
def test_a_wrench_of_one_column_acts_at_all_states_and_where_it_is_said_to(name):
    """As forces between markers at one state under several efforts: place is one column too."""
    arm, held = load_robot("ur10"), np.arange(6) == 2
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 6, 1)).repeat(3, axis=2)
    efforts = np.array([[0.0, 5.0, -3.0]]) * np.ones((6, 1))
    force, point = np.array([[3.0], [-20.0], [7.0]]), np.array([0.3, -0.2, 0.1])
    pull = AppliedWrench("wrist_2_link", point, force, 0 * force)
    pose = frame_pose(arm, q[:, :1], pull.link)
    place = pose[:3, 3] + np.einsum("ijn,j->in", pose[:3, :3], point)
    placed = replace(pull, place=place)
    with open_engine(name, arm, G, None) as engine:
        found = [
            EngineDynamics(engine).hybrid_dynamics(q, qd, qdd, held, efforts, [wrench])
            for wrench in (placed, pull)
        ]
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-9)  # [rad/s², N·m] of some 1000


def test_neither_motors_nor_steps_of_others_matter():
    q = np.full((2, 1), 0.3)
    loose = np.zeros(2, dtype=bool)
    with Bullet(double_pendulum(1.0, 2.0, 0.5, 0.7), G) as engine:
        response = EngineDynamics(engine)
        wanted, _ = response.hybrid_dynamics(q, q, q, loose, q)
        engine.set_step(1e-3)
        engine.bullet.setJointMotorControlArray(
            engine.body,
            engine.joints,
            engine.bullet.VELOCITY_CONTROL,
            targetVelocities=[5.0, 5.0],
            forces=[UNLIMITED_EFFORT] * 2,
            physicsClientId=engine.client,
        )
        again, _ = response.hybrid_dynamics(q, q, q, loose, q)
    np.testing.assert_array_equal(again, wanted)


def test_an_engine_that_knows_no_rotors_is_asked_once_and_decides(monkeypatch):
    """From the model's accelerations; from wrong ones it is asked again, and says the same."""
    drives = {"shoulder": DriveTrain(50, 2e-4), "elbow": DriveTrain(-40, 1e-4)}
    robot = double_pendulum(1.5, 0.8, 0.6, 0.9).with_drives(drives)
    at = Instant(robot, G, np.array([0.4, -1.1]), np.array([2.0, -3.0]))
    nothing = np.zeros(2), np.zeros(2, dtype=bool)
    effort = np.array([[3.0], [-1.0]])
    wanted, _ = LagrangianDynamics(robot, G).at_instant(at, *nothing, effort)
    with Bullet(robot, G) as engine:
        ask, asked = engine.hybrid_dynamics, []
        monkeypatch.setattr(engine, "hybrid_dynamics", lambda *x: (asked.append(1), ask(*x))[1])
        found, _ = EngineDynamics(engine).at_instant(at, *nothing, effort)
        assert len(asked) == 1
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
        heavy = robot.with_payload(mass=0.5)
        monkeypatch.setattr(
            "sim.engines.coupled.instant_of", lambda _, *state: Instant(heavy, *state)
        )
        found, _ = EngineDynamics(engine).at_instant(at, *nothing, effort)
        assert len(asked) > 2
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
