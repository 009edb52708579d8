import subprocess
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from sim.dynamics import AppliedWrench, lagrange
from sim.engines.bullet import world_readback
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import EngineError
from sim.maths import pose, rotation_from_rpy
from sim.robots import load_robot, shipped_robots, urdf
from tests.helpers import small_robots as small
from tests.helpers.examples import examples
from tests.helpers.random_worlds import robots, worlds
from tests.helpers.small_robots import double_pendulum, lift, pendulum, robot

with suppress_c_output():
    import pybullet

G = (0.0, 0.0, -9.81)


def open_worlds():
    return sum(pybullet.getConnectionInfo(client)["isConnected"] for client in range(64))


@pytest.fixture(autouse=True)
def every_world_is_closed_again():
    assert open_worlds() == 0
    yield
    assert open_worlds() == 0


def test_a_world_is_open_inside_its_block_only():
    with Bullet(lift(1.0), G) as engine:
        assert open_worlds() == 1
        assert engine.client >= 0
    assert engine.client == -1


def test_closing_twice_is_harmless_and_closes_no_other_world():
    first = Bullet(lift(1.0), G)
    first.close()
    with Bullet(lift(1.0), G) as second:
        first.close()
        assert open_worlds() == 1
        second.reset([0.1], [0.2])


def test_an_error_inside_the_block_closes_the_world_and_comes_out():
    for error in (ZeroDivisionError, KeyboardInterrupt):
        with pytest.raises(error), Bullet(lift(1.0), G):
            raise error


def test_a_text_that_bullet_cannot_read_is_an_error_that_names_the_robot(monkeypatch):
    monkeypatch.setattr(world_readback, "engine_urdf", lambda robot: "<robot")
    with pytest.raises(EngineError, match="could not load robot 'small'"):
        Bullet(lift(1.0), G)


def test_a_joint_that_bullet_does_not_see_is_named(monkeypatch):
    shorter = world_readback.engine_urdf(pendulum(1.0, 0.5))
    monkeypatch.setattr(world_readback, "engine_urdf", lambda robot: shorter)
    with pytest.raises(EngineError, match=r"read 1 joints .* URDF has 2; missing: shoulder, elbow"):
        Bullet(double_pendulum(1.0, 1.0, 0.5, 0.5), G)


@pytest.mark.parametrize("reader", ["engine_urdf", "principal_urdf"])
@pytest.mark.parametrize(
    ("number", "slip", "what"),
    [
        ('"2.0"', '"2.00001"', r"mass \[kg\].*2.00001 instead of 2.0"),
        ("-0.5", "-0.50001", r"mass centre \[m\].*-0.50001\] instead of .*-0.5\]"),
        ('"0.05"', '"0.050001"', r"inertia \[kg·m²\].*0.050001"),
    ],
)
def test_a_body_that_bullet_reads_otherwise_is_named(monkeypatch, reader, number, slip, what):
    text = getattr(world_readback, reader)(pendulum(2.0, 0.5, 0.05))
    assert number in text
    monkeypatch.setattr(world_readback, reader, lambda robot: text.replace(number, slip))
    with pytest.raises(EngineError, match=f"link 'bob' with another {what}"):
        Bullet(pendulum(2.0, 0.5, 0.05), G)


# Each is a slip of the model's own reader: the engine reads the text by itself and is not told.
SLIPS = {
    "a flipped axis": (lambda j: replace(j, axis=-j.axis), r"'elbow' with another axis: .* inst"),
    "an axis that leans": (
        lambda j: replace(j, axis=rotation_from_rpy((2e-9, 0, 2e-9)) @ j.axis),
        "'elbow' with another axis",
    ),
    "an origin that is off": (
        lambda j: replace(j, T_pc=j.T_pc + 1e-8 * np.eye(4, k=3)),
        r"'elbow' with another origin \[m, 1\]",
    ),
    "an origin that is turned": (
        lambda j: replace(j, T_pc=j.T_pc @ pose(rotation_from_rpy((0, 0, 1e-7)))),
        r"'elbow' with another origin \[m, 1\]",
    ),
    "a limit": (
        lambda j: replace(j, limits=replace(j.limits, lower=j.limits.lower - 1e-3)),
        "'elbow' with another lower limit",
    ),
    "a rating that is not there": (
        lambda j: replace(j, limits=replace(j.limits, effort=np.inf)),
        "'elbow' with another effort limit: .* instead of inf",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_joint_that_the_model_reads_otherwise_is_named(slip):
    change, message = SLIPS[slip]
    arm = double_pendulum(1.0, 1.0, 0.5, 0.5)
    joints = tuple(change(joint) if joint.name == "elbow" else joint for joint in arm.joints)
    with pytest.raises(EngineError, match=message):
        Bullet(replace(arm, joints=joints), G)


def test_a_reader_that_flips_axes_is_caught_before_the_first_step(monkeypatch):
    axis = urdf._axis
    monkeypatch.setattr(urdf, "_axis", lambda *arguments: -axis(*arguments))
    with pytest.raises(EngineError, match="with another axis"):
        Bullet(load_robot("ur10"), G)


@pytest.mark.parametrize("name", shipped_robots())
def test_what_is_held_of_shipped_robots_is_what_the_text_says(name):
    robot = load_robot(name).mounted((1.0, -2.0, 3.0), (0.3, -0.4, 0.5))
    with Bullet(robot, G) as engine:
        held = engine.readback()
    for joint in robot.joints:
        np.testing.assert_allclose(held.origins[joint.name], joint.T_pc, rtol=0, atol=1e-14)
    for joint in robot.tree_joints:
        np.testing.assert_allclose(held.axes[joint.name], joint.axis, rtol=0, atol=1e-14)
        assert held.limits[joint.name] == joint.limits


def test_a_text_is_read_anew_even_from_the_path_of_another(monkeypatch, tmp_path):
    """PyBullet keeps the files it has read, and would serve the first text for the second."""
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda: nullcontext(tmp_path))
    tilted = load_robot("ur10").with_payload(1.0, (0, 0, 0), [[2, 1, 0], [1, 3, 0], [0, 0, 4]])
    with Bullet(tilted, G) as engine:
        orientation = engine.bullet.getDynamicsInfo(
            engine.body, engine.link_index["payload"], physicsClientId=engine.client
        )[4]
    assert abs(orientation[3]) < 0.999  # along the principal axes: the second text
    with Bullet(lift(1.0), G) as engine:
        assert len(engine.joints) == 1


def test_a_world_that_cannot_be_opened_is_an_error(monkeypatch):
    monkeypatch.setattr(pybullet, "connect", lambda mode: -1)
    with pytest.raises(EngineError, match="could not open a world"):
        Bullet(lift(1.0), G)


def test_nothing_is_printed(capfd):
    with Bullet(load_robot("ur10").with_payload(5.0), G) as engine:
        engine.reset([0.0] * 6, [0.0] * 6)
        engine.set_step(1e-3)
        engine.bullet.stepSimulation(engine.client)
    assert capfd.readouterr() == ("", "")


def test_a_fresh_process_prints_nothing_either_not_even_the_banner():
    program = (
        "from sim.engines.bullet.bullet import Bullet; from sim.robots import load_robot\n"
        "with Bullet(load_robot('ur10'), (0, 0, -9.81)): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


@given(robots(mimic=True))
@examples(15)
def test_joints_are_in_the_order_of_the_tree_and_bodies_have_the_inertia_of_the_urdf(found):
    with Bullet(found, G) as engine:
        names = [
            engine.bullet.getJointInfo(engine.body, index, physicsClientId=engine.client)[1]
            for index in engine.joints
        ]
        read = engine.readback().inertias
    assert [name.decode() for name in names] == [joint.name for joint in found.tree_joints]
    for link in found.links[1:]:
        if link.inertia is not None:
            size = np.trace(link.inertia.tensor)
            assert read[link.name].mass == pytest.approx(link.inertia.mass, rel=1e-12)
            np.testing.assert_allclose(read[link.name].com, link.inertia.com, atol=1e-12)
            np.testing.assert_allclose(
                read[link.name].tensor, link.inertia.tensor, rtol=0, atol=1e-12 * size
            )


@given(worlds(most=6, states=1))
def test_joints_left_alone_accelerate_as_the_equations_of_motion_say(world):
    """No motor, damping or limit is left over, the base stands tilted, gravity is the given one."""
    found = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    rest = found.torque(world.qd, np.zeros_like(world.qd))
    expected = np.linalg.solve(found.M[:, :, 0], -rest[:, 0])
    h = 1e-3
    with Bullet(world.robot, world.gravity) as engine:
        engine.set_step(h)
        engine.reset(world.q[:, 0].tolist(), world.qd[:, 0].tolist())
        engine.bullet.stepSimulation(engine.client)
        states = engine.bullet.getJointStates(engine.body, engine.joints, engine.client)
    after = np.array([state[1] for state in states])
    # the step divides the rounding of the velocities, 1e-15, by 1e-3
    size = 1 + np.abs(expected).max()
    np.testing.assert_allclose((after - world.qd[:, 0]) / h, expected, rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-9])
def test_no_force_on_a_light_link_is_lost(mass):
    """200 N would bring 1 mg to 2e5 m/s in a step of 1 ms, and to 2e8 m/s in one of 1 s."""
    push = AppliedWrench("load", np.zeros(3), np.array([[0], [0], [200.0]]), np.zeros((3, 1)))
    one = np.ones((1, 1))
    with Bullet(lift(mass), G) as engine:
        held, loose = (
            engine.hybrid_dynamics(0 * one, 0 * one, 2 * one, np.array([is_held]), 50 * one, [push])
            for is_held in (True, False)
        )
    # rounding of 200 N
    np.testing.assert_allclose(held[1], mass * (9.81 + 2) - 200, rtol=0, atol=1e-12)
    np.testing.assert_allclose(loose[0], (50 + 200) / mass - 9.81, rtol=1e-12)


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-9])
def test_what_holds_some_joints_loses_no_force_on_a_light_link(mass):
    """A held slide on a loose hinge: its motor is asked in a step of 1 s."""
    plant = robot(
        small.link("arm", 1.0, "0 0 -0.5"),
        small.link("tip", mass),
        small.joint("hinge", "revolute", "ground", "arm", "0 1 0"),
        small.joint("slide", "prismatic", "arm", "tip", "0 0 1"),
    )
    push = AppliedWrench("tip", np.zeros(3), np.array([[0], [0], [200.0]]), np.zeros((3, 1)))
    still = np.zeros((2, 1))
    with Bullet(plant, G) as engine:
        held = np.array([name == "slide" for name in plant.joint_names])
        _, effort = engine.hybrid_dynamics(still, still, still, held, still, [push])
    np.testing.assert_allclose(effort[held], mass * 9.81 - 200, rtol=0, atol=1e-12)


def test_limits_and_friction_of_the_urdf_are_left_to_us():
    narrow = '<joint name="slide" type="prismatic"><parent link="ground"/><child link="load"/>'
    body = (
        '<link name="load"><inertial><mass value="2"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    )
    ends = '<axis xyz="0 0 1"/><limit lower="-0.1" upper="0.1" effort="1" velocity="0.5"/>'
    plant = robot(body, f'{narrow}{ends}<dynamics damping="3" friction="4"/></joint>')
    with Bullet(plant, (0.0, 0.0, 0.0)) as engine:
        engine.set_step(1e-2)
        engine.reset([0.0], [2.0])
        for _ in range(100):
            engine.bullet.stepSimulation(engine.client)
        ((position, velocity, *_),) = engine.bullet.getJointStates(
            engine.body, engine.joints, engine.client
        )
    assert position == pytest.approx(2.0, rel=1e-12)
    assert velocity == pytest.approx(2.0, rel=1e-12)


def test_a_mounted_robot_stands_on_its_mounting():
    xyz, rpy = (1.0, 2.0, 3.0), (0.4, -0.5, 0.6)
    with Bullet(lift(2.0).mounted(xyz, rpy), G) as engine:
        engine.reset([0.5], [0.0])
        state = engine.bullet.getLinkState(
            engine.body, 0, computeForwardKinematics=1, physicsClientId=engine.client
        )
    np.testing.assert_allclose(state[0], xyz + rotation_from_rpy(rpy)[:, 2] * 0.5, atol=1e-12)


def test_progress_is_told_with_the_steps_so_far():
    told = []
    with Bullet(lift(1.0), G, told.append) as engine:
        engine.count(3)
        engine.count(4)
    assert told == [3, 7]


def test_two_worlds_at_once_do_not_disturb_each_other():
    def fall(engine):
        engine.bullet.stepSimulation(engine.client)
        return engine.bullet.getJointStates(engine.body, engine.joints, engine.client)[0][1]

    with Bullet(lift(1.0), G) as earth, Bullet(lift(1.0), (0.0, 0.0, -1.62)) as moon:
        for engine in (earth, moon):
            engine.set_step(0.5)
            engine.reset([0.0], [0.0])
        assert fall(earth) == pytest.approx(-9.81 / 2)
        assert fall(moon) == pytest.approx(-1.62 / 2)
