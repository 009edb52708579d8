"""Loop closures, read from a file in the folder of the URDF.

``arm.loops.toml`` belongs to ``arm.urdf``. It has one table per loop:

    [[loop]]
    name = "coupler on rocker"
    link_a = "coupler"
    point_a = [0, 0, 0.4]              # m, in the frame of link_a
    link_b = "rocker"
    point_b = [0, 0, 0.3]              # m, in the frame of link_b
    normal = [0, 1, 0]                 # unit vector in the frame of link_a; optional
    passive = ["coupler_joint", "rocker_joint"]   # joints that the loop positions; optional

With a normal the points coincide only in the plane perpendicular to it, and their offset along the
normal is free. Joints that follow another by ``<mimic>`` are not listed: their positions are known.
Other kinds of loops have a ``kind``, with the axes that it requires:

    kind = "hinge"                     # or any other of `sim.robots.loop_kinds.LOOP_KINDS`
    axis_a = [0, 1, 0]                 # unit vector in the frame of link_a
    axis_b = [0, 1, 0]                 # unit vector in the frame of link_b
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from sim.errors import ModelError
from sim.robots.loop import Loop, require_loops
from sim.robots.robot import Robot

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
    kind: str = "point"
    axis_a: Vector | None = None
    axis_b: Vector | None = None
    across_a: Vector | None = None
    across_b: Vector | None = None
    length: float | None = None
    function: Name | None = None


class _LoopsFile(msgspec.Struct, forbid_unknown_fields=True):
    loop: tuple[_Entry, ...]


def read_loops(text: str, robot: Robot, source: str = "loops") -> tuple[Loop, ...]:
    """Parse loops from TOML text and check them against the robot that they close.

    Parameters
    ----------
    text : str
    robot : Robot
    source : str
        The file, as named in messages.

    Raises
    ------
    ModelError
        If the text is not TOML, a key is unknown or missing, a number is not finite, or a loop
        names an unsuitable link or joint; the message names the loop.
    """
    try:
        entries = msgspec.toml.decode(text, type=_LoopsFile).loop
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ModelError(f"{source}: {str(error).replace('`$.', '`')}") from None
    try:
        loops = [Loop(**msgspec.structs.asdict(entry)) for entry in entries]
        require_loops(loops, robot)
    except ModelError as error:
        raise ModelError(f"{source}: {error}") from None
    return tuple(loops)
