"""PyBullet's model of a robot, read back from its data and its motion."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sim.engines.bullet.world import World
from sim.engines.contract import ModelReadback
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose, rotations_of
from sim.robots.coordinate import Limits
from sim.robots.document import LARGEST_NUMBER
from sim.robots.inertia import Inertia
from sim.robots.joint import Joint


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
