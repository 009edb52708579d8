"""What a page redraws by itself, tables of two programs, histories."""

from tests.mutations.mutation import tested

SLIDERS = "reports/page/test_what_if.py::test_"
TABLES = "comparison/test_two_tables.py::test_"

ROWS = (
    tested(
        "a rotor that the gear turns for the link",
        "page.Terms.at",
        "self.robot.rotor_inertia[:, None] * qdd",
        "0 * self.robot.rotor_inertia[:, None] * qdd",
        SLIDERS + "what_follows_the_path_is_in_the_curves",
    ),
    tested(
        "sliders for forces that follow time",
        "page.why_no_loads",
        "some[::-1]",
        "some",
        SLIDERS + "what_acts_beyond_the_formula_is_named",
    ),
    tested(
        "gaps of the first table are passed over",
        "comparison.two_tables._with_gaps",
        "np.isfinite(column.values).any()",
        "not np.isfinite(column.values).any()",
        TABLES + "a_gap_in_either_table_is_an_error_and_text_is_left_out",
    ),
    tested(
        "a constant that is a delay",
        "comparison.lag_of",
        "other.mean_square(Clock(shift=centred_shift), smooth=True) <= explained",
        "False",
        TABLES + "a_constant_is_no_delay",
    ),
    tested(
        "a step that leaves a difference open",
        "comparison.likely_causes._step",
        "off > max(pair.limit, ENOUGH * step)",
        "False",
        "comparison/test_likely_causes.py::test_no_step_is_told_of_a_pulse_two_steps_a_ramp_or_"
        "too_few_samples",
    ),
    tested(
        "rounding that jumps",
        "history.jumps.peak_of_rounding",
        "ROUNDING * largest.get(_1, 0.0)",
        "0.0 * largest.get(_1, 0.0)",
        "history/test_history.py::test_the_rounding_of_a_joint_at_rest_does_not_jump",
    ),
    tested(
        "a run that stands elsewhere in each drawing",
        "history.page._draw_lines",
        "time_axis([entry.when for entry in runs])",
        "time_axis([point.entry.when for point in points])",
        "history/test_history.py::test_each_run_has_its_place_in_all_drawings",
    ),
)
