"""Signed distances of convex pieces by coal: GJK if disjoint, EPA if they overlap."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.clearance.pieces import ConvexPiece
from sim.errors import SimError
from sim.maths.arrays import Array
from sim.maths.rotations import rotation_aligning_z

# Tolerances of GJK and EPA. Those for polyhedra and bodies grown to all sides are far below coal's
# own 1e-6: largest error of 13 766 queries 1e-13 m, of depths 5e-16 m. With cylinders some queries
# fail by arbitrary amounts, so that each distance is compared with the separation along its normal,
# and the next tolerances are tried: largest error of 720 queries per pair, mostly near touching,
# 1e-6 m.
TOLERANCES = ((1e-12, 1e-10), (1e-10, 1e-8), (1e-8, 1e-8), (1e-6, 1e-6))
PROVED = 1e-9  # [m]; allowed difference of a distance from the separation along its normal
ITERATIONS = 500
FAR = 1e6  # [m]; larger distances are invalid


class CoalQueries:
    """Distances of pieces at poses.

    Parameters
    ----------
    pieces : sequence of ConvexPiece

    Raises
    ------
    SimError
        If coal is not installed.
    """

    def __init__(self, pieces: Sequence[ConvexPiece]) -> None:
        self._coal = coal = _coal()
        self._pieces = pieces
        self._shapes = [_shape(coal, piece) for piece in pieces]
        self._requests = [_request(coal, *one) for one in TOLERANCES]
        self._result, self._normal = coal.DistanceResult(), np.zeros(3)
        self._of_pair: Callable[[int, int], Any] = functools.cache(
            lambda a, b: coal.ComputeDistance(self._shapes[a][0], self._shapes[b][0])
        )

    def pose(self, R: Array, p: Array) -> Any:
        """Return a pose for `distance`, with rotation (3, 3) and origin (3,) [m]."""
        return self._coal.Transform3s(R, p)

    def distance(self, a: int, b: int, pose_a: Any, pose_b: Any) -> float:
        """Return the signed distance of pieces a and b [m]; negative: penetration depth."""
        distance = self._query(a, b, pose_a, pose_b, self._requests[0])
        if not (self._pieces[a].is_cylinder or self._pieces[b].is_cylinder):
            return distance
        best, lack, normal = -np.inf, np.inf, self._normal
        for request in self._requests:
            distance = self._query(a, b, pose_a, pose_b, request)
            gap = self._separation(a, b, pose_a, pose_b, self._normal)
            if abs(distance) < FAR and distance - gap < lack:
                best, lack, normal = max(distance, gap), distance - gap, self._normal
            if lack <= PROVED:
                break
        if best < 0:  # coal moves a ball out of a cylinder sideways, even if an end is nearer
            for k, pose in ((a, pose_a), (b, pose_b)):
                along = np.array(pose.getRotation()) @ self._pieces[k].axis
                for n in (along, -along) if self._pieces[k].is_cylinder else ():
                    gap = self._separation(a, b, pose_a, pose_b, n)
                    best, normal = (gap, n) if gap > best else (best, normal)
        self._normal = normal
        return float(best)

    def _query(self, a: int, b: int, pose_a: Any, pose_b: Any, request: Any) -> float:
        self._result.clear()  # the result keeps earlier contacts
        (_, offset), (_, other) = self._shapes[a], self._shapes[b]
        first = pose_a if offset is None else pose_a * offset
        second = pose_b if other is None else pose_b * other
        distance = float(self._of_pair(a, b)(first, second, request, self._result))
        self._normal = np.array(self._result.normal)
        return distance

    def _separation(self, a: int, b: int, pose_a: Any, pose_b: Any, n: Array) -> float:
        """Return the separation of pieces along a direction, a lower bound of the distance [m]."""
        far = [
            float(self._pieces[k].reach(sign * n[None] @ pose.getRotation())[0])
            + sign * float(n @ pose.getTranslation())
            for k, pose, sign in ((a, pose_a, 1.0), (b, pose_b, -1.0))
        ]
        return -far[0] - far[1]

    @property
    def normal(self) -> Array:
        """Return the unit vector from a to b of the last `distance`, in the world."""
        return self._normal

    @property
    def points(self) -> tuple[Array, Array]:
        """Return the nearest points of a and b of the last `distance`, in the world [m]."""
        return (
            np.array(self._result.getNearestPoint1()),
            np.array(self._result.getNearestPoint2()),
        )


def coal_version() -> str:
    """Return name and version of the library.

    Raises
    ------
    SimError
        If coal is not installed.
    """
    return f"coal {_coal().__version__}"


def _request(coal: Any, gjk_tolerance: float, epa_tolerance: float) -> Any:
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.epa_tolerance = gjk_tolerance, epa_tolerance
    request.gjk_max_iterations = request.epa_max_iterations = ITERATIONS
    return request


def _shape(coal: Any, piece: ConvexPiece) -> tuple[Any, Any]:
    """Return a piece as a shape of coal, and its pose in the body, None for that of the body."""
    if not piece.grown:
        points = coal.StdVec_Vec3s()
        points.extend(list(piece.vertices))
        return coal.Convex.convexHull(points, True, "Qt"), None
    middle, axis = piece.vertices.mean(axis=0), piece.vertices[-1] - piece.vertices[0]
    if not axis.any():
        return coal.Sphere(piece.grown), coal.Transform3s(np.eye(3), middle)
    length = float(np.linalg.norm(axis))
    kind = coal.Cylinder if piece.is_cylinder else coal.Capsule
    turned = coal.Transform3s(rotation_aligning_z(axis / length), middle)
    return kind(piece.grown, length), turned


def _coal() -> Any:
    try:
        return importlib.import_module("coal")
    except ImportError:
        raise SimError(
            "clearance needs the package coal, which is not installed: pip install 'sim[clearance]'"
        ) from None
