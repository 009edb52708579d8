"""Bodies of a robot by link, drawn at its zero position and painted from the palette."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from manifold3d import Manifold, OpType

from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.robot import Robot
from sim.shapes.palette import PALETTE


def zero_poses(robot: Robot) -> dict[str, Array]:
    """Return the pose T_0l of each link frame in the base frame, all joints at zero."""
    T_0 = {robot.links[0].name: pose()}
    for joint in robot.joints:
        T_0[joint.child] = T_0[joint.parent] @ joint.T_pc
    return T_0


@dataclass
class Model:
    """Drawing of a robot in progress.

    Parameters
    ----------
    robot : Robot
    bodies : dict
        Bodies of each link with their colours.
    """

    robot: Robot
    bodies: dict[str, list[tuple[Manifold, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.T_0 = zero_poses(self.robot)

    def origin(self, link: str) -> Array:
        """Return the origin of the frame of a link, shape (3,) [m]."""
        return self.T_0[link][:3, 3]

    def axis(self, link: str) -> Array:
        """Return the direction of the joint that carries a link, shape (3,)."""
        joint = next(joint for joint in self.robot.joints if joint.child == link)
        return self.T_0[link][:3, :3] @ joint.axis

    def add(self, link: str, colour: str, *bodies: Manifold | Iterable[Manifold]) -> None:
        """Draw bodies, given in the base frame, as parts of a link."""
        if colour not in PALETTE:
            raise KeyError(f"{colour!r} is not in the palette: {', '.join(PALETTE)}")
        painted = self.bodies.setdefault(link, [])
        for body in bodies:
            painted += [(one, colour) for one in ([body] if isinstance(body, Manifold) else body)]

    def in_link(self, link: str) -> list[tuple[Manifold, str]]:
        """Return the bodies of a link in its own frame, each closed."""
        T_l0 = inverse_pose(self.T_0[link])
        return [(body.transform(T_l0[:3]), colour) for body, colour in cast(self.bodies[link])]


def cast(painted: Iterable[tuple[Manifold, str]]) -> list[tuple[Manifold, str]]:
    """Unite the bodies of one colour that share vertices.

    Hulls between bosses share the boss: written separately, its faces would be duplicated, and the
    common volume of the hulls would be counted twice.
    """
    united: list[tuple[Manifold, str, set[tuple[float, ...]]]] = []
    for one_body, colour in painted:
        body, corners = one_body, _corners(one_body)
        parts = [one for one in united if one[1] == colour and one[2] & corners]
        united = [one for one in united if one not in parts]
        if parts:
            body = Manifold.batch_boolean([*(one[0] for one in parts), body], OpType.Add)
            corners = corners.union(*(one[2] for one in parts))
        united.append((body, colour, corners))
    return [(body, colour) for body, colour, _ in united]


def _corners(body: Manifold) -> set[tuple[float, ...]]:
    """Return the vertices of a body in the base frame, rounded as in a file [m]."""
    vertices = np.asarray(body.to_mesh64().vert_properties)[:, :3]
    return set(map(tuple, np.round(vertices, 4).tolist()))
