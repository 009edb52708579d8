"""Solids of a mesh file for an audit: its convex hull and the volume of its largest closed body.

Both scale and rotate with the shape, so that a file is read once for all its links.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from sim.disk_cache import Arrays, cached_arrays
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.inertia import FARTHEST
from sim.shapes.closed_bodies import Faces, weld
from sim.shapes.convex_hull import convex_hull
from sim.shapes.mass_properties import volume_moments
from sim.shapes.mesh_faults import mesh_faults
from sim.shapes.surface import KINDS, read_mesh

LARGEST_MESH = 30_000_000  # bytes; larger files take too long for an audit
REMEMBERED = 1000  # files, a few kilobytes each


class ShapeSolid(Struct, frozen=True, eq=False):
    """The shape of a mesh file, in its own frame and unit.

    Parameters
    ----------
    corners : ndarray, shape (N, 3)
        Vertices of its convex hull; all vertices if they are in one plane.
    volume : float
        Of its largest closed body; 0 if it is not closed.
    is_drawn : bool
        False if its first line calls it illustrative.
    """

    corners: Array
    volume: float
    is_drawn: bool


def solid_of(path: Path) -> ShapeSolid | None:
    """Return the solid of a mesh file; None if it cannot be read, or is too large for an audit.

    Raises
    ------
    OSError
        If the file is missing.
    """
    stat = path.stat()
    if stat.st_size > LARGEST_MESH or path.suffix.lower() not in KINDS:
        return None
    return _solid(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=REMEMBERED)
def _solid(path: Path, _changed: int, _size: int) -> ShapeSolid | None:
    """Return the cached solid of a file, keyed by modification time and size."""
    try:
        triangles = read_mesh(path, only_places=True)
    except ModelError:
        return None
    with path.open("rb") as file:
        is_drawn = b"illustrative" not in file.readline(200)
    return ShapeSolid(
        hull_corners(triangles.vertices[np.unique(triangles.faces)]),
        largest_body(triangles.vertices, triangles.faces),
        is_drawn,
    )


def hull_corners(points: Array) -> Array:
    """Return vertices of the convex hull of points, (N, 3); all of them if it has no volume."""
    if not np.abs(points).max(initial=0.0) <= FARTHEST:
        return points
    hull = convex_hull(points)
    return points if hull is None else hull.corners


def largest_body(vertices: Array, faces: Faces) -> float:
    """Return the volume of the largest closed body of a mesh; 0 if it is not closed."""
    if not np.abs(vertices).max(initial=0.0) <= FARTHEST:
        return 0.0

    def compute() -> Arrays:
        mesh = weld(vertices, faces)
        bodies = () if mesh_faults(mesh) else mesh.bodies
        return (np.array(max((abs(volume_moments(body).content) for body in bodies), default=0.0)),)

    data = [np.ascontiguousarray(array).tobytes() for array in (vertices, faces)]
    (volume,) = cached_arrays(data, compute, ["scipy"], [weld, mesh_faults, volume_moments])
    return float(volume)
