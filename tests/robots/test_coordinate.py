"""The rows of arrays (n, N): of an endless joint, one that follows it, a weld and a slide."""

import math

import numpy as np
import pytest

from sim.maths.units import ANGULAR, LINEAR
from sim.recording.schema.channels import GROUPS, units_of
from sim.robots.coordinate import Coordinate, Limits
from sim.robots.robot import Robot
from sim.simulation.run_description import robot_facts
from tests.helpers.small_robots import link, robot

JOINTS = """
<joint name="turn_joint" type="continuous"><parent link="ground"/><child link="a"/>
  <axis xyz="0 0 1"/><limit effort="30" velocity="2"/></joint>
<joint name="weld" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="follower" type="revolute"><parent link="b"/><child link="c"/>
  <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/>
  <mimic joint="turn_joint" multiplier="2" offset="0.5"/></joint>
<joint name="slide" type="prismatic"><parent link="c"/><child link="d"/>
  <axis xyz="1 0 0"/><limit lower="0" upper="0.4" effort="100" velocity="0.5"/></joint>
"""


@pytest.fixture(scope="module")
def mixed() -> Robot:
    return robot(*(link(name, 1.0, moments="1 1 1") for name in "abcd"), JOINTS)


def test_each_row_is_that_of_a_joint_with_its_axis_and_limits(mixed):
    turn = Coordinate(
        "turn_joint", "turn_joint", "turning", (0.0, 0.0, 1.0), Limits(velocity=2.0, effort=30.0)
    )
    follower = Coordinate(
        "follower", "follower", "turning", (0.0, 1.0, 0.0), Limits(-1.0, 1.0, 3.0, 5.0)
    )
    slide = Coordinate("slide", "slide", "sliding", (1.0, 0.0, 0.0), Limits(0.0, 0.4, 0.5, 100.0))
    assert mixed.coordinates == (turn, slide)
    assert mixed.tree_coordinates == (turn, follower, slide)


def test_rows_and_their_joints_are_in_the_order_of_the_arrays(mixed):
    S, _ = mixed.coupling
    assert S.shape == (len(mixed.tree_coordinates), len(mixed.coordinates))
    assert mixed.row_names == ("turn_joint", "slide")
    assert mixed.tree_row_names == ("turn_joint", "follower", "slide")
    assert [joint.name for joint in mixed.tree_row_joints] == list(mixed.tree_row_names)
    assert np.array_equal(mixed.q_tree(np.array([[1.0], [0.2]]))[:, 0], [1.0, 2.5, 0.2])


def test_a_weld_has_no_row(mixed):
    assert mixed.joint("weld").coordinates == ()


def test_a_row_knows_the_units_of_people_and_of_physics(mixed):
    turn, slide = mixed.coordinates
    assert (turn.units, slide.units) == (ANGULAR, LINEAR)
    assert (turn.is_angle, slide.is_angle) == (True, False)
    assert (turn.reaction, slide.reaction) == ("m", "f")
    assert turn.degrees_or_metres == turn.degrees_or_millimetres == (math.pi / 180, "°")
    assert (slide.degrees_or_metres, slide.degrees_or_millimetres) == ((1.0, "m"), (1e-3, "mm"))
    assert (turn.heading, slide.heading) == ("turn", "slide")
    assert [row.limits.has_range for row in mixed.tree_coordinates] == [False, True, True]


def test_a_description_has_the_rows_of_its_robot(mixed):
    facts = robot_facts(mixed)
    assert facts.coordinates == mixed.coordinates
    assert facts.tree_coordinates == mixed.tree_coordinates
    assert [joint.name for joint in facts.tree_row_joints] == list(mixed.tree_row_names)


def test_channels_have_the_units_of_their_rows(mixed):
    for group in (group for group in GROUPS.values() if group.quantity):
        channels = [f"{group.name}.{name}" for name in mixed.tree_row_names]
        units = units_of(channels, mixed.tree_coordinates)
        wanted = [group.unit, group.unit, group.sliding]
        assert list(units.values()) == wanted
        assert wanted == [row.units.of(group.quantity) for row in mixed.tree_coordinates]
