"""The shapes by which a robot is shown: those of its URDF, or plain ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.errors import ModelError
from sim.robots.robot import Robot
from sim.shapes.plain import skeleton
from sim.shapes.visuals import Visual, payload_links, visuals


@dataclass(frozen=True, eq=False)
class Look:
    """Shapes of a robot, and why they are not those of its URDF (empty if they are)."""

    shapes: tuple[Visual, ...]
    note: str = ""


NEGLIGIBLE = 1e-4  # of the robot's mass; a link of less is a frame, and frames are not drawn


def look_of(robot: Robot) -> Look:
    """The visual shapes of a robot; plain bars and drums where it has none that can be shown."""
    from sim.shapes.surface import surface

    try:
        shapes = shapes_shown(robot)
        for shape in shapes:
            surface(shape)  # of a broken mesh PyBullet shows nothing, and reports nothing
    except ModelError as error:
        return Look(skeleton(robot), f"drawn with plain shapes: {error}")
    return Look(shapes, bare_note(robot))


def shapes_shown(robot: Robot) -> tuple[Visual, ...]:
    """The visual shapes of a robot, and plain ones of the links that lack them.

    Of a robot that has none but the blocks of payloads all links are drawn plainly.

    Raises
    ------
    ModelError
        As `visuals`.
    """
    shapes, payloads = visuals(robot), payload_links(robot)
    if any(shape.link not in payloads for shape in shapes):
        bare = set(_bare(robot, shapes))
    else:
        bare = {link.name for link in robot.links} - payloads
    plain = (shape for shape in skeleton(robot) if shape.link in bare) if bare else ()
    return (*plain, *shapes)


def bare_note(robot: Robot) -> str:
    """Note on links drawn plainly among others with shapes of their own; empty where none is.

    Raises
    ------
    ModelError
        As `visuals`.
    """
    shapes, payloads = visuals(robot), payload_links(robot)
    bare = _bare(robot, shapes)
    if not bare or all(shape.link in payloads for shape in shapes):
        return ""
    return f"drawn as bars, for they have no <visual>: {', '.join(bare)}"


def _bare(robot: Robot, shapes: tuple[Visual, ...]) -> list[str]:
    """Links without a shape that weigh something, or that move and hold a joint elsewhere."""
    drawn = {shape.link for shape in shapes}
    moved = {joint.child for joint in robot.joints if joint.is_movable}
    moved &= {joint.parent for joint in robot.joints if np.any(joint.T_pc[:3, 3])}
    masses = {link.name: link.inertia.mass for link in robot.links if link.inertia is not None}
    least = NEGLIGIBLE * sum(masses.values())
    return [
        link.name
        for link in robot.links
        if link.name not in drawn and (link.name in moved or masses.get(link.name, 0.0) > least)
    ]
