"""ModelWorkers: many cases of a study at once by the model only, and its verification.

If only the torque depends on a parameter, and linearly, two cases determine all of them: the ends
of its range. Three cases in between must be on the line before it is used. Draws of masses and
friction form a plane in the same way. Others are evaluated case by case, all samples at once.
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
from sim.studies.case_log import CaseLog
from sim.studies.case_rows import CaseRow, key_of, response_units, row_of_checks, row_of_error
from sim.studies.design import StudyCase
from sim.studies.responses import RATINGS
from sim.studies.study import Plan, Study
from sim.studies.study_file import Proof
from sim.studies.workers.along import Along, Factors, choose_along, curves_of
from sim.studies.workers.execution import AddRows, StudyRun
from sim.studies.workers.model_curves import ModelCurves

ROWS = 512  # cases evaluated at once
PLANES = 8  # planes kept

# Relative to the largest magnitude of a response: the run's own checks bound the engine far more
# tightly; this verification detects effects that the model alone lacks.
PROOF_LIMIT = 1e-3
NOTHING = 1e-6  # of the largest response of the same unit: smaller ones are of unloaded joints


class ModelWorkers:
    """Workers that use the model only, in this process.

    Parameters
    ----------
    study : Study
    """

    count = 1
    probe_size = 64

    def __init__(self, study: Study) -> None:
        self.plan = study.plan
        self.seconds, self.cases = 0.0, 0
        self._along = choose_along(study)
        self._planes: OrderedDict[str, ModelCurves | None] = OrderedDict()

    def compute(self, cases: Sequence[StudyCase], add_rows: AddRows) -> None:
        """Compute cases, and pass on their rows as they arrive."""
        if (along := self._along) is None:
            for case in cases:
                add_rows([self._row(case)])
            return
        groups: dict[str, list[StudyCase]] = {}
        for case in cases:
            groups.setdefault(along.key_of_others(case), []).append(case)
        for others, group in groups.items():
            if (plane := self._plane(along, others, group[0])) is None:
                for case in group:
                    add_rows([self._row(case)])
                continue
            for begin in range(0, len(group), ROWS):
                add_rows(self._rows_on_plane(along, plane, group[begin : begin + ROWS]))

    def _plane(self, along: Along, others: str, case: StudyCase) -> ModelCurves | None:
        """Return the plane of a case; None if there is none."""
        if others not in self._planes:
            try:
                self._planes[others] = along.find_plane(case)
            except (SimError, ValueError):
                self._planes[others] = None  # each case reports its own errors
            while len(self._planes) > PLANES:
                self._planes.popitem(last=False)
        return self._planes[others]

    def _rows_on_plane(
        self, along: Along, plane: ModelCurves, cases: Sequence[StudyCase]
    ) -> list[CaseRow]:
        began = time.perf_counter()
        x, factors = along.places(plane, cases)
        rows = self._rows(plane, x, cases, factors)
        each = (time.perf_counter() - began) / len(cases)
        self._note_time(each * len(cases), len(cases))
        return [msgspec.structs.replace(row, seconds=each) for row in rows]

    def _row(self, case: StudyCase) -> CaseRow:
        began, inputs = time.perf_counter(), dict[str, str]()
        try:
            curves = curves_of(self.plan, case, inputs)
            (row,) = self._rows(curves, np.zeros((1, 0)), [case], [dict(curves.factors)])
        except Exception as error:  # the rest of the study continues
            row = row_of_error(self.plan.fingerprint, case, error)
            row = msgspec.structs.replace(row, inputs=inputs)
        seconds = time.perf_counter() - began
        self._note_time(seconds, 1)
        return msgspec.structs.replace(row, seconds=seconds)

    def _rows(
        self, curves: ModelCurves, x: Array, cases: Sequence[StudyCase], factors: Sequence[Factors]
    ) -> list[CaseRow]:
        rows: list[CaseRow] = []
        evaluated = curves.evaluate(x, self.plan.responses)
        for case, of_case, (responses, own) in zip(cases, factors, evaluated, strict=True):
            checks, like = curves.with_torque_ratings(own), rows[0] if rows else None
            row = row_of_checks(self.plan.fingerprint, case, checks, responses, like=like, own=own)
            rows.append(msgspec.structs.replace(row, inputs=dict(curves.inputs), factors=of_case))
        return rows

    def _note_time(self, seconds: float, cases: int) -> None:
        self.seconds += seconds
        self.cases += cases


def _sizes(rows: Sequence[CaseRow]) -> dict[str, float]:
    """Return the largest magnitude of each response, at least `NOTHING` of that in its unit."""
    units = response_units(rows)
    sizes = {
        name: max((abs(v) for row in rows if (v := row.response(name)) is not None), default=0.0)
        for name in units
    }
    return {
        name: max(
            size, NOTHING * max(sizes[other] for other in units if units[other] == units[name])
        )
        for name, size in sizes.items()
    }


def proof_plan(plan: Plan) -> Plan:
    """Return the plan for simulating verification cases, whose rows are not part of the study."""
    return replace(plan, fingerprint=f"{plan.fingerprint} simulated")


def _pick(can: Sequence[int], cases: int, count: int, seed: int) -> list[int]:
    """Return indices of cases to be simulated, of those that can be."""
    chance = np.random.default_rng([seed, cases])
    return sorted(int(k) for k in chance.permutation(can)[:count])


def expected_proof(study: Study, log: CaseLog) -> list[StudyCase]:
    """Return the cases that `prove_model` simulates if all cases can be computed."""
    design, request = study.design, study.facts.request
    picked = _pick(range(design.count), design.count, request.proof, request.seed)
    fingerprint = proof_plan(study.plan).fingerprint
    cases = map(design.case, picked)
    return [case for case in cases if key_of(fingerprint, case) not in log.rows]


def prove_model(run: StudyRun, rows: Sequence[CaseRow], count: int, seed: int) -> Proof:
    """Simulate some of the cases, and compare the model's rows with them.

    Parameters
    ----------
    run : StudyRun
        Its workers are for the `proof_plan` of the study's plan.
    count : int
        Number of cases.
    seed : int
        Seed of their selection.
    """
    picked = _pick([k for k, row in enumerate(rows) if row.is_run], len(rows), count, seed)
    fingerprint, log = proof_plan(run.study.plan).fingerprint, run.log
    cases = [StudyCase(rows[k].parameters, rows[k].draw) for k in picked]
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
    """Return the response with the largest difference between model and simulation, and the value.

    It is relative to the largest magnitude of that response in `rows`; infinite on failure.
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
