"""Study: a scenario, what varies in it, what is asked of each case, and where it is kept."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sim.recording.methods import MethodName
from sim.recording.provenance import of_this_process
from sim.scenario.scenario import FITTED
from sim.scenario.script import Script
from sim.studies.design import Design
from sim.studies.plan import Plan, fingerprint_of, identity_of
from sim.studies.request import Request
from sim.studies.responses import USUAL, asked
from sim.studies.study_file import StudyFacts
from sim.studies.tolerances import Tolerance


@dataclass(frozen=True)
class Study:
    """One scenario over many values of its parameters.

    Parameters
    ----------
    name : str
        Of the scenario.
    plan : Plan
    design : Design
    facts : StudyFacts
        What its folder says before it begins.
    conditions : str
        Method, duration and step, in words.
    """

    name: str
    plan: Plan
    design: Design
    facts: StudyFacts
    conditions: str

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return Path(self.plan.folder)


def study_of(
    script: Script,
    design: Design,
    folder: Path,
    *,
    settings: Mapping[str, str] | None = None,
    method: MethodName | None = None,
    dt: float | None = None,
    responses: Sequence[str] = (),
    tolerances: tuple[Tolerance, ...] = (),
    seed: int = 0,
    request: Request | None = None,
    also: Mapping[str, object] | None = None,
) -> Study:
    """A study of a script in a folder.

    Parameters
    ----------
    settings : mapping
        Of parameters that are the same in all cases.
    request : Request, optional
        What it was asked for by, and goes on with.
    also : mapping
        What else makes it another study.

    Raises
    ------
    ScenarioError, ModelError
        If a parameter is not there, or the scenario cannot be built.
    """
    base = {name: script.value_of(name, value) for name, value in (settings or {}).items()}
    first = design.case(0).parameters
    needed = {k: v for k, v in first.items() if not _has_default(script, k)}
    scenario, _ = script.build({**base, **needed})
    scenario = replace(scenario, method=method or scenario.method, dt=dt or scenario.dt)
    questions = tuple(asked(text) for text in dict.fromkeys(responses or USUAL))
    identity = identity_of(script, scenario, base, method, dt, questions, tolerances, seed)
    identity |= also or {}
    fingerprint = fingerprint_of(identity)
    plan = Plan(
        script=str(script.path),
        script_sha256=str(identity["script"]),
        settings=base,
        method=method,
        dt=dt,
        responses=questions,
        tolerances=tolerances,
        seed=seed,
        fingerprint=fingerprint,
        folder=str(folder.resolve()),
    )
    facts = StudyFacts(
        scenario=script.name,
        script=str(script.path),
        request=request or Request(scenario=str(script.path)),
        identity=identity,
        design=design.name,
        varied={one.name: one.text.partition(" = ")[2] for one in design.variations},
        units={name: unit for name, unit in script.units.items() if name in design.names},
        cases=design.count,
        state="running",
        provenance=of_this_process(),
        notes=[*filter(None, [design.note]), *(n for n in scenario.notes if FITTED in n)],
    )
    conditions = f"{scenario.method}, {scenario.duration:.4g} s at {1e3 * scenario.dt:.4g} ms"
    return Study(script.name, plan, design, facts, conditions)


def _has_default(script: Script, name: str) -> bool:
    return script.parameters.get(name) is not inspect.Parameter.empty
