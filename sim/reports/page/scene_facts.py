"""Facts about a robot and its links in the extras of a GLB's nodes."""

from __future__ import annotations

import msgspec
import numpy as np
from msgspec.structs import replace

from sim.maths.rotations import rpy_from_rotation
from sim.robots.coordinate import Coordinate, Limits, coordinates_of
from sim.robots.inertia import Link
from sim.robots.joint import Joint


class LinkFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Facts about a link in the extras of its node.

    Parameters
    ----------
    link : str
    mass : float or None
        [kg]
    com, inertia : sequence of float
        Mass centre [m], and xx xy xz yy yz zz about it [kg·m²], in the link's frame.
    parent : str
    xyz, rpy : sequence of float
        Position [m] and rotation [rad] of its frame in that of its parent.
    joint, kind : str
        The joint that moves it, if any.
    axis : sequence of float
    """

    link: str
    mass: float | None = None
    com: tuple[float, ...] = ()
    inertia: tuple[float, ...] = ()
    parent: str = ""
    xyz: tuple[float, ...] = ()
    rpy: tuple[float, ...] = ()
    joint: str = ""
    kind: str = ""
    axis: tuple[float, ...] = ()

    @property
    def rows(self) -> tuple[Coordinate, ...]:
        """Coordinates that move it: three of a ball, one of any other joint."""
        x, y, z = self.axis
        return coordinates_of(self.joint, self.kind, (x, y, z), Limits())


class SceneFacts(msgspec.Struct, frozen=True):
    """Facts about the robot of a scene: its sources, and shapes not shown as in the URDF."""

    robot: str
    tool: str | None
    notes: list[str] = []
    sources: dict[str, str] = {}


def facts_of(link: Link, joint: Joint | None) -> LinkFacts:
    """Return the facts of a link and of the joint that carries it."""
    facts = LinkFacts(link.name)
    if link.inertia is not None:
        upper = link.inertia.tensor[np.triu_indices(3)]
        facts = replace(
            facts,
            mass=link.inertia.mass,
            com=tuple(link.inertia.com.tolist()),
            inertia=tuple(upper.tolist()),
        )
    if joint is not None:
        rpy = rpy_from_rotation(joint.T_pc[:3, :3])
        xyz = tuple(joint.T_pc[:3, 3].tolist())
        facts = replace(facts, parent=joint.parent, xyz=xyz, rpy=tuple(rpy.tolist()))
    if joint is not None and joint.is_movable:
        axis = tuple(joint.axis.tolist())
        facts = replace(facts, joint=joint.name, kind=joint.kind, axis=axis)
    return facts
