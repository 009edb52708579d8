"""PyBullet's own reading of a robot, compared with the model's before the simulation."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

import numpy as np

from sim.dynamics.gravity import GRAVITY
from sim.engines.bullet.engine_urdf import engine_urdf, principal_urdf
from sim.engines.bullet.joint_count import MOST_JOINTS
from sim.engines.bullet.readback import read_model
from sim.engines.bullet.world import World
from sim.engines.contract import ModelReadback, require_same
from sim.maths.arrays import Array
from sim.robots.coordinate import Limits
from sim.robots.inertia import Inertia, Link
from sim.robots.joint import Joint
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.xml_text import text_of

# For the text as written: PyBullet finds the principal axes with an error of 1e-8 of the tensor.
AS_WRITTEN, ALONG_PRINCIPAL_AXES = 1e-6, 1e-12

# Each may be attached to a link of another part, which adds a fixed link.
MOST_OF_A_PART = MOST_JOINTS // 2


def read_twice(world: World) -> ModelReadback:
    """Return PyBullet's model of a robot; the world keeps it along its principal axes.

    First the text is read as written, to verify that PyBullet and the model agree; then along the
    principal axes.

    Raises
    ------
    EngineError
        If PyBullet cannot load it, or reads it differently from the model.
    """
    readback = None
    for written, tolerance in (
        (engine_urdf, AS_WRITTEN),
        (principal_urdf, ALONG_PRINCIPAL_AXES),
    ):
        world.load(written(world.loaded_robot))
        readback = read_model(world)
        require_same(world.loaded_robot, readback, "PyBullet", tolerance)
    assert readback is not None
    return readback


def read_in_parts(robot: Robot) -> ModelReadback:
    """Return PyBullet's model of each link and joint of a robot, read in parts.

    In this way PyBullet also reads welded links from the robot's own text.

    Raises
    ------
    EngineError
        As in `read_twice`.
    """
    inertias: dict[str, Inertia] = {}
    origins: dict[str, Array] = {}
    axes: dict[str, Array] = {}
    limits: dict[str, Limits] = {}
    for part in _parts(robot):
        with World(part, GRAVITY, weld=False) as world:
            readback = read_twice(world)
        inertias |= readback.inertias
        origins |= readback.origins
        axes |= readback.axes
        limits |= readback.limits
    return ModelReadback(
        inertias, {joint.name: origins[joint.name] for joint in robot.joints}, axes, limits
    )


def _parts(robot: Robot) -> Iterator[Robot]:
    """Yield robots with a share of the joints and their child links each, as written.

    A parent that is not a child in the same part is a frame there, at rest at the root.
    """
    from lxml import etree

    document = mend(robot.text, f"robot {robot.name!r}")
    links = {element.get("name", ""): element for element in document.findall("link")}
    joints = {element.get("name", ""): element for element in document.findall("joint")}
    ground = _free_name({*links, *joints})
    for first in range(0, len(robot.joints), MOST_OF_A_PART):
        share = robot.joints[first : first + MOST_OF_A_PART]
        children = {joint.child for joint in share}
        frames = [name for name in dict.fromkeys(j.parent for j in share) if name not in children]
        hung = [_fixed_joint(ground, k, frame) for k, frame in enumerate(frames)]
        root = etree.Element("robot", name=robot.name)
        for name in (ground, *frames):
            etree.SubElement(root, "link", name=name)
        for joint in hung:
            element = etree.SubElement(root, "joint", name=joint.name, type="fixed")
            etree.SubElement(element, "parent", link=joint.parent)
            etree.SubElement(element, "child", link=joint.child)
        for joint in share:
            root.extend([deepcopy(links[joint.child]), deepcopy(joints[joint.name])])
        yield replace(
            robot,
            links=(
                Link(ground),
                *(Link(name) for name in frames),
                *(robot.link(joint.child) for joint in share),
            ),
            joints=(*hung, *share),
            text=text_of(root),
            T_0b=np.eye(4),
        )


def _fixed_joint(ground: str, number: int, frame: str) -> Joint:
    return Joint(f"{ground} {number}", "fixed", ground, frame, np.eye(4), np.array([1.0, 0, 0]))


def _free_name(taken: set[str]) -> str:
    """Return a name that is not a prefix of any other."""
    return "_" * (1 + max(len(name) - len(name.lstrip("_")) for name in taken))
