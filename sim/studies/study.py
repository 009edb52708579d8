"""Study: scenario, variations, responses and folder; StudyResult: its results."""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sim.recording.files.whole_files import json_text, sha256
from sim.recording.schema.methods import MethodName
from sim.recording.schema.provenance import of_this_process, text_hash
from sim.reports.causes import OF_RATINGS
from sim.robots.local_code import Permission, permission
from sim.scenario.scenario import FITTED, Scenario
from sim.scenario.script import Script
from sim.showing.fragments import html_table
from sim.showing.one_line import count_text, one_line, span_text
from sim.studies.case_rows import CaseRow, response_units
from sim.studies.design import Design
from sim.studies.optimisation.answer import OptimumAnswer
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.report.table import study_table
from sim.studies.request import StudyRequest
from sim.studies.responses import USUAL, ResponseSpec, parse_response
from sim.studies.study_file import Answer, Proof, SearchAnswer, StudyFacts
from sim.studies.tolerances import Tolerance

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 10  # of a table in a notebook
BY_MODEL = {"route": "model"}  # part of the identity of a study by the analytic model only


@dataclass(frozen=True)
class Plan:
    """All data that a worker needs to compute any case of a study.

    Parameters
    ----------
    script, script_sha256 : str
        Path of the scenario's script, and its hash.
    settings : mapping of str to object
        Values of the parameters that are equal in all cases.
    method, dt : optional
        Replace those of the scenario.
    responses : tuple of ResponseSpec
    tolerances : tuple of Tolerance
    seed : int
    fingerprint : str
        Hash of everything that determines the result of a case, except its values.
    folder : str
        Absolute path of the study's folder.
    code : Permission, optional
        Local code that may be executed (default: the user's own scripts, which are recorded).
    """

    script: str
    script_sha256: str
    settings: Mapping[str, object]
    method: MethodName | None
    dt: float | None
    responses: tuple[ResponseSpec, ...]
    tolerances: tuple[Tolerance, ...]
    seed: int
    fingerprint: str
    folder: str
    code: Permission | None = None


@dataclass(frozen=True)
class Study:
    """One scenario for many values of its parameters.

    Parameters
    ----------
    name : str
        Name of the scenario.
    plan : Plan
    design : Design
    facts : StudyFacts
        Initial content of its ``study.json``.
    conditions : str
        Method, duration and step, as text.
    """

    name: str
    plan: Plan
    design: Design
    facts: StudyFacts
    conditions: str

    @property
    def folder(self) -> Path:
        """Folder of the study."""
        return Path(self.plan.folder)

    def by_model(self) -> Study:
        """Return the same study, computed by the analytic model only."""
        identity = {**self.facts.identity, **BY_MODEL}
        request = msgspec.structs.replace(self.facts.request, analytic=True)
        facts = msgspec.structs.replace(self.facts, request=request, identity=identity)
        plan = replace(self.plan, fingerprint=fingerprint_of(identity))
        return replace(self, plan=plan, facts=facts)


@dataclass(frozen=True, eq=False, repr=False)
class StudyResult:
    """The cases of a study, and its answer.

    Parameters
    ----------
    study : Study
    rows : tuple of CaseRow
        In the order of the design.
    answer : SearchAnswer, EffectsAnswer, OptimumAnswer or None
        The result of a search, sensitivities, or an optimum.
    proof : Proof or None
        Verification of the model, in a study by the model only.
    """

    study: Study
    rows: tuple[CaseRow, ...]
    answer: Answer | None = None
    proof: Proof | None = None

    @property
    def passed(self) -> bool:
        """True if all cases pass and the model is verified; for a search, if it has a value."""
        if self.proof is not None and not self.proof.ok:
            return False
        if isinstance(self.answer, SearchAnswer):
            return self.answer.holds is not None
        if isinstance(self.answer, OptimumAnswer):
            return self.answer.is_passed
        return self.counts["pass"] == len(self.rows)

    @property
    def is_answered(self) -> bool:
        """True if a search has a value, or a grid of numbers shows where a limit is crossed."""
        if self.proof is not None and not self.proof.ok:
            return False
        if isinstance(self.answer, SearchAnswer | OptimumAnswer):
            return self.passed
        design, counts = self.study.design, self.counts
        is_grid = self.answer is None and design.name == "grid" and not design.draws
        values = [value for row in self.rows for value in row.parameters.values()]
        return (
            is_grid
            and counts["pass"] > 0
            and self.fails_by_limits_only
            and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        )

    @property
    def fails_by_limits_only(self) -> bool:
        """True if a case fails, and all failures are of ratings and ranges only."""
        if self.proof is not None and not self.proof.ok:
            return False
        counts = self.counts
        bad = [row for row in self.rows if row.status == "fail"]
        return (
            bool(bad)
            and counts["pass"] + counts["fail"] == len(self.rows)
            and all(name in OF_RATINGS or one.ok for row in bad for name, one in row.worst.items())
            and all(any(not one.ok for one in row.worst.values()) for row in bad)
        )

    @property
    def is_accepted(self) -> bool:
        """True if the study passes, or only limits fail that the request does not require."""
        if self.passed:
            return True
        may_fail = self.study.facts.request.no_require
        if isinstance(self.answer, OptimumAnswer):
            proved = self.proof is None or self.proof.ok
            return may_fail and proved and self.answer.is_within_checks
        return may_fail and not isinstance(self.answer, SearchAnswer) and self.fails_by_limits_only

    @property
    def verdict(self) -> str:
        """Verdict of the study: ``answered``, ``pass`` or ``fail``."""
        if self.is_answered or (self.is_accepted and not self.passed):
            return "answered"
        return "pass" if self.passed else "fail"

    @property
    def counts(self) -> Counter[str]:
        """Cases by their status: ``pass``, ``fail``, ``error``, ``engine``."""
        return Counter[str](row.status for row in self.rows)

    @property
    def folder(self) -> Path:
        """Folder of the study."""
        return self.study.folder

    @property
    def units(self) -> dict[str, str]:
        """Units of the responses by name."""
        return response_units(self.rows)

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per case, as in ``cases.parquet``; see `sim.studies.report.table.study_table`."""
        return study_table(self.rows)

    @property
    def sentence(self) -> str:
        """Number of passed cases, or the result of a search."""
        words = _counts_text(self.counts, len(self.rows))
        if isinstance(self.answer, SearchAnswer | OptimumAnswer):
            words = self.answer.words
        if self.proof is None or self.proof.ok or not self.proof.cases:
            return words
        return f"{words}; simulated cases do not confirm the analytic model"

    def __repr__(self) -> str:
        cases = count_text(len(self.rows), "case")
        return one_line(f"StudyResult {self.study.name}:", self.verdict, cases, self.sentence)

    def _repr_html_(self) -> str:
        heads = [name for name in map(str, self.table.columns) if name not in ("key", "run")]
        first = self.table.head(MOST_ROWS)
        rows = zip(*(map(_cell, first[name]) for name in heads), strict=True)
        return html_table(repr(self).strip("<>"), heads, rows)


def _counts_text(counts: Counter[str], cases: int) -> str:
    words = f"{counts['pass']} of {cases} cases pass"
    if counts["fail"]:
        words += f", {counts['fail']} fail"
    if n_failed := counts["error"] + counts["engine"]:
        words += f", {n_failed} could not be computed"
    return words


def _cell(value: object) -> str:
    import pandas as pd

    if value is None or value is pd.NA:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def prepare_study(
    script: Script,
    design: Design,
    folder: Path,
    request: StudyRequest,
    *,
    responses: Sequence[str] = (),
    tolerances: tuple[Tolerance, ...] = (),
    goals: GoalOptions | None = None,
) -> Study:
    """Prepare a study of a script in a folder.

    Parameters
    ----------
    request : StudyRequest
        Settings, method, step and seed; stored in the folder for resuming the study.
    responses : sequence of str
        Responses of the study (default: the usual ones).
    goals : GoalOptions, optional
        Goals of an optimisation.

    Raises
    ------
    ScenarioError, ModelError
        If a parameter does not exist, or the scenario cannot be built.
    """
    base = {name: script.value_of(name, value) for name, value in request.settings.items()}
    first = design.case(0).parameters
    defaults, empty = script.parameters, inspect.Parameter.empty
    needed = {name: value for name, value in first.items() if defaults.get(name) is empty}
    scenario, _ = script.build({**base, **needed})
    method, dt = request.method, request.dt
    scenario = replace(scenario, method=method or scenario.method, dt=dt or scenario.dt)
    plan = Plan(
        script=str(script.path),
        script_sha256=sha256(script.path),
        settings=base,
        method=method,
        dt=dt,
        responses=tuple(dict.fromkeys(map(parse_response, responses or USUAL))),
        tolerances=tolerances,
        seed=request.seed,
        fingerprint="",
        folder=str(folder.resolve()),
        code=permission(),
    )
    identity = _identity(plan, scenario) | (BY_MODEL if request.analytic else {})
    facts = StudyFacts(
        scenario=script.name,
        script=str(script.path),
        request=request,
        identity=identity,
        design=design.name,
        varied={one.name: one.text.partition(" = ")[2] for one in design.variations},
        units={name: unit for name, unit in script.units.items() if name in design.names},
        cases=design.count,
        state="running",
        provenance=of_this_process(),
        goals=goals,
        notes=[*filter(None, [design.note]), *(n for n in scenario.notes if FITTED in n)],
    )
    conditions = f"{scenario.method}, {span_text(scenario.duration, scenario.dt)}"
    plan = replace(plan, fingerprint=fingerprint_of(identity))
    return Study(script.name, plan, design, facts, conditions)


def _identity(plan: Plan, scenario: Scenario) -> dict[str, object]:
    """Return all that determines a case except its values; `scenario` is the unvaried one."""
    return {
        "script": plan.script_sha256,
        "robot": text_hash(scenario.robot.text),
        "settings": {name: plan.settings[name] for name in sorted(plan.settings)},
        "method": plan.method or scenario.method,
        "dt": plan.dt or "the scenario's own",
        "responses": [one.text for one in plan.responses],
        "functions": {one.file: sha256(Path(one.file)) for one in plan.responses if one.file},
        "tolerances": [one.text for one in plan.tolerances],
        "seed": plan.seed if plan.tolerances else None,
        "versions": versions(),
    }


def fingerprint_of(identity: Mapping[str, object]) -> str:
    """Return the hash of an identity."""
    return hashlib.sha256(json_text(identity).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of everything that affects numbers, including this package's code."""
    return {"python": of_this_process().python, **of_this_process().versions, "code": _code()}


def _code() -> str:
    """Return the hash of the package's own files, in twelve digits."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
