"""Convex pieces of the visual shapes of a robot: hulls of the connected bodies of its meshes.

Collision shapes are not used: hulls of whole links touch where links do not, and some do not
contain the visible shape.

Round shapes are exact: hulls of vertices, grown by a radius r to all sides or, for a cylinder,
across its axis a. Along a vector m of any length their extent is

    max m·x = max_k m·v_k + r √(m² - (m·a)²),      a = 0 for growth to all sides
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from sim.errors import ModelError
from sim.kinematics.tree import Tree, tree_of
from sim.maths.arrays import Array, frozen
from sim.robots.robot import Robot
from sim.shapes.convex_hull import convex_hull
from sim.shapes.link_masses import UNIT, require_metres
from sim.shapes.surface import triangles_of
from sim.shapes.visuals import Visual, visuals

ZERO = frozen(np.zeros(3))
SAME = 9  # decimals of a metre to which vertices of a mesh are equal


@dataclass(frozen=True, eq=False)
class ConvexPiece:
    """A convex body that moves with a link.

    Parameters
    ----------
    link : str
    body : int
        Body of the tree that carries it; -1: the world.
    vertices : ndarray, shape (V, 3)
        In the frame of that body [m]; for a ball its centre, for cylinders and capsules the two
        ends of their axis.
    centre : ndarray, shape (3,)
    radius : float
        Radius of a ball about the centre that contains the piece [m].
    grown : float
        r, the growth of a round shape beyond the hull of its vertices [m].
    axis : ndarray, shape (3,)
        a, the unit vector along a cylinder, in the frame of the body; else zero.
    """

    link: str
    body: int
    vertices: Array
    centre: Array
    radius: float
    grown: float = 0.0
    axis: Array = field(default_factory=lambda: ZERO)

    @property
    def is_cylinder(self) -> bool:
        """Whether the piece is a cylinder."""
        return bool(self.axis.any())

    @property
    def outline(self) -> Array:
        """Return points whose hull contains the piece, (V, 3) [m]."""
        corners = np.array(list(product((-1.0, 1.0), repeat=3))) if self.grown else np.zeros((1, 3))
        return np.asarray((self.vertices[:, None] + self.grown * corners).reshape(-1, 3))

    def reach(self, m: Array) -> Array:
        """Return max m·x over the piece, for vectors m (M, 3) in the frame of its body, (M,)."""
        return np.asarray((m @ self.vertices.T).max(axis=1) + growth(self.grown, self.axis, m))


def growth(grown: Array | float, axes: Array, m: Array) -> Array:
    """Return r √(m² - (m·a)²) along vectors m (M, 3), (M, …) for radii (…) and axes (…, 3)."""
    square = np.einsum("Mi,Mi->M", m, m).reshape(-1, *np.ndim(grown) * (1,))
    across = square - np.tensordot(m, axes, (1, -1)) ** 2
    return np.asarray(grown * np.sqrt(np.maximum(across, 0.0)))


def pieces_of(robot: Robot) -> tuple[ConvexPiece, ...]:
    """Return the convex pieces of all links, in the order of the URDF text.

    Raises
    ------
    ModelError
        If a shape cannot be read, a part of a mesh is flat, or a mesh is as large as one in
        millimetres; the message names link and file.
    """
    tree = tree_of(robot)
    return tuple(piece for visual in visuals(robot) for piece in _cut(tree, visual))


def _cut(tree: Tree, visual: Visual) -> list[ConvexPiece]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    body, T_bl = tree.frames[visual.link]
    T = T_bl @ visual.T_lv
    if visual.shape in ("sphere", "cylinder", "capsule"):
        return [_round_piece(visual, body, T)]
    triangles = triangles_of(visual)
    if visual.shape == "mesh" and visual.scale == UNIT:
        require_metres(triangles.vertices, f"link {visual.link!r}: mesh {visual.path}")
    corners = np.round(triangles.vertices * visual.scale, SAME)
    V, index = np.unique(corners, axis=0, return_inverse=True)
    F = index.reshape(-1)[triangles.faces]
    edges = coo_array((np.ones(F.size), (F.ravel(), np.roll(F, 1, 1).ravel())), shape=(len(V),) * 2)
    count, label = connected_components(edges, directed=False)
    has_face = np.isin(np.arange(len(V)), F)
    parts = (V[(label == k) & has_face] for k in range(count))
    return [_piece(visual, body, part, T) for part in parts if len(part)]


def _round_piece(visual: Visual, body: int, T: Array) -> ConvexPiece:
    """Return a ball, a cylinder or a capsule."""
    grown, length = (*visual.size, 0.0)[:2]
    ends = [0.0] if visual.shape == "sphere" else [-0.5, 0.5]
    axis = T[:3, 2] / np.linalg.norm(T[:3, 2])
    vertices = T[:3, 3] + np.outer(length * np.array(ends), axis)
    is_flat = visual.shape == "cylinder"  # with flat ends
    radius = math.hypot(grown, length / 2) if is_flat else grown + length / 2
    direction = frozen(axis) if is_flat else ZERO
    return ConvexPiece(visual.link, body, frozen(vertices), T[:3, 3], radius, grown, direction)


def _piece(visual: Visual, body: int, points: Array, T: Array) -> ConvexPiece:
    if (hull := convex_hull(points)) is None:
        where = visual.shape if visual.path is None else f"mesh {visual.path}"
        low, high = points.min(axis=0), points.max(axis=0)
        raise ModelError(
            f"link {visual.link!r}: {where} has a part without volume, {len(points)} corners "
            f"between {_format_point(low)} and {_format_point(high)} m; clearance needs bodies: "
            "remove or close that part"
        )
    vertices = hull.corners @ T[:3, :3].T + T[:3, 3]
    centre = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    radius = float(np.linalg.norm(vertices - centre, axis=1).max())
    vertices.setflags(write=False)
    return ConvexPiece(visual.link, body, vertices, centre, radius)


def _format_point(point: Array) -> str:
    return "({:.4g}, {:.4g}, {:.4g})".format(*point)
