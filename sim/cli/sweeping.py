"""A study as the command line asks for it: prepared, carried out, written, shown."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from sim.cli.exit_status import ENGINE, WANTING, WELL
from sim.cli.output import console, print_json, progress
from sim.cli.run_options import parameters_of
from sim.cli.runs import stamp
from sim.cli.sweep_design import Search, design_of, search_of
from sim.errors import ScenarioError
from sim.recording.files import sha256
from sim.scenario.script import Script, load_script
from sim.studies.case_log import CaseLog
from sim.studies.case_row import CaseRow
from sim.studies.design import SENSITIVITY, searching
from sim.studies.execution import Workers, carried_out, duration_text, kept_runs
from sim.studies.optimum import Found, searched
from sim.studies.plan import Plan
from sim.studies.pool import Pool, usual_workers
from sim.studies.responses import USUAL
from sim.studies.sensitivity import effects
from sim.studies.spread import tolerance
from sim.studies.study import Study, study_of
from sim.studies.study_answer import Answer, EffectsFound, Proof, SearchFound
from sim.studies.study_file import StudyFacts, read_facts, require_same_study
from sim.studies.study_table import response_names, study_table, write_tables

STUDIES = Path("results/studies")

# Options that a resumed study takes from its folder.
REQUESTED = (
    "vary", "settings", "method", "dt", "design", "samples", "seed", "tolerance", "distribution",
    "response", "largest", "smallest", "within", "to", "keep", "no_report", "analytic", "proof",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """A study that is done.

    Parameters
    ----------
    study : Study
    rows : list of CaseRow
    answer : Answer or None
        What a search has found, or sensitivities.
    """

    study: Study
    rows: list[CaseRow]
    answer: Answer | None = None

    @property
    def status(self) -> int:
        """0 where a search has found something, or all cases pass; 3 where the engine failed."""
        if isinstance(self.answer, SearchFound):
            return WELL if self.answer.holds is not None else WANTING
        if isinstance(self.answer, Proof) and not self.answer.ok:
            return WANTING
        found = {row.status for row in self.rows}
        return WELL if found <= {"pass"} else ENGINE if "engine" in found else WANTING


def sweep_asked(options: argparse.Namespace) -> int:
    """Carry out a study, and show it; the exit status is 1 where a case does not pass."""
    began = time.monotonic()
    if options.resume is not None:
        options = resumed(options)
    if options.name is None:
        raise ScenarioError("Name the scenario to study: sim sweep NAME --vary P=0:10:21")
    script = load_script(options.name)
    search = search_of(script, options)
    study = _study(script, options, search)
    _require_possible(study, options)
    require_same_study(study.folder, study.facts)
    is_new = not study.folder.exists()
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        try:
            outcome = _carried_out(study, log, options, search)
        except BaseException:
            _say_what_is_kept(study, log)
            if is_new and not log.rows:  # a cluster that does not answer leaves nothing behind
                shutil.rmtree(study.folder, ignore_errors=True)
            raise
    page = not options.no_report
    facts = _finished(outcome, page=page)
    _show(outcome, facts, duration_text(time.monotonic() - began), options)
    return outcome.status


def resumed(options: argparse.Namespace) -> argparse.Namespace:
    """The options by which a study was asked for, with its folder."""
    if options.name or options.out or options.vary:
        raise ScenarioError(
            "--resume goes on with a study as it was asked for, and takes no scenario, --vary or "
            "--out"
        )
    folder = Path(options.resume)
    facts = read_facts(folder)
    known = {name: value for name, value in facts.request.items() if name in REQUESTED}
    return argparse.Namespace(
        **{**vars(options), **known, "name": facts.script, "out": str(folder)}
    )


def _require_possible(study: Study, options: argparse.Namespace) -> None:
    """Check what would otherwise be found when cases are computed."""
    if options.cluster is not None and options.workers is not None:
        raise ScenarioError("--workers is for this machine; a --cluster brings its own")
    if options.analytic and study.design.name in SENSITIVITY:
        raise ScenarioError(f"--analytic cannot go with --design {study.design.name}; simulate it")
    if options.analytic and options.keep:
        raise ScenarioError("--keep keeps runs, and --analytic makes none; simulate the study")


def _study(script: Script, options: argparse.Namespace, search: Search | None) -> Study:
    folder = Path(options.out) if options.out else STUDIES / f"{script.name}-{stamp()}"
    responses = options.response or list(USUAL)
    if search is not None:
        responses = [*responses, search.within.response]
    return study_of(
        script,
        design_of(script, options, search),
        folder,
        settings=parameters_of(options.settings),
        method=options.method,
        dt=options.dt,
        responses=responses,
        tolerances=tuple(
            tolerance(script, text, options.distribution) for text in options.tolerance
        ),
        seed=options.seed,
        request={name: getattr(options, name) for name in REQUESTED},
        also={"route": "model"} if options.analytic else {},
    )


def _carried_out(
    study: Study, log: CaseLog, options: argparse.Namespace, search: Search | None
) -> Outcome:
    if options.analytic:
        return _by_model(study, log, options)
    with _workers(study.plan, study.design.count, options) as workers:
        if search is not None:
            outcome = _searched(study, log, workers, search)
        else:
            with progress(study.name) as tick:
                keep_all = options.keep == "all"
                rows = carried_out(
                    study, log, workers, keep_all=keep_all, yes=options.yes, tell=_tell, tick=tick
                )
            outcome = Outcome(study, rows, _effects(study, rows, options.seed))
        count = options.keep if isinstance(options.keep, int) else len(outcome.rows)
        if count:
            rows = kept_runs(outcome.study, log, workers, outcome.rows, count)
            outcome = replace(outcome, rows=rows)
    return outcome


def _by_model(study: Study, log: CaseLog, options: argparse.Namespace) -> Outcome:
    """The rows by the model alone, and some of them simulated."""
    from sim.studies.analytic import ModelWorkers, proof_plan, proved

    model = ModelWorkers(study)
    with progress(study.name) as tick:
        rows = carried_out(study, log, model, yes=options.yes, tell=_tell, tick=tick)
    with _workers(proof_plan(study.plan), options.proof, options) as workers:
        proof = proved(study, log, workers, rows, options.proof, options.seed)
    speed = model.cases / model.seconds if model.seconds else 0.0
    return Outcome(study, rows, msgspec.structs.replace(proof, speed=speed))


@contextmanager
def _workers(plan: Plan, cases: int, options: argparse.Namespace) -> Iterator[Workers]:
    if options.cluster is not None:
        from sim.studies.cluster import Cluster

        with Cluster(plan, options.cluster) as cluster:
            yield cluster
        return
    count = options.workers or min(usual_workers(), cases)
    with Pool(plan, count) as pool:
        yield pool


def _searched(study: Study, log: CaseLog, workers: Workers, search: Search) -> Outcome:
    name, within = search.varied.name, search.within

    def tick(value: float, room: float) -> None:
        _tell(f"{name} = {value:g}: {'keeps' if room >= 0 else 'breaks'} {within.text}")

    found: Found = searched(
        study, log, workers, search.varied, within, search.direction, search.precision, tick
    )
    design = searching(search.varied, list(found.tried))
    study = replace(study, design=design)
    answer = SearchFound(
        parameter=name,
        direction=search.direction,
        limit=within.text,
        ends=search.varied.range,
        holds=found.holds,
        fails=found.fails,
    )
    return Outcome(study, carried_out(study, log, workers), answer)


def _effects(study: Study, rows: Sequence[CaseRow], seed: int) -> EffectsFound | None:
    if study.design.name not in SENSITIVITY:
        return None
    return EffectsFound(design=study.design.name, effects=effects(study.design, rows, seed))


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def _say_what_is_kept(study: Study, log: CaseLog) -> None:
    """Where to go on after the study was stopped."""
    if log.rows:
        _tell(
            f"{len(log.rows)} cases are kept in {_near(study.folder)}; go on with: "
            f"sim sweep --resume {_near(study.folder)}"
        )


def _finished(outcome: Outcome, *, page: bool) -> StudyFacts:
    """Tables, page and description of a study that is done."""
    study, rows = outcome.study, outcome.rows
    files = write_tables(study.folder, study_table(rows), response_names(rows))
    if page:
        from sim.studies.study_page import write_study_page

        name = write_study_page(study, rows, outcome.answer, list(files))
        files[name] = sha256(study.folder / name)
    facts = msgspec.structs.replace(
        study.facts,
        state="done",
        cases=len(rows),
        counts=dict(sorted(Counter(row.status for row in rows).items())),
        files=files,
        answer=outcome.answer,
    )
    facts.write(study.folder)
    return facts


def _show(outcome: Outcome, facts: StudyFacts, seconds: str, options: argparse.Namespace) -> None:
    study, rows = outcome.study, outcome.rows
    if options.json:
        print_json({**msgspec.to_builtins(facts), "rows": [msgspec.to_builtins(r) for r in rows]})
        return
    from sim.reports.terminal.summary import show
    from sim.studies.study_summary import files_of, study_summary, verdict_of

    parts = study_summary(study, rows, outcome.answer, seconds, options.limit)
    runs = sum(bool(row.run) for row in rows)
    page = next((name for name in facts.files if name.endswith(".html")), None)
    files = files_of(_near(study.folder), page, runs)
    show(console(), [*parts, *files, verdict_of(study, rows, outcome.answer)])


def _near(folder: Path) -> Path:
    """A folder as it is seen from here, where it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
