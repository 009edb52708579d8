"""Balls: joints of three rows, against Pinocchio, quaternions, conservation laws and engines."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import sim
from sim.checks import check
from sim.comparison import compare
from sim.dynamics import (
    GRAVITY,
    AppliedWrench,
    LagrangianDynamics,
    inertial_parameters,
    regressor,
)
from sim.dynamics.cut_open import cut_reactions
from sim.dynamics.integration import integrate
from sim.dynamics.lagrange import forward_dynamics, mass_matrix
from sim.dynamics.link_energies import energies
from sim.dynamics.newton_euler import inverse_dynamics, wrenches
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.virtual_work import torques
from sim.engines.opening import open_engine
from sim.errors import ModelError, SimError
from sim.identification import identify
from sim.kinematics import jacobian, jacobian_rate, tree_of
from sim.maths import (
    between_vectors,
    nearest_vectors,
    other_vectors,
    position_rates,
    quaternions_of_vectors,
    rates_of_vectors,
    rotations_of_vectors,
    short_vectors,
)
from sim.motion import JointMotion
from sim.reports.page import Overlay
from sim.robots import load_robot, read_urdf
from sim.scenario import Scenario
from sim.simulation import run

MACHINE_CODE = True

EPS = np.finfo(float).eps


def link(name, rng):
    com, (a, b, c) = 0.3 * rng.normal(size=3), 0.02 + 0.03 * rng.random(3)
    rpy = " ".join(map(str, rng.normal(size=3)))
    return (
        f'<link name="{name}"><inertial><origin xyz="{com[0]} {com[1]} {com[2]}" rpy="{rpy}"/>'
        f'<mass value="{0.5 + rng.random()}"/><inertia ixx="{a}" iyy="{b}" izz="{c}" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link>'
    )


def joint(name, kind, parent, child, rng):
    xyz, rpy = (" ".join(map(str, 0.4 * rng.normal(size=3))) for _ in range(2))
    axis = rng.normal(size=3)
    axis = " ".join(repr(float(x)) for x in axis / np.linalg.norm(axis))
    limit = '<limit lower="-9" upper="9" effort="9" velocity="9"/>' if kind == "prismatic" else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limit}</joint>'
    )


def random_tree(seed, kinds):
    """A robot in which every joint hangs on any link before it."""
    rng = np.random.default_rng(seed)
    parts = ['<link name="l0"/>']
    for k, kind in enumerate(kinds):
        parts.append(link(f"l{k + 1}", rng))
        parts.append(joint(f"j{k}", kind, f"l{rng.integers(k + 1)}", f"l{k + 1}", rng))
    return read_urdf(f'<robot name="tree">{"".join(parts)}</robot>')


KINDS = "continuous spherical prismatic continuous spherical".split()
TREES = [
    random_tree(0, KINDS),
    random_tree(1, ["spherical", "spherical", "continuous"]),
    random_tree(7, ["prismatic", "spherical", "continuous", "spherical"]),
]


def states(robot, count=12, seed=3):
    """Positions with balls up to nearly a whole turn, rates and accelerations."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, len(robot.coordinates), count)) * [[[1.5]], [[3.0]], [[5.0]]]


class Pinocchio:
    """The same tree by Pinocchio, whose balls have unit quaternions."""

    def __init__(self, robot):
        import pinocchio as pin

        self.pin, self.robot, self.model = pin, robot, pin.Model()
        self.model.gravity.linear = np.array(GRAVITY)
        numbers = {robot.links[0].name: 0}
        for each in robot.joints:
            kind = {
                "spherical": pin.JointModelSpherical,
                "prismatic": lambda each=each: pin.JointModelPrismaticUnaligned(each.axis),
                "continuous": lambda each=each: pin.JointModelRevoluteUnaligned(each.axis),
            }[each.kind]()
            place = pin.SE3(each.T_pc[:3, :3], each.T_pc[:3, 3])
            number = self.model.addJoint(numbers[each.parent], kind, place, each.name)
            body = robot.link(each.child).inertia
            inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
            self.model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
            numbers[each.child] = number
        self.data = self.model.createData()
        joints = [self.model.joints[numbers[each.child]] for each in robot.tree_joints]
        self.joints = joints
        self.rows = np.concatenate([np.arange(j.idx_v, j.idx_v + j.nv) for j in joints])

    def place(self, q):
        found = np.empty(self.model.nq)
        for row, each in zip(self.robot.first_tree_rows, self.joints, strict=True):
            one = q[row : row + each.nv]
            number = Rotation.from_rotvec(one).as_quat() if each.nv == 3 else one
            found[each.idx_q : each.idx_q + each.nq] = number
        return found

    def rate(self, qd):
        found = np.empty(self.model.nv)
        found[self.rows] = qd
        return found

    def rnea(self, q, qd, qdd):
        given = self.place(q), self.rate(qd), self.rate(qdd)
        return self.pin.rnea(self.model, self.data, *given)[self.rows]

    def regressor(self, q, qd, qdd):
        given = self.place(q), self.rate(qd), self.rate(qdd)
        Y = self.pin.computeJointTorqueRegressor(self.model, self.data, *given)
        ten = [10 * (joint.id - 1) + k for joint in self.joints for k in range(10)]
        return np.array(Y)[np.ix_(self.rows, ten)]

    def aba(self, q, qd, tau):
        given = self.place(q), self.rate(qd), self.rate(tau)
        return self.pin.aba(self.model, self.data, *given)[self.rows]


def over(function, *arrays):
    return np.stack([function(*rows) for rows in zip(*(x.T for x in arrays), strict=True)], axis=-1)


@pytest.mark.parametrize("robot", TREES)
def test_torques_and_accelerations_are_pinocchios(robot):
    # rounding of a dozen products of numbers of the size of the largest torque
    q, qd, qdd = states(robot)
    other = Pinocchio(robot)
    wanted = over(other.rnea, q, qd, qdd)
    allowed = 1e-13 * np.abs(wanted).max()
    for tau in (
        torques(tree_of(robot), q, qd, qdd, GRAVITY),
        inverse_dynamics(robot, q, qd, qdd),
    ):
        np.testing.assert_allclose(tau, wanted, rtol=0, atol=allowed)
    found, wanted = forward_dynamics(robot, q, qd, qdd), over(other.aba, q, qd, qdd)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
    for k in range(q.shape[1]):
        at = Instant(robot, GRAVITY, q[:, k], qd[:, k])
        np.testing.assert_allclose(
            at.M @ qdd[:, k] + at.bias, over(other.rnea, q, qd, qdd)[:, k], rtol=0, atol=allowed
        )


@pytest.mark.parametrize("robot", TREES)
def test_every_column_of_the_regressor_is_pinocchios(robot):
    q, qd, qdd = states(robot)
    other = Pinocchio(robot)
    wanted = over(other.regressor, q, qd, qdd)
    Y, theta = regressor(robot, q, qd, qdd), inertial_parameters(robot)
    np.testing.assert_allclose(Y, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())
    tau = np.einsum("npN,p->nN", Y, theta)
    np.testing.assert_allclose(
        tau, over(other.rnea, q, qd, qdd), rtol=0, atol=1e-12 * np.abs(tau).max()
    )


def test_logs_of_robots_with_balls_are_not_identified():
    with pytest.raises(ModelError, match=r"'j1' .* is a ball; .* identification"):
        identify(TREES[0], None)


@pytest.mark.parametrize("robot", TREES)
def test_reactions_and_energies_agree_with_other_ways(robot):
    q, qd, qdd = states(robot)
    rng = np.random.default_rng(1)
    force, torque = rng.normal(size=(2, 3, q.shape[1]))
    pushed = [AppliedWrench("l2", np.array([0.1, -0.2, 0.3]), force, torque)]
    found = wrenches(robot, q, qd, qdd, GRAVITY, pushed).reaction
    other = cut_reactions(robot, q, qd, qdd, GRAVITY, pushed)  # the joints cut open, by Lagrange
    np.testing.assert_allclose(found, other, rtol=0, atol=1e-12 * np.abs(other).max())
    ke = energies(robot, q, qd, GRAVITY)[0].sum(axis=0)
    half = 0.5 * np.einsum("iN,ijN,jN->N", qd, mass_matrix(robot, q), qd)
    np.testing.assert_allclose(ke, half, rtol=1e-12)


def test_jacobians_change_as_balls_turn():
    """d/dt of J along dq/dt = B(q) qd, by central differences: step² and rounding over step."""
    robot, h = TREES[0], 1e-5
    q, qd, _ = states(robot)
    dq = h * position_rates(robot.balls, q, qd)
    for frame in ("l2", "l5"):
        change = (jacobian(robot, q + dq, frame) - jacobian(robot, q - dq, frame)) / (2 * h)
        np.testing.assert_allclose(jacobian_rate(robot, q, qd, frame), change, rtol=0, atol=2e-6)


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_engines_give_the_accelerations_of_pinocchio(engine):
    robot = TREES[0]
    q, qd, tau = states(robot)
    wanted = over(Pinocchio(robot).aba, q, qd, tau)
    n = len(robot.coordinates)
    rng = np.random.default_rng(1)
    pushed = [AppliedWrench("l2", np.array([0.1, -0.2, 0.3]), *rng.normal(size=(2, 3, 1)))]
    model = LagrangianDynamics(robot, GRAVITY)
    with open_engine(engine, robot, GRAVITY) as world:
        found, _ = world.hybrid_dynamics(q, qd, 0 * q, np.zeros(n, dtype=bool), tau)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())
        for held in ([0], [1, 2, 3], range(n)):
            mask = np.isin(np.arange(n), list(held))
            given = q, qd, tau, mask, tau, pushed
            for one, other in zip(
                world.hybrid_dynamics(*given), model.hybrid_dynamics(*given), strict=True
            ):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * np.abs(other).max())
        links = tuple(each.name for each in robot.links[1:])
        at = world.energies(q, qd, links)
    for one, other in zip((at.ke, at.pe), energies(robot, q, qd, GRAVITY), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * np.abs(other).max())


def test_rotation_vectors_are_those_of_scipy():
    rng = np.random.default_rng(0)
    q = rng.normal(size=(3, 60))
    q *= np.geomspace(1e-9, 6.2, 60) / np.linalg.norm(q, axis=0)
    wanted = Rotation.from_rotvec(q.T)
    R = rotations_of_vectors(q)
    np.testing.assert_allclose(R, np.moveaxis(wanted.as_matrix(), 0, -1), atol=8 * EPS)
    np.testing.assert_allclose(
        rotations_of_vectors(other_vectors(q)), R, atol=8 * EPS * (1 + 2 * np.pi)
    )
    np.testing.assert_allclose(short_vectors(q).T, wanted.as_rotvec(), atol=1e-13)
    signs = np.sign(np.sum(quaternions_of_vectors(q).T * wanted.as_quat(), axis=1))
    np.testing.assert_allclose(quaternions_of_vectors(q).T, signs[:, None] * wanted.as_quat(),
                               atol=8 * EPS)  # fmt: skip
    beside = q + 1e-3
    np.testing.assert_allclose(nearest_vectors(beside, other_vectors(q)), q, atol=2e-14)
    # R(q + B w dt) = R(q) exp(w dt), by central differences; B grows towards a whole turn
    q, R = q[:, :58], R[..., :58]
    w, h = rng.normal(size=q.shape), 1e-5
    B = rates_of_vectors(q, w)
    rate = (rotations_of_vectors(q + h * B) - rotations_of_vectors(q - h * B)) / (2 * h)
    spin = np.einsum("baN,bcN->acN", R, rate)
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], w, atol=2e-8)


def test_between_samples_a_ball_turns_evenly_past_half_a_turn():
    """A turn of 1 rad/s about one axis, whose vector jumps at π."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    t, at = np.linspace(0.0, 6.0, 13), np.linspace(0.0, 6.0, 50)
    samples = short_vectors(axis[:, None] * t)
    found = rotations_of_vectors(between_vectors(t, samples, at))
    np.testing.assert_allclose(found, rotations_of_vectors(axis[:, None] * at), atol=1e-14)


TOP = """<robot name="top"><link name="ground"/><link name="top"><inertial><origin xyz="2 0 0"/>
<mass value="1"/><inertia ixx="0.04" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="ball" type="spherical"><parent link="ground"/><child link="top"/></joint></robot>"""
Q0, QD0 = (0.3, 0.4, -1.0), (20.0, 1.0, -2.0)


@pytest.fixture(scope="module")
def top():
    """A heavy top that turns 20 rad/s for 5 s, with many whole turns."""
    robot, t = read_urdf(TOP), np.linspace(0.0, 5.0, 201)
    path = JointMotion({}, q0={"ball": Q0}, qd0={"ball": QD0}).on(robot, 5.0)
    return robot, t, integrate([(0.0, LagrangianDynamics(robot))], path, t)


def test_a_heavy_top_turns_as_by_quaternions(top):
    """Euler's equations about the fixed point, and a quaternion for the rotation."""
    _, t, found = top
    inertia, g = np.array([0.04, 4.1, 4.1]), np.array(GRAVITY)

    def rate(_, y):
        x, w = y[:4], y[4:]
        down = Rotation.from_quat(x).inv().apply(g)
        spin = (np.cross([2.0, 0, 0], down) - np.cross(w, inertia * w)) / inertia
        vector = 0.5 * (x[3] * w + np.cross(x[:3], w))
        return np.array([*vector, -0.5 * x[:3] @ w, *spin])

    start = [*Rotation.from_rotvec(Q0).as_quat(), *QD0]
    other = solve_ivp(rate, (0, 5), start, "DOP853", t, rtol=3e-14, atol=1e-14).y
    R = np.moveaxis(Rotation.from_quat(other[:4].T).as_matrix(), 0, -1)
    np.testing.assert_allclose(rotations_of_vectors(found.q), R, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.qd, other[4:], rtol=0, atol=1e-8)
    assert np.linalg.norm(found.q, axis=0).max() <= np.pi + 4 * EPS


def test_a_joint_torque_and_a_drive_refuse_a_ball():
    robot = read_urdf(TOP)
    for name in ("ball", "ball.x"):
        with pytest.raises(SimError, match=f"'{name}': it is a ball, which is free or passive"):
            JointMotion.displacement({name: "1d"}).on(robot, 1.0)
    with pytest.raises(SimError, match="'ball' of robot 'top' is a ball and has no spring"):
        robot.with_springs({"ball": sim.JointSpring(1.0)})
    with pytest.raises(SimError, match="three numbers, along x, y and z; got 1"):
        JointMotion({}, q0={"ball": 1.0}).on(robot, 1.0)


@pytest.mark.parametrize(
    ("ball", "arm", "reason"),
    [
        ('<dynamics friction="1"/>', "", "joint 'ball': dry friction of a ball is not supported"),
        ('<mimic joint="arm"/>', "", "joint 'ball': it is a ball, which cannot follow a joint"),
        ("", '<mimic joint="ball"/>', "joint 'arm': it mimics joint 'ball', which is a ball"),
    ],
)
def test_what_a_ball_cannot_have_is_named_with_its_line(ball, arm, reason):
    rng = np.random.default_rng(0)
    more = joint("arm", "continuous", "top", "hand", rng).replace("</joint>", f"{arm}</joint>")
    text = TOP.replace("</joint>", f"{ball}</joint>")
    with pytest.raises(SimError, match=f"URDF, line 3: {reason}"):
        read_urdf(text.replace("</robot>", f"{link('hand', rng)}{more}</robot>"))


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_top_passes_every_check(engine):
    motion = JointMotion({}, q0={"ball": Q0}, qd0={"ball": (6.0, 1.0, -2.0)})
    made = Scenario(read_urdf(TOP), motion, 0.5, dt=0.01, method="adaptive", engine=engine)
    assert [one for one in check(run(made)) if not one.ok] == []


RSSR = """<robot name="rssr"><link name="ground"/>{links}
<joint name="crank" type="continuous"><parent link="ground"/><child link="arm"/><axis xyz="0 0 1"/>
</joint><joint name="ball" type="spherical"><parent link="arm"/><child link="rod"/>
<origin xyz="0.2 0 0"/></joint><joint name="rocker" type="continuous"><parent link="ground"/>
<child link="bar"/><origin xyz="0 0.6 0.1"/><axis xyz="0.8 0 0.6"/></joint></robot>"""
FAR_END = """[[loop]]
name = "far end"
link_a = "bar"
point_a = [0.4, 0.0, 0.0]
link_b = "rod"
point_b = [0.0, 0.6, 0.0]
passive = ["ball", "rocker"]
"""


@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_a_spatial_four_bar_falls_on_its_ball(engine, tmp_path):
    """Energy is kept, and the rod's far end stays on the bar, found from its rotation vector."""
    rng = np.random.default_rng(2)
    links = "".join(link(name, rng) for name in ("arm", "rod", "bar"))
    (tmp_path / "rssr.urdf").write_text(RSSR.format(links=links))
    (tmp_path / "rssr.loops.toml").write_text(FAR_END)
    motion = JointMotion({}, qd0={"crank": 2.0}, free=("crank",))
    robot = load_robot(tmp_path / "rssr.urdf")
    made = Scenario(robot, motion, 0.3, dt=0.01, method="adaptive", engine=engine)
    found = run(made)
    assert [one for one in check(found) if not one.ok] == []
    table = found.recorded.copy()
    energy = table["ke"] + table["pe"]
    assert np.ptp(energy) < 1e-9 * np.abs(table["ke"]).max()
    crank, bar = (np.array(table[f"q.{name}"]) for name in ("crank", "rocker"))
    turned = Rotation.from_euler("z", crank[:, None]) * Rotation.from_rotvec(
        np.array(table[[f"q.ball.{c}" for c in "xyz"]])
    )
    ball = Rotation.from_euler("z", crank[:, None]).apply([0.2, 0, 0])
    rocked = Rotation.from_rotvec(bar[:, None] * np.array([0.8, 0, 0.6]))
    gap = ball + turned.apply([0, 0.6, 0]) - [0, 0.6, 0.1] - rocked.apply([0.4, 0, 0])
    assert np.abs(gap).max() < 1e-11


def test_two_vectors_of_one_rotation_are_no_difference():
    """A run whose ball is written the other way round at every sample."""
    motion = JointMotion({}, q0={"ball": Q0}, qd0={"ball": (6.0, 1.0, -2.0)})
    found = run(Scenario(read_urdf(TOP), motion, 0.2, dt=0.01, method="adaptive"))
    names = [f"q.ball.{c}" for c in "xyz"]
    turned = found.recorded.copy()
    turned[names] = other_vectors(found.recorded[names].to_numpy().T).T
    other = replace(found, recorded=turned)
    assert [one for one in check(other) if not one.ok] == []
    differences = {one.channel: one.worst for one in compare(other, found).differences}
    assert max(differences[name] for name in names) <= 16 * EPS
    turned["q.ball.x"] += 1e-3
    assert [one.channel for one in check(other) if not one.ok] != []


@pytest.fixture(scope="module")
def past_half_a_turn():
    """A top that spins about 1.5 turns, and the same kept half as often and offset by a sample."""
    motion = JointMotion({}, q0={"ball": Q0}, qd0={"ball": (30.0, 1.0, -2.0)})
    found = run(Scenario(read_urdf(TOP), motion, 0.3, dt=0.0025, method="adaptive"))
    names = [f"q.ball.{c}" for c in "xyz"]
    jumps = np.abs(np.diff(found.recorded[names].to_numpy(), axis=0)).max()
    assert jumps > 3.0  # rad: the vectors go on at the other end
    return found, names


@pytest.mark.parametrize("turned", [False, True], ids=["short", "other way round"])
def test_between_samples_a_comparison_follows_the_rotation(past_half_a_turn, turned):
    """A run read at the times of another between its samples, and written with other wraps."""
    found, names = past_half_a_turn
    coarse = found.recorded.iloc[::2].copy()
    if turned:
        coarse[names] = other_vectors(coarse[names].to_numpy().T).T
    differences = compare(replace(found, recorded=coarse), found).differences
    worst = {one.channel: one.worst for one in differences}
    # 30 rad/s in steps h = 5 ms: a cubic spline misses cos(ωt/2) by 5/384 (ωh/2)⁴ = 4e-7, the
    # angle by twice that, and at the ends of the run by some times more
    assert max(worst[name] for name in names) < 4e-6  # rad


def test_a_ghost_written_with_other_wraps_is_not_apart(past_half_a_turn):
    found, names = past_half_a_turn
    other = found.recorded.iloc[1::2].copy()
    other[names] = other_vectors(other[names].to_numpy().T).T
    assert not Overlay("again", other).is_apart(found)
    moved = other.assign(**{names[0]: other[names[0]] + 0.01})
    assert Overlay("moved", moved).is_apart(found)


@pytest.mark.parametrize("method", ["ideal", "stepped"])
def test_other_methods_refuse_a_ball(method):
    made = Scenario(read_urdf(TOP), JointMotion({}), 0.5, method=method)
    with pytest.raises(SimError, match=r"Joint 'ball.*use method 'adaptive'"):
        run(made)
