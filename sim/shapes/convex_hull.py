"""Convex hull of points."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sim.disk_cache import Arrays, cached_arrays
from sim.maths.arrays import Array


class ConvexHull(Struct, frozen=True, eq=False):
    """Convex hull of points that are not coplanar.

    Parameters
    ----------
    corners : ndarray, shape (N, 3)
        Vertices of the hull.
    planes : ndarray, shape (F, 4)
        Faces as outward normal and offset: n·x + d is the distance to the outside.
    volume : float
    """

    corners: Array
    planes: Array
    volume: float


def convex_hull(points: Array) -> ConvexHull | None:
    """Return the convex hull of points, shape (N, 3); None if they are coplanar.

    The result is cached between processes, since SciPy takes a quarter of a second to load.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)

    def compute() -> Arrays:
        from scipy import spatial

        try:
            hull = spatial.ConvexHull(points)
        except (spatial.QhullError, ValueError):
            return ()
        return hull.vertices, hull.equations, np.array(hull.volume)

    match cached_arrays([points.tobytes()], compute, ["scipy"]):
        case vertices, planes, volume:
            return ConvexHull(points[vertices], planes, float(volume))
    return None
