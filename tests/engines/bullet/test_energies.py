import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.energies import CHUNK
from sim.maths.rotations import rotations_of
from sim.robots import load_robot
from tests.helpers.small_robots import double_pendulum, joint, lift, robot

G = (0.0, 0.0, -9.81)
ROUNDING = 1e-12


def ask(plant, q, qd, links, gravity=G):
    with Bullet(plant, gravity) as engine:
        return engine.energies(np.atleast_2d(q), np.atleast_2d(qd), links)


def test_links_are_in_the_order_asked_for():
    arm = double_pendulum(1.0, 2.0, 0.5, 0.7)
    q, qd = np.array([[0.3], [0.4]]), np.array([[1.0], [-2.0]])
    forth, back = ask(arm, q, qd, ("upper", "lower")), ask(arm, q, qd, ("lower", "upper"))
    np.testing.assert_array_equal(forth.ke, back.ke[::-1])
    np.testing.assert_allclose(forth.ke[0], 1.0 * 0.5**2 / 2, rtol=1e-13)
    np.testing.assert_allclose(forth.pe[0], -9.81 * 0.5 * np.cos(0.3), rtol=1e-13)


def test_the_frame_of_a_link_is_not_that_of_its_principal_axes():
    """A link whose principal axes lean: its frame turns by q alone, its energy knows the lean."""
    m, com, rpy, moments = 2.0, np.array([0.1, 0.2, 0.3]), (0.3, -0.5, 0.8), (0.02, 0.03, 0.045)
    words = (" ".join(map(str, row)) for row in (com, rpy))
    ixx, iyy, izz = moments
    tip = (
        '<link name="tip"><inertial><origin xyz="{}" rpy="{}"/><mass value="2"/><inertia '
        f'ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    ).format(*words)
    plant = robot(tip, joint("turn", "revolute", "ground", "tip", "0 0 1"))
    q, qd = np.array([0.3, 2.0]), np.array([2.0, -3.0])
    found, zero = ask(plant, q, qd, ("tip",)), 0 * q
    leaning = Rotation.from_euler("xyz", rpy).as_matrix()
    about_z = m * (com[:2] @ com[:2]) + (leaning @ np.diag(moments) @ leaning.T)[2, 2]
    np.testing.assert_allclose(found.ke[0], about_z * qd**2 / 2, rtol=1e-12)
    np.testing.assert_allclose(found.pe[0], m * 9.81 * com[2], rtol=1e-12)
    turned = [zero, zero, np.sin(q / 2), np.cos(q / 2)]
    np.testing.assert_allclose(found.tool[:3], 0, atol=ROUNDING)
    np.testing.assert_allclose(found.tool[3:7], turned, atol=ROUNDING)
    np.testing.assert_allclose(found.tool[7:10], 0, atol=ROUNDING)


def test_the_energies_are_those_of_the_masses_that_the_engine_holds():
    with Bullet(lift(2.0), G) as engine:
        engine.bullet.changeDynamics(engine.body, 0, mass=6.0, physicsClientId=engine.client)
        found = engine.energies(np.array([[0.5]]), np.array([[2.0]]), ("load",))
    np.testing.assert_allclose(found.ke, 6 * 2.0**2 / 2)
    np.testing.assert_allclose(found.pe, 6 * 9.81 * 0.5)


def test_samples_do_not_depend_on_how_many_are_asked_for():
    ur10 = load_robot("ur10").with_payload(5.0, (0, 0, 0.1))
    q, qd = np.random.default_rng(0).uniform(-3, 3, (2, 6, CHUNK + 2))
    told = []
    with Bullet(ur10, G, told.append) as engine:
        whole = engine.energies(q, qd, ("payload", "forearm_link"))
        last = engine.energies(q[:, -1:], qd[:, -1:], ("payload", "forearm_link"))
    np.testing.assert_array_equal(whole.ke[:, -1:], last.ke)
    np.testing.assert_array_equal(whole.pe[:, -1:], last.pe)
    np.testing.assert_array_equal(np.abs(whole.tool[:, -1:]), np.abs(last.tool))
    assert told == [CHUNK, CHUNK + 2, CHUNK + 3]


@given(st.integers(0, 10**6))
def test_rotations_of_quaternions_are_those_of_scipy(seed):
    q = np.random.default_rng(seed).normal(size=(4, 3))
    q /= np.linalg.norm(q, axis=0)
    wanted = np.moveaxis(Rotation.from_quat(q.T).as_matrix(), 0, -1)
    np.testing.assert_allclose(rotations_of(q), wanted, rtol=0, atol=1e-14)


def test_answers_do_not_depend_on_the_steps_before_them():
    """PyBullet normalises the quaternion of a base with principal axes of its own in each step."""
    q, qd, qdd = np.random.default_rng(3).uniform(-0.8, 0.8, (3, 6, 5))
    answers = []
    with Bullet(load_robot("kr210"), G) as engine:
        for steps in (0, 1, 1, 2):
            for _ in range(steps):
                engine.bullet.stepSimulation(engine.client)
            survey = engine.energies(q, qd, ("link_3",))
            held = engine.hybrid_dynamics(q, qd, qdd, np.ones(6, dtype=bool), np.zeros((6, 5)))
            answers.append(np.concatenate([survey.ke, survey.pe, survey.tool, *held]))
    for other in answers[1:]:
        np.testing.assert_array_equal(other, answers[0])
