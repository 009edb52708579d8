"""ModelWorkers: the cases of a study by the model alone, many at once, and the proof of it.

Where only the torque depends on a parameter, and linearly, two cases determine all of them: the
ends of its range. Three cases between must lie on the line before it is used. Any other parameter
is evaluated case by case, all samples at once.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np

from sim.errors import SimError
from sim.maths.arrays import Array
from sim.recording.files.whole_files import json_text
from sim.simulation.build_problem import build_problem
from sim.studies.case_rows import CaseRow, key_of, response_units, row_of_checks, row_of_error
from sim.studies.design import Case, Design
from sim.studies.responses import RATINGS
from sim.studies.study import Plan, Study
from sim.studies.study_file import Proof
from sim.studies.variation import Variation
from sim.studies.workers.case_work import build_case, draw_parameters, track_case_inputs
from sim.studies.workers.execution import AddRows, StudyRun
from sim.studies.workers.model_curves import ModelCurves, find_line

NUMBERS = 400_000  # torques of a joint that are evaluated at once: they stay in the cache
LINES = 8  # that are kept
FEWEST = 6  # cases from which on a line is worth five

# Of the largest size of a response: the run's own checks bound the engine far more tightly;
# the proof looks for what the model alone leaves out.
PROOF_LIMIT = 1e-3
NOTHING = 1e-6  # of the largest response of the same unit: a joint that carries nothing


class ModelWorkers:
    """Computes cases by the model alone, in this process.

    Parameters
    ----------
    study : Study
    """

    count = 1
    probe_size = 64

    def __init__(self, study: Study) -> None:
        self.plan = study.plan
        self.seconds, self.cases = 0.0, 0
        self._along = _along(study.design)
        self._lines: OrderedDict[str, ModelCurves | None] = OrderedDict()

    def compute(self, cases: Sequence[Case], add_rows: AddRows) -> None:
        """Compute cases, and pass on their rows as they come."""
        if self._along is None:
            for case in cases:
                add_rows([self._row(case)])
            return
        groups: dict[str, list[Case]] = {}
        for case in cases:
            groups.setdefault(self._others(case), []).append(case)
        for others, group in groups.items():
            line = self._line(others, group[0])
            if line is None:
                for case in group:
                    add_rows([self._row(case)])
                continue
            size = max(1, NUMBERS // line.base.shape[1])
            for begin in range(0, len(group), size):
                add_rows(self._rows_on_line(line, group[begin : begin + size]))

    def _others(self, case: Case) -> str:
        """All of a case but its place on the line."""
        name = self._along.name if self._along else ""
        others = {k: v for k, v in case.parameters.items() if k != name}
        return json_text([others, case.draw])

    def _line(self, others: str, case: Case) -> ModelCurves | None:
        """The line that a case is on; None where there is none."""
        if others not in self._lines:
            self._lines[others] = self._find_line(case)
            while len(self._lines) > LINES:
                self._lines.popitem(last=False)
        return self._lines[others]

    def _find_line(self, case: Case) -> ModelCurves | None:
        along = self._along
        if along is None:
            return None

        def at(x: float) -> ModelCurves:
            at_x = replace(case, parameters={**case.parameters, along.name: x})
            return self._curves(at_x, inputs)

        inputs: dict[str, str] = {}
        low, high = along.range
        try:
            line = find_line(at, low, high)
            if line is None:
                return None
            line.evaluate(np.array([low]), ())  # fills its cached properties
            return replace(line, inputs=inputs)
        except (SimError, ValueError):
            return None  # each case reports by itself what is wrong with it

    def _curves(self, case: Case, inputs: dict[str, str]) -> ModelCurves:
        """The curves of one case; what it is built from comes into `inputs` even if it fails."""
        with track_case_inputs(self.plan, inputs):
            scenario, _, factors = build_case(self.plan, case)
        return replace(
            ModelCurves.of_problem(build_problem(scenario)), factors=factors, inputs=inputs
        )

    def _rows_on_line(self, line: ModelCurves, cases: Sequence[Case]) -> list[CaseRow]:
        began = time.perf_counter()
        name = self._along.name if self._along else ""
        x = np.array([float(str(case.parameters[name])) for case in cases])
        rows = self._rows(line, x, cases)
        each = (time.perf_counter() - began) / len(cases)
        self._note_time(each * len(cases), len(cases))
        return [msgspec.structs.replace(row, seconds=each) for row in rows]

    def _row(self, case: Case) -> CaseRow:
        began, inputs = time.perf_counter(), dict[str, str]()
        try:
            (row,) = self._rows(self._curves(case, inputs), np.zeros(1), [case])
        except Exception as error:  # the rest of the study goes on
            row = row_of_error(self.plan.fingerprint, case, error)
            row = msgspec.structs.replace(row, inputs=inputs)
        seconds = time.perf_counter() - began
        self._note_time(seconds, 1)
        return msgspec.structs.replace(row, seconds=seconds)

    def _rows(self, curves: ModelCurves, x: Array, cases: Sequence[Case]) -> list[CaseRow]:
        return [
            msgspec.structs.replace(
                row_of_checks(self.plan.fingerprint, case, checks, responses),
                inputs=dict(curves.inputs),
                factors={**curves.factors, **draw_parameters(self.plan, case)[1]},
            )
            for case, (responses, checks) in zip(
                cases, curves.evaluate(x, self.plan.responses), strict=True
            )
        ]

    def _note_time(self, seconds: float, cases: int) -> None:
        self.seconds += seconds
        self.cases += cases


def _along(design: Design) -> Variation | None:
    """The parameter along which many cases lie that differ in nothing else, where there is one.

    The design alone decides, not which cases are missing: a case has the same bits after a stop.
    """
    numeric = [one for one in design.variations if one.ends is not None and not one.is_whole]
    if design.name == "grid":
        longest = max(numeric, key=lambda one: len(one.values), default=None)
        return longest if longest is not None and len(longest.values) >= FEWEST else None
    is_one = len(design.variations) == 1 and len(design.points) >= FEWEST
    return numeric[0] if numeric and is_one else None


def _sizes(rows: Sequence[CaseRow]) -> dict[str, float]:
    """The largest size of each response; rounding relative to others of its unit is none."""
    units = response_units(rows)
    own = {
        name: max((abs(v) for row in rows if (v := row.response(name)) is not None), default=0.0)
        for name in units
    }
    return {
        name: max(size, NOTHING * max(own[other] for other in units if units[other] == units[name]))
        for name, size in own.items()
    }


def proof_plan(plan: Plan) -> Plan:
    """The plan by which cases are simulated as proof: its rows are no rows of the study."""
    return replace(plan, fingerprint=f"{plan.fingerprint} simulated")


def prove_model(run: StudyRun, rows: Sequence[CaseRow], count: int, seed: int) -> Proof:
    """Simulate some of the cases, and compare the rows of the model alone with them.

    Parameters
    ----------
    run : StudyRun
        Its workers are for `proof_plan` of the study's plan.
    count : int
        How many cases.
    seed : int
        Which.
    """
    can = [k for k, row in enumerate(rows) if row.is_run]
    chance = np.random.default_rng([seed, len(rows)])
    picked = sorted(int(k) for k in chance.permutation(can)[:count])
    fingerprint, log = proof_plan(run.study.plan).fingerprint, run.log
    cases = [Case(rows[k].parameters, rows[k].draw) for k in picked]
    keys = [key_of(fingerprint, case) for case in cases]
    missing = [case for case, key in zip(cases, keys, strict=True) if key not in log.rows]
    run.workers.compute(missing, log.add)
    worst = ("no case was simulated" if not picked else "", 0.0 if picked else float("inf"))
    for k, key in zip(picked, keys, strict=True):
        worst_here = differences_of(rows, rows[k], log.rows[key], f"case {k + 1}")
        if worst_here[1] > worst[1] or not worst[0]:
            worst = worst_here
        if worst[1] == float("inf"):
            break
    return Proof(
        cases=[k + 1 for k in picked],
        response=worst[0],
        off=worst[1],
        limit=PROOF_LIMIT,
        ok=worst[1] <= PROOF_LIMIT,
    )


def differences_of(
    rows: Sequence[CaseRow], ours: CaseRow, simulated: CaseRow, name: str = "the case"
) -> tuple[str, float]:
    """The response in which a case by the model alone and its simulation differ most, and how far.

    As a share of the largest size of that response in `rows`; infinite where the simulation fails.
    """
    if not simulated.is_run:
        return f"{name} could not be simulated: {simulated.reason}", float("inf")
    broken = [check for check, one in simulated.worst.items() if not (one.ok or check in RATINGS)]
    if broken:
        return f"{name} fails its check {broken[0]}", float("inf")
    worst = ("", 0.0)
    for response, size in _sizes(rows).items():
        one, other = ours.response(response), simulated.response(response)
        if one is None and other is None:
            continue
        off = float("inf") if one is None or other is None else abs(one - other)
        share = off / size if size else off
        if share > worst[1] or not worst[0]:
            worst = (response, share)
    return worst
