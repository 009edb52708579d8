"""Simple shapes for a robot whose URDF has none: bars between its joints, drums at its joints."""

from __future__ import annotations

import contextlib

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_aligning_z
from sim.robots.inertia import Link
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.robot import Robot
from sim.shapes.surface import solid_in_link
from sim.shapes.visuals import Visual, collisions_or_lost

# Half the thickness of a bar, relative to the robot's length: slim, but visible.
SLENDERNESS = 0.022
SMALLEST = 0.2  # [m] assumed length of a robot without offsets

# Neighbours differ, so that the boundaries of links are visible.
_COLOURS = ((0.82, 0.84, 0.87, 1.0), (0.30, 0.44, 0.60, 1.0))


def length_of(robot: Robot) -> float:
    """Return the length of the longest chain of offsets, including mass centres [m]."""
    far = {robot.links[0].name: 0.0}
    for joint in robot.joints:
        far[joint.child] = far[joint.parent] + _length(joint.T_pc[:3, 3])
    for link in robot.links:
        if link.inertia is not None:
            far[link.name] += _length(link.inertia.com)
    return max(far.values())


def skeleton(robot: Robot) -> tuple[Visual, ...]:
    """Return shapes that show the positions of a robot's joints and what they carry.

    A bar leads from each joint to the next and to the loop points of the link; a drum is about the
    axis of a rotary joint, a box on a slide, a ball at a fixed joint or a loop point, and one at
    the mass centre of a link that carries no other.
    """
    radius = SLENDERNESS * max(length_of(robot), SMALLEST)
    root = robot.links[0].name
    depth = {root: 0}
    for joint in robot.joints:
        depth[joint.child] = depth[joint.parent] + 1
    shapes = [_cylinder(root, np.zeros(3), np.array([0.0, 0.0, 1.0]), 2 * radius, radius / 2)]
    for joint in robot.joints:
        end = joint.T_pc[:3, 3]
        shapes += _bar(joint.parent, end, radius)
        shapes.append(_hub(joint, radius) if joint.is_movable else _ball(joint.parent, end, radius))
    pins = [pin for loop in robot.loops for pin in _pins(loop)]
    for k, (name, point) in enumerate(pins):  # two balls in one position, and one in the other
        shapes += _bar(name, point, radius / 2)
        shapes.append(_ball(name, point, (1.0 + 0.1 * (k % 2)) * radius))
    carrying = {joint.parent for joint in robot.joints} | {name for name, _ in pins}
    for link in robot.links[1:]:
        if link.name not in carrying and link.inertia is not None:
            shapes += _bar(link.name, link.inertia.com, radius / 2)
            shapes.append(_ball(link.name, link.inertia.com, radius))
    return tuple(
        Visual(s.link, s.T_lv, s.shape, size=s.size, rgba=_COLOURS[depth[s.link] % 2])
        for s in shapes
    )


def box_of(robot: Robot, link: Link) -> Visual:
    """Return a box for a link without shapes: around its collision shapes, joints and mass centre.

    Its axes are those of the link, and it is at least as thick as a bar of the `skeleton`.
    """
    points = [np.zeros(3), *(one.T_pc[:3, 3] for one in robot.joints if one.parent == link.name)]
    if link.inertia is not None:
        points.append(link.inertia.com)
    for shape in collisions_or_lost(robot):
        if shape.link == link.name and not shape.lost:
            with contextlib.suppress(ModelError):
                points += [*solid_in_link(shape)[0]]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    least = 2 * SLENDERNESS * max(length_of(robot), SMALLEST)
    size = tuple(np.maximum(high - low, least).tolist())
    place = pose(position=(low + high) / 2)
    return Visual(link.name, place, "box", size=size, rgba=_COLOURS[0])


def _pins(loop: Loop) -> tuple[tuple[str, Array], ...]:
    """Return the links of a loop and its points on them; empty if it constrains directions only."""
    if not (loop.closure.along or loop.closure.has_length):
        return ()
    return (loop.link_a, loop.point_a), (loop.link_b, loop.point_b)


def _bar(link: str, end: Array, radius: float) -> list[Visual]:
    """Return a bar from the origin of a link to a point of it; empty if they coincide."""
    length = _length(end)
    if length < 1e-9:
        return []
    return [_cylinder(link, end / 2, end / length, radius, length)]


def _hub(joint: Joint, radius: float) -> Visual:
    if not all(row.is_angle for row in joint.coordinates):
        turned = pose(rotation_aligning_z(joint.axis))
        return Visual(joint.child, turned, "box", size=(2.4 * radius,) * 3)
    return _cylinder(joint.child, np.zeros(3), joint.axis, 1.4 * radius, 3 * radius)


def _ball(link: str, middle: Array, radius: float) -> Visual:
    return Visual(link, pose(position=middle), "sphere", size=(radius,))


def _cylinder(link: str, middle: Array, axis: Array, radius: float, length: float) -> Visual:
    T_lv = pose(rotation_aligning_z(axis), middle)
    return Visual(link, T_lv, "cylinder", size=(radius, length))


def _length(vector: Array) -> float:
    return float(np.sqrt(vector @ vector))
