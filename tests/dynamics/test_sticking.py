"""Contacts that stick, against closed forms of rigid bodies with Coulomb's friction."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim import Contact, ContactLaw, ContactShape, Force, ModelError, Scenario, ScenarioError
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.joint_forces import joint_elements
from sim.motion import JointMotion
from sim.simulation import build_problem
from tests.helpers.free_paths import loose
from tests.helpers.held_box import box_between_fingers
from tests.helpers.small_robots import joint, link, robot

MACHINE_CODE = True

G, K = 9.81, 1e5
FLOOR, LAW = ContactShape.plane(), ContactLaw.impact(K, 1.0, 200.0)
SIZE = (0.2, 0.1, 0.1)


def moved(plant, contacts, q0, qd0, t, gravity=(0.0, 0.0, -G)):
    loads = ElementSum(plant, (*joint_elements(plant), *contacts))
    return integrate([(0.0, LagrangianDynamics(plant, gravity))], loose(q0, qd0), t, loads)


def sliding(*axes, mass=1.0, moments="1 1 1"):
    """A body that slides along some axes, and turns about those given as ``turn``."""
    parts, parent = [], "ground"
    for k, axis in enumerate(axes):
        child = "body" if k == len(axes) - 1 else f"part{k}"
        parts.append(link(child, mass if child == "body" else 0.0, moments=moments))
        kind = "revolute" if axis.startswith("turn") else "prismatic"
        parts.append(joint(f"j{k}", kind, parent, child, axis.removeprefix("turn ")))
        parent = child
    return robot(*parts)


GUIDED = sliding("1 0 0", "0 0 1")
PLANE = sliding("1 0 0", "0 1 0", "0 0 1")


def block(mu, **more):
    shape = ContactShape.box("body", SIZE)
    return Contact(shape, FLOOR, LAW, name="sole", mu_static=mu, stiction=True, **more)


def down(theta):
    """Gravity on a slope that goes down along x, and where a block of 1 kg rests on it."""
    gravity = (G * math.sin(theta), 0.0, -G * math.cos(theta))
    return gravity, SIZE[2] / 2 - G * math.cos(theta) / K


@pytest.mark.rotates(2)
def test_a_block_below_its_angle_of_friction_stays_where_it_is():
    theta = math.radians(20)
    gravity, height = down(theta)
    t = np.linspace(0.0, 2.0, 21)
    answer = moved(GUIDED, [block(1.001 * math.tan(theta))], [0, height], [0, 0], t, gravity)
    assert np.abs(answer.q[0]).max() < 1e-12  # m, where a creeping law goes millimetres
    f, is_held = answer.element_states[0], answer.element_states[4]
    assert is_held.all()
    np.testing.assert_allclose(f, -G * math.sin(theta), rtol=1e-9)


@pytest.mark.parametrize("mu_dynamic", [None, 0.2])
def test_above_it_the_block_slides_with_what_friction_leaves(mu_dynamic):
    theta, v_d = math.radians(20), 2e-8
    gravity, height = down(theta)
    mu = 0.99 * math.tan(theta)
    sole = block(mu, mu_dynamic=mu_dynamic, stiction_velocity=v_d / 2, friction_velocity=v_d)
    t = np.linspace(0.0, 0.5, 11)
    answer = moved(GUIDED, [sole], [0, height], [0, 0], t, gravity)
    a = G * (math.sin(theta) - (mu_dynamic or mu) * math.cos(theta))
    np.testing.assert_allclose(answer.qd[0], a * t, rtol=1e-5, atol=1e-6)
    if mu_dynamic is None:
        np.testing.assert_allclose(answer.q[0], a * t**2 / 2, rtol=1e-8, atol=1e-10)


def test_a_block_that_is_thrown_stops_after_its_way_and_stays():
    mu, v = 0.3, 0.7
    t = np.linspace(0.0, 0.5, 51)
    answer = moved(GUIDED, [block(mu)], [0, down(0)[1]], [v, 0], t)
    after = t > v / (mu * G)
    np.testing.assert_allclose(answer.q[0, after], v * v / (2 * mu * G), rtol=0, atol=1e-11)
    assert np.ptp(answer.q[0, after]) < 1e-15


def test_a_growing_force_breaks_it_loose_and_a_falling_one_lets_it_stick_again():
    """8 t to the right from rest until t = 0.5, 4 there, then nothing: three closed forms."""
    mu, rate = 0.3, 8.0
    push = Force("body", force=(f"IF(time-0.5:{rate}*time,0,0)", 0, 0))
    t = np.unique([*np.linspace(0.0, 0.7, 71), 0.5])
    answer = moved(GUIDED, [block(mu), push], [0, down(0)[1]], [0, 0], t)
    limit = mu * G
    breaks = limit / rate
    s = np.clip(t - breaks, 0.0, 0.5 - breaks)
    v = rate * (0.5 - breaks) ** 2 / 2
    stops = v / limit
    on = np.clip(t - 0.5, 0.0, stops)
    expected = rate * s**3 / 6 + v * on - limit * on**2 / 2
    np.testing.assert_allclose(answer.q[0], expected, rtol=0, atol=1e-11)
    is_held = (t < breaks) | (t > 0.5 + stops)
    np.testing.assert_array_equal(answer.element_states[4] == 1.0, is_held)
    np.testing.assert_allclose(
        answer.element_states[0, t < breaks], -rate * t[t < breaks], rtol=1e-9, atol=1e-12
    )


def test_friction_has_a_cone_and_no_pyramid():
    """Pulled along a diagonal it goes at mu m g of the whole pull, straight along it."""
    mu, rate = 0.3, 10.0
    pull = Force("body", force=(f"{0.6 * rate}*time", f"{0.8 * rate}*time", 0))
    t = np.linspace(0.0, 0.5, 51)
    answer = moved(PLANE, [block(mu), pull], [0, 0, down(0)[1]], [0, 0, 0], t)
    s = np.clip(t - mu * G / rate, 0.0, None)
    way = rate * s**3 / 6
    np.testing.assert_allclose(answer.q[:2], np.outer([0.6, 0.8], way), rtol=0, atol=1e-11)


def test_what_slides_across_a_slope_turns_down_it_and_stops():
    """Friction against a velocity that turns, of which another solver knows the way."""
    theta, mu, v = math.radians(15), 0.4, 0.5
    gravity, height = down(theta)
    t = np.linspace(0.0, 0.6, 61)
    answer = moved(PLANE, [block(mu)], [0, 0, height], [0, v, 0], t, gravity)

    def rate(_, y):
        s = math.hypot(y[2], y[3])
        a = -mu * G * math.cos(theta) / s
        return [y[2], y[3], a * y[2] + G * math.sin(theta), a * y[3]]

    slow = lambda _, y: math.hypot(y[2], y[3]) - 1e-7  # noqa: E731
    slow.terminal = True
    other = solve_ivp(
        rate, (0, 1), [0, 0, 0, v], "DOP853", t, rtol=1e-12, atol=1e-13, events=slow
    )  # fmt: skip
    stops = float(other.t_events[0][0])
    assert 0.2 < stops < 0.5
    np.testing.assert_allclose(answer.q[:2, t < stops], other.y[:2], rtol=0, atol=1e-9)
    place = other.y_events[0][0, :2, None]
    np.testing.assert_allclose(answer.q[:2, t > stops] - place, 0.0, rtol=0, atol=1e-9)


def test_a_body_that_spins_stops_by_the_moment_of_its_corners():
    """mu N R about the normal, R from the middle to a corner."""
    mu, rate, moment = 0.3, 3.0, 0.02
    plant = sliding("0 0 1", "turn 0 0 1", moments=f"1 1 {moment}")
    t = np.linspace(0.0, 0.5, 51)
    answer = moved(plant, [block(mu)], [down(0)[1], 0], [0, rate], t)
    slows = mu * G * math.hypot(0.1, 0.05) / moment
    stops = rate / slows
    assert 0.1 < stops < 0.4
    s = np.clip(t, None, stops)
    np.testing.assert_allclose(answer.q[1], rate * s - slows * s**2 / 2, rtol=0, atol=1e-10)


def rolling(r, mass=1.0):
    return sliding("1 0 0", "0 0 1", "turn 0 1 0", mass=mass, moments=f"1 {0.4 * mass * r * r!r} 1")


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_a_ball_rolls_without_slip_up_to_two_sevenths(share):
    theta, r = math.radians(30), 0.1
    gravity, _ = down(theta)
    mu = share * 2 / 7 * math.tan(theta)
    ball = Contact(ContactShape.sphere("body", r), FLOOR, LAW, mu_static=mu, stiction=True)
    t = np.linspace(0.0, 0.5, 11)
    answer = moved(rolling(r), [ball], [0, r - G * math.cos(theta) / K, 0], [0, 0, 0], t, gravity)
    rolls = 5 / 7 * G * math.sin(theta)
    a = rolls if share > 1 else G * (math.sin(theta) - mu * math.cos(theta))
    np.testing.assert_allclose(answer.q[0], a * t**2 / 2, rtol=1e-9, atol=1e-11)
    if share > 1:
        np.testing.assert_allclose(answer.qd[0], r * answer.qd[2], rtol=0, atol=1e-10)


@pytest.mark.rotates(2)
def test_a_ball_that_slides_rolls_at_five_sevenths_of_its_speed():
    r, mu, v = 0.1, 0.2, 1.0
    ball = Contact(ContactShape.sphere("body", r), FLOOR, LAW, mu_static=mu, stiction=True)
    t = np.linspace(0.0, 0.5, 26)
    answer = moved(rolling(r), [ball], [0, r - G / K, 0], [v, 0, 0], t)
    rolls = 2 * v / (7 * mu * G)
    assert 0.1 < rolls < 0.2
    after = t > rolls
    way = v * rolls - mu * G * rolls**2 / 2 + 5 / 7 * v * (t - rolls)
    np.testing.assert_allclose(answer.q[0, after], way[after], rtol=0, atol=1e-10)


@pytest.mark.rotates(4)
def test_a_ball_that_rolls_over_another_keeps_its_energy():
    """Its point of touch moves on both, and the normal turns; 7/10 m v² = m g times the fall."""
    r, R, mass = 0.1, 0.4, 1.0
    ball = Contact(
        ContactShape.sphere("body", r), ContactShape.sphere("world", R, at=(0, 0, -R)),
        ContactLaw.impact(K, 1.0), mu_static=2.0, stiction=True,
    )  # fmt: skip
    t, pressed = np.linspace(0.0, 0.2, 11), mass * (G - 0.5**2 / (R + r)) / K
    answer = moved(rolling(r), [ball], [0, r - pressed, 0], [0.5, 0, 5.0], t)
    assert (answer.element_states[4] == 1.0).all()
    v2, w = np.sum(answer.qd[:2] ** 2, axis=0), answer.qd[2]
    depth = R + r - np.hypot(answer.q[0], answer.q[1] + R)
    stored = K * np.maximum(depth, 0) ** 2 / 2
    energy = mass * (v2 / 2 + G * answer.q[1]) + 0.2 * mass * r * r * w**2 + stored
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    assert answer.q[0, -1] > 0.1


@pytest.mark.rotates(3)
def test_two_fingers_hold_up_to_the_limit_of_both():
    """Pulled harder and harder, a box slips at 2 mu N, and both share the pull until then."""
    mass, N, mu = 0.5, 20.0, 0.4
    plant, loads = box_between_fingers(mass, N, 160, mu, stiction=True)
    t = np.linspace(0.0, 0.14, 29)
    answer = moved(plant, loads, [0.0] * 3, [0.0] * 3, t, gravity=(0, 0, 0))
    slips = 2 * mu * N / 160
    s = np.clip(t - slips, 0.0, None)
    np.testing.assert_allclose(answer.q[2], 160 * s**3 / 6 / mass, rtol=0, atol=1e-10)
    for held in (answer.element_states[2], answer.element_states[7]):
        np.testing.assert_allclose(held[t < slips], 80 * t[t < slips], rtol=1e-8, atol=1e-9)


@pytest.mark.rotates(4)
def test_a_block_that_lands_is_caught_and_a_ball_that_bounces_goes_on():
    """Without slip neither is touched aside; with it the ball rolls after some blows."""
    t = np.linspace(0.0, 0.25, 26)
    answer = moved(GUIDED, [block(0.3)], [0, SIZE[2] / 2 + 0.01], [0, 0], t)
    assert np.abs(answer.q[0]).max() == 0.0
    assert answer.element_states[4, -1] == 1.0
    assert not answer.element_states[4, t < 0.04].any()
    r = 0.1
    ball = Contact(
        ContactShape.sphere("body", r), FLOOR, ContactLaw.impact(K, 1.0, 200.0), mu_static=0.5,
        stiction=True,
    )  # fmt: skip
    answer = moved(rolling(r), [ball], [0, r + 0.01, 0], [0.3, 0, 0], t)
    assert answer.qd[0, -1] == pytest.approx(5 / 7 * 0.3, rel=1e-9)  # whatever the blows


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mu_static": 0.0}, "stiction needs mu_static above 0, got 0; set mu_static, or omit"),
        ({"mu_dynamic": 0.4}, "mu_dynamic 0.4 is above mu_static 0.3"),
        ({"stiction": 1}, "stiction"),
    ],
)
def test_a_friction_that_cannot_hold_is_refused(change, said):
    given = {"mu_static": 0.3, "stiction": True} | change
    with pytest.raises(ModelError, match=said):
        Contact(ContactShape.box("body", SIZE), FLOOR, LAW, name="sole", **given)


def test_what_a_run_cannot_know_is_refused_by_name():
    free = JointMotion.displacement({}, free=["j0", "j1"])
    with pytest.raises(ScenarioError, match=r"'sole' has stiction.*use method 'adaptive'"):
        build_problem(Scenario(GUIDED, free, 1.0, 0.01, method="stepped", contacts=(block(0.3),)))
    for driven in (
        JointMotion.displacement({"j0": "0.1*time", "j1": 0.05}),
        JointMotion.displacement({"j0": "0.1*time"}, q0={"j1": 0.05}, free=["j1"]),
    ):
        with pytest.raises(ScenarioError, match="drives alone move its links; free a joint"):
            build_problem(
                Scenario(GUIDED, driven, 1.0, 0.01, method="adaptive", contacts=(block(0.3),))
            )
