"""Workspaces: what is mapped, which posture is taken, what samples say."""

from tests.mutations.mutation import Fails, code, tested

WORKSPACE = "workspaces/test_workspace.py::test_"
BY_JOINTS = "checks/test_forward_kinematics.py::test_"

ROWS = (
    code(
        "the channel has the singular value of other positions",
        "simulation.table._tool",
        "least_singular_value(robot, motion.q)",
        "least_singular_value(robot, 1.01 * motion.q)",
        "arm ideal",
        Fails("forward kinematics", "least_singular_value"),
    ),
    tested(
        "a metre of a slide is a radian",
        "kinematics.jacobian.least_singular_value",
        "np.where(slides, length, 1.0)",
        "np.where(slides, 1.0, 1.0)",
        BY_JOINTS + "the_limits_are_the_rounding_of_another_program",
    ),
    tested(
        "of all postures gravity shows the one that needs most",
        "workspaces.map_gravity",
        "share.argmin(axis=0), found.ok.any(axis=0)",
        "np.where(found.ok, share, -1).argmax(axis=0), found.ok.any(axis=0)",
        WORKSPACE + "each_map_takes_the_best_of_all_solutions_by_pinocchio",
    ),
    tested(
        "the torques of gravity against the ratings have their signs",
        "workspaces.gravity_shares",
        "np.abs(inverse_dynamics(robot, q, rest, rest)) / rated",
        "inverse_dynamics(robot, q, rest, rest) / rated",
        WORKSPACE + "gravity_of_two_planar_links_is_the_closed_form",
    ),
    tested(
        "what IK misses is not counted",
        "workspaces.sample_check.check_by_samples",
        "~(found.ok.any(axis=0) | found.free)",
        "~(found.ok.any(axis=0) | True)",
        WORKSPACE + "an_inverse_that_loses_branches_is_found_by_the_samples",
    ),
    tested(
        "postures outside the limits count",
        "workspaces.postures.postures_at_poses",
        "found.reached & inside",
        "found.reached",
        WORKSPACE + "postures_bring_the_tool_to_their_points",
    ),
)
