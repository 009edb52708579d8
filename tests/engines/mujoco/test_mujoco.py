import re
import subprocess
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given
from msgspec import structs

from sim.engines.contract import March
from sim.engines.mujoco import mujoco_model as plant_module
from sim.engines.mujoco.mujoco import Mujoco
from sim.engines.mujoco.mujoco_model import JOINT, LINK
from sim.engines.mujoco.urdf_reader import FRAME_MOMENT, Body, read_for_mujoco
from sim.errors import EngineError
from sim.robots import Inertia, read_urdf
from tests.helpers import small_robots as small
from tests.helpers.examples import examples
from tests.helpers.random_robots import random_urdf
from tests.helpers.random_worlds import robots, worlds
from tests.helpers.small_robots import lift, pendulum, pendulum_on_cart, robot

G = (0.0, 0.0, -9.81)


# --- two readers of one text ------------------------------------------------------------------

BODIES = {
    r"mass \[kg\]: 2.0 instead of 2.00000001": {"mass": 2.00000001},
    r"mass centre \[m\]": {"com": np.array([0, 1e-9, -0.5])},
    r"inertia \[kg·m²\]": {"tensor": 0.05000001 * np.eye(3)},
}


@pytest.mark.parametrize("message", BODIES)
def test_a_body_that_the_model_reads_otherwise_is_named(message):
    arm = pendulum(2.0, 0.5, 0.05)
    body = arm.links[1]
    changed = {"mass": 2.0, "com": body.inertia.com, "tensor": body.inertia.tensor}
    other = structs.replace(body, inertia=Inertia(**(changed | BODIES[message])))
    with pytest.raises(EngineError, match=f"MuJoCo read link 'bob' with another {message}"):
        Mujoco(replace(arm, links=(arm.links[0], other)), G)


@given(robots(mimic=True))
@examples(15)
def test_every_link_is_a_body_of_its_own_and_nothing_is_fused(found):
    with Mujoco(found, G) as engine:
        model = engine.plant.model
        assert model.nbody == len(found.links) + 1
        assert model.nv == len(found.tree_joints)
        names = [model.joint(int(dof)).name for dof in engine.plant.dofs]
        for link in found.links:
            assert model.body(LINK + link.name).id == engine.plant.bodies[link.name]
    assert names == [JOINT + joint.name for joint in found.tree_joints]


# --- bodies that MuJoCo's compiler refuses ----------------------------------------------------

POINT, ROD, BEYOND = "0 0 0", "0.2 0.2 0", "0.1 0.1 0.35"


@pytest.mark.parametrize("moments", [POINT, ROD, BEYOND])
def test_point_masses_rods_and_tensors_that_no_body_has_are_held_as_they_are(moments):
    text = small.link("arm", 2.0, "0 0 -0.5", moments)
    hinge = small.joint("hinge", "revolute", "ground", "arm", "0 1 0")
    document = f'<robot name="r"><link name="ground"/>{text}{hinge}</robot>'
    one, still = np.ones((1, 1)), np.zeros((1, 1))
    with Mujoco(read_urdf(document), (0.0, 0.0, 0.0)) as engine:
        _, torque = engine.hybrid_dynamics(still, still, one, np.array([True]), still)
    np.testing.assert_allclose(torque, 2.0 * 0.25 + float(moments.split()[1]), rtol=1e-13)


def test_a_chain_of_frames_that_move_carries_what_it_carries():
    """A wrist of two frames without mass: MuJoCo's compiler takes no such bodies."""
    wrist = robot(
        '<link name="a"/><link name="b"/>',
        small.link("hand", 2.0, "0 0 -0.5", "0.1 0.2 0.3"),
        small.joint("x", "revolute", "ground", "a", "1 0 0"),
        small.joint("y", "revolute", "a", "b", "0 1 0"),
        small.joint("z", "revolute", "b", "hand", "0 0 1"),
    )
    still = np.zeros((3, 1))
    with Mujoco(wrist, (0.0, 0.0, 0.0)) as engine:
        M = [
            engine.hybrid_dynamics(still, still, unit[:, None], np.ones(3, dtype=bool), still)[1][
                :, 0
            ]
            for unit in np.eye(3)
        ]
        loose, _ = engine.hybrid_dynamics(still, still, still, np.zeros(3, dtype=bool), still + 1.0)
    wanted = np.array([0.6, 0.7, 0.3])
    np.testing.assert_allclose(M, np.diag(wanted), rtol=0, atol=2 * 2 * FRAME_MOMENT)
    np.testing.assert_allclose(loose[:, 0], 1 / wanted, rtol=1e-13)


@pytest.mark.parametrize("off", [1e-5, 5e-8, 1e-12])
def test_a_mass_centre_beside_the_origin_is_not_taken_for_the_origin(off):
    """MuJoCo's compiler takes what is nearer than 1e-6 m for the same place."""
    text = small.link("arm", 2.0, f"0 0 {off!r}", "0.1 0.2 0.3")
    hinge = small.joint("hinge", "revolute", "ground", "arm", "0 1 0")
    still = np.zeros((1, 1))
    with Mujoco(robot(text, hinge), (-10.0, 0.0, 0.0)) as engine:
        _, torque = engine.hybrid_dynamics(still, still, still, np.array([True]), still)
        held = engine.readback().inertias["arm"]
    np.testing.assert_allclose(torque, 2.0 * 10.0 * off, rtol=1e-13)
    np.testing.assert_allclose(held.com, [0, 0, off], rtol=1e-13)


def test_a_mass_centre_a_kilometre_away_is_held_but_for_its_last_digits():
    """Of 1 km they are 1e-13 m each, and frames of links turn them."""

    def stretched(xyz: re.Match[str]) -> str:
        return f'<origin xyz="{" ".join(repr(3000 * float(x)) for x in xyz[1].split())}"'

    for seed in range(4):
        text = random_urdf(np.random.default_rng(seed), 3)
        with Mujoco(read_urdf(re.sub('<origin xyz="([^"]*)"', stretched, text)), G):
            pass


def test_a_range_that_is_a_point_is_held():
    locked = small.joint("slide", "prismatic", "ground", "load", "0 0 1")
    locked = locked.replace('"-100"', '"0.5"', 1).replace('"100"', '"0.5"', 1)
    with Mujoco(robot(small.link("load", 1.0), locked), G) as engine:
        limits = engine.readback().limits["slide"]
    assert (limits.lower, limits.upper) == (0.5, 0.5)


def test_names_are_free_even_those_that_mujoco_keeps_for_itself():
    text = (
        '<robot name="world"><link name="world"/>'
        + small.link("a/b c", 1.0)
        + small.joint("world", "prismatic", "world", "a/b c", "0 0 1")
        + "</robot>"
    )
    with Mujoco(read_urdf(text), G) as engine:
        one = np.ones((1, 1))
        _, force = engine.hybrid_dynamics(0 * one, 0 * one, 0 * one, np.array([True]), 0 * one)
    assert force[0, 0] == pytest.approx(9.81)


def test_a_body_that_mujoco_cannot_compile_is_an_error_that_names_the_robot(monkeypatch):
    def broken(found):
        read = read_for_mujoco(found)
        hinge = replace(read.joints[0], axis=np.zeros(3))
        return structs.replace(read, joints=(hinge,))

    monkeypatch.setattr(plant_module, "read_for_mujoco", broken)
    with pytest.raises(EngineError, match=r"could not load robot 'small': .*axis"):
        Mujoco(lift(1.0), G)


def test_what_its_reader_reads_of_a_body_is_what_it_is_compared_by(monkeypatch):
    def heavier(found):
        read = read_for_mujoco(found)
        body = read.bodies["load"]
        more = Body(body.mass + 1e-9, body.moments, body.frame)
        return structs.replace(read, bodies={**read.bodies, "load": more})

    monkeypatch.setattr(plant_module, "read_for_mujoco", heavier)
    with pytest.raises(EngineError, match=r"MuJoCo read link 'load' with another mass \[kg\]"):
        Mujoco(lift(1.0), G)


# --- the numbers are MuJoCo's own -------------------------------------------------------------


@given(worlds(most=6, states=2))
def test_energies_of_the_links_are_together_those_that_mujoco_tells_itself(world):
    links = tuple(link.name for link in world.robot.links[1:])
    with Mujoco(world.robot, world.gravity) as engine:
        found = engine.energies(world.q, world.qd, links)
        model, data = engine.plant.model, mujoco.MjData(engine.plant.model)
        for k in range(2):
            data.qpos[engine.plant.dofs] = world.q[:, k]
            data.qvel[engine.plant.dofs] = world.qd[:, k]
            mujoco.mj_forward(model, data)
            mujoco.mj_energyPos(model, data)
            mujoco.mj_energyVel(model, data)
            size = 1 + np.abs(found.pe[:, k]).sum() + found.ke[:, k].sum()
            potential, kinetic = data.energy
            root = model.body(LINK + world.robot.links[0].name).id
            potential += model.body_mass[root] * np.dot(world.gravity, data.xipos[root])
            assert found.pe[:, k].sum() == pytest.approx(potential, abs=1e-12 * size)
            assert found.ke[:, k].sum() == pytest.approx(kinetic, abs=1e-12 * size)


def test_the_energies_are_those_of_the_masses_that_the_engine_holds():
    with Mujoco(lift(2.0), G) as engine:
        engine.plant.model.body_mass[engine.plant.bodies["load"]] = 6.0
        found = engine.energies(np.array([[0.5]]), np.array([[2.0]]), ("load",))
    np.testing.assert_allclose(found.ke, 6 * 2.0**2 / 2)
    np.testing.assert_allclose(found.pe, 6 * 9.81 * 0.5)


def test_a_march_is_what_mj_step_makes_of_its_torques():
    """The motors' torques, given to MuJoCo alone, lead it along the same motion."""
    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    steps, h = 50, 1e-2
    commands = np.stack([np.sin(np.arange(1, steps + 1) * h), np.zeros(steps)])
    start = np.array([[0.0, 0.0], [0.4, 0.0]])
    march = March(
        h=h,
        t=h * np.arange(1, steps + 1),
        start=start,
        driven=np.array([True, False]),
        commands=commands,
        places=np.cumsum(commands, axis=1) * h,
    )
    with Mujoco(plant, G) as engine:
        read = engine.march(march)
        model, order = engine.plant.model, engine.plant.dofs
        data = mujoco.MjData(model)
        data.qpos[order], data.qvel[order] = start.T
        for k in range(steps):
            data.qfrc_applied[order] = read[:, 2, k]
            mujoco.mj_step(model, data)
            np.testing.assert_allclose(data.qpos[order], read[:, 0, k], rtol=0, atol=1e-12)
            np.testing.assert_allclose(data.qvel[order], read[:, 1, k], rtol=0, atol=1e-12)


def test_mujoco_does_not_go_on_from_another_state_by_itself():
    """A speed beyond what MuJoCo takes: reset, it would stand at q = 0 and look sound."""
    with Mujoco(pendulum(2.0, 0.7), G) as engine:
        model = engine.plant.model
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = 0.4, 1e12
        warned = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda _: None)
        try:
            mujoco.mj_step(model, data)
        finally:
            mujoco.set_mju_user_warning(warned)
        assert data.time > 0
        assert np.abs(data.qvel[0]) > 1e11


def test_a_step_that_does_not_reach_its_command_is_named(monkeypatch):
    real = mujoco.mj_step2

    def lazy(model, data):
        data.qfrc_applied *= 0.999
        real(model, data)

    monkeypatch.setattr(mujoco, "mj_step2", lazy)
    one = np.ones((1, 1))
    march = March(1e-2, one[0], np.zeros((1, 2)), np.array([True]), one, 1e-2 * one)
    message = r"robot 'small' ends at .* m/s in joint 'slide' at t = 1 s instead of 1 m/s"
    with Mujoco(lift(1.0), G) as engine, pytest.raises(EngineError, match=message):
        engine.march(march)


def test_loose_joints_without_inertia_beside_a_held_one_are_named():
    bare = robot(
        small.link("arm", 1.0, "0 0 -0.5"),
        small.link("tip", 1.0),
        small.joint("swing", "revolute", "ground", "arm", "0 1 0"),
        small.joint("spin", "revolute", "arm", "tip", "0 0 1"),
    )
    still = np.zeros((2, 1))
    held = np.array([name == "swing" for name in bare.joint_names])
    with Mujoco(bare, G) as engine, pytest.raises(EngineError, match="Joints spin of robot"):
        engine.hybrid_dynamics(still, still, still, held, still)


def test_a_failure_of_mujoco_is_an_error_that_names_the_robot(monkeypatch):
    def fails(*arguments):
        raise mujoco.FatalError("out of memory")

    with Mujoco(lift(1.0), G) as engine:
        monkeypatch.setattr(mujoco, "mj_inverse", fails)
        one = np.ones((1, 1))
        with pytest.raises(EngineError, match="MuJoCo failed with robot 'small': out of memory"):
            engine.hybrid_dynamics(one, one, one, np.array([True]), one)


def test_warnings_of_others_are_theirs_again_afterwards():
    def own(message):
        raise AssertionError

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(own)
    try:
        with Mujoco(lift(1.0), G):
            assert mujoco.get_mju_user_warning() is own
    finally:
        mujoco.set_mju_user_warning(before)


def test_a_run_by_mujoco_loads_no_pybullet():
    program = (
        "import sys, sim\n"
        "run = sim.run('two_link', method='ideal', engine='mujoco')\n"
        "print(run.run.engine, 'pybullet' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("mujoco False\n", "")
