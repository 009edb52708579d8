"""Drives: what jumps, and what is between two samples."""

from tests.mutations.mutation import tested

JUMPS, BETWEEN = "checks/test_jumps.py::test_", "simulation/test_between_samples.py::test_"
AGREEMENT, KEPT = "checks/test_agreement.py::test_", "comparison/test_acceptance.py::test_"

ROWS = (
    tested(
        "a velocity may jump by a radian a second",
        "checks._jump",
        "SOLVED_FOR + ROUNDINGS * float(np.max(np.abs(view.analytic(channel))))",
        "2.5 + ROUNDINGS * float(np.max(np.abs(view.analytic(channel))))",
        JUMPS + "what_no_torque_can_do_fails_by_name",
    ),
    tested(
        "a corner without both its sides passes",
        "checks.jumps.jumps",
        "missing == 0",
        "True",
        JUMPS + "both_sides_of_each_corner_must_be_there",
    ),
    tested(
        "only an acceleration makes a corner",
        "simulation.run_description._prescribed_rows",
        "[there.q, there.qd, there.qdd, *motors]",
        "[there.qdd, *motors]",
        JUMPS + "what_no_torque_can_do_fails_by_name",
    ),
    tested(
        "a rating knows the samples alone",
        "checks.judge_rating",
        "largest(view, channel)",
        "found.check.at, float(found.check.worst or 0.0)",
        BETWEEN + "a_pulse_between_two_samples_is_judged",
    ),
    tested(
        "nothing is asked between two bends",
        "simulation._bulges",
        "BULGE * size",
        "1e9 * size",
        BETWEEN + "a_pulse_that_is_one_step_long_is_seen",
    ),
    tested(
        "what is no number in the model's table is not counted",
        "checks.numbers",
        "(view.recorded_values, view.analytic)",
        "(view.recorded,)",
        AGREEMENT + "a_value_that_is_no_number_is_counted_in_either_table",
    ),
    tested(
        "torques by steps a thousand times as far off",
        "recording.STEPPED",
        "torque=2e-6",
        "torque=2e-3",
        AGREEMENT + "a_torque_by_steps_is_held_to_a_few_ten_thousandths_of_its_peak",
    ),
    tested(
        "one exact instant of an accepted run",
        "comparison.KEPT_INSTANTS",
        "100",
        "1",
        KEPT + "about_a_hundred_instants_over_the_whole_run_are_exact",
    ),
)
