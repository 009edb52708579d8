"""The convex hull of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.disk_cache import Arrays, cached_arrays
from sim.maths.arrays import Array


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The convex hull of points that are not all in one plane.

    Parameters
    ----------
    corners : ndarray, shape (N, 3)
        The points that are its vertices.
    planes : ndarray, shape (F, 4)
        Its faces as outward normal and offset: n·x + d is the distance to the outside.
    volume : float
    """

    corners: Array
    planes: Array
    volume: float


def convex_hull(points: Array) -> ConvexHull | None:
    """The convex hull of points, shape (N, 3); None where they are in one plane.

    It is kept between processes: SciPy takes a quarter of a second to load.
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
