"""Read-back of a PyBullet body in a user's loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sim.errors import EngineError
from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.inertia import Inertia, Link
from sim.robots.robot import Robot
from sim.watching.bare_robot import bare_robot, with_links
from sim.watching.bullet_base import BASE, ROWS
from sim.watching.cause import Cause, misplaced_link
from sim.watching.evidence import LIGHTEST, EngineRobot

SAME_PLACE = 1e-5  # [m] and of a rotation: getLinkState has single precision


def joint_numbers(bullet: Any, body: int, client: int, robot: Robot) -> list[int]:
    """Return PyBullet's indices of the tree joints of a robot.

    Raises
    ------
    EngineError
        If there is no such body, or it lacks a joint of the robot.
    """
    try:
        count = bullet.getNumJoints(body, physicsClientId=client)
        infos = [bullet.getJointInfo(body, k, physicsClientId=client) for k in range(count)]
    except bullet.error as error:
        raise EngineError(f"PyBullet has no body {body} in client {client}: {error}") from None
    try:
        if count:
            bullet.getBasePositionAndOrientation(body, physicsClientId=client)
    except bullet.error as error:
        raise EngineError(
            f"PyBullet cannot read body {body}, which has {count} joints: {error} It reads bodies "
            "of up to 128 joints, fixed ones too: load a robot with fewer"
        ) from None
    by_name = {info[1].decode(): info[0] for info in infos}
    names = [joint.name for joint in robot.tree_joints]
    if not names:
        raise EngineError(f"Robot {robot.name!r} has no moving joint and thus no torque to judge")
    if missing := [name for name in names if name not in by_name]:
        remedy = "pass the body number that loadURDF returned, and the file that it loaded"
        raise EngineError(
            f"Body {body} of PyBullet has no joint {missing[0]!r} of robot {robot.name!r}; it has "
            f"{', '.join(by_name) or 'no joints'}: {remedy}"
            + ("" if by_name else ", without useMaximalCoordinates=True")
        )
    if balls := [joint.name for joint in robot.tree_joints if joint.is_ball]:
        raise EngineError(
            f"Joint {balls[0]!r} of robot {robot.name!r} is spherical, and p.getJointStates reads "
            "no such joint: sim.watch of PyBullet judges robots of hinges and slides"
        )
    return [by_name[name] for name in names]


def read_back(
    bullet: Any, body: int, client: int, robot: Robot, *, root: str | None = None
) -> EngineRobot:
    """Return the robot as in PyBullet, with gravity, base and settings of its solver.

    The root of a body on a free base has the name `root`, and the robot a free joint to it.
    """
    count = bullet.getNumJoints(body, physicsClientId=client)
    infos = [bullet.getJointInfo(body, k, physicsClientId=client) for k in range(count)]
    numbers = {info[12].decode(): info[0] for info in infos} | {root or robot.links[0].name: BASE}
    free = () if root is None else [link.name for link in robot.links if link.name not in numbers]
    robot = with_links(bare_robot(robot), {*numbers, *free})
    by_name = {info[1].decode(): info for info in infos}
    by_joint = [by_name[joint.name] for joint in robot.tree_joints if joint.name in by_name]
    first = 0 if root is None else ROWS
    links = tuple(
        Link(link.name, _inertia(bullet, body, client, numbers.get(link.name)))
        for link in robot.links
    )
    known = dict(bullet.getPhysicsEngineParameters(physicsClientId=client))
    gravity = tuple(float(known.pop(f"gravityAcceleration{axis}")) for axis in "XYZ")
    base = _base(bullet, body, client) if root is None else robot.T_0b
    return EngineRobot(
        replace(robot, links=links, T_0b=base),
        np.array([0.0] * first + [info[6] for info in by_joint]),
        (gravity[0], gravity[1], gravity[2]),
        {name: float(value) for name, value in known.items()},
        numbers,
        ends=np.array([(-np.inf, np.inf)] * first + [_ends(info) for info in by_joint]),
    )


def ties_of(bullet: Any, body: int, client: int) -> tuple[str, ...]:
    """Return descriptions of the constraints on a body."""
    kinds = {
        getattr(bullet, name): name
        for name in ("JOINT_FIXED", "JOINT_POINT2POINT", "JOINT_PRISMATIC", "JOINT_GEAR")
    }
    constraints = []
    for k in range(bullet.getNumConstraints(physicsClientId=client)):
        number = bullet.getConstraintUniqueId(k, physicsClientId=client)
        info = bullet.getConstraintInfo(number, physicsClientId=client)
        if body in (info[0], info[2]):
            kind = kinds.get(info[4], "constraint")
            constraints.append(
                f"constraint {number} ({kind}) between bodies {info[0]} and {info[2]}"
            )
    return tuple(constraints)


def link_frames(bullet: Any, body: int, client: int) -> dict[str, Array]:
    """Return the present world poses of the link frames, without the root."""
    frames = {}
    for k in range(bullet.getNumJoints(body, physicsClientId=client)):
        name = bullet.getJointInfo(body, k, physicsClientId=client)[12].decode()
        state = bullet.getLinkState(body, k, computeForwardKinematics=1, physicsClientId=client)
        R = np.reshape(bullet.getMatrixFromQuaternion(state[5]), (3, 3))
        frames[name] = np.asarray(pose(R, state[4]))
    return frames


def misplaced_links(robot: Robot, q: Array, frames: Mapping[str, Array]) -> Iterator[Cause]:
    """Yield the first link whose pose differs from the file, at positions q (n,)."""
    poses = {j: frame_pose(robot, q, j.child) for j in robot.joints if j.child in frames}
    for joint, here in poses.items():
        there = frames[joint.child]
        if np.abs(there - here).max() <= SAME_PLACE:
            continue
        cause, base = misplaced_link(joint, there, here), inverse_pose(robot.T_0b)
        places = [(base @ frames[j.child], base @ one) for j, one in poses.items()]
        sizes = [float(np.linalg.norm((base @ T)[:3, 3])) for T in (there, here)]
        factor = sizes[0] / max(sizes[1], SAME_PLACE)
        for _, one in places:
            one[:3, 3] *= factor
        if all(np.abs(one - other).max() <= SAME_PLACE for one, other in places):
            cause = replace(cause, remedy=f"load it without globalScaling={factor:.6g}")
        yield cause
        return


def _ends(info: Any) -> tuple[float, float]:
    """Return limits of a joint as read by PyBullet; a lower one above the upper means none."""
    low, high = float(info[8]), float(info[9])
    return (low, high) if low <= high else (-np.inf, np.inf)


def _inertia(bullet: Any, body: int, client: int, number: int | None) -> Inertia | None:
    """Return mass, mass centre and tensor of a link, in its frame; None for a merged link."""
    if number is None:
        return None
    info = bullet.getDynamicsInfo(body, number, physicsClientId=client)
    R = np.reshape(bullet.getMatrixFromQuaternion(info[4]), (3, 3))
    if info[0] == 0 and not any(info[2]):
        return None
    return Inertia(float(info[0]) or LIGHTEST, np.asarray(info[3]), R @ np.diag(info[2]) @ R.T)


def _base(bullet: Any, body: int, client: int) -> Array:
    """Return the pose of the root link in the world; PyBullet gives that of its mass centre."""
    place, turn = bullet.getBasePositionAndOrientation(body, physicsClientId=client)
    info = bullet.getDynamicsInfo(body, BASE, physicsClientId=client)

    def of(position: Any, quaternion: Any) -> Array:
        return pose(np.reshape(bullet.getMatrixFromQuaternion(quaternion), (3, 3)), position)

    return np.asarray(of(place, turn) @ inverse_pose(of(info[3], info[4])))
