"""Viewpoint from which a whole motion is in the picture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sim.engines.bullet.view.camera import Camera
from sim.kinematics.forward import body_poses
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.shapes.plain import SMALLEST, length_of

MARGIN = 0.09  # around every point, relative to the robot's length
MOST_POSES = 200


def size_of(robot: Robot) -> float:
    """Return the length of a robot for pictures [m]; never zero."""
    return max(length_of(robot), SMALLEST)


def points_of(robot: Robot, q_tree: Array) -> Array:
    """Return points of base, joints and tool during a motion, shape (3, M) [m].

    Parameters
    ----------
    q_tree : ndarray, shape (n, N)
        Positions of the tree joints [rad or m].
    """
    every = -(-q_tree.shape[1] // MOST_POSES)
    tree = tree_of(robot)
    poses = body_poses(tree, q_tree[:, ::every])
    origins = [poses.point(body, T_bl[:3, 3]) for body, T_bl in tree.frames.values()]
    centres = [poses.point(mass.body, mass.com) for mass in tree.masses]
    return np.concatenate([robot.T_0b[:3, 3:], *origins, *centres], axis=1)


def framing(
    points: Array,
    margin: float,
    aspect: float,
    free: tuple[float, float, float, float] = (-1.0, 1.0, -1.0, 1.0),
    camera: Camera | None = None,
) -> Camera:
    """Return `camera` moved, in its direction, so that all points are just inside the picture.

    Parameters
    ----------
    points : ndarray, shape (3, M)
        [m]
    margin : float
        Space around each point [m].
    aspect : float
        Ratio of the picture's width to its height.
    free : tuple of four floats
        Left, right, lower and upper edge of the used part of the picture, from -1 to 1.
    """
    camera = Camera(np.zeros(3), 1.0) if camera is None else camera
    axes = camera.axes
    x, y, z = axes @ points  # right, up, forward
    behind = (z.min() + z.max()) / 2
    half = math.tan(math.radians(camera.field_of_view) / 2)
    left, right, lower, upper = free
    sides = [
        _Side(x, z - behind, margin, left * half * aspect, right * half * aspect),
        _Side(y, z - behind, margin, lower * half, upper * half),
    ]
    distance = max(side.distance for side in sides)
    target = np.array([*(side.middle(distance) for side in sides), behind])
    return replace(camera, target=axes.T @ target, distance=distance)


class _Side:
    """One direction across the picture.

    A point `x` off the axis and `z` behind the target is seen at ``(x - target) / (d + z)``. Its
    bounds `low` and `high` bound the target from below and above, by lines in the distance d; they
    meet at the smallest distance from which all points are seen.
    """

    def __init__(self, x: Array, z: Array, margin: float, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.least = float(np.max(x + margin - high * z))
        self.most = float(np.min(x - margin - low * z))

    @property
    def distance(self) -> float:
        return (self.least - self.most) / (self.high - self.low)

    def middle(self, distance: float) -> float:
        return (self.least - self.high * distance + self.most - self.low * distance) / 2
