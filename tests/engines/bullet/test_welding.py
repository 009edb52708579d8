"""Welded = unwelded, for the engine and for Pinocchio, which welds every fixed link by itself."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given

from sim.dynamics import AppliedWrench
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.readback import read_model
from sim.engines.bullet.welding import fit_to_bullet, weld_fixed_links
from sim.engines.contract import March
from sim.errors import EngineError, ModelError
from sim.kinematics import tree_of
from sim.maths import Array
from sim.robots import Robot, load_robot, read_urdf
from tests.helpers.examples import examples
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import World, worlds
from tests.helpers.small_robots import joint, link, robot

G = (0.0, 0.0, -9.81)
SAME = 1e-10  # of the largest; both are rounding, of some 1e-14 each

laws = examples(12)


def assert_same(found: Array, wanted: Array, least: float = 1e-3) -> None:
    """To `SAME` of the largest, or of `least` where all is nearly zero."""
    size = max(float(np.abs(wanted).max(initial=0.0)), least)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=SAME * size)


def asked(world: World, wrenches: list[AppliedWrench], *, weld: bool) -> tuple[Array, Array, tuple]:
    """Torques with all joints held, accelerations with all loose, and the survey."""
    plant = world.robot
    q, qd, qdd = plant.on_tree(world.q, world.qd, world.qdd)
    links = tuple(mass.link for mass in tree_of(plant).masses)
    with Bullet(plant, world.gravity, weld=weld) as engine:
        assert bool(engine.welded.places) == (
            weld and len(engine.loaded_robot.joints) < len(plant.joints)
        )
        every, none = np.ones(len(q), dtype=bool), np.zeros(len(q), dtype=bool)
        effort = engine.hybrid_dynamics(q, qd, qdd, every, 0 * q, wrenches)[1]
        loose = engine.hybrid_dynamics(q, qd, 0 * q, none, 0 * q, wrenches)[0]
        survey = engine.energies(q, qd, links)
    return effort, loose, (survey.ke, survey.pe, survey.tool)


@given(worlds(most=8, mimic=True))
@laws
def test_welded_and_unwelded_the_engine_says_the_same_and_so_does_pinocchio(world):
    plant = world.robot
    rng = np.random.default_rng(len(plant.links))
    names = [plant.links[k].name for k in rng.integers(1, len(plant.links), 2)]
    wrenches = [
        AppliedWrench(name, *rng.uniform(-1, 1, (1, 3)), *rng.uniform(-9, 9, (2, 3, 1)))
        for name in names
    ]
    torque, loose, (ke, pe, tool) = asked(world, wrenches, weld=True)
    for one, other in zip((torque, loose), asked(world, wrenches, weld=False), strict=False):
        assert_same(one, other)
    alone = asked(world, [], weld=False)[2]
    assert_same(ke, alone[0])
    assert_same(pe, alone[1])
    assert (tool is None) == (alone[2] is None)
    if tool is not None:
        sign = np.sign(np.sum(tool[3:7] * alone[2][3:7], axis=0))  # of a quaternion, either will do
        assert_same(
            tool * np.where(np.isin(np.arange(13), range(3, 7))[:, None], sign, 1), alone[2]
        )
    q, qd, qdd = plant.on_tree(world.q, world.qd, world.qdd)
    assert_same(
        asked(world, [], weld=True)[0], PinocchioModel(plant, world.gravity).torque(q, qd, qdd)
    )


@given(worlds(most=8, states=1))
@laws
def test_bodies_that_are_held_are_those_that_pinocchio_welds(world):
    plant = replace(world.robot, tool=None)  # which would stay a link of its own
    model = pin.buildModelFromXML(plant.text)
    with Bullet(plant, world.gravity, weld=True) as engine:
        bodies = read_model(engine).inertias
        assert [joint.name for joint in engine.loaded_robot.joints] == [
            j.name for j in plant.tree_joints
        ]
    for one in plant.tree_joints:
        wanted = model.inertias[model.getJointId(one.name)]
        assert_same(bodies[one.child].mass, wanted.mass)
        assert_same(bodies[one.child].com, wanted.lever)
        assert_same(bodies[one.child].tensor, wanted.inertia)


def dumbbell() -> Robot:
    """A hinge about z, and 2 kg and 3 kg welded at 0.5 m and at -0.2 m along a tilted rod."""
    tilt = '<origin xyz="0 0 1" rpy="0 0.7 0"/>'
    return robot(
        '<link name="rod"/>',
        joint("hinge", "revolute", "ground", "rod", "0 0 1"),
        link("near", 2.0, moments="0.01 0.01 0.01"),
        joint("weld_1", "fixed", "rod", "near", "1 0 0", '<origin xyz="0.5 0 0"/>'),
        link("far", 3.0, moments="0.03 0.01 0.025"),
        joint("weld_2", "fixed", "near", "far", "1 0 0", tilt),
        link("tip", 0.5, moments="0 0 0"),
        joint("weld_3", "fixed", "far", "tip", "1 0 0", '<origin xyz="0 0 2"/>'),
    )


def test_the_mass_centre_and_the_moment_of_a_body_in_parts_are_those_of_the_textbook():
    whole = weld_fixed_links(dumbbell(), keep_separate=("tip",)).robot
    assert [joint.name for joint in whole.joints] == ["hinge", "weld_3"]
    body = whole.link("rod").inertia
    assert body is not None
    assert body.mass == pytest.approx(5.0)
    np.testing.assert_allclose(body.com, [0.5, 0, 0.6], atol=1e-15)
    # about z: far is tilted about y by 0.7; both are at x = 0.5, so no parallel axis
    assert body.tensor[2, 2] == pytest.approx(
        0.01 + 0.03 * np.sin(0.7) ** 2 + 0.025 * np.cos(0.7) ** 2
    )
    # about y: 2 kg and 3 kg, 1 m apart along z
    assert body.tensor[1, 1] == pytest.approx(0.01 + 0.01 + 2 * 3 / 5)
    place, T = weld_fixed_links(dumbbell()).place("tip")
    assert place == "rod"
    np.testing.assert_allclose(T[:3, 3], [0.5 + 2 * np.sin(0.7), 0, 1 + 2 * np.cos(0.7)])


def test_nothing_is_welded_where_pybullet_takes_all_joints():
    ur10 = load_robot("ur10").with_payload(5.0)
    assert fit_to_bullet(ur10).robot is ur10
    assert fit_to_bullet(ur10).places == {}


def test_what_is_fixed_to_the_root_goes_into_the_root_and_weighs_nothing():
    plant = robot(
        link("stand", 50.0),
        joint("bolt", "fixed", "ground", "stand", "1 0 0", '<origin xyz="0 0 1"/>'),
        link("arm", 1.0, "0.3 0 0", "0.1 0.1 0.1"),
        joint("hinge", "revolute", "stand", "arm", "0 1 0", '<origin xyz="0 0 1"/>'),
    )
    push = AppliedWrench("stand", np.zeros(3), np.ones((3, 1)), np.ones((3, 1)))
    whole = weld_fixed_links(plant)
    assert whole.robot.links[0].inertia is None
    np.testing.assert_array_equal(whole.robot.joints[0].T_pc[:3, 3], [0, 0, 2])
    still = np.zeros((1, 1))
    with Bullet(plant, G, weld=True) as engine:
        effort = engine.hybrid_dynamics(still, still, still, np.array([True]), still, [push])[1]
    np.testing.assert_allclose(effort, -1.0 * 9.81 * 0.3, rtol=1e-12)


@pytest.mark.parametrize("carried", [True, False])
def test_a_payload_comes_and_goes_on_a_welded_robot(carried):
    """A plate on the tool, a box on the plate, and a frame on the box that stays when it goes."""
    tensor = [[0.3, 0.02, 0], [0.02, 0.2, 0.01], [0, 0.01, 0.25]]
    plant = load_robot("ur10").with_payload(2.0, (0, 0, 0.05))
    plant = plant.with_payload(7.0, (0.1, 0.2, 0.1), tensor, frame="payload")
    plant = plant.with_payload(1.0, (0.0, 0.0, 0.2), frame="payload_2")
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.uniform(-1, 1, (3, 6, 4))
    every = np.ones(6, dtype=bool)
    answers = []
    for weld in (False, True):
        with Bullet(plant, G, keep_separate=("payload_2",), weld=weld) as engine:
            engine.set_payloads({"payload_2": carried})
            answers.append(engine.hybrid_dynamics(q, qd, qdd, every, 0 * q)[1])
            if weld:
                assert {
                    joint.child for joint in engine.loaded_robot.joints if not joint.is_movable
                } == {
                    "payload_2",
                    "tool0",
                }
    assert_same(answers[1], answers[0])
    without = load_robot("ur10").with_payload(2.0, (0, 0, 0.05)).with_payload(1.0, (0, 0, 0.2))
    model = PinocchioModel(plant if carried else without, G)
    assert_same(answers[1], model.torque(q, qd, qdd))


def test_what_was_not_named_apart_cannot_come_and_go():
    plant = load_robot("ur10").with_payload(2.0)
    with (
        Bullet(plant, G, weld=True) as engine,
        pytest.raises(EngineError, match=r"'payload' of robot 'ur10' is welded .*`keep_separate`"),
    ):
        engine.set_payloads({"payload": False})


def test_a_march_goes_the_same_way_welded():
    """Free joints, by the engine's own integrator."""
    plant = load_robot("ur10").with_payload(5.0, (0.1, 0.0, 0.1))
    N, n = 50, 6
    start, still = np.full(n, 0.3), np.zeros((n, N))
    march = March(
        h=1e-3,
        t=np.arange(1, N + 1) * 1e-3,
        start=np.stack([start, 0 * start], axis=1),
        driven=np.zeros(n, dtype=bool),
        commands=still,
        places=still,
    )
    ends = []
    for weld in (False, True):
        with Bullet(plant, G, weld=weld) as engine:
            ends.append(engine.march(march))
    assert np.abs(ends[0][:, 0, -1] - start).max() > 1e-3
    assert_same(ends[1], ends[0])


def test_moments_that_pybullet_would_set_to_zero_are_given_to_it_for_a_welded_body_too():
    """Two point masses on a hinge: one moment of the body is the sum of the others."""
    plant = robot(
        link("a", 1.0, "0.3 0 0"),
        joint("hinge", "revolute", "ground", "a", "0 1 0"),
        link("b", 2.0, "0 0 0.1"),
        joint("weld", "fixed", "a", "b", "1 0 0", '<origin xyz="0.4 0 0"/>'),
    )
    one = np.ones((1, 1))
    with Bullet(plant, (0.0, 0.0, 0.0), weld=True) as engine:
        effort = engine.hybrid_dynamics(0 * one, 0 * one, one, np.array([True]), 0 * one)[1]
    np.testing.assert_allclose(effort, 1.0 * 0.3**2 + 2.0 * (0.4**2 + 0.1**2), rtol=1e-12)


def test_a_tensor_that_no_body_has_is_welded_as_it_is_written():
    """Pinocchio takes such a number too; PyBullet by itself would set the body's to zero."""
    plant = robot(
        link("arm", 1.0, "0.1 0 0", "0.01 0.01 0.01"),
        joint("hinge", "revolute", "ground", "arm", "0 1 1"),
        link("odd", 2.0, "0 0 0.1", "1 1 4"),
        joint("weld", "fixed", "arm", "odd", "1 0 0", '<origin rpy="0.3 0.4 0.5"/>'),
    )
    plant = replace(plant, tool=None)
    assert [one.kind for one in plant.repairs] == ["impossible body", "axis"]
    q, qd, qdd = np.random.default_rng(2).uniform(-1, 1, (3, 1, 4))
    with Bullet(plant, G, weld=True) as engine:
        effort = engine.hybrid_dynamics(q, qd, qdd, np.array([True]), 0 * q)[1]
    assert_same(effort, PinocchioModel(plant, G).torque(q, qd, qdd))


def test_too_many_links_that_must_stay_apart_are_refused():
    parts = []
    for k in range(119):
        parts += [
            link(f"l{k}", 0.1, moments="1 1 1"),
            joint(f"j{k}", "revolute", "ground", f"l{k}", "0 1 0"),
        ]
    plant = robot(*parts)
    for _ in range(9):
        plant = plant.with_payload(1.0, frame="l3")
    names = tuple(link.name for link in plant.links if "payload" in link.name)
    words = (
        r"119 joints that move and 9 links that .* 'payload_9'; PyBullet takes 127 .* fewer payl"
    )
    with pytest.raises(ModelError, match=words):
        Bullet(plant, G, keep_separate=names)
    with Bullet(plant, G, keep_separate=names[:8]) as engine:
        assert len(engine.loaded_robot.joints) == 127


def test_names_of_a_user_do_not_meet_ours():
    text = dumbbell().text.replace('"rod"', '"_"').replace('"weld_2"', '"__ 0"')
    with Bullet(read_urdf(text), G, weld=True) as engine:
        assert len(engine.readback().origins) == 4
