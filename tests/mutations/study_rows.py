"""Parameter studies: designs, chance, the model alone, order, what is taken over, searches."""

from tests.mutations.mutation import tested


def _file(name: str) -> str:
    return f"studies/test_{name}.py::test_"


DESIGN, SPREAD, MODEL = map(_file, ("design", "spread", "analytic"))
DONE, ROW, OPTIMUM = map(_file, ("execution", "case_work", "optimum"))
LOG, EFFECTS, MARGINS = map(_file, ("case_log", "sensitivity", "margins"))

ROWS = (
    tested(
        "the first parameter of a grid runs fastest",
        "studies/design.py",
        "for one in reversed(self.variations):",
        "for one in self.variations:",
        DESIGN + "a_grid_has_every_value_with_every_other_the_last_running_fastest",
    ),
    tested(
        "every point has the same draw",
        "studies/design.py",
        "strict=True)), draw if self.draws else None)",
        "strict=True)), 0 if self.draws else None)",
        DESIGN + "tolerances_are_drawn_at_each_point_and_the_draws_are_the_same_at_all",
    ),
    tested(
        "a Latin hypercube that is chance",
        "studies/design.py",
        "shares = qmc.LatinHypercube(size, rng=seed).random(samples)",
        "shares = __import__('numpy').random.default_rng(seed).random((samples, size))",
        DESIGN + "a_latin_hypercube_has_one_point_in_each_row_and_column",
    ),
    tested(
        "a seed that is not heeded",
        "studies/design.py",
        "shares = qmc.Sobol(size, rng=seed)",
        "shares = qmc.Sobol(size, rng=1)",
        DESIGN + "a_seed_says_which_points",
    ),
    tested(
        "tolerances of two standard deviations",
        "studies/spread.py",
        "SIGMAS = 3.0",
        "SIGMAS = 2.0",
        SPREAD + "draws_stay_inside_their_tolerance_and_are_as_wide_as_promised",
    ),
    tested(
        "draws beyond their tolerance",
        "studies/spread.py",
        "/ SIGMAS) > 1:",
        "/ SIGMAS) > 2:",
        SPREAD + "draws_stay_inside_their_tolerance_and_are_as_wide_as_promised",
    ),
    tested(
        "an inertia that does not follow its mass",
        "studies/spread.py",
        '                    _scale(link, "inertial/inertia", _MOMENTS, factor)\n',
        "",
        SPREAD + "masses_are_scaled_with_their_inertias_and_the_payload_apart",
    ),
    tested(
        "all links with one draw",
        "studies/spread.py",
        'factors[f"{one.what}.{name}"] = factor = 1 + one.deviation(chance)',
        'factors[f"{one.what}.{name}"] = factor = '
        "1 + one.deviation(generator(seed, draw, one))",
        SPREAD + "masses_are_scaled_with_their_inertias_and_the_payload_apart",
    ),
    tested(
        "a line that nothing between proves",
        "studies/analytic.py",
        "and off <= ON_LINE * size):",
        "or off <= ON_LINE * size):",
        MODEL + "a_parameter_that_is_not_linear_is_no_line_and_right_all_the_same",
    ),
    tested(
        "a proof that agrees with anything",
        "studies/analytic.py",
        "PROOF_LIMIT = 1e-3",
        "PROOF_LIMIT = 1e9",
        MODEL + "a_proof_holds_and_one_that_cannot_hold_says_where",
    ),
    tested(
        "the energy of drives that take back",
        "studies/model_curves.py",
        "            np.maximum(power, 0.0, out=power)\n",
        "",
        MODEL + "the_model_alone_says_what_simulated_runs_say",
    ),
    tested(
        "sums that depend on how the cases are parted",
        "studies/model_curves.py",
        "    curves *= weights\n    return np.asarray(curves.sum(axis=1))",
        "    return np.asarray(curves @ weights)",
        MODEL + "a_line_is_the_designs_so_that_a_study_which_was_stopped_has_the_same_bits",
    ),
    tested(
        "what the model's draws were is forgotten",
        "studies/analytic.py",
        "factors={**curves.factors, **drawn_parameters(self.plan, item.case)[1]},",
        "factors={},",
        MODEL + "draws_of_tolerances_by_the_model_alone_are_each_their_own_weight",
    ),
    tested(
        "rows in the order in which they came",
        "studies/execution.py",
        "    return [log.rows[key] for key in keys]",
        "    return [log.rows[key] for key in log.rows]",
        DONE + "rows_stand_in_the_order_of_the_design_however_they_come",
    ),
    tested(
        "a key without the draw",
        "studies/case_row.py",
        "dict(sorted(case.parameters.items())), case.draw])",
        "dict(sorted(case.parameters.items()))])",
        LOG + "a_key_tells_values_draws_and_scenarios_apart_and_no_order",
    ),
    tested(
        "a key without the scenario",
        "studies/case_row.py",
        "json_text([fingerprint, dict",
        "json_text([dict",
        LOG + "a_key_tells_values_draws_and_scenarios_apart_and_no_order",
    ),
    tested(
        "finished cases are computed once more",
        "studies/execution.py",
        "if key not in log.rows or (keep_all and",
        "if key or (keep_all and",
        DONE + "what_is_finished_is_not_computed_again_and_a_finer_grid_asks_for_the_rest",
    ),
    tested(
        "another method is the same study",
        "studies/plan.py",
        '"method": method or base.method,',
        '"method": None,',
        DONE + "a_folder_of_another_study_is_refused_by_what_differs",
    ),
    tested(
        "a line that is cut off is a row",
        "studies/case_log.py",
        "        os.truncate(self._handle, end)\n\n    def _refused",
        "\n    def _refused",
        LOG + "a_line_that_was_cut_off_is_no_row_and_the_next_stands_in_its_place",
    ),
    tested(
        "a bracket that is never narrowed from the other side",
        "studies/optimum.py",
        "(x, self.fails) if good else (self.holds, x)",
        "(x, self.fails) if good else (self.holds, self.fails)",
        OPTIMUM + "the_zero_is_between_what_holds_and_what_does_not",
    ),
    tested(
        "the smallest is searched where the largest is",
        "studies/optimum.py",
        'if direction == "largest" else (low, high)',
        'if direction == "largest" else (high, low)',
        OPTIMUM + "the_zero_is_between_what_holds_and_what_does_not",
    ),
    tested(
        "a case without a run keeps every limit",
        "studies/response_limit.py",
        "nothing, found = -max(1.0, abs(self.bound)), dict[str, float]()",
        "nothing, found = max(1.0, abs(self.bound)), dict[str, float]()",
        OPTIMUM + "a_case_without_a_number_is_beyond_every_limit",
    ),
    tested(
        "the first and the total index of Sobol in each other's place",
        "studies/sensitivity.py",
        'names = ("S1", "S1_conf", "ST", "ST_conf")',
        'names = ("S1", "S1_conf", "S1", "ST_conf")',
        EFFECTS + "sobol_indices_of_ishigami_are_those_of_the_closed_form",
    ),
    tested(
        "a tornado from the first end to the nominal value",
        "studies/sensitivity.py",
        "size=float(abs(y[2 * k + 2] - y[2 * k + 1])),",
        "size=float(abs(y[0] - y[2 * k + 1])),",
        EFFECTS + "a_tornado_goes_from_the_nominal_value_to_both_ends_of_each",
    ),
    tested(
        "a case passes that fails a check",
        "studies/case_work.py",
        'status="fail" if bad else "pass",',
        'status="pass",',
        ROW + "the_torque_of_a_held_payload_is_its_weight_by_the_rod",
    ),
    tested(
        "a margin that forgets the joint used most",
        "studies/margins.py",
        "1.0 - max(known, default=0.0)",
        "1.0 - min(known, default=0.0)",
        ROW + "the_torque_of_a_held_payload_is_its_weight_by_the_rod",
    ),
    tested(
        "a limit that is reached by rounding is broken",
        "studies/margins.py",
        "        min(check.used, 1.0) if check.ok and check.used is not None else check.used\n",
        "        check.used\n",
        MARGINS + "a_check_that_holds_has_no_negative_margin_and_one_that_fails_has",
    ),
    tested(
        "a search that is broken by rounding",
        "studies/response_limit.py",
        "(min(one.used, 1.0) if one.ok else one.used)",
        "one.used",
        OPTIMUM + "what_is_beyond_by_rounding_is_inside_as_a_check_has_it",
    ),
    tested(
        "a range is taken for a torque",
        "studies/margins.py",
        '    "torque": ("rated torque",),\n',
        '    "torque": ("rated torque", "upper end of range"),\n',
        MARGINS + "margins_are_those_of_the_closed_form_by_both_routes",
    ),
    tested(
        "what binds is what is farthest from its limit",
        "studies/response_limit.py",
        "what = min(rooms, key=rooms.__getitem__)",
        "what = max(rooms, key=rooms.__getitem__)",
        OPTIMUM + "what_is_beyond_by_rounding_is_inside_as_a_check_has_it",
    ),
    tested(
        "nothing is looked for between two ends that break a limit",
        "studies/optimum.py",
        "        if at(inner) >= 0:",
        "        if False:",
        OPTIMUM + "a_limit_that_holds_only_in_between_is_found_though_both_ends_break_it",
    ),
    tested(
        "the power that drives take back has no margin",
        "studies/margins.py",
        "for point in (one.peak_power, one.least_power))",
        "for point in (one.peak_power,))",
        MARGINS + "margins_are_those_of_the_closed_form_by_both_routes",
    ),
    tested(
        "workers of any version are taken",
        "studies/cluster.py",
        "        if theirs.get(name) != ours.get(name):",
        "        if name not in ours:",
        "studies/test_cluster_refusals.py::test_versions_that_differ_are_both_named",
    ),
)  # fmt: skip
