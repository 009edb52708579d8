"""Distances between links: pieces, bounds, and the second library."""

from tests.mutations.mutation import Fails, code, tested

NEAR = "near ideal"

ROWS = (
    code(
        "MuJoCo's pieces stand where their mass centres are",
        "engines.mujoco.piece_distances.MujocoQueries.distance",
        "R @ place + p",
        "p",
        NEAR,
        Fails("clearance by another library"),
    ),
    code(
        "distances of pieces are 1e-5 too large",
        "clearance.coal_queries.CoalQueries.distance",
        "self._query(a, b, pose_a, pose_b, self._requests[0])",
        "1.00001 * self._query(a, b, pose_a, pose_b, self._requests[0])",
        NEAR,
        Fails("clearance by another library"),
    ),
    tested(
        "bounds between samples are of half the rates",
        "clearance.sampled_motion.SampledMotion.largest_within",
        "np.maximum.reduceat(padded, np.column_stack([i, j + 1]).ravel(), axis=1)",
        "0.5 * np.maximum.reduceat(padded, np.column_stack([i, j + 1]).ravel(), axis=1)",
        "clearance/test_round_shapes.py::test_no_distance_within_an_interval_is_below_its_bound",
    ),
    tested(
        "a cylinder reaches as far as a ball on its axis",
        "clearance.pieces.growth",
        "square - np.tensordot(m, axes, (1, -1)) ** 2",
        "square - 0 * np.tensordot(m, axes, (1, -1)) ** 2",
        "clearance/test_round_shapes.py::test_the_floor_is_below_the_lowest_point_of_a_round_shape",
    ),
    tested(
        "the first answer about a cylinder is taken",
        "clearance.coal_queries.CoalQueries.distance",
        "best < 0",
        "False",
        "clearance/test_round_shapes.py::test_a_ball_deep_in_a_cylinder_leaves_by_the_nearer_end",
    ),
)
