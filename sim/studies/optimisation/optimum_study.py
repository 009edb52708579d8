"""compute_optimum: an optimisation as a study, with an engine run of the optimum."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from sim.errors import SimError
from sim.reports.causes import OF_RATINGS
from sim.showing.one_line import shorten_list
from sim.simulation.build_problem import build_problem
from sim.studies.case_rows import CaseRow, key_of
from sim.studies.design import Design, StudyCase
from sim.studies.optimisation.answer import (
    ConstraintState,
    EngineVerdict,
    ObjectiveValue,
    OptimumAnswer,
    Sensitivity,
)
from sim.studies.optimisation.at_optimum import ACTIVE, limiting_of, sensitivities_of, slopes_at
from sim.studies.optimisation.constraint import CHECKS
from sim.studies.optimisation.evaluator import BudgetSpent, Evaluator
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.optimisation.problem import DesignPoint, Key, OptimisationProblem
from sim.studies.optimisation.searching import Optimisation, strategy_of
from sim.studies.optimisation.surface import ResponseSurface, fit_surface
from sim.studies.study import Plan, Study, StudyResult
from sim.studies.study_file import Proof
from sim.studies.workers.case_work import build_case
from sim.studies.workers.execution import FOLDER_OF_RUNS, StudyRun, Workers
from sim.studies.workers.model_curves import ModelCurves
from sim.studies.workers.model_workers import PROOF_LIMIT, differences_of, proof_plan

MOST_SLOPES = 4  # constraints with smallest slack whose sensitivities are kept
ROUNDS = 3  # rounds of tightening constraints by their violations in the engine's run
SPARE = 1.5  # multiple of the violation

OpenProcesses = Callable[[Plan], AbstractContextManager[Workers]]


def can_use_model(study: Study) -> bool:
    """Whether the analytic model alone gives all responses of a study.

    It does not evaluate the ratings of drive trains, which `checks` includes.
    """
    plan, goals = study.plan, study.facts.goals
    if any(one.function for one in plan.responses):
        return False
    try:
        scenario, _, _ = build_case(plan, study.design.case(0))
        if goals is not None and CHECKS in goals.subject_to and scenario.robot.drives:
            return False
        ModelCurves.of_problem(build_problem(scenario)).evaluate(np.zeros((1, 0)), plan.responses)
    except SimError:
        return False
    return True


def start_design(problem: OptimisationProblem) -> Design:
    """Return the initial design of the study: the middle of all ranges."""
    space = problem.space
    point = tuple(space.parameters(space.middle()).values())
    return Design("search", space.variations, (point,))


@dataclass
class OptimumStudy:
    """An optimisation in progress.

    Parameters
    ----------
    run : StudyRun
    problem : OptimisationProblem
    goals : GoalOptions
    open_processes : callable
        Return the workers that simulate the cases of a plan.
    """

    run: StudyRun
    problem: OptimisationProblem
    goals: GoalOptions
    open_processes: OpenProcesses

    def compute(self) -> StudyResult:
        """Return the rows in the order of evaluation, and the answer."""
        study, space = self.run.study, self.problem.space
        strategy, spare = strategy_of(self.problem, self.goals), 2 * len(space.free)
        evaluator = Evaluator(self.run, self.problem, max(strategy.most - spare, 1))
        with self.run.callbacks.progress(study.name) as progress:
            evaluator.on_point = lambda: progress(len(evaluator.points), strategy.most)
            search = Optimisation(evaluator, self.goals, study.facts.request.seed)
            search.run()
            winner, engine = self._confirm(search)
            evaluator.most = len(evaluator.points) + spare
            answer = self._answer(search, winner, engine, strategy.most)
        rows = evaluator.rows
        names = space.names
        points = tuple(tuple(row.parameters[name] for name in names) for row in rows)
        design = Design("search", space.variations, points)
        if engine is not None and winner is not None:
            k = evaluator.number(winner) - 1
            rows[k] = msgspec.structs.replace(rows[k], run=engine.run)
        proof = self._proof(winner, engine, evaluator)
        return StudyResult(replace(study, design=design), tuple(rows), answer, proof)

    def _confirm(self, search: Optimisation) -> tuple[DesignPoint | None, CaseRow | None]:
        """Return the winner and its row by the engine.

        If the search used the model only, the engine may find it slightly beyond a constraint:
        constraints are tightened by this violation, and the search continues from there.
        """
        evaluator = search.evaluator
        for round_ in range(ROUNDS + 1):
            if (winner := search.winner()) is None:
                return None, None
            row = self._simulate(winner.row, evaluator.number(winner))
            if not (lacks := self._lacks(winner, row, evaluator)) or round_ == ROUNDS:
                break
            for key, lack in lacks.items():
                evaluator.shifts[key] = evaluator.shifts.get(key, 0.0) + SPARE * lack
            evaluator.most = len(evaluator.points) + 30 * len(self.problem.space.free)
            search.refine(winner)
        return winner, row

    def _lacks(self, winner: DesignPoint, row: CaseRow, evaluator: Evaluator) -> dict[Key, float]:
        """Return the violations of a feasible winner in the engine's run."""
        if winner.violation(evaluator.shifts) or not row.is_run or row is winner.row:
            return {}
        slacks = self.problem.point(winner.x, row).slacks
        lacks = {key: -slacks[key] for key in winner.slacks if slacks.get(key, 0.0) < 0.0}
        small = all(lack <= PROOF_LIMIT * winner.scales[key] for key, lack in lacks.items())
        return lacks if small else {}

    def _simulate(self, row: CaseRow, number: int) -> CaseRow:
        """Return the engine's row of a case; the run is kept in the study's folder."""
        study = self.run.study
        is_model = study.facts.request.analytic
        plan = proof_plan(study.plan) if is_model else study.plan
        case = StudyCase(row.parameters, folder=f"{FOLDER_OF_RUNS}/{number:03d}")
        key = key_of(plan.fingerprint, case)
        known = self.run.log.rows.get(key)
        if known is None or (known.is_run and not known.run):
            with self.open_processes(plan) as workers:
                workers.compute([case], self.run.log.add)
        return self.run.log.rows[key]

    def _answer(
        self, search: Optimisation, winner: DesignPoint | None, engine: CaseRow | None, most: int
    ) -> OptimumAnswer:
        evaluator, problem = search.evaluator, self.problem
        points = list(evaluator.points.values())
        without_value = [k + 1 for k, point in enumerate(points) if not point.has_values]
        if winner is None:
            return OptimumAnswer(
                objectives=[_value_of(problem, k, None) for k in range(len(problem.objectives))],
                parameters={}, case=None, is_feasible=False, evaluations=len(points), most=most,
                without_value=without_value,
            )  # fmt: skip
        states, ends, sensitivities = self._states(evaluator, winner)
        return OptimumAnswer(
            objectives=[_value_of(problem, k, winner) for k in range(len(problem.objectives))],
            parameters=dict(winner.row.parameters),
            case=evaluator.number(winner),
            is_feasible=winner.violation(evaluator.shifts) == 0.0,
            constraints=states,
            at_ends={problem.space.names[k]: end for k, end in ends.items()},
            sensitivities=sensitivities,
            surfaces=surfaces_of(problem, search.designed, winner),
            evaluations=len(evaluator.points),
            most=most,
            improvements=evaluator.improvements,
            ends=[evaluator.number(point) for point in search.ends],
            front=[evaluator.number(point) for point in search.front()],
            without_value=without_value,
            engine=None if engine is None else _verdict(engine),
            notes=_notes(search, without_value),
        )

    def _states(
        self, evaluator: Evaluator, winner: DesignPoint
    ) -> tuple[list[ConstraintState], dict[int, str], list[Sensitivity]]:
        """Return constraints at the optimum, limiting range ends, and sensitivities."""
        try:
            costs, slopes = slopes_at(evaluator, winner)
        except BudgetSpent:  # not expected: evaluations are reserved
            costs = np.full((winner.cost.size, winner.x.size), math.nan)
            slopes = {key: np.full(winner.x.size, math.nan) for key in winner.slacks}
        limiting: dict[Key, float] = {}
        ends: dict[int, str] = {}
        is_feasible = winner.violation(evaluator.shifts) == 0.0
        nearness = {key: winner.slacks[key] / winner.scales[key] for key in winner.slacks}
        closest = sorted(nearness, key=nearness.__getitem__)
        if winner.cost.size == 1 and is_feasible:
            limiting, ends = limiting_of(winner, costs[0], slopes)
        near = {key for key, share in nearness.items() if share <= ACTIVE}
        is_limiting = near if winner.cost.size > 1 else set(limiting)
        states = [
            ConstraintState(
                constraint=self.problem.constraints[k].text,
                name=name,
                slack=None if math.isnan(slack) else slack,
                unit=self._unit(k, winner.row),
                is_limiting=(k, name) in is_limiting,
                multiplier=limiting.get((k, name)),
            )
            for (k, name) in closest
            for slack in [winner.slacks[k, name]]
        ]
        shown = {key: slopes[key] for key in closest[:MOST_SLOPES]}
        return states, ends, sensitivities_of(self.problem, costs, shown)

    def _unit(self, k: int, row: CaseRow) -> str:
        quantity = self.problem.constraints[k].quantity
        return "" if quantity is None else quantity.unit(row)

    def _proof(
        self, winner: DesignPoint | None, engine: CaseRow | None, evaluator: Evaluator
    ) -> Proof | None:
        """Compare the model's winner with the engine's run of it."""
        if winner is None or engine is None or not self.run.study.facts.request.analytic:
            return None
        response, off = differences_of(evaluator.rows, winner.row, engine)
        number = evaluator.number(winner)
        return Proof(
            cases=[number], response=response, off=off, limit=PROOF_LIMIT, ok=off <= PROOF_LIMIT
        )


def _value_of(problem: OptimisationProblem, k: int, winner: DesignPoint | None) -> ObjectiveValue:
    one = problem.objectives[k]
    return ObjectiveValue(
        text=one.quantity.text,
        direction="minimum" if one.sign > 0 else "maximum",
        value=None if winner is None else one.sign * float(winner.cost[k]),
        unit="" if winner is None else one.quantity.unit(winner.row),
    )


def _verdict(row: CaseRow) -> EngineVerdict:
    failed = [name for name, one in row.worst.items() if not one.ok]
    return EngineVerdict(
        status=row.status,
        reason=row.reason,
        checks=row.checks,
        failed=row.failed,
        run=row.run,
        only_ratings_fail=bool(failed) and all(name in OF_RATINGS for name in failed),
    )


def _notes(search: Optimisation, without_value: list[int]) -> list[str]:
    """Return notes on the search for its reader."""
    evaluator, notes = search.evaluator, []
    problem = evaluator.problem
    if without_value:
        cases, verb = ("cases", "have") if len(without_value) > 1 else ("case", "has")
        notes.append(
            f"{cases} {shorten_list(without_value, 8)} {verb} no value; the search went on"
        )
    if search.is_spent:
        notes.append("all evaluations are used; a better case may exist: raise --evaluations")
    if evaluator.shifts:
        tightened = (
            f"{problem.constraints[k].text} by {shift:.2g}"
            for (k, _), shift in evaluator.shifts.items()
        )
        notes.append(
            "constraints were tightened, so that the engine's run satisfies them too: "
            + ", ".join(dict.fromkeys(tightened))
        )
    return notes


def surfaces_of(
    problem: OptimisationProblem, designed: list[DesignPoint], winner: DesignPoint
) -> list[ResponseSurface]:
    """Return a surface of each objective over the varied numbers, at the winner's other values."""
    space = problem.space
    numeric = [k for k, one in enumerate(space.variations) if one.ends is not None]
    others = [k for k in range(len(space.names)) if k not in numeric]
    near = [p for p in designed if np.array_equal(p.x[others], winner.x[others])]
    if not near or not numeric:
        return []
    coded = np.array([[_coded_value(problem, k, p) for k in numeric] for p in near])
    names = [space.names[k] for k in numeric]
    surfaces = []
    for k, one in enumerate(problem.objectives):
        if not one.quantity.responses:
            continue
        values = one.sign * np.array([p.cost[k] for p in near])
        unit = one.quantity.unit(winner.row)
        surface = fit_surface(one.quantity.text, unit, names, coded, values)
        surfaces += [surface] if surface is not None else []
    return surfaces


def _coded_value(problem: OptimisationProblem, k: int, point: DesignPoint) -> float:
    """Return a parameter coded from -1 at the lower end of its range to 1 at the upper."""
    one = problem.space.variations[k]
    low, high = sorted(one.range)
    return 2.0 * (float(str(point.row.parameters[one.name])) - low) / (high - low) - 1.0
