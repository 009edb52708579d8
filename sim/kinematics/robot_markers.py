"""Markers of every robot: its links by name, and two at each joint."""

from __future__ import annotations

from collections.abc import Iterator

from sim.maths.rotations import rotation_aligning_z, rpy_from_rotation
from sim.robots.joint import Joint
from sim.robots.marker import NAME, Marker
from sim.robots.names import Names
from sim.robots.robot import Robot


def with_robot_markers(names: Names, robot: Robot) -> Names:
    """Add a marker for each link and two for each joint to the names, unless these are taken.

    ``<link>`` is the link's frame; ``<joint>.i`` and ``<joint>.j`` are on child and parent of a
    joint, with z along its axis: its position is ``AZ(i, j)`` or ``DZ(i, j, j)``.
    """
    markers: dict[str, Marker] = {}
    for marker in _markers(robot):
        if marker.name.upper() not in names.marker_by_label:
            markers.setdefault(marker.name.upper(), marker)
    return names.with_markers(*markers.values())


def _markers(robot: Robot) -> Iterator[Marker]:
    for link in robot.links:
        if NAME.fullmatch(link.name):
            yield Marker(link.name, link.name)
    for joint in robot.tree_joints:
        if NAME.fullmatch(joint.name):
            yield from _ends(joint)


def _ends(joint: Joint) -> tuple[Marker, Marker]:
    """Return the markers of a joint on its child and on its parent."""
    turned, T = rotation_aligning_z(joint.axis), joint.T_pc
    return (
        Marker(f"{joint.name}.i", joint.child, (0, 0, 0), rpy_from_rotation(turned)),
        Marker(f"{joint.name}.j", joint.parent, T[:3, 3], rpy_from_rotation(T[:3, :3] @ turned)),
    )
