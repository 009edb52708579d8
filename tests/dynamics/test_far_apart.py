"""How far joints may move before shapes can touch, against distances of spheres in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebvander
from scipy.integrate import DOP853
from scipy.optimize import linprog

import sim
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.kernels.nearness import BETWEEN
from sim.dynamics.single_state.far_apart import SURE
from sim.dynamics.single_state.marker_loads import marker_loads
from tests.helpers.small_robots import double_pendulum, joint, link, pendulum_on_cart, robot

MACHINE_CODE = True

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
        work.far_apart.look(first, none)
        if work.far_apart.is_sure(second):
            sure += 1
            assert apart[1] >= (1 - work.far_apart.share) * apart[0] - 1e-14
    assert 50 < sure < 350


def test_a_plane_that_turns_uses_up_the_way_of_the_other_shape():
    """Seen from the hinges it is as far as the sphere, not as the plane, which ends nowhere."""
    plane = sim.ContactShape.plane("lower", at=(0, 0, -2.0), normal=(0, 0, 1))
    plant = double_pendulum(1.0, 0.7, 0.6, 0.4)
    loads = ElementSum(plant, (sim.Contact(SPHERE, plane, LAW),))
    work, none = marker_loads(loads).workspace(), np.zeros(2)
    reach = np.hypot(*AT) + RADII[1]
    np.testing.assert_allclose(work.far_apart.reserve.reach, [[reach, 0.6 + reach]])
    work.far_apart.look(none, none)
    height = 2.0 + 0.6 + AT[1] - RADII[1]  # m above the plane
    assert not work.far_apart.is_sure(np.array([0.0, 1.001 * height / (0.6 + reach)]))
    assert work.far_apart.is_sure(np.array([0.0, 0.999 * height / (0.6 + reach)]))


@pytest.mark.parametrize(
    ("degree", "stages", "bound"),
    [
        (6, np.append(DOP853.C[:12], 1.0), BETWEEN),
        (7, np.concatenate([DOP853.C[:12], [1.0], DOP853.C_EXTRA]), 1.0 / SURE),
    ],
    ids=["velocities", "positions"],
)
def test_a_step_is_bounded_by_its_stages(degree, stages, bound):
    """By linear programming: the largest value of a polynomial that is at most 1 at the stages."""
    at_stages = chebvander(2 * np.unique(stages) - 1, degree)
    rows, most = np.vstack([at_stages, -at_stages]), 0.0
    for row in chebvander(np.linspace(-1, 1, 101), degree):
        found = linprog(-row, rows, np.ones(len(rows)), bounds=(None, None))
        most = max(most, -found.fun)
    assert 0.9 * bound < most < bound


ARM = robot(
    link("upper", 2.0, com="0 0 -0.3"), link("lower", 1.0, com="0 0.1 -0.2"),
    joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
    joint("elbow", "revolute", "upper", "lower", "1 0 0", '<origin xyz="0 0 -0.6"/>'),
)  # fmt: skip
WALLS = {
    "plane": sim.ContactShape.plane(at=(0, 0, -1.5)),
    "box": sim.ContactShape.box("ground", (0.5, 0.5, 0.5), at=(1.6, 0, 0)),
}


@pytest.mark.parametrize(("wall", "engine"), [("plane", "bullet"), ("box", "mujoco")])
def test_shapes_that_never_touch_change_no_bit_of_a_run(wall, engine):
    """Slow, so that tolerances allow longer steps than those between which contacts are sought."""
    motion = sim.JointMotion.torque({}, free=ARM.row_names, q0=[0.05, 0.02])
    one = sim.Scenario(
        ARM, motion, duration=2.0, dt=0.1, method="adaptive", gravity=(0, 0, -0.1), engine=engine
    )
    ball = sim.ContactShape.capsule("lower", 0.05, 0.2, at=(0, 0, -0.2))
    alone, beside = (
        sim.run(replace(one, contacts=contacts))
        for contacts in ((), (sim.Contact(ball, WALLS[wall], LAW, name="wall"),))
    )
    assert not np.any(beside.recorded["contact.wall.depth"])
    for table in ("recorded", "analytic"):
        first, second = (getattr(run, table) for run in (alone, beside))
        for channel in first.columns:
            np.testing.assert_array_equal(first[channel], second[channel], err_msg=channel)
