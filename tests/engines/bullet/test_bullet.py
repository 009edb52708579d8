import subprocess
import sys
import tempfile
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given

from sim.dynamics import AppliedWrench, lagrange
from sim.engines.bullet import readback
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import EngineError
from sim.robots import load_robot
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
    monkeypatch.setattr(readback, "engine_urdf", lambda robot: "<robot")
    with pytest.raises(EngineError, match="could not load robot 'small'"):
        Bullet(lift(1.0), G)


def test_a_joint_that_bullet_does_not_see_is_named(monkeypatch):
    shorter = readback.engine_urdf(pendulum(1.0, 0.5))
    monkeypatch.setattr(readback, "engine_urdf", lambda robot: shorter)
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
    text = getattr(readback, reader)(pendulum(2.0, 0.5, 0.05))
    assert number in text
    monkeypatch.setattr(readback, reader, lambda robot: text.replace(number, slip))
    with pytest.raises(EngineError, match=f"link 'bob' with another {what}"):
        Bullet(pendulum(2.0, 0.5, 0.05), G)


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
