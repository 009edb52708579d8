"""Joint types of several motions, against Pinocchio's own joints of these types."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sim
from sim.checks import check
from sim.dynamics import GRAVITY
from sim.dynamics.newton_euler import inverse_dynamics
from sim.engines.opening import open_engine
from sim.errors import ModelError
from sim.robots import read_urdf

ORIGIN = '<origin xyz="0.3 -0.1 0.2" rpy="0.4 -0.7 1.1"/>'
NORMAL = np.array([0.48, 0.6, 0.64])
AXIS = f'<axis xyz="{" ".join(map(repr, NORMAL.tolist()))}"/>'
# the largest component of the normal is z, after which x comes
A = np.array([1.0, 0, 0]) - NORMAL[0] * NORMAL
A /= np.linalg.norm(A)
B = np.cross(NORMAL, A)
BODY = (
    '<link name="{}"><inertial><origin xyz="0.2 0.05 -0.1" rpy="0.3 0.2 0.1"/><mass value="1.3"/>'
    '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
SQUARE = '<axis xyz="0.6 0.8 0"/><axis2 xyz="-0.8 0.6 0"/>'
KINDS = {"universal": SQUARE, "cylindrical": AXIS, "planar": AXIS, "floating": ""}
NAMES = {
    "universal": ("j.turn_a", "j.turn_b"),
    "cylindrical": ("j.slide", "j.turn"),
    "planar": ("j.slide_a", "j.slide_b", "j.turn"),
    "floating": ("j.slide_x", "j.slide_y", "j.slide_z", "j.ball.x", "j.ball.y", "j.ball.z"),
}


def text(kind, more=None, parent="arm"):
    return (
        f'<robot name="r"><link name="ground"/>{BODY.format("arm")}\n{BODY.format("part")}\n'
        '<joint name="h" type="continuous"><parent link="ground"/><child link="arm"/>'
        '<axis xyz="0 1 0"/></joint>\n'
        f'<joint name="j" type="{kind}">{ORIGIN}<parent link="{parent}"/><child link="part"/>'
        f"{KINDS[kind] if more is None else more}</joint></robot>"
    )


@cache
def robot_with(kind):
    return read_urdf(text(kind))


def pinocchio(kind):
    """The same robot by Pinocchio's joint of this type."""
    import pinocchio as pin

    model, body = pin.Model(), robot_with(kind).link("part").inertia
    model.gravity.linear = np.array(GRAVITY)
    inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
    arm = model.addJoint(0, pin.JointModelRY(), pin.SE3.Identity(), "h")
    model.appendBodyToJoint(arm, inertia, pin.SE3.Identity())
    turned = pin.SE3.Identity()
    if kind == "universal":
        own = pin.JointModelUniversal(np.array([0.6, 0.8, 0]), np.array([-0.8, 0.6, 0]))
    elif kind == "cylindrical":
        own = pin.JointModelComposite(pin.JointModelPrismaticUnaligned(NORMAL))
        own.addJoint(pin.JointModelRevoluteUnaligned(NORMAL))
    elif kind == "planar":  # in its own x and y, about its z
        own, turned = pin.JointModelPlanar(), pin.SE3(np.stack([A, B, NORMAL], 1), np.zeros(3))
    else:
        own = pin.JointModelFreeFlyer()
    turn = Rotation.from_euler("xyz", [0.4, -0.7, 1.1]).as_matrix()
    place = pin.SE3(turn, np.array([0.3, -0.1, 0.2]))
    part = model.addJoint(arm, own, place * turned, "j")
    model.appendBodyToJoint(part, inertia, turned.inverse())
    return pin, model


def torque_by_pinocchio(kind, q, qd, qdd):
    """Its torques in our rows: its rates are v = S qd, along the axes of the part."""
    pin, model = pinocchio(kind)
    S, S_rate, place = np.eye(q.size), np.zeros((q.size, q.size)), q
    if kind == "planar":
        R = Rotation.from_rotvec([0, 0, q[3]]).as_matrix()[:2, :2]
        S[1:3, 1:3] = R.T
        S_rate[1:3, 1:3] = qd[3] * np.array([[0, 1], [-1, 0]]) @ R.T
        place = np.array([*q[:3], np.cos(q[3]), np.sin(q[3])])
    if kind == "floating":
        R = Rotation.from_rotvec(q[4:])
        S[1:4, 1:4] = R.as_matrix().T
        S_rate[1:4, 1:4] = -pin.skew(qd[4:]) @ R.as_matrix().T
        place = np.array([*q[:4], *R.as_quat()])
    return S.T @ pin.rnea(model, model.createData(), place, S @ qd, S @ qdd + S_rate @ qd)


@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_is_pinocchios_joint_of_that_type(kind):
    robot = robot_with(kind)
    assert robot.row_names == ("h", *NAMES[kind])
    assert robot.repairs == read_urdf(text(kind), strict=True).repairs == ()
    q, qd, qdd = np.random.default_rng(4).normal(size=(3, len(robot.row_names), 6))
    states = zip(q.T, qd.T, qdd.T, strict=True)
    wanted = np.stack([torque_by_pinocchio(kind, *state) for state in states], axis=1)
    found = inverse_dynamics(robot, q, qd, qdd)
    # rounding of a dozen products of numbers of the size of the largest torque
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13 * np.abs(wanted).max())


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
@pytest.mark.parametrize("kind", KINDS)
def test_engines_have_the_accelerations_that_need_these_torques(kind, engine):
    robot = robot_with(kind)
    q, qd, qdd = np.random.default_rng(5).normal(size=(3, len(robot.row_names), 3))
    tau = np.stack([torque_by_pinocchio(kind, *s) for s in zip(q.T, qd.T, qdd.T, strict=True)], 1)
    with open_engine(engine, robot, GRAVITY) as world:
        free = np.zeros(len(q), dtype=bool)
        found, _ = world.hybrid_dynamics(q, qd, 0 * q, free, tau)
    # frames of 1e-15 kg between bodies of 1 kg, and the condition of the mass matrix
    np.testing.assert_allclose(found, qdd, rtol=0, atol=1e-10)


def test_a_loose_part_on_the_ground_flies():
    """Thrown and turning: its mass centre on a parabola, its angular momentum as at the start."""
    robot = read_urdf(text("floating", parent="ground"))
    start = {"h": 0.0, "j.slide_x": 1.0, "j.slide_y": 0.0, "j.slide_z": 0.5, "j.ball": (2.5, 0, 0)}
    rates = {"j.slide_x": 1.0, "j.slide_z": 3.0, "j.ball": (9.0, 4.0, -2.0)}
    free = [f"j.slide_{c}" for c in "xyz"]
    motion = sim.JointMotion({}, q0=start, qd0=rates, free=free)
    recording = sim.run(sim.Scenario(robot, motion, duration=0.3, dt=0.01), method="adaptive")
    assert all(one.ok for one in check(recording))
    t = recording.t
    x, turn, w = (
        np.stack([recording.recorded[f"{group}.j.{name}"] for name in names])
        for group, names in (
            ("q", ("slide_x", "slide_y", "slide_z")),
            ("q", ("ball.x", "ball.y", "ball.z")),
            ("qd", ("ball.x", "ball.y", "ball.z")),
        )
    )
    body = robot.link("part").inertia
    R = Rotation.from_rotvec(turn.T).as_matrix()
    place = Rotation.from_euler("xyz", [0.4, -0.7, 1.1]).as_matrix()
    c = place @ (x + np.einsum("nij,j->in", R, body.com))
    at_start = place @ ([1.0, 0, 3.0] + R[0] @ np.cross(w[:, 0], body.com))
    flown = c[:, :1] + at_start[:, None] * t + 0.5 * np.outer(GRAVITY, t**2)
    np.testing.assert_allclose(c, flown, rtol=0, atol=1e-9)  # m, of the integrator
    spin = np.einsum("nij,jk,kn->in", R, body.tensor, w)
    np.testing.assert_allclose(spin, np.outer(spin[:, 0], np.ones(t.size)), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("normal", "a", "b"),
    [("0 0 1", (1, 0, 0), (0, 1, 0)), ("1 0 0", (0, 1, 0), (0, 0, 1)), ("0 -1 0", (0, 0, 1), None)],
)
def test_a_plane_has_the_axes_of_the_frame(normal, a, b):
    robot = read_urdf(text("planar", f'<axis xyz="{normal}"/>'))
    np.testing.assert_array_equal(robot.joint("j.slide_a").axis, a)
    np.testing.assert_array_equal(robot.joint("j.slide_b").axis, b or (-1, 0, 0))


@pytest.mark.parametrize(
    ("kind", "more", "says"),
    [
        ("universal", '<axis xyz="1 0 0"/>', "it is universal and has only one of two"),
        ("universal", '<axis xyz="1 0 0"/><axis2 xyz="1 1 0"/>', "axes are at 45 degrees"),
        ("planar", '<axis xyz="0 0 0"/>', "its axis is zero"),
        ("cylindrical", '<dynamics damping="1"/>', "<dynamics> does not select one of j.slide"),
        ("planar", '<limit lower="-1" upper="1"/>', "<limit> does not select one of j.slide_a"),
        ("floating", '<mimic joint="h"/>', "it is floating, and its <mimic> does not select"),
    ],
)
def test_what_a_chain_cannot_have_is_named_with_its_line(kind, more, says):
    with pytest.raises(ModelError, match=f"URDF, line 4: joint 'j': .*{says}"):
        read_urdf(text(kind, more))


def test_zeros_say_nothing_and_a_follower_names_one_motion():
    zeros = '<limit lower="0" upper="0" effort="0" velocity="0"/><dynamics damping="0"/>'
    assert read_urdf(text("floating", zeros)).row_names[1:] == NAMES["floating"]
    follows = '<axis xyz="0 1 0"/><mimic joint="j"/>'
    leading = text("cylindrical").replace('<axis xyz="0 1 0"/>', follows)
    with pytest.raises(ModelError, match=r"joint 'h': it mimics joint 'j', .* j\.slide, j\.turn"):
        read_urdf(leading)
    robot = read_urdf(leading.replace('mimic joint="j"', 'mimic joint="j.turn"'))
    assert robot.joint("h").mimic.joint == "j.turn"


def test_what_carries_joints_is_a_base():
    on_base = text("floating", parent="ground").replace('parent link="ground"/><child link="arm"',
        'parent link="part"/><child link="arm"')  # fmt: skip
    (repair,) = read_urdf(on_base).repairs
    assert (repair.kind, repair.part) == ("floating base", "joint 'j'")
    with pytest.raises(ModelError, match="'floating' is not supported of a base"):
        read_urdf(on_base, strict=True)
