"""Signed distances of convex pieces by coal: GJK where they are free, EPA where they overlap."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.clearance.pieces import Piece
from sim.errors import SimError
from sim.maths.arrays import Array

# Far below coal's own 1e-6: worst error of 13 766 queries 1e-13 m, of depths 5e-16 m.
GJK_TOLERANCE, EPA_TOLERANCE, ITERATIONS = 1e-12, 1e-10, 500


class CoalQueries:
    """Distances of pieces at poses.

    Parameters
    ----------
    pieces : sequence of Piece

    Raises
    ------
    SimError
        If coal is not installed.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._coal = coal = _coal()
        self._shapes = [_convex(coal, piece.vertices) for piece in pieces]
        self._request, self._result = coal.DistanceRequest(), coal.DistanceResult()
        self._request.gjk_tolerance = GJK_TOLERANCE
        self._request.epa_tolerance = EPA_TOLERANCE
        self._request.gjk_max_iterations = self._request.epa_max_iterations = ITERATIONS
        self._of_pair: Callable[[int, int], Any] = functools.cache(
            lambda a, b: coal.ComputeDistance(self._shapes[a], self._shapes[b])
        )

    def pose(self, R: Array, p: Array) -> Any:
        """A pose for `distance`, of rotation (3, 3) and origin (3,) [m]."""
        return self._coal.Transform3s(R, p)

    def distance(self, a: int, b: int, pose_a: Any, pose_b: Any) -> float:
        """Signed distance of pieces a and b [m]; negative: how deep they are in each other."""
        self._result.clear()  # the result keeps what it had before
        return float(self._of_pair(a, b)(pose_a, pose_b, self._request, self._result))

    @property
    def normal(self) -> Array:
        """Unit vector from a to b of the last `distance`, in the world."""
        return np.array(self._result.normal)

    @property
    def points(self) -> tuple[Array, Array]:
        """The nearest points of a and b of the last `distance`, in the world [m]."""
        return (
            np.array(self._result.getNearestPoint1()),
            np.array(self._result.getNearestPoint2()),
        )


def coal_version() -> str:
    """Name and version of the library.

    Raises
    ------
    SimError
        If coal is not installed.
    """
    return f"coal {_coal().__version__}"


def _convex(coal: Any, vertices: Array) -> Any:
    points = coal.StdVec_Vec3s()
    points.extend(list(vertices))
    return coal.Convex.convexHull(points, True, "Qt")


def _coal() -> Any:
    try:
        return importlib.import_module("coal")
    except ImportError:
        raise SimError(
            "clearance needs the package coal, which is not installed: pip install 'sim[clearance]'"
        ) from None
