"""How far joints may move before shapes can touch, against distances of spheres in closed form."""

import numpy as np
import pytest

import sim
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.single_state.marker_loads import marker_loads
from tests.helpers.small_robots import double_pendulum, pendulum_on_cart

LAW = sim.ContactLaw.impact(1e5)
AT, RADII = np.array([0.9, 0.2]), (0.05, 0.1)  # of the sphere on the ground, x and z [m]
SPHERE = sim.ContactShape.sphere("ground", RADII[1], at=(AT[0], 0, AT[1]))


def on_two_hinges(q):
    angle = q[0] + q[1]
    return [-0.6 * np.sin(q[0]) - 0.4 * np.sin(angle), -0.6 * np.cos(q[0]) - 0.4 * np.cos(angle)]


def on_a_slide(q):
    return [q[0] - 0.5 * np.sin(q[1]), -0.5 * np.cos(q[1])]


@pytest.mark.parametrize(
    ("plant", "link", "length", "tip"),
    [
        (double_pendulum(1.0, 0.7, 0.6, 0.4), "lower", 0.4, on_two_hinges),
        (pendulum_on_cart(1.0, 0.5, 0.5), "bob", 0.5, on_a_slide),
    ],
    ids=["hinges", "slide"],
)
def test_joints_use_up_no_distance_that_they_are_not_charged_for(plant, link, length, tip):
    ball = sim.ContactShape.sphere(link, RADII[0], at=(0, 0, -length))
    loads = ElementSum(plant, (sim.Contact(ball, SPHERE, LAW),))
    work, rng = marker_loads(loads).workspace(), np.random.default_rng(0)
    start = rng.uniform(-1, 1, (400, 2))
    moved = start + rng.uniform(-1, 1, (400, 2)) * rng.uniform(0, 3, (400, 1))
    none, sure = np.zeros(2), 0
    for first, second in zip(start, moved, strict=True):
        apart = [np.hypot(*(np.array(tip(q)) - AT)) - sum(RADII) for q in (first, second)]
        work.apart.looks, work.apart.has_looked = 0, False
        work.fill(0.0, first, none, np.empty(0))
        assert work.contacts.totals[0, 14] == pytest.approx(apart[0], abs=1e-14)
        if work.apart.is_sure(second, none):
            sure += 1
            assert apart[1] >= (1 - work.apart.used) * apart[0] - 1e-14
    assert 50 < sure < 350


def test_a_plane_that_turns_may_come_from_anywhere():
    plane = sim.ContactShape.plane("lower", at=(0, 0, -2.0), normal=(0, 0, 1))
    plant = double_pendulum(1.0, 0.7, 0.6, 0.4)
    loads = ElementSum(plant, (sim.Contact(SPHERE, plane, LAW),))
    work = marker_loads(loads).workspace()
    for _ in range(3):
        work.fill(0.0, np.zeros(2), np.zeros(2), np.empty(0))
    assert not work.are_apart
