"""One case computed: its scenario built, simulated, judged, and asked for its responses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sim.checks import judged
from sim.errors import EngineError, ScenarioError, SimError, in_one_line
from sim.recording.facts import ScriptFacts
from sim.recording.files import sha256
from sim.recording.recording import Recording
from sim.recording.run_folders import DESCRIPTION
from sim.recording.staging import staged
from sim.recording.verdicts import Check
from sim.scenario.scenario import Scenario
from sim.scenario.script import Script, load_script
from sim.shipped import scenarios
from sim.simulation.run import run
from sim.studies.case_row import CaseRow, Rating, Worst, key_of
from sim.studies.design import Case
from sim.studies.margins import RATINGS
from sim.studies.plan import Plan
from sim.studies.responses import Responses
from sim.studies.tolerances import spread_parameters, spread_robot
from sim.studies.workers.case_inputs import reading


@dataclass(frozen=True)
class Item:
    """A case to compute.

    Parameters
    ----------
    case : Case
    keep : str
        Where the run is kept, below the study's folder; empty where it is not.
    """

    case: Case
    keep: str = ""


def rows_of(plan: Plan, items: Sequence[Item]) -> list[CaseRow]:
    """The rows of some cases; one that fails has its reason in its row."""
    return [row_of(plan, item) for item in items]


def row_of(plan: Plan, item: Item) -> CaseRow:
    """The row of one case."""
    began, case = time.perf_counter(), item.case
    row = CaseRow(
        key=key_of(plan.fingerprint, case),
        parameters=dict(case.parameters),
        status="error",
        draw=case.draw,
    )
    factors: dict[str, float] = {}
    inputs: dict[str, str] = {}
    try:
        with reading_for(plan, inputs):
            scenario, parameters, factors = built(plan, case)
        row = _row_of_run(plan, item, row, scenario, parameters, inputs)
    except Exception as error:  # the rest of the study goes on
        row = _changed(row, **_failure(error))
    seconds = time.perf_counter() - began
    return _changed(row, factors=factors, inputs=inputs, seconds=seconds)


def reading_for(plan: Plan, inputs: dict[str, str], *folders: str) -> AbstractContextManager[None]:
    """Add to `inputs` what is read for a case, but from the study's own folder and some others."""
    return reading(inputs, plan.fingerprint, (plan.script, plan.folder, *folders))


def _failure(error: Exception) -> dict[str, object]:
    status = "engine" if isinstance(error, EngineError) else "error"
    said = str(error) if isinstance(error, SimError) else f"{type(error).__name__}: {error}"
    return {"status": status, "reason": in_one_line(said)}


def _changed(row: CaseRow, **entries: object) -> CaseRow:
    import msgspec

    return msgspec.structs.replace(row, **entries)


def built(plan: Plan, case: Case) -> tuple[Scenario, dict[str, object], dict[str, float]]:
    """The scenario of a case, its parameters, and what the tolerances have drawn.

    Raises
    ------
    SimError
        If it cannot be built.
    """
    script = script_of_plan(plan.script, plan.script_sha256)
    settings = {**plan.settings, **case.parameters}
    drawn, factors = drawn_parameters(plan, case)
    settings |= drawn
    scenario, parameters = script.build(settings)
    scenario = replace(scenario, method=plan.method or scenario.method, dt=plan.dt or scenario.dt)
    of_robot = tuple(one for one in plan.tolerances if one.what not in script.parameters)
    if case.draw is not None and of_robot:
        robot, more = spread_robot(scenario.robot, of_robot, plan.seed, case.draw)
        scenario, factors = replace(scenario, robot=robot), {**factors, **more}
    return scenario, parameters, factors


def drawn_parameters(plan: Plan, case: Case) -> tuple[dict[str, object], dict[str, float]]:
    """Parameters that have a tolerance after the case's draw, and what is told of them."""
    if case.draw is None:
        return {}, {}
    script = script_of_plan(plan.script, plan.script_sha256)
    values = {**script.parameters, **plan.settings, **case.parameters}
    named = {one.what for one in plan.tolerances}
    nominal = {name: value for name, value in values.items() if name in named}
    return spread_parameters(nominal, plan.tolerances, plan.seed, case.draw)


@cache
def script_of_plan(path: str, digest: str) -> Script:
    """The script of a study, loaded once in a process; a shipped one wherever it is.

    Raises
    ------
    ScenarioError
        If it is not there, or another.
    """
    here, shipped = Path(path), scenarios() / Path(path).name
    for place in (here, shipped):
        if place.is_file() and sha256(place) == digest:
            return load_script(str(place))
    what = "has changed since the study began" if here.is_file() else "is not there"
    raise ScenarioError(f"The script {path} of the study {what} (SHA-256 {digest[:12]}…)")


def _row_of_run(
    plan: Plan,
    item: Item,
    row: CaseRow,
    scenario: Scenario,
    parameters: dict[str, object],
    inputs: dict[str, str],
) -> CaseRow:
    """The row of a case that is simulated here; its run is written where it is kept."""
    path = Path(plan.script)
    facts = ScriptFacts(path=plan.script, sha256=plan.script_sha256)

    def simulated(folder: Path | None) -> Recording:
        recording = run(scenario, name=path.stem, folder=folder)
        return judged(recording.described(parameters=parameters, script=facts))

    if not item.keep:
        with _room(scenario) as large:
            recording = simulated(None if large is None else Path(large))
            return judged_row(row, recording, _responses(plan, recording, inputs, large))
    folder = Path(plan.folder) / item.keep
    with staged(folder, DESCRIPTION) as stage:
        recording = simulated(stage).described(folder=str(folder)).write(stage)
        _write_page(recording, stage, scenario)
        row = judged_row(row, recording, _responses(plan, recording, inputs))
    return _changed(row, run=item.keep)


def _write_page(recording: Recording, stage: Path, scenario: Scenario) -> None:
    from sim.audit import audit_of
    from sim.audit.paged import paged
    from sim.recording.recorded_robot import robot_of
    from sim.reports.writing import write_report_into

    write_report_into(recording, stage, scenario.robot, paged(audit_of(robot_of(recording))))


def _responses(
    plan: Plan, recording: Recording, inputs: dict[str, str], tables: str | None = None
) -> Responses:
    """What the run answers; a user's function may read files, of which the run's do not count."""
    with reading_for(plan, inputs, *filter(None, [tables])):
        return {name: value for one in plan.responses for name, value in one.of(recording).items()}


LONG = 200_000  # samples from which on the tables of a run stay in files


def _room(scenario: Scenario) -> TemporaryDirectory[str] | nullcontext[None]:
    """A folder for the tables of a long run, which goes away with it."""
    if scenario.duration / scenario.dt < LONG:
        return nullcontext()
    return TemporaryDirectory(prefix="sim-case-")


def judged_row(row: CaseRow, recording: Recording, responses: Responses) -> CaseRow:
    """The row of a judged recording."""
    bad = [check for check in recording.run.checks if not check.ok]
    return _changed(
        row,
        status="fail" if bad else "pass",
        reason=f"{bad[0].name} {bad[0].channel}" if bad else "",
        checks=len(recording.run.checks),
        failed=len(bad),
        worst=worst_of(recording.run.checks),
        ratings=ratings_of(recording.run.checks),
        responses=responses,
    )


def worst_of(checks: Sequence[Check]) -> dict[str, Worst]:
    """By the name of the checks the one nearest to its limit."""
    found: dict[str, Worst] = {}
    for check in checks:
        one = Worst(check.used, check.channel, check.at, check.ok)
        if check.name not in found or one.nearness > found[check.name].nearness:
            found[check.name] = one
    return found


def ratings_of(checks: Sequence[Check]) -> dict[str, dict[str, Rating]]:
    """Of every rating what is used, by the name of the check and the channel."""
    found: dict[str, dict[str, Rating]] = {}
    for check in checks:
        if check.name in RATINGS:
            one = Rating(check.used, check.limit, check.unit, check.ok)
            found.setdefault(check.name, {})[check.channel] = one
    return found
