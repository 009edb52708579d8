"""Signed distances of convex pieces by MuJoCo, as a check of coal's.

Its meshes have single precision: distances are accurate to 1e-7 m; balls and cylinders are exact.
Depths are not always accurate: between exactly parallel pieces some are wrong by 2 mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from sim.clearance.pieces import ConvexPiece
from sim.maths.arrays import Array
from sim.maths.rotations import rotation_aligning_z

UP = np.array([0.0, 0.0, 1.0])
TOLERANCE, ITERATIONS = 1e-12, 500
FAR = 1e3  # [m] search radius of MuJoCo


class MujocoQueries:
    """Distances of pieces at poses, see `sim.clearance.link_pairs.Queries`."""

    def __init__(self, pieces: Sequence[ConvexPiece]) -> None:
        meshes = "".join(_mesh(k, piece) for k, piece in enumerate(pieces) if not piece.grown)
        geoms = "".join(
            f'<body mocap="true"><geom {_shape(k, piece)} contype="0" conaffinity="0"/></body>'
            for k, piece in enumerate(pieces)
        )
        self._model: Any = mujoco.MjModel.from_xml_string(
            f'<mujoco><option ccd_tolerance="{TOLERANCE}" ccd_iterations="{ITERATIONS}"/>'
            f"<asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"
        )
        self._data: Any = mujoco.MjData(self._model)
        self._own = [self._pose_in_body(k, piece) for k, piece in enumerate(pieces)]
        self._ends = np.zeros(6)

    def _pose_in_body(self, k: int, piece: ConvexPiece) -> tuple[Array, Array]:
        """Return the pose of a shape in its body; MuJoCo moves each mesh to its principal axes."""
        if piece.grown:
            axis = piece.vertices[-1] - piece.vertices[0]
            length = np.linalg.norm(axis)
            turned = rotation_aligning_z(axis / length if length else UP)
            return turned, piece.vertices.mean(axis=0)
        mesh, turned = self._model.geom_dataid[k], np.zeros(9)
        mujoco.mju_quat2Mat(turned, self._model.mesh_quat[mesh])
        return turned.reshape(3, 3), np.array(self._model.mesh_pos[mesh])

    def pose(self, R: Array, p: Array) -> tuple[Array, Array]:
        """Return a pose for `distance`, from rotation (3, 3) and origin (3,) [m]."""
        return R, p

    def distance(self, a: int, b: int, pose_a: Any, pose_b: Any) -> float:
        """Return the signed distance of pieces a and b [m]."""
        for k, (R, p) in ((a, pose_a), (b, pose_b)):
            turned, place = self._own[k]
            self._data.geom_xpos[k] = R @ place + p
            self._data.geom_xmat[k] = (R @ turned).ravel()
        return float(mujoco.mj_geomDistance(self._model, self._data, a, b, FAR, self._ends))

    @property
    def points(self) -> tuple[Array, Array]:
        """Return the closest points of the last `distance` in the world [m]."""
        return self._ends[:3].copy(), self._ends[3:].copy()

    @property
    def normal(self) -> Array:
        """Return the unit vector between these points."""
        away = self._ends[3:] - self._ends[:3]
        return np.asarray(away / np.linalg.norm(away))


def _mesh(k: int, piece: ConvexPiece) -> str:
    corners = " ".join(f"{x:.17g}" for x in piece.vertices.ravel())
    return f'<mesh name="{k}" vertex="{corners}"/>'


def _shape(k: int, piece: ConvexPiece) -> str:
    """Return a piece as a geom."""
    if not piece.grown:
        return f'type="mesh" mesh="{k}"'
    half = 0.5 * float(np.linalg.norm(piece.vertices[-1] - piece.vertices[0]))
    if not half:
        return f'type="sphere" size="{piece.grown!r}"'
    kind = "cylinder" if piece.is_cylinder else "capsule"
    return f'type="{kind}" size="{piece.grown!r} {half!r}"'


def mujoco_version() -> str:
    """Return name and version of the library."""
    return f"MuJoCo {mujoco.__version__}"
