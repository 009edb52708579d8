"""Distances between links: pieces, bounds, and the second library."""

from tests.mutations.mutation import Fails, code

NEAR = "near ideal"

ROWS = (
    code(
        "MuJoCo's pieces stand where their mass centres are",
        "engines.mujoco.piece_distances.MujocoQueries.distance",
        "R @ self._model.mesh_pos[k] + p",
        "p",
        NEAR,
        Fails("clearance by another library"),
    ),
    code(
        "distances of pieces are 1e-5 too large",
        "clearance.coal_queries.CoalQueries.distance",
        "float(self._of_pair(a, b)(pose_a, pose_b, self._request, self._result))",
        "1.00001 * float(self._of_pair(a, b)(pose_a, pose_b, self._request, self._result))",
        NEAR,
        Fails("clearance by another library"),
    ),
)
