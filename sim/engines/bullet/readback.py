"""PyBullet's model of a robot, read back from its data and its motion, and compared with ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np

from sim.dynamics.gravity import GRAVITY
from sim.engines.bullet.engine_urdf import engine_urdf, principal_urdf
from sim.engines.bullet.joint_count import MOST_JOINTS
from sim.engines.bullet.world import World
from sim.engines.contract import ModelReadback, require_same
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose, rotations_of
from sim.robots.coordinate import Limits
from sim.robots.document import LARGEST_NUMBER
from sim.robots.inertia import Inertia, Link
from sim.robots.joint import Joint
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.xml_text import text_of

# For the text as written: PyBullet finds the principal axes with an error of 1e-8 of the tensor.
AS_WRITTEN, ALONG_PRINCIPAL_AXES = 1e-6, 1e-12

# Each may be attached to a link of another part, which adds a fixed link.
MOST_OF_A_PART = MOST_JOINTS // 2


def read_model(world: World) -> ModelReadback:
    """Return PyBullet's inertias, origins, axes and limits.

    Origins and axes are not taken from PyBullet's records but observed: the positions of links with
    all joints at zero, and their motion with one joint at unit speed. The state is left at zero.
    For a world with welded links this is the welded robot.
    """
    robot, nothing = world.loaded_robot, [0.0] * len(world.joint_of_row)
    world.reset(nothing, nothing)
    names = [link.name for link in robot.links[1:]]
    poses = {robot.links[0].name: robot.T_0b, **_poses(world, names)}
    origins = {
        joint.name: inverse_pose(poses[joint.parent]) @ poses[joint.child] for joint in robot.joints
    }
    axes = {}
    for k, (row, joint) in enumerate(
        zip(robot.tree_coordinates, robot.tree_row_joints, strict=True)
    ):
        world.reset(nothing, [float(k == other) for other in range(len(nothing))])
        axes[row.name] = poses[joint.child][:3, :3].T @ _rate(world, joint)
    world.reset(nothing, nothing)
    return ModelReadback(
        inertias={
            link.name: _inertia(world, link.name)
            for link in robot.links[1:]
            if link.inertia is not None
        },
        origins=origins,
        axes=axes,
        limits={
            joint.name: _limits(world, joint, index)
            for joint, index in zip(robot.tree_joints, world.joints, strict=True)
        },
    )


def link_frame_in_com(com: Sequence[float], matrix: Sequence[float]) -> Array:
    """Return the link frame in the engine's mass-centre frame, from the engine's own offsets."""
    R = np.reshape(matrix, (3, 3))
    return pose(R.T, -R.T @ np.asarray(com))


def _poses(world: World, links: list[str]) -> dict[str, Array]:
    """Return link frames in the world, via mass-centre frames, as the others are inaccurate."""
    indices = [world.link_index[name] for name in links]
    states = world.bullet.getLinkStates(world.body, indices, 0, 1, physicsClientId=world.client)
    poses = {}
    for name, state in zip(links, states, strict=True):
        info = world.dynamics(name)
        T_cl = link_frame_in_com(info[3], world.bullet.getMatrixFromQuaternion(info[4]))
        R_0c = rotations_of(np.array(state[1])[:, None])[:, :, 0]
        poses[name] = pose(R_0c, state[0]) @ T_cl
    return poses


def _rate(world: World, joint: Joint) -> Array:
    """Return the angular velocity of a joint's child, or its velocity for a slide."""
    index = world.link_index[joint.child]
    state = world.bullet.getLinkState(world.body, index, 1, 1, physicsClientId=world.client)
    return np.array(state[6] if joint.is_prismatic else state[7])


def _limits(world: World, joint: Joint, index: int) -> Limits:
    if joint.is_ball:  # a <limit> has no meaning here, though PyBullet reads it
        return Limits()
    info = world.bullet.getJointInfo(world.body, index, physicsClientId=world.client)
    lower, upper, effort, velocity = info[8:12]
    is_endless = lower <= -LARGEST_NUMBER and upper >= LARGEST_NUMBER
    if joint.kind == "continuous" or lower > upper or is_endless:  # PyBullet has no ends then
        lower, upper = -math.inf, math.inf
    # PyBullet has zero if the URDF has no rating; a URDF may also write zero for none.
    return Limits(lower, upper, velocity or math.inf, effort or math.inf)


def _inertia(world: World, link: str) -> Inertia:
    """Return PyBullet's mass, mass centre and tensor, in the link frame."""
    info = world.dynamics(link)
    mass, principal, com, orientation = info[0], info[2], info[3], info[4]
    R = np.reshape(world.bullet.getMatrixFromQuaternion(orientation), (3, 3))
    return Inertia(mass, np.asarray(com), R @ np.diag(principal) @ R.T)


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
    for written, tolerance in ((engine_urdf, AS_WRITTEN), (principal_urdf, ALONG_PRINCIPAL_AXES)):
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
