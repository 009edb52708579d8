"""Motors and gears out of catalogues: figures at the shaft, and the choice."""

from tests.mutations.mutation import tested

SHAFT = "sizing/test_shaft.py::test_"
TRAPEZOID = SHAFT + "a_trapezoid_of_speed_by_hand"
CHOICE = "sizing/test_size_motors.py::test_"

ROWS = (
    tested(
        "a motor of an elastic gear as fast as its joint",
        "choice._duty",
        "qd / ratio",
        "qd",
        CHOICE + "motors_of_elastic_gears_under_a_controller_give_what_the_run_says",
    ),
    tested(
        "a motor that need not give what is over between two samples",
        "choice._duty",
        "np.append(values, view.between(channel))",
        "values",
        CHOICE + "a_peak_that_only_shows_between_two_samples_counts",
    ),
    tested(
        "a motor that need not turn its own rotor",
        "shaft.shaft_motion",
        "train.reflected_inertia * duty.qdd",
        "0.0 * train.reflected_inertia * duty.qdd",
        TRAPEZOID,
    ),
    tested(
        "a gear without its loss",
        "shaft.shaft_motion",
        "law.lost_torque(duty.tau[None], moving[None])[0]",
        "0.0 * law.lost_torque(duty.tau[None], moving[None])[0]",
        TRAPEZOID,
    ),
    tested(
        "a gear's mean by squares",
        "shaft.shaft_load",
        "duty.tau**3",
        "duty.tau**2",
        TRAPEZOID,
    ),
    tested(
        "energy given back while it drives",
        "shaft.shaft_load",
        "np.maximum(-power, 0.0)",
        "np.maximum(power, 0.0)",
        TRAPEZOID,
    ),
    tested(
        "a winding that does not grow hot",
        "shaft._heat",
        "(1.0 + COPPER * (hot - COLD))",
        "(1.0 + 0.0 * COPPER * (hot - COLD))",
        SHAFT + "heat_of_the_winding_by_hand",
    ),
    tested(
        "the noise of a rest is a motion",
        "shaft.shaft_motion",
        "np.abs(duty.qd) > duty.slow",
        "np.abs(duty.qd) >= 0.0",
        SHAFT + "at_rest_a_gear_locks_and_noise_of_the_speed_is_rest",
    ),
    tested(
        "inertia over that of the rotor before the gear",
        "choice._ratio",
        "inertia / own",
        "inertia * pair.gear.ratio**2 / own",
        CHOICE + "the_inertia_ratio_is_pinocchios_diagonal_over_the_rotors",
    ),
    tested(
        "the heaviest pair is tried first",
        "screening.Pairs.sorted",
        "np.lexsort(keys)",
        "np.lexsort(keys)[::-1]",
        CHOICE + "no_lighter_pair_holds",
    ),
    tested(
        "a bound of what a pair uses that is above it",
        "screening.Pairs._factors",
        "1.0 / parts['efficiency']",
        "1.0 / parts['efficiency'] ** 2",
        CHOICE + "of_large_catalogues_few_pairs_are_looked_at_and_the_choice_is_that_of_all",
    ),
)
