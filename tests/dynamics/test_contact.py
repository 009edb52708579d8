import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from sim.dynamics.contact import GroundContact
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.joint_forces import joint_force
from sim.dynamics.wrench import joint_torque
from sim.errors import ModelError
from sim.functions import bistop, impact
from sim.robots import Stop
from tests.helpers.small_robots import geared, joint, lift, link, pendulum, pendulum_on_cart, robot

MACHINE_CODE = True

G = 9.81

# --- the laws -----------------------------------------------------------------------------------


def test_an_impact_by_hand():
    # x1 = 2, k = 100, e = 2, c = 8, d = 0.5. At x = 1.75 the penetration is 1/4 = d/2: STEP = 1/2.
    law = (2.0, 100.0, 2.0, 8.0, 0.5)
    spring = 100 / 16
    assert impact(1.75, 0.0, *law) == spring
    assert impact(1.75, -1.0, *law) == spring + 4.0
    assert impact(1.75, 1.0, *law) == spring - 4.0
    assert impact(1.75, 2.0, *law) == 0.0  # it does not pull
    assert impact(1.0, -1.0, *law) == 100 + 8.0  # beyond d the damping is full
    assert impact([2.0, 2.5, 99.0], [-9.0, -9.0, -9.0], *law).tolist() == [0.0, 0.0, 0.0]


@given(st.floats(-3, 3), st.floats(-5, 5))
def test_a_bistop_is_an_impact_below_and_its_mirror_image_above(x, xd):
    law = (1e3, 1.7, 30.0, 0.2)
    found = bistop(x, xd, -1.0, 2.0, *law)
    if x < -1.0:
        assert found == impact(x, xd, -1.0, *law) >= 0
    elif x > 2.0:
        # seen from the upper stop: the distance is 2 - x, and it opens with -xd
        assert found == -impact(2.0 - x, -xd, 0.0, *law) <= 0
    else:
        assert found == 0.0
    assert bistop(-x, -xd, -2.0, 1.0, *law) == -found


def test_an_infinite_limit_is_no_stop():
    x = np.array([-1e9, 0.0, 1e9])
    assert bistop(x, 0 * x, -np.inf, np.inf, 1.0, 1.5, 1.0, 0.1).tolist() == [0.0, 0.0, 0.0]
    assert bistop(x, 0 * x, -np.inf, 1.0, 1.0, 1.0, 1.0, 0.1).tolist() == [0.0, 0.0, 1.0 - 1e9]


# --- stops of joints ----------------------------------------------------------------------------


def test_stops_push_a_joint_back_at_its_own_limits():
    # The limits are -100 and 100; with e = 1 the spring is linear.
    plant = pendulum_on_cart(1.0, 1.0, 1.0).with_stops({"hinge": Stop(50.0, 1.0, 4.0, 0.01)})
    q = np.array([[0.0, 0.0, -200.0, 200.0], [0.0, 99.0, -101.0, 102.0]])
    qd = np.array([[9.0, 9.0, 9.0, 9.0], [9.0, 9.0, -2.0, 2.0]])
    wanted = [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 50 * 1 + 4 * 2, -(50 * 2 + 4 * 2)]]
    np.testing.assert_array_equal(joint_force(plant, q, qd), wanted)


def test_a_stop_of_its_own_place_and_on_one_side_only():
    wheel = robot(link("wheel", 1.0), joint("axle", "continuous", "ground", "wheel", "0 0 1"))
    held = wheel.with_stops({"axle": Stop(10.0, 1.0, upper=2.0)})
    q = np.array([[-1e6, 1.5, 3.0]])
    np.testing.assert_array_equal(joint_force(held, q, 0 * q), [[0.0, 0.0, -10.0]])


def test_followers_run_into_their_own_stops():
    pair = geared(0.1, 0.1, 2.0).with_stops({"output": Stop(10.0, 1.0, lower=-1.0, upper=1.0)})
    q_tree = np.array([[0.9], [2.1]])
    np.testing.assert_allclose(joint_force(pair, q_tree, 0 * q_tree), [[0.0], [-11.0]])


def test_stops_want_all_tree_joints():
    with pytest.raises(ValueError, match=r"q must have shape \(2, N\)"):
        joint_force(geared(0.1, 0.1, 2.0), np.zeros((1, 3)), np.zeros((1, 3)))


# --- ground -------------------------------------------------------------------------------------

SPRING = {"stiffness": 1e5, "radius": 0.1, "height": 0.2}


def pushes(plant, contacts, q, qd):
    each = ElementSum(plant, contacts)
    return each.wrenches(each.at(np.zeros(q.shape[1]), q, qd))


def ground_torque(plant, contacts, q, qd):
    return joint_torque(plant, q, pushes(plant, contacts, q, qd))


def test_the_ground_pushes_a_sphere_up_and_lets_go_of_it_above():
    # The lowest point is q - 0.1 + 0.03 above the frame at q; the plane is at 0.2.
    contact = GroundContact("load", at=(0.5, 0, 0.03), exponent=1.0, damping=0.0, **SPRING)
    q = np.array([[0.27 + 1e-9, 0.27 - 0.01, 0.27 - 0.02]])
    (wrench,) = pushes(lift(2.0), [contact], q, 0 * q)
    assert wrench.link == "load"
    np.testing.assert_array_equal(wrench.point, [0.5, 0, 0.03])
    # 1e5 N/m times the rounding of lengths below 1 m
    np.testing.assert_allclose(wrench.force[2], [0.0, 1000.0, 2000.0], rtol=0, atol=1e-10)
    assert not wrench.force[:2].any()
    assert not wrench.torque.any()


def test_each_contact_has_its_wrench_and_none_gives_none():
    q = np.zeros((1, 1))
    two = [GroundContact("load", stiffness=1.0), GroundContact("load", stiffness=2.0)]
    assert [w.link for w in pushes(lift(1.0), two, q, q)] == ["load", "load"]
    assert pushes(lift(1.0), [], q, q) == ()


def test_an_unknown_frame_is_refused_with_the_list():
    q = np.zeros((1, 1))
    with pytest.raises(ModelError, match=r"'foot' is not in robot 'small'; available: .*load"):
        pushes(lift(1.0), [GroundContact("foot", stiffness=1.0)], q, q)


@given(st.floats(-1.4, 1.4), st.floats(-2, 2))
def test_the_torque_on_a_tilted_link_is_the_slope_of_the_energy_stored(angle, rate):
    # A ball of 0.1 m at (0.2, 0, -0.6) on a pendulum about y at the origin; the plane is high.
    radius, height, k = 0.1, 0.3, 400.0
    arm = pendulum(1.0, 0.5)
    contact = GroundContact(
        "bob", radius=radius, at=(0.2, 0, -0.6), stiffness=k, exponent=2.0, height=height
    )

    def depth(a):  # Ry(a): z of the centre is -0.2 sin a - 0.6 cos a
        return height - (-0.2 * np.sin(a) - 0.6 * np.cos(a) - radius)

    lever = -0.2 * np.cos(angle) + 0.6 * np.sin(angle)  # dz/da
    assert depth(angle) > 0
    q, qd = np.array([[angle]]), np.array([[rate]])
    found = ground_torque(arm, [contact], q, qd)
    assert found[0, 0] == pytest.approx(k * depth(angle) ** 2 * lever, rel=1e-11, abs=1e-9)


@given(st.floats(-1.4, 1.4), st.floats(-2, 2))
def test_the_damping_on_a_tilted_link_feels_the_rate_of_the_gap(angle, rate):
    k, c = 400.0, 7.0
    arm = pendulum(1.0, 0.5)
    place = {"radius": 0.1, "at": (0.2, 0, -0.6), "height": 0.3, "depth": 1e-3}
    stiff = GroundContact("bob", stiffness=k, exponent=1.0, **place)
    damped = GroundContact("bob", stiffness=k, exponent=1.0, damping=c, **place)
    q, qd = np.array([[angle]]), np.array([[rate]])
    lever = -0.2 * np.cos(angle) + 0.6 * np.sin(angle)
    # k p is at least 400 N/m · 0.1 m; damping at most 7 N·s/m · 2 rad/s · 0.64 m: it never pulls
    eaten = ground_torque(arm, [stiff], q, qd) - ground_torque(arm, [damped], q, qd)
    assert eaten[0, 0] == pytest.approx(c * lever**2 * rate, rel=1e-9, abs=1e-9)


def bounce(contact, mass, speed, step, gravity=G):
    """A ball on a vertical slide that touches at t = 0 with `speed`, until it lets go again."""
    ball = lift(mass)
    touch = contact.radius + contact.height

    def rate(_, y):
        q, qd = y[:1, None], y[1:2, None]
        push = ground_torque(ball, [contact], q, qd)[0, 0]
        return [y[1], push / mass - gravity]

    def leaves(_, y):
        return y[0] - touch

    leaves.terminal, leaves.direction = True, 1.0
    start = [touch - 1e-15, -speed]
    done = solve_ivp(
        rate, (0.0, 1.0), start, "DOP853", rtol=1e-10, atol=1e-13, events=leaves, max_step=step
    )
    assert done.status == 1
    return done


def test_weight_and_spring_exchange_energy_without_loss():
    mass, speed = 2.0, 1.5
    done = bounce(GroundContact("load", exponent=1.5, **SPRING), mass, speed, 1e-3)
    depth = np.maximum(0.3 - done.y[0], 0.0)
    stored = SPRING["stiffness"] * depth**2.5 / 2.5
    energy = mass * done.y[1] ** 2 / 2 - mass * G * depth + stored
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)
    assert stored.max() > energy[0] / 2  # it did go down


def test_a_damped_ball_loses_what_the_damper_takes():
    mass, speed, c, d = 2.0, 1.5, 50.0, 1e-3
    contact = GroundContact("load", exponent=1.5, damping=c, depth=d, **SPRING)
    done = bounce(contact, mass, speed, 2e-4, gravity=0.0)
    p, rate = 0.3 - done.y[0], done.y[1]
    z = np.clip(p / d, 0.0, 1.0)
    drag = c * (3 * z**2 - 2 * z**3) * rate
    drag = np.minimum(drag, SPRING["stiffness"] * np.maximum(p, 0.0) ** 1.5)  # it never pulls
    taken = np.trapezoid(drag * rate, done.t)
    lost = mass * (speed**2 - rate[-1] ** 2) / 2
    assert lost > 0.1 * mass * speed**2 / 2
    # trapezoids over the steps of the solver, which are 0.2 ms of about 20 ms
    assert taken == pytest.approx(lost, rel=1e-3)
