"""The shapes by which a robot is shown: those of its URDF, or plain ones."""

from __future__ import annotations

from dataclasses import dataclass

from sim.errors import ModelError
from sim.robots.robot import Robot
from sim.shapes.plain import skeleton
from sim.shapes.visuals import Visual, visuals


@dataclass(frozen=True, eq=False)
class Look:
    """Shapes of a robot, and why they are not those of its URDF (empty if they are)."""

    shapes: tuple[Visual, ...]
    note: str = ""


def look_of(robot: Robot) -> Look:
    """The visual shapes of a robot; plain bars and drums where it has none that can be shown."""
    from sim.shapes.surface import surface

    try:
        shapes = visuals(robot)
        for shape in shapes:
            surface(shape)  # of a broken mesh PyBullet shows nothing, and says nothing
    except ModelError as error:
        return Look(skeleton(robot), f"drawn with plain shapes: {error}")
    return Look(shapes) if shapes else Look(skeleton(robot))
