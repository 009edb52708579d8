"""conducted: a study from its request to its folder: prepared, carried out, written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from sim.errors import ScenarioError
from sim.recording.files import sha256
from sim.scenario.script import Script, load_script
from sim.showing.one_line import counted
from sim.studies.asked_design import Search, design_of, search_of
from sim.studies.case_log import CaseLog, has_rows
from sim.studies.case_row import CaseRow
from sim.studies.design import SENSITIVITY, searching
from sim.studies.optimum import searched
from sim.studies.plan import Plan, fingerprint_of
from sim.studies.report.table import write_tables
from sim.studies.request import Request
from sim.studies.responses import USUAL
from sim.studies.sensitivity import effects
from sim.studies.study import Study, study_of
from sim.studies.study_answer import EffectsFound, SearchFound
from sim.studies.study_file import StudyFacts, require_same_study
from sim.studies.study_result import StudyResult
from sim.studies.tolerances import tolerance
from sim.studies.workers.case_inputs import changed
from sim.studies.workers.execution import Tell, Tick, Workers, carried_out, kept_runs
from sim.studies.workers.pool import Pool, usual_workers

MOST_NAMED = 3  # of what has changed


@dataclass(frozen=True)
class Means:
    """By what a study is computed; no result depends on it.

    Parameters
    ----------
    workers : int, optional
        Processes of this machine; one a processor without it.
    cluster : str, optional
        Address of a Dask scheduler.
    yes : bool
        Begin even if it takes more than an hour.
    """

    workers: int | None = None
    cluster: str | None = None
    yes: bool = False


@dataclass(frozen=True)
class Watcher:
    """Whoever is told of a study while it is computed; nobody without arguments.

    Parameters
    ----------
    tell : callable
        Takes a sentence.
    bar : callable
        Of the study's name: a context that yields a function of (cases done, cases in all).
    stopped : callable
        Told the folder and how many cases are kept in it, where a study does not come to its end.
    """

    tell: Tell = lambda _: None
    bar: Callable[[str], AbstractContextManager[Tick]] = lambda _: nullcontext(lambda a, b: None)
    stopped: Callable[[Path, int], None] = lambda folder, kept: None


def conducted(
    request: Request, folder: Path, means: Means | None = None, watcher: Watcher | None = None
) -> StudyResult:
    """A study carried out in a folder, with its tables, its page and its description.

    Raises
    ------
    SimError
        If it cannot be prepared, begun or written; what is finished is kept.
    """
    means, watcher = means or Means(), watcher or Watcher()
    script = load_script(request.scenario)
    search = search_of(script, request)
    study = _study(script, request, folder, search)
    _require_possible(request, means)
    before = require_same_study(study.folder, study.facts)
    with _folder_of(study), CaseLog(study.folder, study.plan.fingerprint) as log:
        if before is not None:
            _leave_out_changed(log, before, study.facts, watcher.tell)
        try:
            result = _result(study, log, request, search, means, watcher)
            return _written(result, page=not request.no_report)
        except BaseException:
            watcher.stopped(study.folder, len(log.rows))
            raise


def _leave_out_changed(log: CaseLog, before: StudyFacts, now: StudyFacts, tell: Tell) -> None:
    """Compute again what was built from something else than is there now, and say so."""
    if log.edited:
        tell(f"computed again: {counted(log.edited, 'case')}, for {log.path} was edited")
    stale, what = log.leave_out_stale(), list[str]()
    if before.identity.get("robot") != now.identity["robot"]:
        stale, what = log.of(fingerprint_of(before.identity)), ["the robot"]
    if stale:
        what += dict.fromkeys(name for row in stale for name in changed(row.inputs))
        more = f" and {len(what) - MOST_NAMED} more" if len(what) > MOST_NAMED else ""
        words = f"{', '.join(what[:MOST_NAMED])}{more}"
        tell(f"computed again: {counted(len(stale), 'case')}, changed since: {words}")


@contextmanager
def _folder_of(study: Study) -> Iterator[None]:
    """The folder with its description; one that is new and stays without a case goes away again."""
    is_new = not study.folder.exists()
    try:
        study.facts.write(study.folder)
        yield
    except BaseException:
        if is_new and not has_rows(study.folder):
            shutil.rmtree(study.folder, ignore_errors=True)
        raise


def _require_possible(request: Request, means: Means) -> None:
    """Check what would otherwise be found when cases are computed."""
    if means.cluster is not None and means.workers is not None:
        raise ScenarioError("--workers is for this machine; a --cluster brings its own")
    if request.analytic and request.keep:
        raise ScenarioError("--keep keeps runs, and --analytic makes none; simulate the study")


def _study(script: Script, request: Request, folder: Path, search: Search | None) -> Study:
    responses = request.response or USUAL
    if search is not None:
        responses = (*responses, search.within.response)
    return study_of(
        script,
        design_of(script, request, search),
        folder,
        settings=request.settings,
        method=request.method,
        dt=request.dt,
        responses=responses,
        tolerances=tuple(
            tolerance(script, text, request.distribution) for text in request.tolerance
        ),
        seed=request.seed,
        request=request,
        also={"route": "model"} if request.analytic else {},
    )


def _result(
    study: Study,
    log: CaseLog,
    request: Request,
    search: Search | None,
    means: Means,
    watcher: Watcher,
) -> StudyResult:
    if request.analytic:
        return _by_model(study, log, request, search, means, watcher)
    with _workers(study.plan, study.design.count, means) as workers:
        result = _computed(study, log, workers, request, search, means, watcher)
        count = request.keep if isinstance(request.keep, int) else len(result.rows)
        if count:
            rows = kept_runs(result.study, log, workers, result.rows, count)
            result = replace(result, rows=tuple(rows))
    return result


def _computed(
    study: Study,
    log: CaseLog,
    workers: Workers,
    request: Request,
    search: Search | None,
    means: Means,
    watcher: Watcher,
) -> StudyResult:
    """The rows by some workers, and what they answer."""
    if search is not None:
        return _searched(study, log, workers, search, watcher.tell)
    with watcher.bar(study.name) as tick:
        rows = carried_out(
            study,
            log,
            workers,
            keep_all=request.keep == "all",
            yes=means.yes,
            tell=watcher.tell,
            tick=tick,
        )
    return StudyResult(study, tuple(rows), _effects(study, rows, request.seed))


def _by_model(
    study: Study,
    log: CaseLog,
    request: Request,
    search: Search | None,
    means: Means,
    watcher: Watcher,
) -> StudyResult:
    """The rows by the model alone, what they answer, and some of them simulated."""
    from sim.studies.workers.model_workers import ModelWorkers, proof_plan, proved

    model = ModelWorkers(study)
    result = _computed(study, log, model, request, search, means, watcher)
    with _workers(proof_plan(study.plan), request.proof, means) as workers:
        proof = proved(study, log, workers, result.rows, request.proof, request.seed)
    speed = model.cases / model.seconds if model.seconds else 0.0
    return replace(result, proof=msgspec.structs.replace(proof, speed=speed))


@contextmanager
def _workers(plan: Plan, cases: int, means: Means) -> Iterator[Workers]:
    if means.cluster is not None:
        from sim.studies.workers.cluster import Cluster

        with Cluster(plan, means.cluster) as cluster:
            yield cluster
        return
    count = means.workers or min(usual_workers(), cases)
    with Pool(plan, count) as pool:
        yield pool


def _searched(
    study: Study, log: CaseLog, workers: Workers, search: Search, tell: Tell
) -> StudyResult:
    name, within = search.varied.name, search.within

    def tick(value: float, room: float) -> None:
        tell(f"{name} = {value:.10g}: {'keeps' if room >= 0 else 'breaks'} {within.text}")

    found = searched(
        study, log, workers, search.varied, within, search.direction, search.precision, tick
    )
    study = replace(study, design=searching(search.varied, list(found.tried)))
    answer = SearchFound(
        parameter=name,
        direction=search.direction,
        limit=within.text,
        ends=search.varied.range,
        holds=found.holds,
        fails=found.fails,
        value=found.value,
        precision=search.precision,
        binds=found.binds,
        tried=len(found.tried),
    )
    return StudyResult(study, tuple(carried_out(study, log, workers)), answer)


def _effects(study: Study, rows: Sequence[CaseRow], seed: int) -> EffectsFound | None:
    if study.design.name not in SENSITIVITY:
        return None
    return EffectsFound(design=study.design.name, effects=effects(study.design, rows, seed))


def _written(result: StudyResult, *, page: bool) -> StudyResult:
    """Tables, page and description of a study that is done; the result with that description."""
    folder = result.folder
    files = write_tables(folder, result.table, result.units)
    if page:
        from sim.studies.report.page import write_study_page

        name = write_study_page(result, list(files))
        files[name] = sha256(folder / name)
    facts = msgspec.structs.replace(
        result.study.facts,
        state="done",
        cases=len(result.rows),
        counts=dict(sorted(result.counts.items())),
        files=files,
        answer=result.answer,
        proof=result.proof,
    )
    facts.write(folder)
    return replace(result, study=replace(result.study, facts=facts))
