"""What a robot looks like changes nothing of what it does: every number is the same to the bit."""

from dataclasses import replace

import numpy as np
import pytest
from lxml import etree

from sim.engines.bullet.engine_urdf import engine_urdf, principal_urdf
from sim.motion import JointMotion
from sim.robots import load_robot, read_urdf, shipped_robots
from sim.scenario import Scenario
from sim.shapes import collisions
from sim.shapes.visuals import visuals
from sim.simulation import run

SHAPES = ("visual", "collision")


def laden(name):
    return load_robot(name).with_payload(7.0, (0.01, 0.02, 0.1))


def bare(robot):
    """The same robot without any shape in its text."""
    root = etree.fromstring(robot.text.encode())
    for link in root.findall("link"):
        for shape in [each for tag in SHAPES for each in link.findall(tag)]:
            link.remove(shape)
    text = etree.tostring(root, encoding="unicode")
    read = read_urdf(text, folder=robot.folder, tool=robot.tool)
    return replace(robot, text=text, links=read.links, joints=read.joints)


@pytest.mark.parametrize("name", shipped_robots())
def test_the_model_is_the_same_with_and_without_shapes(name):
    robot = laden(name)
    plain = bare(robot)
    assert len(visuals(robot)) > 5
    assert len(collisions(robot)) > 5
    assert visuals(plain) == collisions(plain) == ()
    for with_shapes, without in zip(robot.links, plain.links, strict=True):
        assert with_shapes.name == without.name
        if without.inertia is None:
            assert with_shapes.inertia is None
            continue
        assert with_shapes.inertia.mass == without.inertia.mass
        np.testing.assert_array_equal(with_shapes.inertia.com, without.inertia.com)
        np.testing.assert_array_equal(with_shapes.inertia.tensor, without.inertia.tensor)
    for written in (engine_urdf, principal_urdf):
        assert written(robot) == written(plain)


@pytest.mark.parametrize("method", ["stepped", "ideal"])
@pytest.mark.parametrize("name", ["ur10", "irb460"])
def test_a_run_is_the_same_to_the_last_bit_with_and_without_shapes(name, method):
    robot = laden(name)
    rates = {
        joint: f"STEP(time, 0, 0, 0.02, {0.3 + k})" for k, joint in enumerate(robot.joint_names)
    }
    motion = JointMotion.velocity(rates, q0=robot.pose("home"))
    seen, plain = (
        run(Scenario(each, motion, duration=0.04), method=method) for each in (robot, bare(robot))
    )
    for table in ("recorded", "analytic"):
        ours, theirs = getattr(seen, table), getattr(plain, table)
        assert list(ours.columns) == list(theirs.columns)
        np.testing.assert_array_equal(ours.to_numpy(), theirs.to_numpy())
    assert np.abs(seen.recorded[f"tau.{robot.joint_names[1]}"]).max() > 1  # [N·m]
