"""Curves of a run: derivative, integral, filter, spectrum, units; forces from tables."""

from tests.mutations.mutation import tested

SIGNALS, SPECTRUM = "curves/test_signals.py::test_", "curves/test_spectrum.py::test_"
CURVE, LANGUAGE = "curves/test_curve.py::test_", "curves/test_language.py::test_"
UNITS, MEASURED = "curves/test_unit_algebra.py::test_", "dynamics/test_measured_force.py::test_"

ROWS = (
    tested(
        "the slope at an end by two samples",
        "curves.derivative",
        "np.gradient(values, t, edge_order=2)",
        "np.gradient(values, t, edge_order=1)",
        SIGNALS + "a_derivative_is_off_by_a_sixth_of_the_third_one",
    ),
    tested(
        "slopes as if the samples were even",
        "curves.derivative",
        "np.gradient(values, t, edge_order=2)",
        "np.gradient(values, t[1] - t[0], edge_order=2)",
        SIGNALS + "a_derivative_of_a_parabola_is_exact_at_uneven_times",
    ),
    tested(
        "an integral of rectangles",
        "curves.integral",
        "cumulative_trapezoid(values, t, initial=0)",
        "np.cumsum(values) * (t[1] - t[0])",
        SIGNALS + "an_integral_is_off_by_a_twelfth_of_the_change_of_slope",
    ),
    tested(
        "a filter that shifts",
        "curves.low_pass",
        'signal.sosfiltfilt(sections, values, padtype="odd", padlen=beyond)',
        "signal.sosfilt(sections, values)",
        SIGNALS + "a_filter_leaves_the_square_of_one_pass_and_no_phase",
    ),
    tested(
        "effective values in place of amplitudes",
        "curves._amplitudes",
        "np.sqrt(2 * power)",
        "np.sqrt(power)",
        SPECTRUM + "a_sine_on_a_line_reads_its_amplitude_and_the_mean_its_size",
    ),
    tested(
        "the first sample of the next period counts twice",
        "curves.spectrum_of",
        "values[:-1]",
        "values[:]",
        SPECTRUM + "a_sine_on_a_line_reads_its_amplitude_and_the_mean_its_size",
    ),
    tested(
        "a mean square of samples in place of lines between them",
        "curves.Curve.statistics",
        "np.sum(h * (a * a + a * b + b * b)) / 3 / time",
        "np.sum(h * (a * a + b * b)) / 2 / time",
        CURVE + "between_two_marks_a_ramp_is_exact_and_gaps_do_not_count",
    ),
    tested(
        "what sampling takes at a kink is said too small",
        "curves.language._error",
        "2.0 * float(known.max())",
        "0.5 * float(known.max())",
        LANGUAGE + "a_kink_between_samples_is_within_what_is_said",
    ),
    tested(
        "a quotient has the unit of the product",
        "curves.Unit.__truediv__",
        "Fraction(-1)",
        "Fraction(1)",
        UNITS + "products_and_quotients_keep_their_dimensions_whatever_they_are_called",
    ),
    tested(
        "a sum takes any units",
        "curves._Evaluation.same_unit",
        "other.dimension != units[0].dimension",
        "False",
        LANGUAGE + "what_cannot_be_is_refused_at_its_place",
    ),
    tested(
        "a table of forces begins with the run whatever its start",
        "dynamics.measured_force.measured_force",
        "Naming(dict(columns or {}), dict(units or {}), start, sheet)",
        "Naming(dict(columns or {}), dict(units or {}), 0.0, sheet)",
        MEASURED + "at_its_times_the_force_is_that_of_the_table",
    ),
    tested(
        "a force from a table goes on beyond its end",
        "dynamics.measured_force._join_points",
        '"none"',
        '"polynomial"',
        MEASURED + "what_cannot_act_says_why",
    ),
    tested(
        "a description without the points of its forces",
        "recording.schema.element_facts._texts_of",
        "isinstance(component, Spline) and component.kind in _CALLS",
        "False",
        MEASURED + "a_measured_force_drives_a_run_that_its_files_alone_prove",
    ),
)
