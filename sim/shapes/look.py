"""The shapes by which a robot is shown: those of its URDF, or plain ones."""

from __future__ import annotations

from dataclasses import dataclass

from sim.errors import ModelError
from sim.robots.robot import Robot
from sim.shapes.plain import skeleton
from sim.shapes.visuals import Visual, payload_links, visuals


@dataclass(frozen=True, eq=False)
class Look:
    """Shapes of a robot, and why they are not those of its URDF (empty if they are)."""

    shapes: tuple[Visual, ...]
    note: str = ""


def look_of(robot: Robot) -> Look:
    """The visual shapes of a robot; plain bars and drums where it has none that can be shown."""
    from sim.shapes.surface import surface

    try:
        shapes = shapes_shown(robot)
        for shape in shapes:
            surface(shape)  # of a broken mesh PyBullet shows nothing, and says nothing
    except ModelError as error:
        return Look(skeleton(robot), f"drawn with plain shapes: {error}")
    return Look(shapes)


def shapes_shown(robot: Robot) -> tuple[Visual, ...]:
    """The visual shapes of a robot; plain ones where it has none but the blocks of payloads.

    Raises
    ------
    ModelError
        As `visuals`.
    """
    shapes, payloads = visuals(robot), payload_links(robot)
    if any(shape.link not in payloads for shape in shapes):
        return shapes
    arm = (shape for shape in skeleton(robot) if shape.link not in payloads)
    return (*arm, *shapes)
