"""A tool path as a thin tube, since no kind of line is drawn by all of PyBullet's renderers.

Its window can draw points, but the labels of its sliders vanish with the first of them.
"""

from __future__ import annotations

import numpy as np

from sim.engines.bullet.view.scene import Mesh
from sim.maths.arrays import Array
from sim.maths.rotations import rotation_aligning_z

MOST_POINTS = 400  # along the tube; PyBullet accepts a few thousand vertices at once
SIDES = 6


def tube(path: Array, radius: float) -> Mesh | None:
    """Return a tube of `radius` [m] along a path of shape (3, N); None if the path is a point.

    The cross-section is transported without rotation about the path, so that the tube has no waist
    at a bend.
    """
    middle = even_points(path, radius)
    if len(middle) < 2:
        return None
    along = np.gradient(middle, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    side = np.empty_like(along)
    side[0] = rotation_aligning_z(along[0])[:, 0]
    for k in range(1, len(along)):
        u = side[k - 1] - (side[k - 1] @ along[k]) * along[k]
        side[k] = u / np.linalg.norm(u)
    angle = 2 * np.pi * np.arange(SIDES) / SIDES
    up = np.cross(along, side)
    normals = (
        side[:, None] * np.cos(angle)[None, :, None] + up[:, None] * np.sin(angle)[None, :, None]
    )
    vertices = middle[:, None] + radius * normals
    i, j = np.meshgrid(np.arange(len(middle) - 1), np.arange(SIDES), indexing="ij")
    a, b = i * SIDES + j, i * SIDES + (j + 1) % SIDES
    triangles = np.stack([a, b, a + SIDES, b, b + SIDES, a + SIDES], axis=-1).reshape(-1, 3)
    return Mesh(vertices.reshape(-1, 3), normals.reshape(-1, 3), triangles)


def even_points(path: Array, step: float) -> Array:
    """Return points of a path at equal distances, at least `step` [m] apart, shape (m, 3)."""
    lengths = np.linalg.norm(np.diff(path, axis=1), axis=0)
    far = np.concatenate([[0.0], np.cumsum(lengths)])
    count = min(MOST_POINTS, int(far[-1] / step) + 1)
    if count < 2:
        return path[:, :1].T
    moving = np.concatenate([[True], lengths > 0])
    at = np.linspace(0.0, far[-1], count)
    return np.stack([np.interp(at, far[moving], row[moving]) for row in path], axis=1)
