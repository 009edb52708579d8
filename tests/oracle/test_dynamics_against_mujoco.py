import mujoco
import numpy as np
import pytest
from hypothesis import given
from lxml import etree

from sim.dynamics import lagrange, newton_euler
from sim.kinematics import frame_motion
from sim.maths import quaternion_xyzw
from sim.robots import load_robot, read_urdf
from tests.helpers.random_robots import random_urdf
from tests.helpers.random_worlds import in_random_states, worlds

# MuJoCo finds principal axes of a tensor by an iteration that stops at 1e-12.
CLOSE = 1e-11  # of the largest entry in the sample

OPTIONS = (
    '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
)


def mujoco_model(robot, gravity):
    """MuJoCo's own reading of the URDF, without shapes, mounted like the robot."""
    root = etree.fromstring(robot.text.encode())
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    root.insert(0, etree.fromstring(OPTIONS))
    model = mujoco.MjModel.from_xml_string(etree.tostring(root, encoding="unicode"))
    model.opt.gravity[:] = gravity
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.body_mass[model.body_weldid == 0] = 0.0  # the energy of what cannot move
    R, p = robot.T_0b[:3, :3], robot.T_0b[:3, 3]
    x, y, z, w = quaternion_xyzw(R[:, :, None])[:, 0]
    for body in range(1, model.nbody):
        if model.body_parentid[body] == 0:
            model.body_pos[body] = p + R @ model.body_pos[body]
            turned = np.empty(4)
            mujoco.mju_mulQuat(turned, np.array([w, x, y, z]), model.body_quat[body])
            model.body_quat[body] = turned
    return model


def answers(world):
    """Torque, M, g, energies and the last link's motion from MuJoCo, time last."""
    robot = world.robot
    model = mujoco_model(robot, world.gravity)
    data = mujoco.MjData(model)
    order = [model.joint(name).dofadr[0] for name in robot.joint_names]
    tip = model.body(robot.links[-1].name).id
    rows = {name: [] for name in ("torque", "M", "g", "kinetic", "potential", "tip")}
    for q, qd, qdd in zip(world.q.T, world.qd.T, world.qdd.T, strict=True):
        data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        rows["torque"].append(data.qfrc_inverse[order])
        rows["potential"].append(data.energy[0])
        rows["kinetic"].append(data.energy[1])
        M = np.empty((model.nv, model.nv))
        for column, unit in zip(M, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(model, data, column, unit)
        rows["M"].append(M[np.ix_(order, order)])
        twist = np.empty(6)  # angular first, world axes, at the body's frame
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, tip, twist, 0)
        pose = np.concatenate([data.xmat[tip], data.xpos[tip]])
        rows["tip"].append(np.concatenate([pose, twist[3:], twist[:3]]))
        data.qvel[:], data.qacc[:] = 0.0, 0.0
        mujoco.mj_inverse(model, data)
        rows["g"].append(data.qfrc_inverse[order])
    return {name: np.stack(values, axis=-1) for name, values in rows.items()}


def require_agreement(world):
    reference = answers(world)
    state = (world.q, world.qd, world.qdd)
    terms = lagrange.terms(world.robot, world.q, world.qd, world.gravity)
    tip = frame_motion(world.robot, world.robot.links[-1].name, world.q, world.qd)
    got = {
        "torque": newton_euler.inverse_dynamics(world.robot, *state, world.gravity),
        "M": terms.M,
        "g": terms.g,
        "kinetic": terms.ke.sum(axis=0),
        "potential": terms.pe.sum(axis=0),
        "tip": np.concatenate([tip.R.reshape(9, -1), tip.p, tip.v, tip.w]),
    }
    for name, value in got.items():
        wanted = reference[name]
        axes = tuple(range(wanted.ndim - 1))
        size = np.abs(wanted).max(axis=axes)
        if name == "potential":  # the links' may cancel in the sum
            size = np.abs(terms.pe).sum(axis=0)
        error = np.abs(value - wanted).max(axis=axes)
        # where there is no gravity its torque is zero: below 1e-3 the error counts as it is
        assert np.max(error / np.maximum(size, 1e-3)) < CLOSE, name


def test_ur10_with_payload_agrees_with_mujoco():
    robot = load_robot("ur10").with_payload(10.0, (0.02, -0.01, 0.1), np.diag([0.1, 0.08, 0.05]))
    mounted = robot.mounted((0.1, 0.2, 0.3), (0.4, -0.5, 0.6))
    require_agreement(in_random_states(mounted, (1.0, 2.0, -9.0), 1, 100))


@given(worlds())
def test_random_trees_agree_with_mujoco(world):
    require_agreement(world)


@pytest.mark.parametrize("n", range(2, 13))
def test_trees_of_every_size_agree_with_mujoco(n):
    robot = read_urdf(random_urdf(np.random.default_rng(n), n))
    require_agreement(in_random_states(robot, (3.0, -4.0, 8.0), n, 10))
