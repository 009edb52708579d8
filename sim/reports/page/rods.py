"""Rods and drums: what a robot without shapes of its own is drawn as."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.robots.model import Robot
from sim.robots.visuals import Visual
from sim.spatial import Array, pose, rotation_aligning_z

STEEL, BLUE = (0.72, 0.74, 0.77, 1.0), (0.0, 0.45, 0.7, 1.0)
THIN = 0.045  # radius of a rod, relative to the longest
LEAST = 0.005  # [m]; radius of a rod of a robot without extent


def rods(robot: Robot) -> tuple[Visual, ...]:
    """A rod from each link's frame to those of the joints it carries, and a drum at each joint."""
    longest = max((float(np.linalg.norm(j.T_pc[:3, 3])) for j in robot.joints), default=0.0)
    radius = max(THIN * longest, LEAST)
    found: list[Visual] = []
    for joint in robot.joints:
        found += _rod(joint.parent, joint.T_pc[:3, 3], radius)
        if joint.is_movable:
            T = pose(rotation_aligning_z(joint.axis))
            drum = (1.45 * radius, 3.2 * radius)
            found.append(Visual(joint.child, T, "cylinder", size=drum, rgba=BLUE))
    carriers = {joint.parent for joint in robot.joints}
    for link in robot.links:
        if link.name not in carriers and link.inertia is not None:
            found += _rod(link.name, link.inertia.com, 0.8 * radius)
            ball = pose(position=link.inertia.com)
            found.append(Visual(link.name, ball, "sphere", size=(1.3 * radius,), rgba=STEEL))
    return tuple(found)


def _rod(link: str, end: Array, radius: float) -> Iterator[Visual]:
    """A rod with a round end from the link's frame to a point of it."""
    length = float(np.linalg.norm(end))
    if length > radius / 10:
        T = pose(rotation_aligning_z(end / length), end / 2)
        yield Visual(link, T, "cylinder", size=(radius, length), rgba=STEEL)
        yield Visual(link, pose(position=end), "sphere", size=(radius,), rgba=STEEL)
