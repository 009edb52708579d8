"""How fast a motion may run, how much may be carried."""

from tests.mutations.mutation import tested

FIT = "capacity/test_fit_time.py::test_"
PAYLOAD = "capacity/test_largest_payload.py::test_"
OPTIMAL = "capacity/test_time_optimal.py::test_"

ROWS = (
    tested(
        "viscous friction does not grow with the speed",
        "capacity.RatedMotion.parts_of",
        "np.asarray(S.T @ damped)",
        "np.asarray(0 * S.T @ damped)",
        FIT + "friction_is_a_constant_and_a_part_linear_in_speed",
    ),
    tested(
        "dry friction is counted twice",
        "capacity.RatedMotion.parts_of",
        "(dry - at_rest)",
        "(2 * dry - at_rest)",
        FIT + "friction_is_a_constant_and_a_part_linear_in_speed",
    ),
    tested(
        "a torque is bounded on one side",
        "capacity.fit_time._scales",
        "first_rise_of_parabola(-D, -V, -C - limit)",
        "first_rise_of_parabola(D, V, C - limit)",
        FIT + "a_lift_reaches_its_rating_as_by_hand",
    ),
    tested(
        "power is that at the speed of the motion as it is",
        "capacity.fit_time._scales",
        "first_rise_of_cubic(s * a, s * b, s * c, -P, high)",
        "first_rise_of_cubic(0 * a, s * a, s * b, s * c - P, high)",
        FIT + "speed_and_power_bind_where_they_are_lower",
    ),
    tested(
        "nothing is between samples",
        "capacity.fit_time.fit_time",
        "motion.between is not None",
        "False",
        FIT + "a_peak_between_samples_counts",
    ),
    tested(
        "an acceleration grows as the speed",
        "motion.faster_motion.FasterMotion.on",
        "r**2 * qdd",
        "r * qdd",
        FIT + "the_run_at_that_speed_meets_its_rating_and_passes_all_checks",
    ),
    tested(
        "moments of a payload do not grow with its mass",
        "capacity.largest_payload.largest_payload",
        "robot.with_payload(1.0, com, inertia, link)",
        "robot.with_payload(1.0, com, None, link)",
        PAYLOAD + "a_hanging_arm_carries_mass_and_moments_of_each_kilogram",
    ),
    tested(
        "a search believes the other end of an interval",
        "studies.workers.expected_optimum.expected_optimum",
        'search.direction == "largest"',
        'search.direction == "smallest"',
        "studies/test_optimum.py::test_a_closed_form_is_expected_of_torques_alone",
    ),
    tested(
        "what is expected is believed",
        "studies.optimum._confirm",
        "at(inner) < 0 or at(outer) >= 0",
        "False",
        "studies/test_optimum.py::test_what_is_expected_is_confirmed_by_the_values_around_it_or_not_believed",
    ),
    tested(
        "a path that turns back does not stop",
        "capacity.time_optimal._stretches",
        "(ways[:, 1:] * ways[:, :-1]).sum(axis=0) < STRAIGHT",
        "(ways[:, 1:] * ways[:, :-1]).sum(axis=0) < -2.0",
        OPTIMAL + "a_path_that_turns_back_stops_there_and_rests_are_left_out",
    ),
    tested(
        "weight is left out along a path",
        "capacity.time_optimal._torque_constraint",
        "c[rated].T",
        "0 * c[rated].T",
        OPTIMAL + "a_lift_goes_at_full_force_up_and_then_full_force_down",
    ),
    tested(
        "a motor's line falls half as steep with the speed-up",
        "fit_time._scales",
        "ratings.slope[:, None] * np.abs(qd)",
        "0.5 * ratings.slope[:, None] * np.abs(qd)",
        "capacity/test_motor_curves.py::test_the_largest_speed_up_meets_the_curve_and_no_more",
    ),
    tested(
        "a motor is judged at its largest torque, whatever the speed",
        "drive_ratings._judge_curve",
        "np.argmax(shares)",
        "np.argmax(np.abs(torque))",
        "capacity/test_motor_curves.py::test_a_run_is_judged_where_most_of_the_curve_is_used",
    ),
)
