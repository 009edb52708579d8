"""Computation of one case: build and simulate the scenario, judge it, evaluate responses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from sim.checks import judge_recording
from sim.decks.script_or_deck import load_script_or_deck, script_facts
from sim.errors import ScenarioError
from sim.recording.files.run_folders import DESCRIPTION
from sim.recording.files.staging import staging
from sim.recording.files.whole_files import sha256
from sim.recording.recording import Recording
from sim.scenario.known_code import state_folder
from sim.scenario.scenario import Scenario
from sim.scenario.script import Script
from sim.shipped import scenarios
from sim.simulation.run import run
from sim.studies.case_rows import CaseRow, row_of_checks, row_of_error
from sim.studies.design import StudyCase
from sim.studies.responses import OPTION, Responses, ResponseSpec
from sim.studies.study import Plan
from sim.studies.tolerances import Tolerance, perturb_parameters, perturb_robot
from sim.studies.workers.case_inputs import track_inputs


def compute_rows(plan: Plan, cases: Sequence[StudyCase]) -> list[CaseRow]:
    """Return the rows of cases; a failed one has the reason in its row."""
    with nullcontext() if plan.code is None else plan.code.in_force():
        return [compute_row(plan, case) for case in cases]


def compute_row(plan: Plan, case: StudyCase) -> CaseRow:
    """Return the row of one case; its run is written if the case has a folder."""
    began = time.perf_counter()
    factors: dict[str, float] = {}
    inputs: dict[str, str] = {}
    try:
        with track_case_inputs(plan, inputs):
            scenario, parameters, factors = build_case(plan, case)
        row = _simulate(plan, case, scenario, parameters, inputs)
    except Exception as error:  # the rest of the study continues
        row = row_of_error(plan.fingerprint, case, error)
    seconds = time.perf_counter() - began
    return msgspec.structs.replace(row, factors=factors, inputs=inputs, seconds=seconds)


def track_case_inputs(
    plan: Plan, inputs: dict[str, str], *folders: str
) -> AbstractContextManager[None]:
    """Add to `inputs` what is read for a case, except in the study's own and other `folders`."""
    state = (str(folder),) if (folder := state_folder()) is not None else ()
    return track_inputs(inputs, plan.fingerprint, (plan.script, plan.folder, *state, *folders))


def build_case(plan: Plan, case: StudyCase) -> tuple[Scenario, dict[str, object], dict[str, float]]:
    """Return the scenario of a case, its parameters, and its tolerance draws.

    Raises
    ------
    SimError
        If it cannot be built.
    """
    script = load_plan_script(plan.script, plan.script_sha256)
    settings = {**plan.settings, **case.parameters}
    drawn, factors = draw_parameters(plan, case)
    settings |= drawn
    scenario, parameters = script.build(settings)
    scenario = replace(scenario, method=plan.method or scenario.method, dt=plan.dt or scenario.dt)
    tolerances = of_robot(plan)
    if case.draw is not None and tolerances:
        robot, more = perturb_robot(scenario.robot, tolerances, plan.seed, case.draw)
        scenario, factors = replace(scenario, robot=robot), {**factors, **more}
    return scenario, parameters, factors


def of_robot(plan: Plan) -> tuple[Tolerance, ...]:
    """Return the tolerances of robot quantities."""
    script = load_plan_script(plan.script, plan.script_sha256)
    return tuple(one for one in plan.tolerances if one.what not in script.parameters)


def drawn_parameters(plan: Plan, case: StudyCase) -> dict[Tolerance, float]:
    """Return the tolerances of parameters, with their nominal values."""
    script = load_plan_script(plan.script, plan.script_sha256)
    values = {**script.parameters, **plan.settings, **case.parameters}
    named = (one for one in plan.tolerances if one.what in script.parameters)
    return {one: float(str(values[one.what])) for one in named}


def draw_parameters(plan: Plan, case: StudyCase) -> tuple[dict[str, object], dict[str, float]]:
    """Return drawn parameters with a tolerance, and their values by name."""
    if case.draw is None:
        return {}, {}
    nominal = {one.what: value for one, value in drawn_parameters(plan, case).items()}
    return perturb_parameters(nominal, plan.tolerances, plan.seed, case.draw)


@cache
def load_plan_script(path: str, digest: str) -> Script:
    """Return the script of a study, loaded once per process; shipped ones from any location.

    Raises
    ------
    ScenarioError
        If it does not exist, or differs.
    """
    here, shipped = Path(path), scenarios() / Path(path).name
    for place in (here, shipped):
        if place.is_file() and sha256(place) == digest:
            return load_script_or_deck(str(place))
    what = "has changed since the study began" if here.is_file() else "does not exist"
    raise ScenarioError(f"The script {path} of the study {what} (SHA-256 {digest[:12]}…)")


def _simulate(
    plan: Plan,
    case: StudyCase,
    scenario: Scenario,
    parameters: dict[str, object],
    inputs: dict[str, str],
) -> CaseRow:
    """Return the row of a case that is simulated here."""
    path = Path(plan.script)
    facts = script_facts(path, plan.script_sha256, parameters)

    def record(folder: Path | None) -> Recording:
        recording = run(scenario, name=path.stem, folder=folder)
        return judge_recording(recording.with_description(parameters=parameters, script=facts))

    def row_of(recording: Recording, tables: str | None = None) -> CaseRow:
        responses = _responses(plan, recording, inputs, tables)
        return row_of_checks(plan.fingerprint, case, recording.run.checks, responses)

    if not case.folder:
        with _table_folder(scenario) as tables:
            return row_of(record(None if tables is None else Path(tables)), tables)
    folder = Path(plan.folder) / case.folder
    with staging(folder, DESCRIPTION) as stage:
        recording = record(stage).with_description(folder=str(folder)).write(stage)
        _write_page(recording, stage, scenario)
        row = row_of(recording)
    return msgspec.structs.replace(row, run=case.folder)


def _write_page(recording: Recording, stage: Path, scenario: Scenario) -> None:
    from sim.audit.kept_audit import audit_for_page
    from sim.reports.writing import write_report_into

    write_report_into(recording, stage, scenario.robot, audit_for_page(recording))


def _responses(
    plan: Plan, recording: Recording, inputs: dict[str, str], tables: str | None = None
) -> Responses:
    """Return the responses of a run; files of the run read by user functions are not inputs.

    Raises
    ------
    ScenarioError
        If one cannot be evaluated, or a user function's number has the name of another response.
    """
    responses, sources = Responses(), dict[str, ResponseSpec]()
    with track_case_inputs(plan, inputs, *filter(None, [tables])):
        for one in plan.responses:
            for name, value in one.evaluate(recording).items():
                other = sources.setdefault(name, one)
                if other is not one and (one.file or other.file):
                    raise ScenarioError(
                        f"{OPTION}{one.name} and {other.name} both return {name!r}; return the "
                        "numbers of one as a dict with other names"
                    )
                responses[name] = value
    return responses


LONG = 200_000  # samples from which on the tables of a run stay in files


def _table_folder(scenario: Scenario) -> TemporaryDirectory[str] | nullcontext[None]:
    """Return a temporary folder for the tables of a long run."""
    if scenario.duration / scenario.dt < LONG:
        return nullcontext()
    return TemporaryDirectory(prefix="sim-case-")
