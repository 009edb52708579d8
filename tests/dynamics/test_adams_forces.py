import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.dynamics.adams_forces import ElementForces
from sim.dynamics.reactions import joint_reaction
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ModelError, ScenarioError
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import geared, joint, lift, link, pendulum, robot

G = 9.81
ROUNDING = 1e-12


def state(*columns):
    return tuple(np.array(column, dtype=float)[:, None] for column in columns)


def all_components(function, id, jflag, rm=None):
    return [float(function(id, jflag, comp, rm)[0]) for comp in range(1, 9)]


def arm():
    """A hinge about y, 0.2 m above the ground, and a weight welded to the end of its link."""
    return robot(
        link("bar", 1.0),
        joint("elbow", "revolute", "ground", "bar", "0 1 0", '<origin xyz="0 0 0.2"/>'),
        link("load", 3.0),
        joint("weld", "fixed", "bar", "load", "0 0 1", '<origin xyz="0.5 0.1 0"/>'),
    )


def test_a_held_hinge_shares_its_reaction_between_the_joint_and_the_drive():
    """A bar of 1 kg, and 3 kg at (0.5, 0.1): a moment of 3 g (0.1, -0.5) about the hinge."""
    forces = ElementForces(arm(), *state([0], [0], [0]))
    joint_on_child = [4 * G, 0, 0, 4 * G, 0.3 * G, 0.3 * G, 0, 0]
    drive_on_child = [0, 0, 0, 0, 1.5 * G, 0, -1.5 * G, 0]
    found = all_components(forces.JOINT, "elbow", 0)
    np.testing.assert_allclose(found, joint_on_child, rtol=0, atol=ROUNDING)
    found = all_components(forces.MOTION, "elbow", 0)
    np.testing.assert_allclose(found, drive_on_child, rtol=0, atol=ROUNDING)
    signs = np.array([1, -1, -1, -1, 1, -1, -1, -1])  # the same magnitudes on the other side
    found = all_components(forces.JOINT, "elbow", 1)
    np.testing.assert_allclose(found, signs * joint_on_child, rtol=0, atol=ROUNDING)
    found = all_components(forces.MOTION, "elbow", 1)
    np.testing.assert_allclose(found, signs * drive_on_child, rtol=0, atol=ROUNDING)


def test_a_marker_resolves_the_components():
    """The bar turned by 90° about y: its x points down, its z forwards."""
    forces = ElementForces(arm(), *state([np.pi / 2], [0], [0]))
    in_bar = all_components(forces.JOINT, "weld", 0, rm="bar")
    np.testing.assert_allclose(in_bar, [3 * G, -3 * G, 0, 0, 0, 0, 0, 0], rtol=0, atol=ROUNDING)
    for world in (None, 0):
        found = all_components(forces.JOINT, "weld", 0, rm=world)
        np.testing.assert_allclose(found, [3 * G, 0, 0, 3 * G, 0, 0, 0, 0], rtol=0, atol=ROUNDING)


def test_the_two_markers_of_a_slide_lie_apart():
    """A weight on a level slide: its moment is taken at I, which moves, or at J, which stays."""
    cart = lift(2.0, "1 0 0", '<origin xyz="0 0 0.3"/>')
    forces = ElementForces(cart, *state([0.7], [0], [5.0]))
    np.testing.assert_allclose(
        all_components(forces.JOINT, "slide", 0), [2 * G, 0, 0, 2 * G, 0, 0, 0, 0], atol=ROUNDING
    )
    # on the ground at J: -F = (0, 0, -2 g) acts 0.7 m along x, a moment of (0, 1.4 g, 0)
    np.testing.assert_allclose(
        all_components(forces.JOINT, "slide", 1),
        [2 * G, 0, 0, -2 * G, 1.4 * G, 0, 1.4 * G, 0],
        atol=ROUNDING,
    )
    pull = [2.0 * 5.0, 2.0 * 5.0, 0, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(all_components(forces.MOTION, "slide", 0), pull, atol=ROUNDING)


def test_the_efforts_of_the_drives_may_be_those_that_were_recorded():
    """With friction the drive gives more than the motion needs; the joint's share is the same."""
    motion = state([0.3], [1.0], [0.0])
    ideal = ElementForces(pendulum(2.0, 0.7), *motion)
    rough = ElementForces(pendulum(2.0, 0.7), *motion, tau=np.array([[20.0]]))
    assert rough.MOTION("hinge", 0, 7)[0] == 20.0
    assert ideal.MOTION("hinge", 0, 7)[0] == pytest.approx(2 * 0.7 * G * np.sin(0.3), rel=1e-13)
    assert rough.JOINT("hinge", 0, 5)[0] == ideal.JOINT("hinge", 0, 5)[0]


@given(worlds(), st.integers(0, 2**32 - 1))
def test_joint_and_motion_together_are_the_reaction(world, seed):
    """Along the axes of the joint's child, in which the constraint gives nothing along the axis."""
    external = iter(random_wrenches(world.robot, world.q.shape[1], seed))
    motion = (world.q, world.qd, world.qdd)
    forces = ElementForces(world.robot, *motion, gravity=world.gravity, external=external)
    for each in world.robot.tree_joints:
        whole = joint_reaction(world.robot, each.name, *motion, world.gravity, forces.external)
        carried, driven = (
            np.stack([f(each.name, 0, comp, each.child) for comp in (2, 3, 4, 6, 7, 8)])
            for f in (forces.JOINT, forces.MOTION)
        )
        scale = ROUNDING * 100 * (1 + np.abs(whole.rows).max())
        np.testing.assert_allclose(carried + driven, whole.rows, rtol=0, atol=scale)
        part = slice(3) if each.is_prismatic else slice(3, 6)
        np.testing.assert_allclose(each.axis @ carried[part], 0.0, rtol=0, atol=scale)


def test_an_external_load_is_in_the_joint_and_in_the_drive():
    push = AppliedWrench("load", np.zeros(3), np.c_[[0, 0, 2.0]], np.zeros((3, 1)))
    forces = ElementForces(arm(), *state([0], [0], [0]), gravity=(0, 0, 0), external=(push,))
    assert forces.JOINT("elbow", 0, 4)[0] == pytest.approx(-2.0, rel=1e-14)
    assert forces.MOTION("elbow", 0, 7)[0] == pytest.approx(0.5 * 2.0, rel=1e-14)


@pytest.mark.parametrize("function", ["JOINT", "MOTION"])
def test_numbers_that_adams_does_not_know_are_refused(function):
    call = getattr(ElementForces(arm(), *state([0], [0], [0])), function)
    with pytest.raises(ScenarioError, match=r"jflag must be 0 .* or 1 .* not 2"):
        call("elbow", 2, 1)
    for comp in (0, 9):
        with pytest.raises(ScenarioError, match=rf"comp must be one of 1 \|F\|.* not {comp}"):
            call("elbow", 0, comp)
    with pytest.raises(ModelError, match="Joint 'knee' is not in robot 'small'; available: elbow"):
        call("knee", 0, 1)
    with pytest.raises(ModelError, match="Frame 'tip' is not in robot 'small'; available: world"):
        call("elbow", 0, 1, "tip")


def test_a_joint_without_a_drive_has_no_motion():
    with pytest.raises(ModelError, match=r"'weld' is fixed and has no motion; .* one: elbow"):
        ElementForces(arm(), *state([0], [0], [0])).MOTION("weld", 0, 1)
    pair = ElementForces(geared(0.1, 0.1, 2.0), *state([0], [0], [0]))
    with pytest.raises(ModelError, match=r"'output' follows 'input' and has no motion; .* input"):
        pair.MOTION("output", 0, 1)
