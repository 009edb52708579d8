from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sim.dynamics.friction import friction_torque
from sim.dynamics.lagrange import inverse_dynamics
from sim.dynamics.loop_forces import inverse_dynamics as loop_dynamics
from sim.dynamics.newton_euler import wrenches
from sim.dynamics.reactions import Measure, Reaction, joint_reaction, measure
from sim.dynamics.wrench import AppliedWrench, pin_wrenches
from sim.errors import ModelError
from sim.kinematics import frame_pose
from sim.robots import load_robot
from tests.helpers.loop_robots import FourBar
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import joint, lift, link, pendulum, robot
from tests.oracle.test_dynamics_against_mujoco import mujoco_model

CLOSE = 1e-12  # of the largest entry; a dozen joints gather some hundred roundings
CLOSE_MUJOCO = 1e-11  # it finds principal axes by an iteration that stops at 1e-12
ROUNDING = 1e-12
G = 9.81

seeds = st.integers(0, 2**32 - 1)


def state(*columns):
    return tuple(np.array(column, dtype=float)[:, None] for column in columns)


def states(world):
    return world.q, world.qd, world.qdd


# Other libraries


def hinges_for_welds(robot):
    """The robot's text with every fixed joint a hinge, and all joints in the robot's order."""
    root = etree.fromstring(robot.text.encode())
    for each in root.findall("joint"):
        if each.get("type") == "fixed":
            each.set("type", "revolute")
            etree.SubElement(each, "axis", xyz="0 0 1")
            etree.SubElement(each, "limit", lower="-1", upper="1", effort="1", velocity="1")
    text = etree.tostring(root, encoding="unicode")
    return SimpleNamespace(text=text, T_0b=robot.T_0b, tree_joints=robot.joints)


def require_agreement_with_pinocchio(world, external):
    """Forces [N] and moments [N·m] each by themselves."""
    oracle = PinocchioModel(hinges_for_welds(world.robot), world.gravity)
    rows = [j for j, each in enumerate(world.robot.joints) if each.is_movable]
    widened = []
    for independent in states(world):
        all_joints = np.zeros((len(world.robot.joints), independent.shape[1]))
        all_joints[rows] = independent
        widened.append(all_joints)
    _, wanted = oracle.loaded(*widened, external)
    size = [np.abs(wanted[:, part]).max() for part in (slice(3), slice(3, 6))]
    for each, reference in zip(world.robot.joints, wanted, strict=True):
        found = joint_reaction(world.robot, each.name, *states(world), world.gravity, external)
        np.testing.assert_allclose(found.force, reference[:3], rtol=0, atol=CLOSE * (1 + size[0]))
        np.testing.assert_allclose(found.moment, reference[3:], rtol=0, atol=CLOSE * (1 + size[1]))


@given(worlds(), seeds)
def test_reactions_of_all_joints_agree_with_pinocchio(world, seed):
    require_agreement_with_pinocchio(world, random_wrenches(world.robot, world.q.shape[1], seed))


def mujoco_reactions(world, external):
    """Force and moment by the parent on every link about its origin, world axes, {link: (6, N)}."""
    model = mujoco_model(world.robot, world.gravity)
    data = mujoco.MjData(model)
    order = [model.joint(name).dofadr[0] for name in world.robot.joint_names]
    bodies = {each.child: model.body(each.child).id for each in world.robot.joints}
    found = {name: np.empty((6, world.q.shape[1])) for name in bodies}
    for k, (q, qd, qdd) in enumerate(zip(*(x.T for x in states(world)), strict=True)):
        data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, qdd
        mujoco.mj_fwdPosition(model, data)
        data.xfrc_applied[:] = 0.0
        for wrench in external:
            if wrench.link not in bodies:
                continue  # the root is the world in MuJoCo
            body = bodies[wrench.link]
            force, torque = (rows[:, k % rows.shape[1]] for rows in (wrench.force, wrench.torque))
            point = data.xpos[body] + data.xmat[body].reshape(3, 3) @ wrench.point
            arm = point - data.xipos[body]
            data.xfrc_applied[body] += np.concatenate([force, torque + np.cross(arm, force)])
        mujoco.mj_inverse(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        for name, body in bodies.items():
            moment, force = np.split(data.cfrc_int[body], 2)
            arm = data.subtree_com[model.body_rootid[body]] - data.xpos[body]
            found[name][:, k] = np.concatenate([force, moment + np.cross(arm, force)])
    return found


@given(worlds(), seeds)
def test_reactions_of_all_joints_agree_with_mujoco(world, seed):
    external = random_wrenches(world.robot, world.q.shape[1], seed)
    wanted = mujoco_reactions(world, external)
    size = max(np.abs(rows).max() for rows in wanted.values())
    for each in world.robot.joints:
        found = joint_reaction(world.robot, each.name, *states(world), world.gravity, external)
        rows = found.in_axes("world").rows
        np.testing.assert_allclose(rows, wanted[each.child], rtol=0, atol=CLOSE_MUJOCO * (1 + size))


# Closed forms


def bracket(mass, reach):
    """A pillar that turns about z, and a weight welded to it at `reach` along x."""
    out = f'<origin xyz="{reach!r} 0 0" rpy="0 0 1.5707963267948966"/>'
    return robot(
        link("pillar", 1.0),
        joint("turn", "revolute", "ground", "pillar", "0 0 1"),
        link("weight", mass),
        joint("weld", "fixed", "pillar", "weight", "0 0 1", out),
    )


def test_the_foot_of_a_robot_carries_all_of_it():
    upright = '<origin xyz="0 0 0.2"/>'
    arm = robot(
        link("base", 4.0),
        joint("bolts", "fixed", "ground", "base", "0 0 1"),
        link("arm", 2.0, "0.3 0 0"),
        joint("shoulder", "revolute", "base", "arm", "0 1 0", upright),
    )
    push = AppliedWrench("arm", np.array([0.6, 0, 0]), np.c_[[0.0, 5.0, 0]], np.zeros((3, 1)))
    found = joint_reaction(arm, "bolts", *state([0], [0], [0]), external=[push])
    # -(r × F) is (1, 0, -3) for the push at (0.6, 0, 0.2), (0, -0.6 g, 0) for the weight at 0.3
    wanted = [0, -5, 6 * G, 1.0, -0.6 * G, -3.0]
    np.testing.assert_allclose(found.rows[:, 0], wanted, rtol=0, atol=ROUNDING)


def test_the_moment_about_the_axis_is_the_drives_torque_less_the_friction():
    rough = pendulum(2.0, 0.7, more='<dynamics damping="0.5" friction="1.5"/>')
    motion = state([0.6], [3.0], [-2.0])
    spent = friction_torque(rough, motion[1])
    drive = inverse_dynamics(rough, *motion) + spent
    assert spent[0, 0] == 0.5 * 3.0 + 1.5
    about_axis = joint_reaction(rough, "hinge", *motion).moment[1]
    np.testing.assert_allclose(about_axis, (drive - spent)[0], rtol=1e-14)


# Sides, axes and points


@given(worlds(mimic=True), seeds)
def test_force_and_moment_are_one_thing_however_they_are_expressed(world, seed):
    """The power F·v + M·w of any motion of the child against the parent is always the same."""
    rng = np.random.default_rng(seed)
    names = [each.name for each in world.robot.links] + ["world"]
    each = world.robot.joints[rng.integers(len(world.robot.joints))]
    found = joint_reaction(world.robot, each.name, *states(world), world.gravity)
    v, w = rng.uniform(-1, 1, (2, 3))  # of the joint frame's origin, world axes
    origin = frame_pose(world.robot, world.q, each.child)[:3, 3]

    def power(reaction):
        placed = pose(reaction.axes)[:3, :3]
        force, moment = (
            np.einsum("abN,bN->aN", placed, rows) for rows in (reaction.force, reaction.moment)
        )
        T = pose(reaction.link)
        place = np.einsum("abN,b->aN", T[:3, :3], reaction.point) + T[:3, 3]
        speed = v[:, None] + np.cross(w, (place - origin).T).T
        return np.einsum("aN,aN->N", force, speed) + np.einsum("aN,a->N", moment, w)

    def pose(name):
        if name == "world":
            return np.broadcast_to(np.eye(4)[..., None], (4, 4, world.q.shape[1]))
        return frame_pose(world.robot, world.q, name)

    moved = found.at(str(rng.choice(names)), rng.uniform(-1, 1, 3)).in_axes(str(rng.choice(names)))
    again = moved.in_axes(str(rng.choice(names))).at(str(rng.choice(names)))
    scale = ROUNDING * 100 * (1 + np.abs(found.rows).max())
    for other in (moved, again):
        np.testing.assert_allclose(power(other), power(found), rtol=0, atol=scale)
        np.testing.assert_allclose(power(other.on("parent")), -power(found), rtol=0, atol=scale)
    back = again.at(found.link).in_axes(found.axes)
    np.testing.assert_allclose(back.rows, found.rows, rtol=0, atol=scale)


@given(worlds(mimic=True))
def test_movable_joints_have_the_reactions_of_the_whole_arm(world):
    whole = wrenches(world.robot, *states(world), world.gravity).reaction
    for each, rows in zip(world.robot.tree_joints, whole, strict=True):
        found = joint_reaction(world.robot, each.name, *states(world), world.gravity)
        np.testing.assert_array_equal(found.rows, rows)


def test_a_reaction_cannot_be_changed():
    found = joint_reaction(lift(3.0), "slide", *state([0], [0], [0]))
    with pytest.raises(ValueError, match="read-only"):
        found.force[0] = 1.0


# Closed loops


def turning_four_bar():
    bars, a = FourBar(), np.linspace(0.0, 6.0, 20)
    return bars.robot(), bars.motion(a, 3 + np.sin(a), np.cos(a))


def working_palletizer():
    """Its rods lie beside its arms: points that coincide in one plane only."""
    return load_robot("irb460"), np.random.default_rng(1).uniform(-0.5, 0.5, (3, 4, 20))


@pytest.mark.parametrize("mechanism", [turning_four_bar, working_palletizer])
def test_with_the_pins_of_its_loops_a_tree_has_the_reactions_of_the_closed_mechanism(mechanism):
    robot, motion = mechanism()
    closed = loop_dynamics(robot, *motion)
    external = pin_wrenches(robot, motion[0], closed.force)
    scale = ROUNDING * (1 + np.abs(closed.reaction).max())
    for each, rows in zip(robot.tree_joints, closed.reaction, strict=True):
        found = joint_reaction(robot, each.name, *motion, external=external)
        np.testing.assert_allclose(found.rows, rows, rtol=0, atol=100 * scale)
    assert np.abs(closed.force).max() > 1.0  # [N]; the pins do carry something


# Measures


def test_a_measure_is_the_reaction_at_its_point_along_its_axes_on_its_side():
    arm = bracket(3.0, 0.5)
    motion = state([0.4], [0.0], [0.0])
    plain = measure(arm, Measure("weld", "weld"), *motion)
    np.testing.assert_allclose(plain[:, 0], [0, 0, 3 * G, 0, 0, 0], rtol=0, atol=ROUNDING)
    at_foot = Measure("foot", "weld", on="parent", axes="pillar", at="ground")
    wanted = [0, 0, -3 * G, 0, 0.5 * 3 * G, 0]
    np.testing.assert_allclose(measure(arm, at_foot, *motion)[:, 0], wanted, rtol=0, atol=ROUNDING)
    push = AppliedWrench("weight", np.zeros(3), np.c_[[1.0, 2, 3]], np.zeros((3, 1)))
    pushed = measure(arm, Measure("weld", "weld"), *motion, (0, 0, 0), [push])
    np.testing.assert_allclose(pushed[:, 0], [-1, -2, -3, 0, 0, 0], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Measure("m", "wled"), r"Joint 'wled' is not in robot 'small'; available: turn, weld"),
        (Measure("m", "weld", axes="tip"), r"Frame 'tip' .* available: world, ground, pillar, wei"),
        (
            Measure("m", "weld", at="tip"),
            r"Frame 'tip' .* available: world, ground, pillar, weight",
        ),
    ],
)
def test_a_measure_of_what_there_is_not_is_refused_with_what_there_is(wanted, message):
    arm = bracket(3.0, 0.5)
    with pytest.raises(ModelError, match=message):
        wanted.require(arm)
    with pytest.raises(ModelError, match=message):
        measure(arm, wanted, *state([0], [0], [0]))


def test_names_and_sides_that_cannot_be_are_refused():
    for name in ("", "a.b", "a b"):
        with pytest.raises(ModelError, match="needs a name without dots and spaces"):
            Measure(name, "weld")
    with pytest.raises(ModelError, match="on the parent or on the child, not on 'ground'"):
        Measure("m", "weld", on="ground")
    found = joint_reaction(lift(3.0), "slide", *state([0], [0], [0]))
    assert isinstance(found, Reaction)
    with pytest.raises(ModelError, match="not on 'both'"):
        found.on("both")
    with pytest.raises(ModelError, match="Frame 'tip' is not in robot 'small'; available: world"):
        found.in_axes("tip")
    with pytest.raises(ModelError, match="Frame 'tip' is not in robot"):
        found.at("tip")
