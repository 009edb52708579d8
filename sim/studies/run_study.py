"""run_study: prepare, compute and write a study."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import msgspec

from sim.decks.script_or_deck import load_script_or_deck
from sim.errors import ScenarioError
from sim.maths.second_process import WORTH_A_COPY, second_process
from sim.recording.files.leftovers import remove_leftovers
from sim.recording.files.run_folders import DESCRIPTION
from sim.showing.one_line import count_text, shorten_list
from sim.studies.case_log import CaseLog, has_rows
from sim.studies.case_rows import CaseRow, missing_values
from sim.studies.design import SENSITIVITY, StudyCase, search_design
from sim.studies.optimisation.optimum_study import OptimumStudy, can_use_model, start_design
from sim.studies.optimisation.problem import OptimisationProblem, parse_problem
from sim.studies.optimum import Bracket, Search, find_optimum
from sim.studies.placement import PlacedStudy
from sim.studies.report.table import CSV, PARQUET, table_files, write_files
from sim.studies.request import ExecutionOptions
from sim.studies.requested_design import study_design, study_search
from sim.studies.responses import USUAL
from sim.studies.sensitivity import effects
from sim.studies.study import Plan, Study, StudyResult, fingerprint_of, prepare_study
from sim.studies.study_file import EffectsAnswer, SearchAnswer, StudyFacts, require_same_study
from sim.studies.tolerances import Tolerance, parse_tolerances
from sim.studies.workers.along import expected_optimum
from sim.studies.workers.case_inputs import find_changes
from sim.studies.workers.execution import (
    FOLDER_OF_RUNS,
    Message,
    ProgressCallbacks,
    StudyRun,
    Workers,
    keep_runs,
    require_responses,
    run_cases,
)
from sim.studies.workers.pool import Pool, default_worker_count

MOST_NAMED = 3  # changes in a message
Aim: TypeAlias = Search | OptimisationProblem | None  # what a study searches


def run_study(
    placed: PlacedStudy,
    options: ExecutionOptions | None = None,
    callbacks: ProgressCallbacks | None = None,
) -> StudyResult:
    """Compute a study in its folder, with its tables, its page and its description.

    Raises
    ------
    SimError
        If it cannot be prepared, started or written; finished cases are kept.
    """
    options, callbacks = options or ExecutionOptions(), callbacks or ProgressCallbacks()
    with nullcontext() if placed.code is None else placed.code.in_force():
        study, aim = _prepare(placed)
        _require_possible(placed, options)
        before = require_same_study(study.folder, study.facts)
        with _study_folder(study), CaseLog(study.folder, study.plan.fingerprint) as log:
            if before is not None:
                _drop_outdated(log, before, study.facts, callbacks.message)
            try:
                with _open_workers(study, options) as workers:
                    result = _compute(StudyRun(study, log, workers, options, callbacks), aim)
                return _write(result)
            except BaseException:
                callbacks.interrupted(study.folder, len(log.rows))
                raise


def _drop_outdated(log: CaseLog, before: StudyFacts, now: StudyFacts, message: Message) -> None:
    """Drop rows whose script, robot or other inputs have changed, with a message."""
    if log.edited:
        message(f"recomputed: {count_text(log.edited, 'case')}, because {log.path} was edited")
    stale, what = log.leave_out_stale(), list[str]()
    if before.identity.get("robot") != now.identity["robot"]:
        stale, what = log.rows_of(fingerprint_of(before.identity)), ["the robot"]
    if stale:
        what += dict.fromkeys(name for row in stale for name in find_changes(row.inputs))
        names = shorten_list(what, MOST_NAMED)
        message(f"recomputed: {count_text(len(stale), 'case')}; changed since: {names}")


@contextmanager
def _study_folder(study: Study) -> Iterator[None]:
    """Write the folder's description; a new folder that stays without a case is removed again."""
    is_new = not study.folder.exists()
    try:
        study.facts.write(study.folder)
        yield
    except BaseException:
        runs = study.folder / FOLDER_OF_RUNS
        remove_leftovers(runs, DESCRIPTION)  # of workers that were killed
        with suppress(OSError):
            runs.rmdir()  # if it is empty
        if is_new and not has_rows(study.folder):
            shutil.rmtree(study.folder, ignore_errors=True)
        raise


def _require_possible(placed: PlacedStudy, options: ExecutionOptions) -> None:
    """Check for errors that would otherwise occur during the computation, or not at all."""
    request, goals = placed.request, placed.goals
    if options.cluster is not None and options.workers is not None:
        raise ScenarioError(
            "--workers sets the processes of this machine and cannot be combined with --cluster"
        )
    if request.analytic and request.keep:
        raise ScenarioError("--keep requires runs, and --analytic makes none; omit one of them")
    if goals is not None and goals.simulate and request.analytic:
        raise ScenarioError("--simulate and --analytic exclude each other; omit one of them")
    proves = request.analytic or goals is not None
    is_random = proves or bool(request.tolerance) or request.design not in (None, "grid", "tornado")
    for option, needed, has_it in (
        ("proof", "--analytic", proves),
        ("distribution", "--tolerance, such as --tolerance mass=2%", request.tolerance),
        ("seed", "a random --design such as lhs, --tolerance or --analytic", is_random),
    ):
        if option in request.changed_options and not has_it:
            raise ScenarioError(f"--{option} requires {needed}")


def _prepare(placed: PlacedStudy) -> tuple[Study, Aim]:
    """Return a study with its search.

    An optimisation uses the model only if that gives all responses.
    """
    request, goals = placed.request, placed.goals
    script = load_script_or_deck(request.scenario)
    search = study_search(script, request)
    responses, tolerances = request.response or USUAL, tuple[Tolerance, ...]()
    if goals is not None:
        problem = parse_problem(script, request, goals)
        design, responses = start_design(problem), (*problem.responses, *responses)
    else:
        problem, design = None, study_design(script, request, search)
        random_settings = request.tolerance, request.distribution, request.settings
        tolerances = parse_tolerances(script, *random_settings, design.names)
        responses = responses if search is None else (*responses, search.within.response)
    both = sorted(set(design.names) & set(request.settings))
    if both and design.name != "tornado":
        raise ScenarioError(f"{both[0]!r} is both varied and set; remove one of them")
    study = prepare_study(
        script, design, placed.folder, request,
        responses=responses, tolerances=tolerances, goals=goals,
    )  # fmt: skip
    if goals is not None and not (goals.simulate or request.analytic) and can_use_model(study):
        study = study.by_model()
    return study, problem or search


@contextmanager
def _open_workers(study: Study, options: ExecutionOptions) -> Iterator[Workers]:
    """Yield the workers of a study; the model only if requested."""
    if study.facts.request.analytic:
        from sim.studies.workers.model_workers import ModelWorkers

        yield ModelWorkers(study)
        return
    cases = study.design.count if study.facts.goals is None else default_worker_count()
    with _open_processes(study.plan, cases, options) as workers:
        yield workers


@contextmanager
def _open_processes(plan: Plan, cases: int, options: ExecutionOptions) -> Iterator[Workers]:
    """Yield processes that simulate cases, on this machine or a cluster."""
    if options.cluster is not None:
        from sim.studies.workers.cluster import Cluster

        with Cluster(plan, options.cluster) as cluster:
            yield cluster
        return
    with Pool(plan, options.workers or min(default_worker_count(), cases)) as pool:
        yield pool


def _compute(run: StudyRun, aim: Aim) -> StudyResult:
    """Return the rows and the answer; runs are kept, or the model is verified, as requested."""
    request, goals = run.study.facts.request, run.study.facts.goals
    if isinstance(aim, OptimisationProblem) and goals is not None:
        open_processes = partial(_open_processes, cases=1, options=run.options)
        return OptimumStudy(run, aim, goals, open_processes).compute()
    with _open_prover(run, aim) as prover:
        if isinstance(aim, Search):
            result = _compute_search(run, aim)
        else:
            rows = run_cases(run)
            result = StudyResult(run.study, tuple(rows), _effects_answer(run.study, rows))
        if request.keep:
            result = replace(result, rows=tuple(keep_runs(run, result.rows)))
        return result if prover is None else _prove(run, prover, result)


@contextmanager
def _open_prover(run: StudyRun, aim: Aim) -> Iterator[Workers | None]:
    """Yield processes that verify the model; None in a study that is simulated.

    They begin with the first case, if it is known, while the model computes all.
    """
    study = run.study
    if not study.facts.request.analytic:
        yield None
        return
    from sim.studies.workers.model_workers import expected_proof, proof_plan

    plan, cases = proof_plan(study.plan), study.facts.request.proof
    with _open_processes(plan, cases, run.options) as workers:
        if isinstance(workers, Pool) and aim is None and (first := expected_proof(study, run.log)):
            workers.start(first[:1])
        yield workers


def _prove(run: StudyRun, prover: Workers, result: StudyResult) -> StudyResult:
    """Return the result of the model, verified by simulating some of its cases."""
    from sim.studies.workers.model_workers import ModelWorkers, prove_model

    request, model = run.study.facts.request, run.workers
    proof = prove_model(replace(run, workers=prover), result.rows, request.proof, request.seed)
    if isinstance(model, ModelWorkers) and model.seconds:
        proof = msgspec.structs.replace(proof, speed=model.cases / model.seconds)
    return replace(result, proof=proof)


def search_optimum(run: StudyRun, search: Search) -> Bracket:
    """Return the optimum of one parameter of a study; each value tried is a case of it.

    Raises
    ------
    ScenarioError
        If the first case lacks its responses.
    """
    log, within, name = run.log, search.within, search.varied.name
    broken: set[str] = set()

    def row_at(value: float) -> CaseRow:
        case = StudyCase({name: value})
        if not run.is_done(case):
            run.workers.compute([case], lambda rows: log.add(require_responses(rows)))
        return run.row(case)

    def slack(value: float) -> float:
        slacks = within.slacks(row_at(value))
        least = min(slacks.values())
        verb = "satisfies" if least >= 0 else "violates"
        run.callbacks.message(f"{name} = {value:.10g}: {verb} {within.text}")
        broken.update(what for what, inside in slacks.items() if inside < 0)
        # a response that always satisfies its limit does not show where another violates its own
        return (
            min((slacks[w] for w in broken & set(slacks)), default=least) if least >= 0 else least
        )

    low, high = search.varied.range
    is_whole = search.varied.is_whole
    precision = 1.0 if is_whole else search.precision
    bracket = find_optimum(
        slack,
        low,
        high,
        search.direction,
        precision,
        is_whole=is_whole,
        expected=expected_optimum(run.study.plan, search),
    )
    decisive = bracket.holds if bracket.fails is None else bracket.fails
    if bracket.holds is None:
        decisive = max(bracket.values, key=bracket.values.__getitem__)
    if decisive is not None:
        bracket.binds = within.binding(row_at(decisive))
    return bracket


def _compute_search(run: StudyRun, search: Search) -> StudyResult:
    """Return the result of a search, whose cases are the values tried."""
    bracket = search_optimum(run, search)
    design = search_design(search.varied, list(bracket.values))
    answer = SearchAnswer(
        parameter=search.varied.name,
        direction=search.direction,
        limit=search.within.text,
        ends=search.varied.range,
        holds=bracket.holds,
        fails=bracket.fails,
        value=bracket.value,
        precision=search.precision,
        binds=bracket.binds,
        tried=len(bracket.values),
    )
    rows = (run.row(design.case(k)) for k in range(design.count))
    return StudyResult(replace(run.study, design=design), tuple(rows), answer)


def _effects_answer(study: Study, rows: list[CaseRow]) -> EffectsAnswer | None:
    if study.design.name not in SENSITIVITY:
        return None
    strongest = effects(study.design, rows, study.facts.request.seed)
    return EffectsAnswer(design=study.design.name, effects=strongest)


def _write(result: StudyResult) -> StudyResult:
    """Write tables, page and description of a finished study; returns the updated result."""
    folder, missing = result.folder, missing_values(result.rows)
    facts = result.study.facts
    notes = [*facts.notes, *(f"{name}: {words}" for name, words in missing.items())]
    facts = msgspec.structs.replace(facts, notes=notes)
    result = replace(result, study=replace(result.study, facts=facts))
    pages = dict[str, bytes]()
    with second_process(
        lambda: table_files(result.table, result.units),
        is_worthwhile=not facts.request.no_report and len(result.rows) >= WORTH_A_COPY,
    ) as tables:
        if not facts.request.no_report:
            from sim.studies.report.page import PAGE, study_page

            pages[PAGE] = study_page(result, (PARQUET, CSV)).encode()
        files = write_files(folder, tables() | pages)
    facts = msgspec.structs.replace(
        facts,
        state="done",
        cases=len(result.rows),
        counts=dict(sorted(result.counts.items())),
        files=files,
        answer=result.answer,
        proof=result.proof,
    )
    facts.write(folder)
    return replace(result, study=replace(result.study, facts=facts))
