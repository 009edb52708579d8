"""Convex pieces of what a robot shows: its visual meshes cut into connected bodies, each its hull.

Not the collision shapes: hulls of whole links touch where links do not, and some do not contain
what is shown. A round shape is a prism or a polyhedron of 40 sides about it, so that a distance is
never too large: by at most 0.3 % of a cylinder's radius too small, 0.6 % of a ball's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.errors import ModelError
from sim.kinematics.tree import Tree, tree_of
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.shapes.link_masses import UNIT, require_metres
from sim.shapes.surface import SIDES, triangles_of
from sim.shapes.visuals import Visual, visuals

SAME = 9  # decimals of a metre to which corners of a mesh are one point


@dataclass(frozen=True, eq=False)
class Piece:
    """A convex body that moves with a link.

    Parameters
    ----------
    link : str
    body : int
        The body of the tree that carries it; -1: the world.
    vertices : ndarray, shape (V, 3)
        In the frame of that body [m].
    centre : ndarray, shape (3,)
    radius : float
        Of a ball about the centre that holds it [m].
    """

    link: str
    body: int
    vertices: Array
    centre: Array
    radius: float


def pieces_of(robot: Robot) -> tuple[Piece, ...]:
    """The convex pieces of all links, in the order of the URDF text.

    Raises
    ------
    ModelError
        If a shape cannot be read, a part of a mesh is flat, or a mesh is as large as one in
        millimetres; names link and file.
    """
    tree = tree_of(robot)
    return tuple(piece for visual in visuals(robot) for piece in _cut(tree, visual))


def _cut(tree: Tree, visual: Visual) -> list[Piece]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    body, T_bl = tree.frames[visual.link]
    T = T_bl @ visual.T_lv
    triangles = triangles_of(visual)
    if visual.shape == "mesh" and visual.scale == UNIT:
        require_metres(triangles.vertices, f"link {visual.link!r}: mesh {visual.path}")
    corners = np.round(triangles.vertices * visual.scale * _outwards(visual), SAME)
    V, index = np.unique(corners, axis=0, return_inverse=True)
    F = index.reshape(-1)[triangles.faces]
    edges = coo_array((np.ones(F.size), (F.ravel(), np.roll(F, 1, 1).ravel())), shape=(len(V),) * 2)
    count, label = connected_components(edges, directed=False)
    used = np.isin(np.arange(len(V)), F)
    parts = (V[(label == k) & used] for k in range(count))
    return [_piece(visual, body, part, T) for part in parts if len(part)]


def _outwards(visual: Visual) -> Array:
    """Factors that bring the sides of a round shape, which are drawn inside it, about it."""
    side = 1 / math.cos(math.pi / SIDES)
    factors = {"cylinder": (side, side, 1.0), "sphere": (side**2,) * 3}
    return np.array(factors.get(visual.shape, (1.0, 1.0, 1.0)))


def _piece(visual: Visual, body: int, points: Array, T: Array) -> Piece:
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        where = visual.shape if visual.path is None else f"mesh {visual.path}"
        low, high = points.min(axis=0), points.max(axis=0)
        raise ModelError(
            f"link {visual.link!r}: {where} has a part without volume, {len(points)} corners "
            f"between {_format_point(low)} and {_format_point(high)} m; clearance needs bodies: "
            "remove or close that part"
        ) from None
    vertices = hull @ T[:3, :3].T + T[:3, 3]
    centre = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    radius = float(np.linalg.norm(vertices - centre, axis=1).max())
    vertices.setflags(write=False)
    return Piece(visual.link, body, vertices, centre, radius)


def _format_point(point: Array) -> str:
    return "({:.4g}, {:.4g}, {:.4g})".format(*point)
