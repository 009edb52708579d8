"""Optimisations whose cases are formulas: the answers are closed forms."""

from __future__ import annotations

import contextlib

from sim.studies.case_log import CaseLog
from sim.studies.case_rows import row_of_checks, row_of_error
from sim.studies.optimisation.constraint import parse_constraint, parse_quantity
from sim.studies.optimisation.evaluator import Evaluator
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.optimisation.problem import Objective, OptimisationProblem, Space
from sim.studies.optimisation.searching import Optimisation, strategy_of
from sim.studies.variation import Variation
from sim.studies.workers.execution import StudyRun
from tests.helpers.studies import swing_study


class Formula:
    """Computes cases by a function of their parameters, which returns responses or raises."""

    count = probe_size = 1

    def __init__(self, function):
        self.function, self.computed = function, []

    def compute(self, cases, add_rows):
        for case in cases:
            self.computed.append(dict(case.parameters))
            try:
                values = self.function(**case.parameters)
                responses = {name: (value, "N·m") for name, value in values.items()}
                add_rows([row_of_checks(self.fingerprint, case, (), responses)])
            except ValueError as error:
                add_rows([row_of_error(self.fingerprint, case, error)])


@contextlib.contextmanager
def formula_search(folder, function, vary, *, minimise=(), maximise=(), subject_to=(), **options):
    """An optimisation of a function of parameters; `vary` is by name a range or a list."""
    goals = GoalOptions(minimise=minimise, maximise=maximise, subject_to=subject_to, **options)
    variations = tuple(
        Variation(name, (), ends) if isinstance(ends, tuple) else Variation(name, tuple(ends), None)
        for name, ends in vary.items()
    )
    names = [one.name for one in variations]
    objectives = [
        Objective(parse_quantity(text, names, "--minimise"), sign)
        for sign, texts in ((1, minimise), (-1, maximise))
        for text in texts
    ]
    constraints = tuple(parse_constraint(text, names) for text in subject_to)
    problem = OptimisationProblem(Space(variations), tuple(objectives), constraints)
    study = swing_study(folder, "load=0,1", name="formula")
    study.folder.mkdir(exist_ok=True)
    workers = Formula(function)
    workers.fingerprint = study.plan.fingerprint
    with CaseLog(study.folder, study.plan.fingerprint) as log:
        run = StudyRun(study, log, workers)
        evaluator = Evaluator(run, problem, strategy_of(problem, goals).most)
        yield Optimisation(evaluator, goals, seed=0)
