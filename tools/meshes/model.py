"""A robot's bodies by link, drawn at its zero position and painted from the palette."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from manifold3d import Manifold

from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.robot import Robot
from sim.shapes.palette import PALETTE


def zero_poses(robot: Robot) -> dict[str, Array]:
    """Pose T_0l of each link frame in the base frame, all joints at zero."""
    T_0 = {robot.links[0].name: pose()}
    for joint in robot.joints:
        T_0[joint.child] = T_0[joint.parent] @ joint.T_pc
    return T_0


@dataclass
class Model:
    """What has been drawn of a robot so far.

    Parameters
    ----------
    robot : Robot
    bodies : dict
        For each link its bodies with their colours.
    """

    robot: Robot
    bodies: dict[str, list[tuple[Manifold, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.T_0 = zero_poses(self.robot)

    def origin(self, link: str) -> Array:
        """Where the frame of a link is, shape (3,) [m]."""
        return self.T_0[link][:3, 3]

    def axis(self, link: str) -> Array:
        """Direction of the joint that carries a link, shape (3,)."""
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
        """The bodies of a link in its own frame."""
        T_l0 = inverse_pose(self.T_0[link])
        return [(body.transform(T_l0[:3]), colour) for body, colour in self.bodies[link]]
