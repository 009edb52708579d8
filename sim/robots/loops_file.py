"""Loops that a tree cannot state: pairs of points that coincide, from a file next to the URDF.

``arm.loops.toml`` belongs to ``arm.urdf``. One table a loop:

    [[loop]]
    name = "coupler on rocker"
    link_a = "coupler"
    point_a = [0, 0, 0.4]              # m, in the frame of link_a
    link_b = "rocker"
    point_b = [0, 0, 0.3]              # m, in the frame of link_b
    normal = [0, 1, 0]                 # unit vector in the frame of link_a; optional
    passive = ["coupler_joint", "rocker_joint"]   # joints that the loop positions; optional

With a normal the points coincide in the plane across it only, and the mechanism may be as wide as
it likes. Joints that follow another by ``<mimic>`` are not named: their positions are known.
"""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.loop import Loop
from sim.robots.robot import Robot

UNIT_TOLERANCE = 1e-4  # of the length of a normal: what printed digits lose

Name = Annotated[str, msgspec.Meta(min_length=1)]
Vector = tuple[float, float, float]


class _Entry(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    name: Name
    link_a: Name
    point_a: Vector
    link_b: Name
    point_b: Vector
    normal: Vector | None = None
    passive: tuple[Name, ...] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    loop: tuple[_Entry, ...]


def read_loops(text: str, robot: Robot, source: str = "loops") -> tuple[Loop, ...]:
    """Loops of a TOML text, checked against the robot they close.

    Parameters
    ----------
    text : str
    robot : Robot
    source : str
        The file, as named in messages.

    Raises
    ------
    ModelError
        If the text is no TOML, a key is unknown or missing, a number is not finite, or a loop names
        a link or joint that cannot close it; the message names the loop.
    """
    try:
        entries = msgspec.toml.decode(text, type=_File).loop
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ModelError(f"{source}: {str(error).replace('`$.', '`')}") from None
    for index, entry in enumerate(entries):
        if entry.name in (other.name for other in entries[:index]):
            raise ModelError(f"{source}: loop name {entry.name!r} is used twice; names must differ")
    return tuple(_loop(entry, robot, f"{source}: loop {entry.name!r}") for entry in entries)


def _loop(entry: _Entry, robot: Robot, where: str) -> Loop:
    for key in ("link_a", "link_b"):
        links = [link.name for link in robot.links]
        if (name := getattr(entry, key)) not in links:
            raise ModelError(
                f"{where}: {key} {name!r} is not in robot {robot.name!r}; "
                f"available: {', '.join(links)}"
            )
    for key in ("point_a", "point_b", "normal"):
        numbers = getattr(entry, key)
        if numbers is not None and not all(map(math.isfinite, numbers)):
            raise ModelError(f"{where}: {key} {list(numbers)} must be finite numbers")
    moving = _path(robot, entry.link_a) ^ _path(robot, entry.link_b)
    if not moving:
        raise ModelError(
            f"{where}: no joint moves between {entry.link_a!r} and {entry.link_b!r}; "
            "a loop closes over joints"
        )
    _check_passive(entry, robot, where)
    return Loop(
        entry.name,
        entry.link_a,
        np.array(entry.point_a),
        entry.link_b,
        np.array(entry.point_b),
        None if entry.normal is None else _unit(entry.normal, where),
        entry.passive,
    )


def _path(robot: Robot, link: str) -> frozenset[str]:
    """Names of the movable joints between the root and a link."""
    carrier = {joint.child: joint for joint in robot.joints}
    path = []
    while link in carrier:
        joint = carrier[link]
        path += [joint.name] if joint.is_movable else []
        link = joint.parent
    return frozenset(path)


def _check_passive(entry: _Entry, robot: Robot, where: str) -> None:
    for index, name in enumerate(entry.passive):
        if name in entry.passive[:index]:
            raise ModelError(f"{where}: passive joint {name!r} is named twice")
        if name in robot.joint_names:
            continue
        follows = any(joint.name == name and joint.mimic for joint in robot.tree_joints)
        what = "follows another by <mimic>" if follows else "does not move on its own"
        raise ModelError(
            f"{where}: passive joint {name!r} {what} in robot {robot.name!r}; "
            f"available: {', '.join(robot.joint_names)}"
        )


def _unit(normal: Vector, where: str) -> Array:
    vector = np.array(normal)
    length = float(np.sqrt(vector @ vector))
    if abs(length - 1) > UNIT_TOLERANCE:
        raise ModelError(f"{where}: normal {list(normal)} has length {length:.6g}; it needs 1")
    return vector / length
