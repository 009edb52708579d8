import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.special import ellipj, ellipk

from sim.dynamics import integration, lagrange
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.sforce import SForce
from sim.dynamics.spring import Spring
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.robots import Marker
from tests.helpers.examples import examples
from tests.helpers.free_paths import beside, imbalance, loose
from tests.helpers.random_worlds import worlds
from tests.helpers.small_robots import (
    double_pendulum,
    geared,
    joint,
    lift,
    link,
    pendulum_on_cart,
    robot,
)
from tests.helpers.stateless_loads import loads_by

G = (0.0, 0.0, -9.81)
# The solver is asked for 1e-12 a step; some hundred steps add up, and between two steps the
# solution is a polynomial of one order less.
CLOSE = 1e-9  # [rad], [m] and so on
AUDIT = 1e-9  # of the energy moved


def solved(plant, path, t, *, gravity=G, loads=None):
    return integrate(
        [(0.0, LagrangianDynamics(plant, gravity))], path, t, loads and loads_by(plant, loads)
    )


def let_go(plant, q0, t, qd0=None, gravity=G):
    return solved(plant, loose(q0, qd0), t, gravity=gravity)


def rough(friction, damping=0.0):
    return f'<dynamics friction="{friction!r}" damping="{damping!r}"/>'


def swing(t, amplitude, rate):
    """Angle and speed of a pendulum let go at `amplitude`; `rate` is that of small swings.

    sin(q/2) = k cd(rate t), k = sin(amplitude/2).
    """
    k = np.sin(amplitude / 2)
    sn, cn, dn, _ = ellipj(rate * t + ellipk(k * k), k * k)
    return 2 * np.arcsin(k * sn), 2 * k * rate * cn * (dn / np.sqrt(1 - (k * sn) ** 2))


# Free joints


def test_a_load_that_nothing_holds_falls():
    t = np.linspace(0.0, 1.0, 11)
    found = let_go(lift(3.0), [2.0], t, [1.0])
    np.testing.assert_allclose(found.q[0], 2 + t - 9.81 * t**2 / 2, atol=CLOSE)
    np.testing.assert_allclose(found.qd[0], 1 - 9.81 * t, atol=CLOSE)
    np.testing.assert_allclose(found.qdd[0], -9.81, atol=CLOSE)
    assert not found.tau.any()
    assert not found.works.work.any()


@given(worlds(fewest=2, most=4, states=1))
@examples(4)
def test_free_robots_keep_their_energy(world):
    t = np.linspace(0.0, 0.5, 26)
    found = let_go(world.robot, world.q[:, 0], t, world.qd[:, 0], world.gravity)
    model = lagrange.terms(world.robot, found.q, found.qd, world.gravity)
    energy = model.ke.sum(axis=0) + model.pe.sum(axis=0)
    scale = model.ke.sum(axis=0).max() + np.abs(model.pe).sum(axis=0).max()
    assert np.abs(energy - energy[0]).max() <= 1e-9 * scale


# Beside driven ones


def test_free_joints_obey_the_equations_of_motion_beside_driven_ones():
    arm = double_pendulum(1.5, 0.8, 0.6, 0.9)

    def motion(t):
        return tuple(
            np.stack([x, x]) for x in (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t))
        )

    t = np.linspace(0.0, 2.0, 401)
    found = solved(arm, beside([False, True], motion, [9.0, 0.4], [9.0, -1.0]), t)
    np.testing.assert_array_equal(found.q[0], np.sin(3 * t))
    assert (found.q[1, 0], found.qd[1, 0]) == (0.4, -1.0)
    tau = lagrange.inverse_dynamics(arm, found.q, found.qd, found.qdd)
    np.testing.assert_allclose(tau[1], 0.0, atol=1e-12)  # [N·m]
    np.testing.assert_allclose(found.tau, [tau[0], 0 * t], rtol=0, atol=1e-12)
    assert imbalance(arm, G, found) <= AUDIT
    # and qd, qdd are the rates of q: the corrected trapezoidal rule is good to dt⁵ q⁗′/720
    dt = t[1]
    qd, qdd = found.qd[1], found.qdd[1]
    dq = dt * (qd[1:] + qd[:-1]) / 2 - dt**2 * (qdd[1:] - qdd[:-1]) / 12
    np.testing.assert_allclose(np.diff(found.q[1]), dq, rtol=0, atol=1e-10)


def test_the_torque_of_a_drive_holds_its_own_friction_and_the_loads_too():
    cart = pendulum_on_cart(1.0, 2.0, 0.7, rough(2.5, 0.3))
    t = np.linspace(0.0, 1.0, 11)

    def motion(t):
        return tuple(np.stack([x, x]) for x in (0.5 * t, 0.5 + 0 * t, 0 * t))

    def loads(t, q, qd):
        return np.stack([7 + 0 * t, 0 * t]), ()

    path = beside([False, True], motion, [0, 1.0], [0, 0.0])
    with_loads, without = (solved(cart, path, t, loads=x) for x in (loads, None))
    needed = lagrange.inverse_dynamics(cart, without.q, without.qd, without.qdd)[0]
    np.testing.assert_allclose(without.tau[0], needed + 2.5 + 0.15, rtol=0, atol=1e-9)
    np.testing.assert_allclose(without.friction, [2.65 + 0 * t, 0 * t], rtol=0, atol=1e-12)
    np.testing.assert_allclose(with_loads.tau[0], without.tau[0] - 7, rtol=0, atol=1e-9)
    # friction at the cart does not disturb the hinge, which swings in a frame without acceleration
    np.testing.assert_allclose(without.q[1], swing(t, 1.0, np.sqrt(9.81 / 0.7))[0], atol=CLOSE)


@pytest.mark.parametrize("corner", [1.0, 0.9876])
def test_a_corner_of_a_drive_on_or_between_samples_costs_no_accuracy(corner):
    """A cart accelerates at once with g until the corner, then rolls on.

    The bob swings about 45° behind the cart, under a weight of √2 m g, and then about the vertical
    with the energy that it has at the corner.
    """
    length, g = 0.7, 9.81
    rate = np.sqrt(np.sqrt(2) * g / length)

    def motion(t):
        on = t < corner
        q = np.where(on, g * t**2 / 2, g * corner * (t - corner / 2))
        rows = (q, g * np.minimum(t, corner), np.where(on, g, 0.0))
        return tuple(np.stack([row, np.zeros_like(t)]) for row in rows)

    t = np.linspace(0.0, 2.0, 41)
    plant = pendulum_on_cart(1.0, 2.0, length)
    found = solved(plant, beside([False, True], motion, [0, 0], [0, 0], [corner]), t)
    q, qd = found.q[1], found.qd[1]
    before = t < corner
    behind, _ = swing(t[before], np.pi / 4, rate)
    np.testing.assert_allclose(q[before], np.pi / 4 - behind, rtol=0, atol=CLOSE)
    behind, speed = swing(corner, np.pi / 4, rate)
    energy = qd**2 / 2 - g / length * np.cos(q)  # a bob of mass and length 1
    at_corner = speed**2 / 2 - g / length * np.cos(np.pi / 4 - behind)
    np.testing.assert_allclose(energy[~before], at_corner, rtol=0, atol=CLOSE * g / length)


def test_a_corner_that_is_known_costs_fewer_questions_than_one_to_be_found():
    asked = []

    def motion(t):
        asked[-1] += t.size == 1
        on = t < 0.9876
        q = np.where(on, 9.81 * t**2 / 2, 9.81 * 0.9876 * (t - 0.9876 / 2))
        rows = (q, 9.81 * np.minimum(t, 0.9876), np.where(on, 9.81, 0.0))
        return tuple(np.stack([row, 0 * t]) for row in rows)

    for corners in ([0.9876], []):
        asked.append(0)
        path = beside([False, True], motion, [0, 0], [0, 0], corners)
        solved(pendulum_on_cart(1.0, 2.0, 0.7), path, np.linspace(0.0, 2.0, 41))
    assert asked[0] < 0.75 * asked[1]


def test_a_short_push_after_a_long_rest_is_not_stepped_over():
    """A cart pushed by 1e-3 s of 9 m/s² leaves its bob behind with that speed, -9e-3 m/s."""
    length, push, begin, end = 0.7, 9.0, 7.0, 7.001

    def motion(t):
        on = (t >= begin) & (t < end)
        late = np.clip(t - begin, 0.0, end - begin)
        q = push * (late**2 / 2 + (end - begin) * np.maximum(t - end, 0.0))
        return tuple(np.stack([row, 0 * t]) for row in (q, push * late, np.where(on, push, 0.0)))

    t = np.array([0.0, begin, end, 8.0])
    plant = pendulum_on_cart(1.0, 2.0, length)
    qd = solved(plant, beside([False, True], motion, [0, 0], [0, 0], [begin, end]), t).qd
    assert qd[1, 1] == pytest.approx(0.0, abs=CLOSE)
    # about +y the bob swings to -x, so the hinge turns forwards; the swing takes off 1e-6 of it
    assert qd[1, 2] == pytest.approx(push * (end - begin) / length, rel=1e-5)


# Dry friction: it stops, holds and lets go


@pytest.mark.parametrize("slope", [0.2, -0.2])
def test_a_block_stays_on_a_slope_that_friction_can_hold(slope):
    block = lift(2.0, "1 0 0", rough(4.0))  # 2 kg · 9.81 · sin(0.2) is 3.9 N
    gravity = (9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope))
    t = np.linspace(0.0, 1.0, 11)
    found = let_go(block, [0.3], t, gravity=gravity)
    assert (found.q == 0.3).all()
    assert found.stuck.all()
    np.testing.assert_allclose(found.friction, 2 * gravity[0], rtol=0, atol=1e-12)
    assert not found.works.loss.any()


def test_a_block_thrown_up_a_slope_turns_back_or_stays_as_the_slope_is():
    t = np.linspace(0.0, 2.0, 21)
    for friction, returns in ((3.0, True), (6.0, False)):
        gravity = (-9.81 * np.sin(0.2), 0.0, -9.81 * np.cos(0.2))
        found = let_go(lift(2.0, "1 0 0", rough(friction)), [0.0], t, [1.0], gravity)
        up, down = -gravity[0] + friction / 2, max(-gravity[0] - friction / 2, 0.0)
        late = np.maximum(t - 1 / up, 0.0)
        wanted = np.where(late > 0, 0.5 / up - down * late**2 / 2, t - up * t**2 / 2)
        np.testing.assert_allclose(found.q[0], wanted, rtol=0, atol=1e-12)
        assert found.stuck[0, -1] != returns


def test_a_rising_torque_breaks_a_block_away_at_the_right_time():
    block = lift(2.0, "1 0 0", rough(3.0))
    t = np.linspace(0.0, 2.0, 41)
    found = solved(block, loose([0.0], torque=lambda t: (4 * t)[None]), t)
    late = np.maximum(t - 0.75, 0.0)  # [s]; from 3 N on
    # it lets go at 1 + 1e-9 of its limit, that is 1e-9 of a second late
    np.testing.assert_allclose(found.q[0], 4 * late**3 / 12, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(found.friction[0], np.minimum(4 * t, 3.0), rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.tau[0], 4 * t, rtol=0, atol=0)
    assert imbalance(block, G, found) <= AUDIT


def test_a_short_pull_on_a_stuck_block_is_not_overlooked():
    """A triangle of 0.02 s that exceeds the friction for half of that, after a long rest."""

    def pull(t):
        return 6 * np.maximum(1 - np.abs(t - 5.0) / 0.01, 0.0)[None]

    t = np.linspace(0.0, 6.0, 1201)
    path = loose([0.0], torque=pull, corners=[4.99, 5.0, 5.01])
    found = solved(lift(1.0, "1 0 0", rough(3.0)), path, t)
    assert found.q[0, 998] == 0.0  # up to 4.99 s
    # momentum 3 N · 0.005 s, and then 0.015 m/s are slowed down by up to 3 m/s²
    assert np.max(found.qd) == pytest.approx(0.015, abs=1e-4)
    assert found.q[0, -1] > 1e-4
    assert found.stuck[0, -1]


def test_friction_of_a_follower_holds_its_leader_geared():
    pair = geared(0.3, 0.2, -3.0, rough(0.5), rough(0.2))  # 0.5 + 3 · 0.2 = 1.1 N·m
    t = np.linspace(0.0, 2.0, 21)
    found = let_go(pair, [0.0], t, [1.0])
    slowing = 1.1 / (0.3 + 9 * 0.2)
    np.testing.assert_allclose(found.qd[0], np.maximum(1 - slowing * t, 0), rtol=0, atol=1e-12)
    held = solved(pair, loose([0.0], torque=lambda t: np.full((1, t.size), 1.09)), t)
    assert held.stuck.all()
    pulled = solved(pair, loose([0.0], torque=lambda t: np.full((1, t.size), 1.11)), t)
    assert not pulled.stuck.any()


TWO = robot(
    link("upper", 1.5, "0 0 -0.5"),
    link("lower", 0.8, "0 0 -0.6"),
    joint("shoulder", "revolute", "ground", "upper", "0 1 0", rough(0.6)),
    joint(
        "elbow",
        "revolute",
        "upper",
        "lower",
        "0 1 0",
        rough(0.5, 0.02) + '<origin xyz="0 0 -0.5"/>',
    ),
)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 12), st.floats(0.5, 6))
@example(0.0, -0.4296875, 3.0, 5.0)  # the shoulder slides back for 3 ms, less than a first look
@examples(5)
def test_friction_opposes_motion_and_never_exceeds_its_limit(q1, q2, size, rate):
    def motor(t):
        return np.stack([size * np.sin(rate * t), 0 * t])

    t = np.linspace(0.0, 2.0, 201)
    found = solved(TWO, loose([q1, q2], torque=motor), t)
    limit = np.array([[0.6], [0.5]])
    dry = found.friction - np.array([[0.0], [0.02]]) * found.qd
    np.testing.assert_array_equal(found.qd[found.stuck], 0.0)
    assert (np.abs(dry) <= limit * (1 + 2e-9)).all()
    slides = ~found.stuck & (np.abs(found.qd) > 1e-6)
    np.testing.assert_allclose(dry[slides], (limit * np.sign(found.qd))[slides], rtol=0, atol=1e-12)
    needed = lagrange.inverse_dynamics(TWO, found.q, found.qd, found.qdd)
    np.testing.assert_allclose(needed, found.tau - found.friction, rtol=0, atol=1e-10)
    assert imbalance(TWO, G, found) <= AUDIT


def test_what_holds_one_joint_may_break_another_away():
    """An elbow that is stuck drags the shoulder along only as long as both can bear it."""
    t = np.linspace(0.0, 3.0, 301)
    found = let_go(TWO, [0.0, 1.2], t)
    assert not found.stuck[1, 1]  # 0.8 · 9.81 · 0.6 · sin 1.2 = 4.4 N·m are too much for 0.5
    assert found.stuck.any(axis=1).all()
    assert imbalance(TWO, G, found) <= AUDIT


# Loads and events


def test_loads_act_and_their_work_is_told():
    t = np.linspace(0.0, 2.0, 21)

    def loads(t, q, qd):
        up = np.array([[0.0], [0.0], [50.0]])
        return -2 * qd, (AppliedWrench("load", np.zeros(3), up, 0 * up),)

    found = solved(lift(3.0), loose([0.0]), t, loads=loads)
    end = (50 - 3 * 9.81) / 2  # the speed at which 2 N·s/m balance what is left of the force
    speed = end * (1 - np.exp(-2 * t / 3))
    np.testing.assert_allclose(found.qd[0], speed, rtol=0, atol=CLOSE)
    place = end * (t - 1.5 * (1 - np.exp(-2 * t / 3)))
    gained = 3 * speed**2 / 2 + 3 * 9.81 * place
    np.testing.assert_allclose(found.works.external, gained, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("asked", "event"),
    [(0.8, 0.8), (0.8 + 4e-10, 0.8), (np.nextafter(0.8, 1), 0.8), (0.8123, 0.8123)],
)
def test_a_payload_changes_the_acceleration_but_not_the_motion_so_far(asked, event):
    light, heavy = LagrangianDynamics(lift(2.0)), LagrangianDynamics(lift(5.0))
    t = np.linspace(0.0, 2.0, 21)
    path = loose([0.0], [1.0], torque=lambda t: np.full((1, t.size), 30.0))
    found = integrate([(0.0, light), (asked, heavy)], path, t)
    a, b, late = 15 - 9.81, 6 - 9.81, np.maximum(t - event, 0)
    early = np.minimum(t, event)
    wanted = early + a * early**2 / 2 + (1 + a * event) * late + b * late**2 / 2
    np.testing.assert_allclose(found.q[0], wanted, rtol=0, atol=CLOSE)
    # a sample beside the event is at it, and shows what comes after it
    np.testing.assert_allclose(found.qdd[0], np.where(t < event - 1e-9, a, b), rtol=0, atol=CLOSE)


def test_a_payload_may_be_too_heavy_for_friction_to_hold():
    light, heavy = (LagrangianDynamics(lift(m, more=rough(25.0))) for m in (2.0, 5.0))
    t = np.linspace(0.0, 2.0, 21)
    found = integrate([(0.0, light), (1.0, heavy)], loose([0.0]), t)
    late = np.maximum(t - 1, 0)
    np.testing.assert_allclose(found.q[0], -(9.81 - 5) * late**2 / 2, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(found.stuck[0], t < 1 - 1e-9)


def test_progress_adds_up_to_the_samples():
    told = []
    t = np.linspace(0.0, 2.0, 21)
    integrate([(0.0, LagrangianDynamics(TWO))], loose([1.0, 0.0]), t, None, told.append)
    assert sum(told) == t.size
    assert len(told) > 3


# What cannot be


def test_a_motion_that_cannot_be_integrated_names_the_time():
    def motion(t):
        rows = np.zeros((3, 2, t.size))
        rows[2, 0] = np.where(t < 0.5, 0.0, np.nan)
        return tuple(rows)

    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    path = beside([False, True], motion, [0, 0], [0, 0])
    with pytest.raises(ScenarioError, match=r"could not be integrated beyond t = 0\.[0-9]+ s"):
        solved(plant, path, np.linspace(0, 1, 11))


def test_a_force_with_a_pole_ends_the_run_where_the_solver_creeps_towards_it(monkeypatch):
    """∫ dt/(t - 1/50) has no end, and no step is too short for the solver near it."""
    monkeypatch.setenv("SIM_FAST", "1")  # which gives up too, and NumPy says it
    plant = double_pendulum(1.0, 1.0, 0.5, 0.5)
    ends = Marker("tip", "lower", (0, 0, -0.5)), Marker("post", "world", (1.0, 0, 0))
    loads = ElementSum(plant, (SForce("pole", *ends, "1/(TIME-0.02)"),))
    dynamics = [(0.0, LagrangianDynamics(plant, G))]
    said = r"beyond t = 0\.02 s: there 200 steps of the solver are .*grows without bound"
    with pytest.raises(ScenarioError, match=said):
        integrate(dynamics, loose([0.3, 0.2]), np.linspace(0, 0.05, 6), loads)


def test_a_joint_that_changes_its_mode_without_end_is_named():
    """A load that pushes only what is at rest and pushes back what moves: no motion obeys it."""

    def loads(t, q, qd):
        return np.where(qd == 0, 10.0, -10.0 * np.sign(qd)), ()

    block = lift(1.0, "1 0 0", rough(1.0))
    with pytest.raises(ScenarioError, match=r"'slide' changes between .* t = \S+e-1\d s"):
        solved(block, loose([0.0]), np.linspace(0, 1, 11), loads=loads)


@pytest.mark.parametrize("q0", [[0.0, 0.0], [0.3, 1.0]])
def test_a_joint_without_inertia_is_named(q0):
    plant = robot(
        link("cart", 1.0),
        link("needle", 1.0),  # all of it on its axis
        joint("slide", "prismatic", "ground", "cart", "1 0 0"),
        joint("pin", "revolute", "cart", "needle", "0 1 0"),
    )
    with pytest.raises(ScenarioError, match=r"'pin' is free and has no inertia .* link 'needle'"):
        let_go(plant, q0, np.linspace(0, 1, 11))


def test_two_joints_that_can_move_against_each_other_without_inertia_are_found():
    plant = robot(
        link("ring", 1.0),
        link("wheel", 1.0, moments="0.1 0.1 0.1"),
        joint("inner", "revolute", "ground", "ring", "0 0 1"),
        joint("outer", "revolute", "ring", "wheel", "0 0 1"),
    )
    with pytest.raises(ScenarioError, match=r"'(inner|outer)' is free and has no inertia"):
        let_go(plant, [0.0, 0.0], np.linspace(0, 1, 11))


def test_robots_without_free_joints_only_tell_their_torques():
    arm = double_pendulum(1.5, 0.8, 0.6, 0.9)

    def motion(t):
        return tuple(np.stack([x, 2 * x]) for x in (np.sin(t), np.cos(t), -np.sin(t)))

    t = np.linspace(0.0, 2.0, 21)
    path = replace(beside([False, False], motion, [0, 0], [0, 0]), motion=motion)
    found = solved(arm, path, t)
    tau = lagrange.inverse_dynamics(arm, *motion(t))
    np.testing.assert_allclose(found.tau, tau, rtol=0, atol=1e-12)
    assert imbalance(arm, G, found) <= AUDIT


@pytest.mark.rotates(2)
def test_powers_that_cancel_take_no_shorter_steps(monkeypatch):
    """A spring carries a load along a rail: 1e10 W in and out do no work, but that of rounding.

    Of 1 kg it takes 60 steps; of 1e9 kg there were 51 000.
    """
    looks, real = [], integration.tolerance_of_works
    monkeypatch.setattr(
        integration, "tolerance_of_works", lambda *a: (looks.append(a), real(*a))[1]
    )
    up, m = np.array([0.1, 0.2, 0.97]) / np.linalg.norm([0.1, 0.2, 0.97]), 1e9
    plant = robot(
        link("cart", m),
        link("load", m),
        joint("rail", "prismatic", "ground", "cart", "0.3 0.5 0.81"),
        joint("lift", "prismatic", "cart", "load", " ".join(map(repr, up.tolist()))),
    )
    ends = Marker("top", "load", tuple(up)), Marker("foot", "cart")
    spring = Spring("s", *ends, stiffness=100 * m, free_length=1.0, preload=9.81 * up[2] * m)
    t, motion = np.linspace(0.0, 1.0, 1001), JointMotion.velocity({"rail": 1.0}, free=["lift"])
    dynamics, loads = LagrangianDynamics(plant, G), ElementSum(plant, (spring,))
    solution = integrate([(0.0, dynamics)], motion.on(plant, 1.0), t, loads)
    assert np.abs(solution.works.external).max() < 1e-4  # J, a rounding of 1e10
    np.testing.assert_allclose(solution.q[1], 0.0, atol=CLOSE)
    assert len(looks) <= 5  # each after 100 steps
