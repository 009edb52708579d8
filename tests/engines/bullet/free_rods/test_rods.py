from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sim.dynamics.loop_forces import inverse_dynamics
from sim.engines.bullet import welding
from sim.engines.bullet.bullet import Bullet
from sim.engines.bullet.free_rods.rods import free_rods
from sim.engines.ideal import solve_ideal
from sim.errors import EngineError, ModelError
from sim.kinematics import frame_motion
from sim.maths import rotation_from_rpy
from sim.robots import Loop, load_robot, read_urdf
from tests.helpers import small_robots as small
from tests.helpers.loop_robots import FourBar
from tests.helpers.pinocchio_model import PinocchioModel

GRAVITY = (0.0, 0.0, -9.81)
IRB = load_robot("irb460").with_payload(60.0, (0.1, 0.05, -0.3), np.diag([1.0, 1.2, 0.8]))
MIDDLE = np.array([[0.1], [-0.5], [-0.4], [0.0]])
SIZE = np.array([[0.5], [0.4], [0.35], [0.8]])
RATE = np.array([[1.1], [1.7], [1.3], [2.0]])
PHASE = np.array([[0.0], [0.3], [-0.5], [0.2]])


def swinging(t):
    """All four motors of the palletizer on sines, up to 0.7 rad/s: q, qd, qdd."""
    angle = RATE * t + PHASE
    first, second = SIZE * RATE, SIZE * RATE**2
    return MIDDLE + SIZE * np.sin(angle), first * np.cos(angle), -second * np.sin(angle)


def on_tree(robot, motion):
    S, q_0 = robot.coupling

    def path(t):
        q, qd, qdd = motion(t)
        return S @ q + q_0[:, None], S @ qd, S @ qdd

    return path


def marched(robot, motion, h, duration):
    """Times, run, drive torques by Pinocchio's tree and the coupling, forces by multipliers."""
    t = h * np.arange(round(duration / h) + 1)
    run = free_rods(robot, t, on_tree(robot, motion), GRAVITY)
    coupled = robot.coupling[0].T @ PinocchioModel(robot, GRAVITY).torque(
        *on_tree(robot, motion)(t)
    )
    return t, run, coupled


def along_rods(robot, motion, t, run):
    """Forces at the loops' pins, by the engine and by the multipliers, in the rods' frames."""
    found = inverse_dynamics(robot, *motion(t), GRAVITY).force
    rows = []
    for k, loop in enumerate(robot.loops):
        R = frame_motion(robot, loop.link_a, *motion(t)[:2]).R
        rows.append([np.einsum("baN,bN->aN", R, x) for x in (run.force[2 * k + 1], found[k, :3])])
    return np.swapaxes(rows, 0, 1)


@pytest.fixture(scope="module")
def runs():
    """The palletizer with free rods at 2, 1 and 0.5 ms."""
    return {h: marched(IRB, swinging, h, 1.0) for h in (2e-3, 1e-3, 5e-4)}


def torque_errors(runs, h):
    _, run, coupled = runs[h]
    return np.abs(run.tau - coupled).max(axis=1) / np.abs(coupled).max(axis=1)


def test_motor_torques_with_free_rods_are_those_of_the_coupled_model(runs):
    assert (torque_errors(runs, 1e-3) < 1e-3).all()  # of each motor's own peak


def test_the_torques_converge_at_first_order(runs):
    errors = [torque_errors(runs, h) for h in runs]
    for coarse, fine in pairwise(errors):
        np.testing.assert_array_less(1.9, coarse / fine)


def test_the_balls_stay_closed_and_close_at_second_order(runs):
    gaps = [run.gap.max() for _, run, _ in runs.values()]
    for coarse, fine in pairwise(gaps):
        assert coarse / fine == pytest.approx(4, rel=0.02)
    assert gaps[1] < 5e-7  # [m], with 1 ms: half of h² times the pins' acceleration
    _, finest, _ = marched(IRB, swinging, 2e-4, 0.2)
    assert finest.gap.max() < 1e-7  # [m]


def test_extrapolated_as_every_stepped_run_is_loops_are_closed_and_torques_are_coupled(runs):
    """From 1 and 0.5 ms: gaps (4 x(h/2) - x(h))/3, torques 2 x(h/2) - x(h)."""
    (_, coarse, coupled), (_, fine, _) = runs[1e-3], runs[5e-4]
    steady = slice(5, None)  # the rods fall into the rhythm of their step first
    gap = (4 * fine.gap[:, ::2] - coarse.gap)[:, steady] / 3
    assert np.abs(gap).max() < 1e-9  # [m]
    tau = (2 * fine.tau[:, ::2] - coarse.tau)[:, steady]
    errors = np.abs(tau - coupled[:, steady]).max(axis=1) / np.abs(coupled).max(axis=1)
    assert errors[0] < 1e-4  # of the peak; the swing, which turns the rods about their own lines
    assert (errors[1:] < 1e-6).all()


def test_forces_in_the_rods_are_the_multipliers_of_their_loops(runs):
    """In the plane of the arm; across it a rod on two balls shares what the model's hinge bears."""
    plane = (1, 2)  # y and z of every rod
    errors = []
    for h in runs:
        t, run, _ = runs[h]
        engine, model = along_rods(IRB, swinging, t, run)
        peak = np.abs(model[:, plane]).max(axis=(1, 2))
        errors.append(np.abs((engine - model)[:, plane]).max(axis=(1, 2)) / peak)
    assert (errors[1] < 1e-3).all()
    for coarse, fine in pairwise(errors):
        np.testing.assert_array_less(1.9, coarse / fine)


def test_at_rest_torques_and_rod_forces_are_exact():
    def still(t):
        return [x * np.ones_like(t) for x in (MIDDLE, 0 * MIDDLE, 0 * MIDDLE)]

    t, run, coupled = marched(IRB, still, 1e-3, 0.02)
    np.testing.assert_allclose(run.tau, coupled, rtol=0, atol=1e-9 * np.abs(coupled).max())
    engine, model = along_rods(IRB, still, t, run)
    np.testing.assert_allclose(engine, model, rtol=0, atol=1e-8 * np.abs(model).max())
    assert run.gap.max() < 1e-13  # [m]


def test_a_rod_pulls_its_two_links_with_its_weight_in_all():
    def still(t):
        return [x * np.ones_like(t) for x in (MIDDLE, 0 * MIDDLE, 0 * MIDDLE)]

    _, run, _ = marched(IRB, still, 1e-3, 0.01)
    for k, mass in enumerate((25.0, 10.0, 10.0)):
        both = run.force[2 * k, :, -1] + run.force[2 * k + 1, :, -1]
        np.testing.assert_allclose(both, [0, 0, -9.81 * mass], rtol=0, atol=1e-6)  # [N] of 1000


BARS = FourBar()


def turning(t):
    """A four-bar whose crank turns unevenly, in closed form."""
    return BARS.motion(2 * t + 0.3 * np.sin(3 * t), 2 + 0.9 * np.cos(3 * t), -2.7 * np.sin(3 * t))


def test_a_four_bar_whose_coupling_is_not_linear_is_proved_the_same_way():
    robot = BARS.robot()
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        t = h * np.arange(round(2.0 / h) + 1)
        run = free_rods(robot, t, turning, GRAVITY)
        model = inverse_dynamics(robot, *turning(t), GRAVITY)
        np.testing.assert_array_equal(run.tau[1:], 0)
        torque, force = np.abs(run.tau - model.tau), np.abs(run.force[1] - model.force[0, :3])
        errors.append([torque.max() / model.tau.max(), force.max() / np.abs(model.force).max()])
        assert run.gap.max() < 3.0 * h**2  # [m]; h²/2 times the coupler's acceleration
    errors = np.array(errors)
    assert (errors[1] < 2e-4).all()
    np.testing.assert_array_less(1.8, errors[:-1] / errors[1:])


def test_a_thick_rod_keeps_the_spin_it_starts_with():
    """Swung evenly, a rod that leans turns about its own line too; no ball can drive that."""
    thin = '<inertia ixx="1.868125" ixy="0" ixz="0" iyy="1.868125" iyz="0" izz="0.0153125"/>'
    assert thin in IRB.text
    text = IRB.text.replace(thin, thin.replace("0.0153125", "3.5"))
    robot = replace(read_urdf(text, tool="tool0"), loops=IRB.loops)

    def even(t):
        q = MIDDLE + 0 * t
        q[0] = 2.0 * t
        return q, np.array([[2.0], [0.0], [0.0], [0.0]]) + 0 * t, 0 * q

    _, run, coupled = marched(robot, even, 1e-3, 0.2)
    np.testing.assert_allclose(run.tau, coupled, rtol=0, atol=1e-6 * np.abs(coupled).max())


def test_a_machine_that_is_not_what_its_couplings_say_is_found_out():
    text = IRB.text.replace('xyz="0 0.08 0.8225"', 'xyz="0 0.08 0.8235"')  # a pin 1 mm higher
    wrong = read_urdf(text, tool="tool0")
    wrong = replace(wrong, loops=IRB.loops)
    t = 1e-3 * np.arange(300)
    with pytest.raises(EngineError, match=r"joint 'link_plate_joint' is .* rad away .* t = 0\."):
        free_rods(wrong, t, on_tree(wrong, swinging), GRAVITY)


def test_a_robot_mounted_askew_under_any_gravity_is_the_same():
    robot = IRB.mounted((0.1, 0.2, 0.3), (0.3, -0.2, 0.5))
    t = 1e-3 * np.arange(50)
    gravity = (1.0, 2.0, -9.0)
    run = free_rods(robot, t, on_tree(robot, swinging), gravity)
    path = on_tree(robot, swinging)(t)
    coupled = robot.coupling[0].T @ PinocchioModel(robot, gravity).torque(*path)
    peak = np.abs(coupled).max(axis=1, keepdims=True)
    assert (np.abs(run.tau - coupled) < 2e-3 * peak).all()


def test_a_robot_whose_loops_have_no_rods_is_refused():
    ur10 = load_robot("ur10")
    robot = replace(ur10, loops=(Loop("x", "tool0", (0, 0, 0), "base_link", (1, 0, 0)),))
    with pytest.raises(ModelError, match="has no rod"):
        free_rods(robot, np.arange(3.0), on_tree(robot, lambda t: np.zeros((3, 6, 3))), GRAVITY)


def test_ideal_motors_on_every_joint_give_the_same_torques_by_virtual_work():
    t = np.linspace(0.0, 1.0, 50)
    path = on_tree(IRB, swinging)(t)
    with Bullet(IRB, GRAVITY) as engine:
        found = solve_ideal(engine, t, *path)
    S, _ = IRB.coupling
    coupled = S.T @ PinocchioModel(IRB, GRAVITY).torque(*path)
    assert np.abs(S.T @ found.tau - coupled).max() < 1e-11 * np.abs(coupled).max()


def test_a_loop_that_ends_at_a_welded_link_is_the_same(monkeypatch):
    """The rod is pinned to an eye that is fixed to the rocker, turned and a little aside."""
    plain = BARS.robot()
    eye = small.link("eye", 0.4, moments="0.01 0.02 0.03")
    at = '<origin xyz="0 0 0.3" rpy="0.3 0.2 0.1"/>'
    eye += small.joint("weld", "fixed", "rocker", "eye", "1 0 0", at)
    # the last link of a chain is the tool frame, which is never welded
    eye += '<link name="tip"/>' + small.joint("weld_2", "fixed", "eye", "tip", "1 0 0")
    tree = read_urdf(plain.text.replace("</robot>", eye + "</robot>"))
    (loop,) = plain.loops
    pin = rotation_from_rpy((0.3, 0.2, 0.1)).T @ (0, 0, BARS.rocker - 0.3)
    robot = replace(tree, loops=(replace(loop, link_b="eye", point_b=pin),))
    t = 1e-3 * np.arange(300)
    runs = []
    for most in (127, 0):
        monkeypatch.setattr(welding, "MOST_JOINTS", most)
        runs.append(free_rods(robot, t, turning, GRAVITY))
    model = inverse_dynamics(robot, *turning(t), GRAVITY)
    assert np.abs(runs[1].tau - model.tau).max() < 2e-4 * np.abs(model.tau).max()  # O(h)
    # both ways rounding, which a step of 1 ms and the balls' solver enlarge
    for name in ("tau", "force"):
        alone, welded = getattr(runs[0], name), getattr(runs[1], name)
        np.testing.assert_allclose(welded, alone, rtol=0, atol=1e-9 * np.abs(alone).max())
    np.testing.assert_allclose(runs[1].gap, runs[0].gap, rtol=0, atol=1e-12)  # [m]
