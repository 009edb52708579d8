"""Shapes in which a robot is shown: those of its URDF, or simple ones."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sim.errors import ModelError
from sim.robots.robot import Robot
from sim.shapes.plain import skeleton
from sim.shapes.visuals import Visual, payload_links, visuals_or_lost


class Look(Struct, frozen=True, eq=False):
    """Shapes of a robot, and the reason if they are not those of its URDF (otherwise empty)."""

    shapes: tuple[Visual, ...]
    note: str = ""


NEGLIGIBLE = 1e-4  # of the robot's mass; lighter links are frames, which are not drawn


def look_of(robot: Robot) -> Look:
    """Return the visual shapes of a robot; simple bars and drums if none can be shown."""
    from sim.shapes.surface import surface

    try:
        shapes = shapes_shown(robot)
        for shape in shapes:
            surface(shape)  # PyBullet shows nothing for a damaged mesh, and reports nothing
    except ModelError as error:
        return Look(skeleton(robot), f"drawn with plain shapes: {error}")
    return Look(shapes, bare_note(robot))


def shapes_shown(robot: Robot) -> tuple[Visual, ...]:
    """Return the visual shapes of a robot, with simple ones for links without shapes.

    If the blocks of payloads are its only shapes, all links are drawn as simple shapes.

    Raises
    ------
    ModelError
        As in `visuals_or_lost`.
    """
    shapes, payloads = visuals_or_lost(robot), payload_links(robot)
    if any(shape.link not in payloads for shape in shapes):
        bare = set(_bare(robot, shapes))
    else:
        bare = {link.name for link in robot.links} - payloads
    plain = (shape for shape in skeleton(robot) if shape.link in bare) if bare else ()
    return (*plain, *shapes)


def bare_note(robot: Robot) -> str:
    """Return a note on links drawn as simple shapes among others; empty if there are none.

    Raises
    ------
    ModelError
        As in `visuals_or_lost`.
    """
    shapes, payloads = visuals_or_lost(robot), payload_links(robot)
    bare = _bare(robot, shapes)
    if not bare or all(shape.link in payloads for shape in shapes):
        return ""
    return f"drawn as bars, for they have no <visual>: {', '.join(bare)}"


def _bare(robot: Robot, shapes: tuple[Visual, ...]) -> list[str]:
    """Return links without shapes that have mass, or that move and carry a joint at an offset."""
    drawn = {shape.link for shape in shapes}
    carriers = {joint.child for joint in robot.joints if joint.is_movable}
    carriers &= {joint.parent for joint in robot.joints if np.any(joint.T_pc[:3, 3])}
    masses = {link.name: link.inertia.mass for link in robot.links if link.inertia is not None}
    least = NEGLIGIBLE * sum(masses.values())
    return [
        link.name
        for link in robot.links
        if link.name not in drawn and (link.name in carriers or masses.get(link.name, 0.0) > least)
    ]
