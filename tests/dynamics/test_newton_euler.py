import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics import lagrange
from sim.dynamics.newton_euler import CHUNK, inverse_dynamics, wrenches
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.robots import load_robot
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import geared, joint, lift, link, pendulum, robot

ROUNDING = 1e-12  # of the largest entry; closed forms and model differ by roundings only


def state(*columns):
    return tuple(np.array([[x] for x in column], dtype=float) for column in columns)


@given(worlds(mimic=True))
def test_newton_euler_and_lagrange_find_the_same_torques(world):
    args = (world.robot, world.q, world.qd, world.qdd, world.gravity)
    torque = lagrange.inverse_dynamics(*args)
    np.testing.assert_allclose(
        inverse_dynamics(*args), torque, rtol=0, atol=ROUNDING * (1 + np.abs(torque).max())
    )


@given(worlds(mimic=True))
def test_power_of_the_torques_is_the_rate_of_the_energy(world):
    """Tau·qd = d(T + V)/dt along qd, qdd: by a difference of the energies in time."""
    h = 2e-4  # [s]; 4th order leaves 1e-10 of the power, rounding 1e-12

    def energy(time):
        q = world.q + time * world.qd + time**2 / 2 * world.qdd
        found = lagrange.terms(world.robot, q, world.qd + time * world.qdd, world.gravity)
        return found.ke.sum(axis=0) + found.pe.sum(axis=0)

    rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    tau = inverse_dynamics(world.robot, world.q, world.qd, world.qdd, world.gravity)
    power = tau * world.qd
    scale = np.abs(power).sum() + np.abs(energy(0)).max() + 1.0
    np.testing.assert_allclose(power.sum(axis=0), rate, rtol=0, atol=1e-8 * scale)


@given(worlds(mimic=True))
def test_torques_are_the_reactions_along_the_joint_axes(world):
    found = wrenches(world.robot, world.q, world.qd, world.qdd, world.gravity)
    along = [
        np.einsum("a,aN->N", joint.axis, rows[:3] if joint.is_prismatic else rows[3:])
        for joint, rows in zip(world.robot.tree_joints, found.reaction, strict=True)
    ]
    S, _ = world.robot.coupling
    scale = 1 + np.abs(found.reaction).max() * np.abs(S).sum(axis=0).max()
    np.testing.assert_allclose(S.T @ np.stack(along), found.tau, rtol=0, atol=ROUNDING * scale)


@given(worlds(mimic=True), st.integers(0, 2**32 - 1))
def test_newton_euler_and_virtual_work_agree_on_external_wrenches(world, seed):
    external = random_wrenches(world.robot, world.q.shape[1], seed)
    args = (world.robot, world.q, world.qd, world.qdd, world.gravity)
    torque = lagrange.inverse_dynamics(*args) - joint_torque(world.robot, world.q, external)
    close = {"rtol": 0, "atol": ROUNDING * (100 + np.abs(torque).max())}
    np.testing.assert_allclose(inverse_dynamics(*args, external=external), torque, **close)
    np.testing.assert_allclose(wrenches(*args, external=iter(external)).tau, torque, **close)


@given(worlds(), st.integers(0, 2**32 - 1))
def test_torques_and_reactions_under_external_wrenches_agree_with_pinocchio(world, seed):
    external = random_wrenches(world.robot, world.q.shape[1], seed)
    state = (world.q, world.qd, world.qdd)
    found = wrenches(world.robot, *state, world.gravity, external)
    torque, reaction = PinocchioModel(world.robot, world.gravity).loaded(*state, external)
    scale = {"rtol": 0, "atol": 1e-10 * (1 + np.abs(reaction).max())}
    np.testing.assert_allclose(found.tau, torque, **scale)
    np.testing.assert_allclose(found.reaction, reaction, **scale)


def test_the_clamp_of_a_beam_carries_the_force_on_its_tip():
    """A beam of 2 m without weight, along x; the force at its tip is F = (1, -2, 3) N."""
    beam = link("beam", 1.0), joint("clamp", "revolute", "ground", "beam", "0 0 1")
    tip = AppliedWrench("beam", np.array([2.0, 0, 0]), np.c_[[1.0, -2, 3]], np.c_[[0.5, 0, 0]])
    still = state([0], [0], [0])
    found = wrenches(robot(*beam), *still, (0, 0, 0), [tip])
    # the clamp gives -F, and -(r × F) less the torque at the tip; r × F = (0, -6, -4)
    np.testing.assert_allclose(found.reaction[0, :, 0], [-1, 2, -3, -0.5, 6, 4], atol=1e-14)
    assert found.tau[0, 0] == pytest.approx(4.0, rel=1e-14)


def test_a_force_at_the_tip_loads_every_joint_that_carries_it_and_no_other():
    fork = robot(
        link("trunk", 1.0),
        joint("root", "prismatic", "ground", "trunk", "0 0 1"),
        link("left", 1.0),
        joint("a", "revolute", "trunk", "left", "0 1 0"),
        link("right", 1.0),
        joint("b", "revolute", "trunk", "right", "0 1 0"),
    )
    lift_left = AppliedWrench("left", np.zeros(3), np.c_[[0.0, 0, 7.0]], np.zeros((3, 1)))
    still = state([0] * 3, [0] * 3, [0] * 3)
    found = wrenches(fork, *still, (0, 0, 0), [lift_left]).reaction
    np.testing.assert_allclose(found[:, 2, 0], [-7, -7, 0], atol=1e-15)


def test_samples_of_external_wrenches_stay_with_the_samples_of_the_motion():
    ur10 = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(3).uniform(-3, 3, (3, 6, CHUNK + 7))
    external = random_wrenches(ur10, q.shape[1], 5)
    whole = wrenches(ur10, q, qd, qdd, external=external).reaction
    for k in (0, CHUNK - 1, CHUNK, CHUNK + 6):
        one = slice(k, k + 1)
        then = [wrench.during(one) for wrench in external]
        alone = wrenches(ur10, q[:, one], qd[:, one], qdd[:, one], external=then).reaction
        np.testing.assert_allclose(whole[..., one], alone, rtol=0, atol=ROUNDING * 1000)


def test_the_hinge_of_a_swinging_pendulum_carries_weight_and_centripetal_force():
    m, length, moment, g = 2.0, 0.7, 0.05, 9.81
    q, qd, qdd = 0.6, 3.0, -2.0
    found = wrenches(pendulum(m, length, moment), *state([q], [qd], [qdd]))
    # In the body's axes: z along the rod to the hinge, x forwards at the bottom (a turn about +y
    # moves the bob to -x), weight turned by q.
    wanted = [
        -m * length * qdd - m * g * np.sin(q),
        0.0,
        m * length * qd**2 + m * g * np.cos(q),
        0.0,
        (moment + m * length**2) * qdd + m * g * length * np.sin(q),
        0.0,
    ]
    np.testing.assert_allclose(found.reaction[0, :, 0], wanted, rtol=0, atol=1e-12)
    assert found.tau[0, 0] == pytest.approx(wanted[4], rel=1e-14)


def test_a_held_rod_hands_its_weight_and_moment_down_to_the_ground():
    upper = link("upper", 3.0, "0.5 0 0"), joint("root", "revolute", "ground", "upper", "0 0 1")
    place = '<origin xyz="1 0 0"/>'
    tip = link("tip", 2.0, "0 0.25 0"), joint("end", "revolute", "upper", "tip", "0 0 1", place)
    found = wrenches(robot(*upper, *tip), *state([0, 0], [0, 0], [0, 0]))
    g = 9.81
    np.testing.assert_allclose(
        found.reaction[:, :, 0],
        [
            [0, 0, 5 * g, 2 * g * 0.25, -(3 * g * 0.5 + 2 * g * 1.0), 0],
            [0, 0, 2 * g, 2 * g * 0.25, 0, 0],
        ],
        atol=1e-12,
    )


def test_reactions_are_in_the_axes_of_the_joint_frame_not_of_the_world():
    turned = '<origin rpy="1.5707963267948966 0 0"/>'  # joint z is world -y, joint y is world z
    arm = link("arm", 3.0), joint("hinge", "revolute", "ground", "arm", "0 0 1", turned)
    found = wrenches(robot(*arm), *state([0], [0], [0]))
    np.testing.assert_allclose(found.reaction[0, :3, 0], [0, 3 * 9.81, 0], atol=1e-12)


def test_a_body_that_slides_on_a_turning_arm_feels_coriolis_and_centripetal_force():
    spoke = link("spoke", 1.0), joint("turn", "revolute", "ground", "spoke", "0 0 1")
    bead = link("bead", 2.0), joint("slide", "prismatic", "spoke", "bead", "1 0 0")
    q, qd, qdd = [0.3, 0.5], [2.0, 3.0], [0.7, -1.0]
    r, rd, rdd, w, wd, m = q[1], qd[1], qdd[1], qd[0], qdd[0], 2.0
    found = wrenches(robot(*spoke, *bead), *state(q, qd, qdd))
    side = m * (r * wd + 2 * rd * w)
    np.testing.assert_allclose(found.tau[:, 0], [r * side, m * (rdd - r * w**2)], rtol=1e-13)
    # the slide's frame rides with the bead: its force has no lever
    wanted = [m * (rdd - r * w**2), side, m * 9.81, 0, 0, 0]
    np.testing.assert_allclose(found.reaction[1, :, 0], wanted, atol=1e-12)


def test_a_body_on_two_skewed_slides_needs_the_newtons_of_its_acceleration():
    first = link("first", 1.0), joint("one", "prismatic", "ground", "first", "0.6 0 0.8")
    second = link("second", 2.0), joint("two", "prismatic", "first", "second", "0 1 0")
    found = inverse_dynamics(robot(*first, *second), *state([1, 2], [3, 4], [5, 6]))
    np.testing.assert_allclose(found[:, 0], [3 * 5 + 3 * 9.81 * 0.8, 2 * 6], rtol=1e-14)


def test_a_lift_and_a_geared_pair_have_the_torques_of_the_textbook():
    lifted = inverse_dynamics(lift(3.0), *state([0.5], [3.0], [0.25]))
    assert lifted[0, 0] == pytest.approx(3.0 * (0.25 + 9.81), rel=1e-14)
    pair = inverse_dynamics(geared(0.3, 0.2, -3.0), *state([0.4], [1.0], [2.0]))
    assert pair[0, 0] == pytest.approx((0.3 + 9 * 0.2) * 2.0, rel=1e-14)


def test_samples_do_not_depend_on_how_many_are_asked_for():
    ur10 = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(3).uniform(-3, 3, (3, 6, 2 * CHUNK + 1))
    whole = wrenches(ur10, q, qd, qdd)
    assert whole.tau.shape == q.shape
    assert whole.reaction.shape == (6, 6, q.shape[1])
    for k in (0, CHUNK - 1, CHUNK, 2 * CHUNK):
        one = slice(k, k + 1)
        alone = wrenches(ur10, q[:, one], qd[:, one], qdd[:, one])
        np.testing.assert_allclose(whole.tau[:, one], alone.tau, atol=ROUNDING * 300)
        np.testing.assert_allclose(whole.reaction[..., one], alone.reaction, atol=ROUNDING * 1000)


def test_no_samples_give_no_samples():
    empty = np.empty((6, 0))
    assert wrenches(load_robot("ur10"), empty, empty, empty).reaction.shape == (6, 6, 0)


def test_one_call_leaves_the_next_and_its_arguments_alone():
    ur10 = load_robot("ur10")
    q, qd, qdd = np.random.default_rng(4).uniform(-3, 3, (3, 6, 5))
    given_values = [x.copy() for x in (q, qd, qdd)]
    first = wrenches(ur10, q, qd, qdd)
    kept = first.tau.copy(), first.reaction.copy()
    wrenches(ur10, 2 * q, 3 * qd, 4 * qdd)
    np.testing.assert_array_equal(first.tau, kept[0])
    np.testing.assert_array_equal(first.reaction, kept[1])
    np.testing.assert_array_equal((q, qd, qdd), given_values)


@pytest.mark.parametrize("function", [inverse_dynamics, wrenches])
def test_arrays_of_another_shape_are_refused_by_name(function):
    right, wrong = np.zeros((6, 2)), np.zeros((6, 3))
    with pytest.raises(ValueError, match=r"q must have shape \(6.*got \(5, 3\)"):
        function(load_robot("ur10"), right[1:, [0, 0, 0]], right, right)
    with pytest.raises(ValueError, match=r"qdd and q must have one shape; got \(6, 3\) and"):
        function(load_robot("ur10"), right, right, wrong)
