"""Contacts that stick next to friction in joints, in closed loops and under sampled torques."""

import math
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from scipy.integrate import solve_ivp

from sim import Contact, ContactLaw, ContactShape, Force, JointFriction
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.joint_forces import joint_elements
from sim.dynamics.sampled import solve_motion
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet.bullet import Bullet
from sim.engines.mujoco.mujoco import Mujoco
from sim.robots import Loop
from tests.dynamics.test_sampled import loop_of
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import joint, link, robot

MACHINE_CODE = True

G, K = 9.81, 1e5
LAW = ContactLaw.impact(K, 1.0, 200.0)


def answers(plant, contacts, path, t, engines=(Bullet, Mujoco)):
    """Of the model and of engines."""
    gravity, loads = (0.0, 0.0, -G), ElementSum(plant, (*joint_elements(plant), *contacts))
    yield solve_motion([(0.0, LagrangianDynamics(plant, gravity))], path, t, loads)
    for kind in engines:
        with kind(plant, gravity) as engine:
            yield solve_adaptive(engine, t, path, loads=loads).solved


def dry(mu, preload=0.0):
    return JointFriction(
        mu, mu, stiction_velocity=1e-3, preload=preload, inputs=("preload", "reaction_force")
    )


def on_wedge(mu, wedge=2.0, ball=1.0):
    """A wedge on rough rails, and a ball that slides in the plane without turning."""
    parts = (
        link("wedge", wedge), link("a", 0.0), link("ball", ball),
        joint("rail", "prismatic", "ground", "wedge", "1 0 0"),
        joint("x", "prismatic", "ground", "a", "1 0 0"),
        joint("z", "prismatic", "a", "ball", "0 0 1"),
    )  # fmt: skip
    return robot(*parts).with_friction({"rail": dry(mu)})


@pytest.mark.rotates(2)
@pytest.mark.parametrize(("speed", "engine"), [(0.0, Bullet), (0.5, Mujoco)])
def test_rails_feel_what_holds_a_ball_on_a_wedge(speed, engine):
    """Wedge and ball move as one: F - mu (M + m) g, whatever presses and holds between them."""
    theta, mu, mass, push, r = math.radians(15), 0.2, 3.0, 9.0, 0.05
    a = push / mass - mu * G
    normal, along = np.array([-math.sin(theta), math.cos(theta)]), G * math.cos(theta)
    press = 1.0 * (along - a * math.sin(theta))
    hold = 1.0 * (G * math.sin(theta) + a * math.cos(theta))
    start = (r - press / K) * normal
    slope = ContactShape.plane("wedge", normal=(normal[0], 0, normal[1]))
    ball = Contact(
        ContactShape.sphere("ball", r), slope, LAW, name="ball", mu_static=1.01 * hold / press,
        stiction=True,
    )  # fmt: skip
    path = loose([0.0, start[0], start[1]], [speed, speed, 0.0])
    t = np.linspace(0.0, 0.1, 4)
    pushed = [ball, Force("wedge", force=(push, 0, 0))]
    for answer in answers(on_wedge(mu), pushed, path, t, (engine,)):
        expected = speed * t + a * t * t / 2
        np.testing.assert_allclose(answer.q[:2] - answer.q[:2, :1], [expected] * 2, atol=1e-9)
        assert (answer.element_states[4] == 1.0).all()
        np.testing.assert_allclose(answer.friction[0], mu * mass * G, rtol=1e-8)


def test_a_box_between_a_finger_and_its_rough_guide_goes_at_the_sum_of_both_limits():
    mass, N, k, mu_c, mu_j, rate = 0.5, 20.0, 2e5, 0.4, 0.15, 80.0
    plant = robot(
        link("finger", 0.1), link("box", mass, moments="1e-3 1e-3 1e-3"),
        joint("f", "prismatic", "ground", "finger", "1 0 0"),
        joint("z", "prismatic", "ground", "box", "0 0 1"),
    ).with_friction({"z": dry(mu_j, preload=0.5), "f": dry(0.1)})  # fmt: skip
    pad = ContactShape.box("finger", (0.02, 0.03, 0.04), at=(-0.04 + N / k, 0, 0))
    grip = Contact(
        pad, ContactShape.box("box", (0.06, 0.06, 0.06)), ContactLaw.impact(k, 1.0, 100.0),
        name="grip", mu_static=mu_c, stiction=True,
    )  # fmt: skip
    pull = Force("box", force=(0, 0, f"{rate}*time+{mass * G + 3}"))
    t = np.linspace(0.0, 0.16, 17)
    for answer in answers(
        plant, [grip, Force("finger", force=(N, 0, 0)), pull], loose([0.0, 0.0], [0.0, 0.0]), t
    ):
        slips = ((mu_c + mu_j) * N + 0.5 - 3) / rate
        s = np.clip(t - slips, 0.0, None)
        assert 0.1 < slips < 0.2
        np.testing.assert_allclose(answer.q[1], rate * s**3 / 6 / mass, rtol=0, atol=1e-9)


def test_a_block_under_sampled_torques_breaks_loose_at_a_sample_and_sticks_again():
    """Torques of 8 t held for 20 ms up to 0.5 s, then none; slip is a sum of constant pushes."""
    mu, rate, T, mass = 0.3, 8.0, 0.02, 1.0
    plant = robot(
        link("a", 0.0), link("body", mass),
        joint("x", "prismatic", "ground", "a", "1 0 0"),
        joint("z", "prismatic", "a", "body", "0 0 1"),
    )  # fmt: skip
    sole = Contact(
        ContactShape.box("body", (0.2, 0.1, 0.1)), ContactShape.plane(), LAW, name="sole",
        mu_static=mu, stiction=True,
    )  # fmt: skip
    loop = loop_of(plant, lambda x, state: (np.array([rate * x.t * (x.t < 0.5), 0.0]), state), T)
    path = structs.replace(loose([0.0, 0.05 - G / K], [0.0, 0.0]), actuation=loop)
    t = np.linspace(0.0, 0.6, 31)
    x, v, places = 0.0, 0.0, [0.0]
    for k in range(30):
        force = rate * T * k * (T * k < 0.5)
        a = (force - mu * mass * G) / mass if v > 0.0 or force > mu * mass * G else 0.0
        moves = T if a >= 0.0 else min(T, v / -a)
        x, v = x + v * moves + a * moves**2 / 2, v + a * moves
        places.append(x)
    for answer in answers(plant, [sole], path, t):
        np.testing.assert_allclose(answer.q[0], places, rtol=0, atol=1e-10)
        sticks = answer.element_states[4] == 1.0
        assert sticks[:18].all()
        assert not sticks[19:26].any()
        np.testing.assert_allclose(answer.element_states[0, :18], -rate * t[:18], atol=1e-8)


def test_a_plate_on_parallel_bars_lets_go_of_the_floor_at_mu_n():
    """Carried by two swinging bars, pressed down on a floor; then by the reduced equation."""
    L, mass, bar, mu, rate, press = 0.4, 1.5, 0.2, 0.3, 20.0, 30.0
    middle = f"0 0 {-L / 2}"
    tree = robot(
        link("left", bar, com=middle), link("right", bar, com=middle),
        link("plate", mass, moments="0.02 0.02 0.02"),
        joint("l", "revolute", "ground", "left", "0 1 0"),
        joint("p", "revolute", "left", "plate", "0 1 0", f'<origin xyz="0 0 {-L}"/>'),
        joint("r", "revolute", "ground", "right", "0 1 0", '<origin xyz="0.5 0 0"/>'),
    )  # fmt: skip
    ends = "plate", (0.5, 0, 0), "right", (0, 0, -L)
    plant = replace(tree, loops=(Loop("plate on right", *ends, (0.0, 1.0, 0.0), ("r", "p")),))
    foot = Contact(
        ContactShape.sphere("plate", 0.05, at=(0.2, 0, 0)),
        ContactShape.plane(at=(0, 0, -L - 0.05 + press / K)), ContactLaw.impact(K, 1.0),
        name="foot", mu_static=mu, stiction=True,
    )  # fmt: skip
    push = Force("plate", force=(f"{rate}*time", 0, 0))
    t = np.linspace(0.0, 0.6, 25)
    slips = mu * press / rate
    assert 0.4 < slips < 0.5

    def swing(time, y):
        angle, speed = y  # of the bars, forwards
        normal = max(press - K * L * (1.0 - math.cos(angle)), 0.0)
        down = (mass + bar) * G - normal
        torque = L * (rate * time - mu * normal) * math.cos(angle) - L * down * math.sin(angle)
        return [speed, torque / (mass + bar / 2) / L**2]

    free = t[t > slips]
    other = solve_ivp(swing, (slips, t[-1]), [0.0, 0.0], "DOP853", free, rtol=1e-12, atol=1e-13)
    for answer in answers(plant, [foot, push], loose([0.0] * 3, [0.0] * 3), t):
        held = t < slips
        assert np.abs(answer.q[:, held]).max() < 1e-12
        np.testing.assert_allclose(answer.element_states[0, held], -rate * t[held], atol=1e-7)
        np.testing.assert_allclose(-answer.q[0, ~held], other.y[0], rtol=0, atol=1e-8)
