"""Contacts of shapes against closed forms of mechanics."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq

from sim import (
    Contact,
    ContactLaw,
    ContactShape,
    GroundContact,
    JointMotion,
    JointSpring,
    Scenario,
    ScenarioError,
)
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.explicit_steps import ExplicitSteps
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.integration import integrate
from sim.dynamics.joint_forces import joint_elements
from sim.errors import ModelError
from sim.kinematics import Kinematics
from sim.simulation import build_problem
from tests.helpers.free_paths import loose
from tests.helpers.held_box import box_between_fingers
from tests.helpers.small_robots import joint, lift, link, pendulum, robot

MACHINE_CODE = True

G, DOWN, WEIGHTLESS = 9.81, (0.0, 0.0, -9.81), (0.0, 0.0, 0.0)
FLOOR = ContactShape.plane()
# A law's exponent is 1.5: how long two bodies touch, in (m²/(k² v))^(1/5).
HERTZ_TIME = 3.2180654597


def moved(plant, contacts, q0, qd0, t, gravity=WEIGHTLESS):
    loads = ElementSum(plant, (*joint_elements(plant), *contacts))
    return integrate([(0.0, LagrangianDynamics(plant, gravity))], loose(q0, qd0), t, loads)


def touch_time(mass, k, v):
    return HERTZ_TIME * (mass**2 / (k**2 * v)) ** 0.2


def time_until_it_left(answer, t, place, speed):
    """When a body was at a place that it has left evenly."""
    return t[-1] - (answer.q[0, -1] - place) / speed


def test_a_steel_ball_touches_for_the_time_of_hertz_and_flies_back():
    mass, v = 0.1, 0.5
    law = ContactLaw.hertz(radius=0.01, young=210e9, poisson=0.3)
    assert law.stiffness == pytest.approx(4 / 3 * 0.1 * 210e9 / (2 * 0.91), rel=1e-14)
    ball = Contact(ContactShape.sphere("load", 0.01), FLOOR, law)
    T = touch_time(mass, law.stiffness, v)
    t = np.linspace(0.0, 4 * T, 200)
    answer = moved(lift(mass), [ball], [0.01 + v * T], [-v], t)  # it comes at T, and leaves at 2 T
    assert answer.qd[0, -1] == pytest.approx(v, rel=1e-9)
    lasted = time_until_it_left(answer, t, 0.01, v) - T
    assert lasted == pytest.approx(T, rel=1e-6)


@pytest.mark.parametrize("restitution", [0.95, 0.5, 0.2, 1e-3])
def test_a_ball_bounces_with_the_restitution_that_was_asked_for(restitution):
    v, law = 2.0, ContactLaw.bouncing(1e6, restitution, 2.0)
    ball = Contact(ContactShape.sphere("load", 0.1), FLOOR, law)
    t = np.linspace(0.0, 0.1, 200)
    answer = moved(lift(1.0), [ball], [0.11], [-v], t)
    assert answer.qd[0, -1] == pytest.approx(restitution * v, rel=1e-7)


def test_a_dropped_ball_goes_as_deep_as_its_energy_takes_it():
    k, h, radius = 1e6, 0.5, 0.1
    ball = Contact(ContactShape.sphere("load", radius), FLOOR, ContactLaw.impact(k))
    depth = brentq(lambda d: G * (h + d) - k * d**2.5 / 2.5, 1e-9, 0.05)
    t = np.linspace(0.0, 0.7, 70001)
    q = moved(lift(1.0), [ball], [radius + h], [0.0], t, DOWN).q[0]
    assert radius - q.min() == pytest.approx(depth, rel=1e-6)
    assert q[t > 0.4].max() == pytest.approx(radius + h, abs=1e-7)  # m, between samples


def test_of_two_equal_balls_the_second_flies_on():
    balls = robot(
        link("one", 0.2), link("two", 0.2),
        joint("first", "prismatic", "ground", "one", "1 0 0"),
        joint("second", "prismatic", "ground", "two", "1 0 0"),
    )  # fmt: skip
    law = ContactLaw.hertz(0.01, 210e9, 0.3, other_radius=0.01)
    shapes = [ContactShape.sphere(name, 0.01) for name in ("one", "two")]
    v, T = 0.3, touch_time(0.1, law.stiffness, 0.3)
    t = np.linspace(0.0, 4 * T, 100)
    answer = moved(balls, [Contact(*shapes, law)], [0.0, 0.02 + v * T], [v, 0.0], t)
    np.testing.assert_allclose(answer.qd[:, -1], [0.0, v], rtol=0, atol=1e-9 * v)
    lasted = 2 * (t[-1] - T - (answer.q[1, -1] - 0.02 - v * T) / v)  # both go on by half of it
    assert lasted == pytest.approx(T, rel=1e-6)


def test_a_pendulum_comes_back_from_a_stop():
    """Of a bob on a rod the mass is that of a ball; of its way across the wall 1e-8 are lost."""
    k, rate, length = 1e9, 0.2, 1.0
    wall = ContactShape.plane(at=(-0.05, 0, 0), normal=(1, 0, 0))
    bob = Contact(ContactShape.sphere("bob", 0.05, at=(0, 0, -length)), wall, ContactLaw.impact(k))
    T = touch_time(1.0, k, rate * length)
    t = np.linspace(0.0, 4 * T, 100)
    answer = moved(pendulum(1.0, length), [bob], [-rate * T], [rate], t)
    assert answer.qd[0, -1] == pytest.approx(-rate, rel=1e-9)
    lasted = t[-1] - (0.0 - answer.q[0, -1]) / rate - T
    assert lasted == pytest.approx(T, rel=1e-6)


@pytest.mark.parametrize("short", [1e-2, 1e-4, 1e-6])
def test_a_short_blow_between_long_steps_is_felt(short):
    """A swing cos(t) meets a stop a little before it turns: the stop takes its energy above."""
    plant = lift(1.0, "1 0 0").with_forces({"slide": JointSpring(1.0, 0.0)})
    wall = ContactShape.plane(at=(1.05 - short, 0, 0), normal=(-1, 0, 0))
    k = 1e6
    ball = Contact(ContactShape.sphere("load", 0.05), wall, ContactLaw.impact(k, 1.0))
    t = np.linspace(0.0, 4.0, 41)
    answer = moved(plant, [ball], [0.0], [1.0], t)
    w, stop = math.sqrt(1 + k), 1 - short
    # in the wall it swings about the point s k/(1 + k), which is s/(1 + k) before the touch
    touch, v = math.asin(stop), math.sqrt(1 - stop**2)
    lasted = 2 / w * math.atan2(v / w, stop / (1 + k))
    late = t > touch + lasted
    expected = np.sin(2 * touch + lasted - t[late])
    np.testing.assert_allclose(answer.q[0, late], expected, rtol=0, atol=1e-9)


def test_what_is_apart_moves_in_machine_code_up_to_the_next_touch(monkeypatch):
    """Where it may touch, the solver goes on that feels it."""
    steps = []
    tried = ExplicitSteps.step
    monkeypatch.setattr(
        ExplicitSteps, "step", lambda solver: (steps.append(solver.t), tried(solver))[1]
    )
    t, law = np.linspace(0.0, 40.0, 401), ContactLaw.impact(1e6)
    bob = ContactShape.sphere("bob", 0.05, at=(0, 0, -1))
    far = [
        Contact(bob, ContactShape.box("world", (1, 1, 1), at=(0, 0, -2)), law, name="below"),
        Contact(bob, ContactShape.plane(at=(2, 0, 0), normal=(-1, 0, 0)), law, name="aside"),
    ]
    answer = moved(pendulum(1.0, 1.0), far, [0.4], [0.0], t, DOWN)
    assert not steps
    alone = moved(pendulum(1.0, 1.0), [], [0.4], [0.0], t, DOWN)
    np.testing.assert_allclose(answer.q, alone.q, rtol=0, atol=1e-9)  # rad
    steps.clear()
    once = lift(1.0, "1 0 0").with_forces({"slide": JointSpring(1.0, 0.0)})
    wall = ContactShape.plane(at=(1.05, 0, 0), normal=(-1, 0, 0))
    ball = Contact(ContactShape.sphere("load", 0.05), wall, law)
    answer = moved(once, [ball], [0.0], [1.0001], t, WEIGHTLESS)
    assert steps[0] > 0.5  # s; it may touch at pi/2
    energy = (answer.q[0] ** 2 + answer.qd[0] ** 2) / 2  # J, also of what reaches into the wall
    assert energy.max() == pytest.approx(1.0001**2 / 2, rel=1e-9)


def slider(mass, moment):
    """A body that slides along x and z and turns about y."""
    return robot(
        link("a", 0.0), link("b", 0.0), link("body", mass, moments=f"1 {moment!r} 1"),
        joint("x", "prismatic", "ground", "a", "1 0 0"),
        joint("z", "prismatic", "a", "b", "0 0 1"),
        joint("turn", "revolute", "b", "body", "0 1 0"),
    )  # fmt: skip


def slope(theta):
    """Gravity of a slope that goes down along x."""
    return (G * math.sin(theta), 0.0, -G * math.cos(theta))


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_a_ball_on_a_slope_slides_or_rolls_by_two_sevenths(share):
    """It rolls where mu is above 2/7 tan; the law's creep is 2e-5 of the way at v_s = 0.1 mm/s."""
    theta, r, mass, k, v_s = math.radians(30), 0.1, 1.0, 1e6, 1e-4
    mu = share * 2 / 7 * math.tan(theta)
    ball = Contact(
        ContactShape.sphere("body", r), FLOOR, ContactLaw.impact(k, 1.0, 2e3), mu_static=mu,
        stiction_velocity=v_s, friction_velocity=2 * v_s,
    )  # fmt: skip
    pressed = mass * G * math.cos(theta) / k
    t = np.linspace(0.0, 0.5, 51)
    plant = slider(mass, 0.4 * mass * r * r)
    answer = moved(plant, [ball], [0.0, r - pressed, 0.0], [0.0] * 3, t, slope(theta))
    rolls, slides = 5 / 7 * G * math.sin(theta), G * (math.sin(theta) - mu * math.cos(theta))
    a = rolls if share > 1 else slides
    assert answer.q[0, -1] == pytest.approx(a * t[-1] ** 2 / 2, rel=1e-4)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_painleves_rod_slides_with_the_push_of_a_rigid_one(way):
    """N = m g / (1 + 3 c (c ± mu s)), which exists as long as mu is below its paradox.

    From another push its tip would swing about this one, 5e3 rad/s.
    """
    m, half, theta, mu, k = 1.0, 0.5, 1.1, 0.8, 1e7
    c, s = math.cos(theta), math.sin(theta)
    assert mu < (1 + 3 * c * c) / (3 * c * s)
    N = m * G / (1 + 3 * c * (c + way * mu * s))
    tip = ContactShape.sphere("body", 0.0, at=(-half * c, 0, -half * s))
    rod = Contact(tip, FLOOR, ContactLaw.impact(k, 1.0), mu_static=mu)
    t = np.linspace(0.0, 2e-3, 21)
    plant = slider(m, m * half**2 / 3)
    answer = moved(plant, [rod], [0.0, half * s - N / k, 0.0], [way, 0.0, 0.0], t, DOWN)
    push = rod.totals(Kinematics(plant, answer.q, answer.qd))[:, 6]
    np.testing.assert_allclose(push, N, rtol=2e-3)  # it turns by 1e-4 rad in this time


@pytest.mark.parametrize(("share", "tips"), [(0.98, True), (1.02, False)])
def test_a_block_tips_where_its_weight_passes_its_edge(share, tips):
    """Half as wide as high times tan(theta), with the lean of its springs in the form."""
    theta, h, mass, k = math.radians(20), 0.2, 1.0, 1e5
    N, S = mass * G * math.cos(theta), mass * G * math.sin(theta)
    width = share * h * math.tan(theta + 2 * N / k / (h * math.tan(theta)))
    block = Contact(
        ContactShape.box("body", (width, 0.1, h)), FLOOR, ContactLaw.impact(k, 1.0, 200.0),
        mu_static=2.0, stiction_velocity=1e-3,
    )  # fmt: skip
    more = min(S * h / 2 / width, N / 2)  # of the lower edge, at rest
    low, high = (N / 2 + more) / (k / 2), (N / 2 - more) / (k / 2)
    start = [0.0, h / 2 - (low + high) / 2, (low - high) / width]
    plant = slider(mass, mass * (width**2 + h**2) / 12)
    t = np.linspace(0.0, 0.5, 41)
    answer = moved(plant, [block], start, [0.0] * 3, t, slope(theta))
    assert (answer.q[2, -1] > 0.02) == tips


def test_two_fingers_hold_a_box_up_to_the_limit_of_their_friction():
    """Pulled harder and harder, it slips at 2 mu N; the law lags by 4e-4 at v_s = 1e-4 m/s."""
    mass, N, mu, v_s = 0.5, 20.0, 0.4, 1e-4
    plant, loads = box_between_fingers(mass, N, 10, mu, stiction_velocity=v_s)
    t = np.linspace(0.0, 2.0, 4001)
    answer = moved(plant, loads, [0.0] * 3, [0.0] * 3, t)
    slips = np.interp(v_s, answer.qd[2], t)
    assert 10 * slips == pytest.approx(2 * mu * N, rel=1e-3)  # N


def wrench_on_i(element, plant, q, qd):
    at = Kinematics(plant, np.array(q)[:, None], np.array(qd)[:, None])
    return np.concatenate(element.on_i(np.zeros(1), at))[:, 0]


def test_a_ground_contact_is_a_sphere_on_a_plane():
    """Its law is a string with exact derivatives; the shapes have it in machine code."""
    law = {"exponent": 1.7, "damping": 30.0, "depth": 0.02}
    rubs = {"mu_static": 0.6, "mu_dynamic": 0.2, "stiction_velocity": 0.3}
    normal, place = (0.2, -0.1, 1.0), (0.1, 0.0, -0.2)
    n = np.array(normal) / np.linalg.norm(normal)
    ground = GroundContact(
        "body", stiffness=4e3, radius=0.3, at=place, height=-0.1, normal=normal, **law, **rubs
    )
    sphere = ContactShape.sphere("body", 0.3, at=place)
    plane = ContactShape.plane(at=-0.1 * n, normal=normal)
    contact = Contact(sphere, plane, ContactLaw.impact(4e3, **law), **rubs)
    plant, rng = slider(1.0, 0.1), np.random.default_rng(1)
    for _ in range(40):
        q, qd = rng.uniform(-0.2, 0.2, 3), rng.uniform(-0.5, 0.5, 3)
        expected = wrench_on_i(ground, plant, q, qd)
        size = max(1.0, np.abs(expected).max())
        assert np.abs(wrench_on_i(contact, plant, q, qd) - expected).max() <= 1e-12 * size


@pytest.mark.parametrize(
    ("shape", "points", "share"),
    [
        (ContactShape.box("body", (0.2, 0.3, 0.1)), 4, 0.25),
        (ContactShape.cylinder("body", 0.1, 0.2), 4, 0.25),
        (ContactShape.cylinder("body", 0.1, 0.2, rpy=(0, math.pi / 2, 0)), 2, 0.25),
        (ContactShape.capsule("body", 0.1, 0.2, rpy=(0, math.pi / 2, 0)), 2, 0.5),
        (ContactShape.sphere("body", 0.1), 1, 1.0),
    ],
)
def test_points_share_the_stiffness_of_a_flat_landing(shape, points, share):
    k, depth = 1e4, 1e-3
    height = {"box": 0.05, "capsule": 0.1}.get(shape.kind, 0.1)
    contact = Contact(shape, FLOOR, ContactLaw.impact(k, 1.0))
    plant = slider(1.0, 0.1)
    force = wrench_on_i(contact, plant, [0.0, height - depth, 0.0], [0.0] * 3)
    expected = [0, 0, points * share * k * depth, 0, 0, 0]
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-9)


def test_a_box_lies_on_a_box_as_on_a_plane():
    """Four corners with a quarter each; a turned one has eight, which carry what they cover."""
    law, depth = ContactLaw.impact(1e4, 1.0), 1e-3
    plant = robot(
        link("up", 0.0), link("body", 1.0, moments="1 1 1"),
        joint("z", "prismatic", "ground", "up", "0 0 1"),
        joint("turn", "revolute", "up", "body", "0 0 1"),
    )  # fmt: skip
    small, table = ContactShape.box("body", (0.2, 0.2, 0.1)), ContactShape.box("world", (1, 1, 0.2))
    flat = wrench_on_i(Contact(small, table, law), plant, [0.15 - depth, 0.3], [0.0, 0.0])
    np.testing.assert_allclose(flat, [0, 0, 1e4 * depth, 0, 0, 0], rtol=0, atol=1e-9)
    same = Contact(small, ContactShape.box("world", (0.2, 0.2, 0.2)), law)
    for turn in (1e-7, math.pi / 4 - 1e-7):
        octagon = 1.0 if turn < 0.1 else 2 * (math.sqrt(2) - 1)  # of the square
        turned = wrench_on_i(same, plant, [0.15 - depth, turn], [0.0, 0.0])
        assert turned[2] == pytest.approx(1e4 * depth * octagon, rel=1e-5)


@pytest.mark.parametrize(
    ("lower", "at", "expected"),
    [  # radius of the lower one; where the upper one stands on it; shares of k, and of k r
        (0.2, (0.05, 0.0), (1.0, 0.0)),
        (0.1, (0.0, 0.0), (1.0, 0.0)),
        (0.05, (0.0, 0.0), (1.0, 0.0)),
        (0.1, (0.1, 0.0), (2 / 3 - math.sqrt(3) / 2 / math.pi, -0.5)),
    ],
)
def test_a_cylinder_stands_on_another_by_the_common_part_of_their_faces(lower, at, expected):
    """Of two discs of radius r, r apart, a lens of area r² (2 pi/3 - sqrt(3)/2) is common."""
    k, depth, plant = 1e4, 1e-3, slider(1.0, 0.1)
    table = ContactShape.cylinder("world", lower, 0.2, at=(-at[0], 0.0, 0.0))
    contact = Contact(ContactShape.cylinder("body", 0.1, 0.2), table, ContactLaw.impact(k, 1.0))
    force = wrench_on_i(contact, plant, [0.0, 0.2 - depth, 0.0], [0.0] * 3)
    push = expected[0] * k * depth  # in the middle of the lens, half way between the axes
    np.testing.assert_allclose(
        force, [0, 0, push, 0, -expected[1] * 0.1 * push, 0], rtol=0, atol=1e-9
    )


def test_crossed_and_parallel_cylinders_push_along_their_normal():
    k, depth, plant, law = 1e4, 1e-3, slider(1.0, 0.1), ContactLaw.impact(1e4, 1.0)
    lying = ContactShape.cylinder("body", 0.1, 0.4, rpy=(0, math.pi / 2, 0))
    for rpy, share in (((0, math.pi / 2, 0), 1.0), ((math.pi / 2, 0, 0), 2 / 3)):
        table = ContactShape.cylinder("world", 0.1, 0.4, rpy=rpy)
        force = wrench_on_i(Contact(lying, table, law), plant, [0, 0.2 - depth, 0], [0] * 3)
        # of crossed ones the two points of Gauss, where a parabola is 2/3 as deep
        expected = [0, 0, share * k * depth, 0, 0, 0]
        np.testing.assert_allclose(force, expected, rtol=0, atol=0.02 * k * depth)


@pytest.mark.parametrize(
    "shape",
    [
        ContactShape.capsule("body", 0.1, 0.2, rpy=(0, math.pi / 2, 0)),
        ContactShape.cylinder("body", 0.1, 0.2, rpy=(0, math.pi / 2, 0)),
        ContactShape.cylinder("body", 0.1, 0.2),
        ContactShape.box("body", (0.2, 0.2, 0.2)),
    ],
)
def test_no_force_jumps_where_one_end_lifts_off_a_table(shape):
    """Along 0.5 degrees of tilt; a whole point more or less were 2.5 N at once."""
    table, plant = ContactShape.box("world", (1, 1, 0.2)), slider(1.0, 0.1)
    contact = Contact(shape, table, ContactLaw.impact(1e4, 1.0))
    tilts = np.linspace(-1e-3, 9e-3, 41)
    forces = [wrench_on_i(contact, plant, [0.0, 0.199, x], [0.0] * 3) for x in 2 * tilts]
    assert np.abs(np.diff(forces, axis=0)).max() <= 0.3  # N: 1e4 N/m of 0.1 m by 5e-4 rad, halved
    assert np.abs(np.diff(forces, 2, axis=0)).max() <= 0.3


BALL = ContactShape.sphere("load", 0.1)
LAW = ContactLaw.impact(1e5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Contact(BALL, ContactShape.box("load", (1, 1, 1)), LAW), "on link 'load'"),
        (lambda: Contact(FLOOR, ContactShape.plane("load"), LAW), "two planes"),
        (lambda: Contact(BALL, FLOOR, LAW, mu_static=-1.0), "mu_static -1.0 is negative"),
        (lambda: Contact(BALL, FLOOR, LAW, friction_velocity=1e-3), "above stiction"),
        (lambda: Contact(BALL, FLOOR, LAW, name="a b"), "name 'a b' must be a text without"),
        (lambda: ContactShape.sphere("load", -1.0), r"Sphere on 'load': radius -1.0 m is negative"),
        (lambda: ContactShape("ball", BALL.at), "Shape 'ball': choose one of plane, sphere"),
        (lambda: ContactShape.plane(normal=(0, 0, 0)), "has no direction"),
        (lambda: ContactLaw("spring", 1.0), "choose one of impact, hunt_crossley"),
        (lambda: ContactLaw.impact(-1.0), r"stiffness -1.0 N/m\^e must be above 0"),
        (lambda: ContactLaw.hertz(math.inf, 1e9, 0.3), "one finite"),
        (lambda: ContactLaw.bouncing(1e5, 1.5, 1.0), "Restitution 1.5"),
        (lambda: ContactLaw.bouncing(1e5, "0.5", 1.0), "restitution must be a number"),
        (lambda: ContactLaw.hertz("1", 1e9, 0.3), "radius must be a number"),
        (lambda: ContactShape.plane(normal="z"), "normal must be numbers"),
        (lambda: ContactShape.plane(normal=(0, 1)), "has no direction"),
        (lambda: ContactShape.capsule("load", 0.1, None), "length must be a number"),
        (lambda: ContactShape.box("load", (1, 2, 3, 4)), "half length in x, half length in y"),
        (lambda: ContactShape("sphere", BALL.at, (1, 2, 0)), "must be radius"),
        (lambda: Contact(BALL, FLOOR, LAW, friction_velocity=math.inf), "a finite number"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(make, message):
    with pytest.raises((ModelError, ScenarioError), match=message):
        make()


def test_an_overlap_at_the_start_is_refused_with_depth_and_remedy():
    motion = JointMotion.displacement({}, q0={"slide": 0.09}, free=("slide",))
    pair = Contact(BALL, FLOOR, LAW)
    run = partial(Scenario, lift(1.0), motion, duration=0.1, method="adaptive")
    with pytest.raises(
        ScenarioError, match=r"overlap by 0.01 m at the start, more than 0.005 m.*allow"
    ):
        build_problem(run(contacts=(pair,)))
    build_problem(run(contacts=(replace(pair, allow_overlap=True),)))
    motion = JointMotion.displacement({}, q0={"slide": 0.005}, free=("slide",))
    run = partial(Scenario, lift(1.0), motion, duration=0.1, method="adaptive")
    deep = replace(pair, allow_overlap=True)
    with pytest.raises(ScenarioError, match=r"by 0.095 m at .*more than 0.09 m; move one of them$"):
        build_problem(run(contacts=(deep,)))
    stiff = replace(pair, law=ContactLaw.impact(1e20, 1.5), allow_overlap=True)
    with pytest.raises(
        ModelError, match=r"which no step can resolve; the largest stiffness is 1e\+18"
    ):
        build_problem(run(contacts=(stiff,)))


@pytest.mark.parametrize("fast", ["0", "1"])
def test_a_shape_deep_in_another_stops_the_run_by_pair_time_and_depth(fast, monkeypatch):
    monkeypatch.setenv("SIM_FAST", fast)
    soft = Contact(BALL, FLOOR, ContactLaw.impact(10.0))
    with pytest.raises(
        ScenarioError, match=r"'load' is 0\.09\d+ m deep in Plane on 'world' at t = 0\.1\d+ s"
    ):
        moved(lift(1.0), [soft], [0.2], [-1.0], np.linspace(0.0, 1.0, 100), DOWN)


@pytest.mark.parametrize(
    ("below", "above", "share"),
    [
        (FLOOR, BALL, 0.6),
        (ContactShape.box("world", (0.4, 0.4, 0.4), at=(0, 0, -0.2)), BALL, 0.6),
        (FLOOR, ContactShape.box("load", (0.3, 0.3, 0.1)), 0.6),
        (
            ContactShape.box("world", (0.4, 0.4, 0.04), at=(0, 0, -0.02)),
            ContactShape.box("load", (0.3, 0.3, 0.1)),
            0.35,
        ),
    ],
    ids=["foot", "foot on a box", "block", "pad"],
)
def test_what_is_soft_swings_deep_in_the_other_as_on_a_spring(below, above, share):
    """At rest as deep as `share` of its half size by m g/k, and by a tenth of that about it."""
    half, mass = min(above.smallest, below.smallest), 2.0
    top = above.smallest
    k = mass * 9.81 / (share * half)
    pair = Contact(above, below, ContactLaw.impact(k, 1.0), name="soft", allow_overlap=True)
    t, rest, swing = np.linspace(0.0, 1.0, 11), top - share * half, 0.1 * half
    answer = moved(lift(mass), [pair], [rest + swing], [0.0], t, DOWN)
    expected = rest + swing * np.cos(math.sqrt(k / mass) * t)
    np.testing.assert_allclose(answer.q[0], expected, rtol=0, atol=1e-11)
