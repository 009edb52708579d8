"""Identification: the regressor, one filter on both sides, samples at rest, the tool's frame."""

from tests.mutations.mutation import tested

IDENTIFY = "identification/test_identify.py::test_"
MEASURED = "identification/test_ur10_measured.py::test_"
BESIDE = "reference/test_beside_measured.py::test_"
REGRESSOR = "dynamics/test_regressor.py::test_"

ROWS = (
    tested(
        "a wrench is handed down unturned in the regressor",
        "dynamics.regressor._on_tree",
        "minus_sin = -sin",
        "minus_sin = 0 * sin",
        REGRESSOR + "every_column_is_that_of_pinocchio",
    ),
    tested(
        "the measured torque alone is filtered",
        "identification.equations.LogEquations.of",
        "samples.low_pass(columns, cutoff)",
        "columns",
        MEASURED + "the_model_has_the_half_that_it_has_not_seen",
    ),
    tested(
        "samples at rest are fitted",
        "identification.equations.REST",
        "0.05",
        "0.0",
        MEASURED + "the_model_has_the_half_that_it_has_not_seen",
    ),
    tested(
        "a payload is looked for at the last joint",
        "identification.payload_columns",
        "inverse_pose(T_bl) @ T_bt",
        "inverse_pose(T_bl) @ T_bl",
        IDENTIFY + "columns_of_a_payload_are_what_it_adds_to_the_torques",
    ),
    tested(
        "intervals by residuals that the fit itself has made small",
        "curves.fit_spectrum",
        "1 - np.minimum(leverage, _LARGEST_LEVERAGE)",
        "1 - 0 * leverage",
        "curves/test_spectral_fit.py::test_intervals_hold_the_truth_as_often_as_they_say",
    ),
    tested(
        "friction with the load pushes one way",
        "identification.further_friction._columns",
        "sign * load",
        "1.0 * load",
        IDENTIFY + "a_further_term_is_earned_by_what_is_there_and_by_nothing_else",
    ),
    tested(
        "bins of a log with samples omitted count as if none were",
        "curves.fit_spectrum",
        "np.maximum(shares, 1 / count)",
        "np.ones(n)",
        "curves/test_spectral_fit.py::test_bins_of_a_log_with_samples_left_out_count_as_many_"
        "numbers_as_samples_are_left",
    ),
    tested(
        "friction beside a measured torque is not filtered",
        "reference.beside_measured._joint",
        "columns = filtered.low_pass(columns)",
        "columns = np.stack([filtered.low_pass(columns[0]), *columns[1:]])",
        BESIDE + "a_log_that_was_low_passed_is_fitted_where_friction_goes_through_the_filter_too",
    ),
    tested(
        "friction is fitted to the half that it is scored on",
        "reference.beside_measured._joint",
        "slides & first",
        "slides & second",
        BESIDE + "the_middle_parts_what_is_fitted_from_what_is_scored",
    ),
    tested(
        "friction is part of the rigid bodies' torque",
        "checks.measured.own_curves",
        "rigid = tau - friction",
        "rigid = tau - 0 * friction",
        "identification/test_follow_log.py::test_engine_and_model_move_as_the_log_and_friction_is_"
        "that_of_the_formula",
    ),
    tested(
        "late torques are made later",
        "identification.settled_task.without_delay",
        "t + delay",
        "t - delay",
        "identification/test_late_torques.py::test_a_delay_is_found_with_its_interval_and_taken_back",
    ),
    tested(
        "gravity of an estimated mounting points the other way",
        "identification.gravity_direction.rpy_of",
        "-z + 0.0",
        "z + 0.0",
        "identification/test_mounted_logs.py::test_a_payload_is_right_whatever_the_arm_hangs_from",
    ),
    tested(
        "readings are judged without the payload that is sought",
        "identification.doubts.better_reading",
        "residual_share(robot, reading, payload=payload)",
        "residual_share(robot, reading)",
        "identification/test_mounted_logs.py::test_a_wrong_reading_is_refused_although_a_payload_is"
        "_sought",
    ),
    tested(
        "a joint of another controller is taken from the message before",
        "foreign.joint_streams._at",
        "one + share * (other - one)",
        "one + 0 * share * (other - one)",
        "foreign/test_ros_log.py::test_halves_of_two_controllers_are_joined_by_their_stamps",
    ),
)
