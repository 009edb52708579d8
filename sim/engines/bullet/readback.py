"""PyBullet's model of a robot, read back from its numbers and from its motion."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sim.engines.bullet.world import World
from sim.engines.contract import ModelReadback
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose, rotations_of
from sim.robots.coordinate import Limits
from sim.robots.inertia import Inertia
from sim.robots.joint import Joint


def read_model(world: World) -> ModelReadback:
    """Inertias, origins, axes and limits that PyBullet has.

    Origins and axes are not PyBullet's record of them but what it makes of them: where the links
    are with all joints at zero, and how each moves when its joint alone moves at unit speed. The
    state is left at zero. Of a world with welded links this is the welded robot.
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
    """Pose of the link frame in the engine's mass-centre frame, from the engine's own offsets."""
    R = np.reshape(matrix, (3, 3))
    return pose(R.T, -R.T @ np.asarray(com))


def _poses(world: World, links: list[str]) -> dict[str, Array]:
    """Pose of each link frame in the world, by the frame of its mass centre: the other is rough."""
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
    """Angular velocity of a joint's child, or its velocity where the joint slides."""
    index = world.link_index[joint.child]
    state = world.bullet.getLinkState(world.body, index, 1, 1, physicsClientId=world.client)
    return np.array(state[6] if joint.is_prismatic else state[7])


def _limits(world: World, joint: Joint, index: int) -> Limits:
    if joint.is_ball:  # whose <limit> means nothing, though PyBullet reads it
        return Limits()
    info = world.bullet.getJointInfo(world.body, index, physicsClientId=world.client)
    lower, upper, effort, velocity = info[8:12]
    if joint.kind == "continuous" or lower > upper:  # so PyBullet has no ends
        lower, upper = -math.inf, math.inf
    # PyBullet has zero where the URDF gives none; a URDF may also write zero for none.
    return Limits(lower, upper, velocity or math.inf, effort or math.inf)


def _inertia(world: World, link: str) -> Inertia:
    """Mass, mass centre and tensor as PyBullet holds them, in the link frame."""
    info = world.dynamics(link)
    mass, principal, com, orientation = info[0], info[2], info[3], info[4]
    R = np.reshape(world.bullet.getMatrixFromQuaternion(orientation), (3, 3))
    return Inertia(mass, np.asarray(com), R @ np.diag(principal) @ R.T)
