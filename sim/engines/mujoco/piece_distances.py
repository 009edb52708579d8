"""Signed distances of convex pieces by MuJoCo: the second answer to coal's.

Its meshes are of single precision: distances hold to 1e-7 m. Depths do not always: of exactly
parallel pieces some are wrong by 2 mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from sim.clearance.pieces import Piece
from sim.maths.arrays import Array

FAR = 1e3  # [m]; beyond it MuJoCo looks no further


class MujocoQueries:
    """Distances of pieces at poses, see `sim.clearance.link_pairs.Queries`."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        corners = [" ".join(f"{x:.17g}" for x in piece.vertices.ravel()) for piece in pieces]
        meshes = "".join(f'<mesh name="{k}" vertex="{text}"/>' for k, text in enumerate(corners))
        geoms = "".join(
            f'<body mocap="true"><geom type="mesh" mesh="{k}" contype="0" conaffinity="0"/></body>'
            for k in range(len(pieces))
        )
        self._model: Any = mujoco.MjModel.from_xml_string(
            f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"
        )
        self._data: Any = mujoco.MjData(self._model)
        # MuJoCo lays each mesh into its principal axes.
        self._turned = np.zeros((len(pieces), 9))
        for turned, quaternion in zip(self._turned, self._model.mesh_quat, strict=True):
            mujoco.mju_quat2Mat(turned, quaternion)
        self._ends = np.zeros(6)

    def pose(self, R: Array, p: Array) -> tuple[Array, Array]:
        """A pose for `distance`, of rotation (3, 3) and origin (3,) [m]."""
        return R, p

    def distance(self, a: int, b: int, pose_a: Any, pose_b: Any) -> float:
        """Signed distance of pieces a and b [m]."""
        for k, (R, p) in ((a, pose_a), (b, pose_b)):
            self._data.geom_xpos[k] = R @ self._model.mesh_pos[k] + p
            self._data.geom_xmat[k] = (R @ self._turned[k].reshape(3, 3)).ravel()
        return float(mujoco.mj_geomDistance(self._model, self._data, a, b, FAR, self._ends))

    @property
    def points(self) -> tuple[Array, Array]:
        """The nearest points of the last `distance` in the world [m]."""
        return self._ends[:3].copy(), self._ends[3:].copy()

    @property
    def normal(self) -> Array:
        """Unit vector between these points."""
        away = self._ends[3:] - self._ends[:3]
        return np.asarray(away / np.linalg.norm(away))


def mujoco_version() -> str:
    """Name and version of the library."""
    return f"MuJoCo {mujoco.__version__}"
