"""A study as the command line asks for it: prepared, carried out, written, shown."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from sim.cli.exit_status import ENGINE, WANTING, WELL
from sim.cli.output import console, print_json, progress
from sim.cli.run_options import parameters_of
from sim.cli.runs import stamp
from sim.errors import ScenarioError
from sim.scenario.script import Script, load_script
from sim.studies.case_log import CaseLog
from sim.studies.case_row import CaseRow
from sim.studies.design import SAMPLED, SAMPLES, Design, grid, sampled
from sim.studies.execution import Workers, carried_out, duration_text, kept_runs
from sim.studies.pool import Pool, usual_workers
from sim.studies.spread import tolerance
from sim.studies.study import Study, study_of
from sim.studies.study_file import StudyFacts, read_facts, require_same_study
from sim.studies.study_table import response_names, study_table, write_tables
from sim.studies.variation import variation

STUDIES = Path("results/studies")

# Options that a resumed study takes from its folder.
REQUESTED = (
    "vary", "settings", "method", "dt", "design", "samples", "seed", "tolerance", "distribution",
    "response", "keep", "no_report",
)  # fmt: skip


def sweep_asked(options: argparse.Namespace) -> int:
    """Carry out a study, and show it; the exit status is 1 where a case does not pass."""
    began = time.monotonic()
    if options.resume is not None:
        options = resumed(options)
    if options.name is None:
        raise ScenarioError("Name the scenario to study: sim sweep NAME --vary P=0:10:21")
    script = load_script(options.name)
    study = _study(script, options)
    require_same_study(study.folder, study.facts)
    study.facts.write(study.folder)
    with CaseLog(study.folder) as log:
        try:
            rows = _rows(study, log, options)
        except BaseException:
            _say_what_is_kept(study, log)
            raise
    facts = _finished(study, rows)
    seconds = duration_text(time.monotonic() - began)
    _show(study, rows, facts, seconds, options)
    return status_of(rows)


def status_of(rows: Sequence[CaseRow]) -> int:
    """0 where all cases pass, 3 where the engine failed in one, else 1."""
    found = {row.status for row in rows}
    return WELL if found <= {"pass"} else ENGINE if "engine" in found else WANTING


def resumed(options: argparse.Namespace) -> argparse.Namespace:
    """The options by which a study was asked for, with its folder."""
    given = [option for option in ("name", "out") if getattr(options, option) is not None]
    if given or options.vary:
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


def _study(script: Script, options: argparse.Namespace) -> Study:
    folder = Path(options.out) if options.out else STUDIES / f"{script.name}-{stamp()}"
    chances = tuple(tolerance(script, text, options.distribution) for text in options.tolerance)
    return study_of(
        script,
        _design(script, options),
        folder,
        settings=parameters_of(options.settings),
        method=options.method,
        dt=options.dt,
        responses=options.response,
        tolerances=chances,
        seed=options.seed,
        request={name: getattr(options, name) for name in REQUESTED},
    )


def _design(script: Script, options: argparse.Namespace) -> Design:
    varied = [variation(script, text) for text in options.vary]
    twice = {one.name for one in varied} & set(parameters_of(options.settings))
    if twice:
        raise ScenarioError(f"{sorted(twice)[0]!r} is varied and set; do one of both")
    if not varied and not options.tolerance:
        raise ScenarioError(
            "Nothing varies: give --vary P=0:10:21, or --tolerance mass=2%; parameters of "
            f"{script.name}: {', '.join(script.parameters) or 'none'}"
        )
    samples = options.samples or SAMPLES
    design = options.design or "grid"
    if design in SAMPLED:
        draws = 1 if options.tolerance else 0
        return sampled(design, varied, samples, options.seed, draws)
    if options.samples is not None and not options.tolerance:
        raise ScenarioError("--samples is for a --design that samples, or for --tolerance")
    return grid(varied, samples if options.tolerance else 0)


def _rows(study: Study, log: CaseLog, options: argparse.Namespace) -> list[CaseRow]:
    """The rows of all cases, with the runs kept that are asked for."""
    workers = options.workers or min(usual_workers(), study.design.count)
    with Pool(study.plan, workers) as pool, progress(study.name) as tick:
        rows = carried_out(
            study, log, pool, keep_all=options.keep == "all", yes=options.yes, tell=_tell, tick=tick
        )
        return kept(study, log, pool, rows, options)


def kept(
    study: Study, log: CaseLog, workers: Workers, rows: list[CaseRow], options: argparse.Namespace
) -> list[CaseRow]:
    """The rows with the runs kept that are asked for by a number."""
    count = 0 if options.keep == "all" else options.keep
    return kept_runs(study, log, workers, rows, count) if count else rows


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def _say_what_is_kept(study: Study, log: CaseLog) -> None:
    """Where to go on after the study was stopped."""
    if log.rows:
        _tell(
            f"{len(log.rows)} cases are kept in {study.folder}; go on "
            f"with: sim sweep --resume {study.folder}"
        )


def _finished(study: Study, rows: Sequence[CaseRow]) -> StudyFacts:
    """Tables and description of a study that is done."""
    files = write_tables(study.folder, study_table(rows), response_names(rows))
    counts = dict(sorted(Counter(row.status for row in rows).items()))
    facts = msgspec.structs.replace(study.facts, state="done", counts=counts, files=files)
    facts.write(study.folder)
    return facts


def _show(
    study: Study,
    rows: Sequence[CaseRow],
    facts: StudyFacts,
    seconds: str,
    options: argparse.Namespace,
) -> None:
    if options.json:
        print_json({**msgspec.to_builtins(facts), "rows": [msgspec.to_builtins(r) for r in rows]})
        return
    from sim.reports.terminal.summary import show
    from sim.studies.study_summary import files_of, study_summary, verdict_of

    folder = Path(options.out) if options.out else study.folder
    parts = study_summary(study, rows, seconds, options.limit)
    runs = sum(bool(row.run) for row in rows)
    show(console(), [*parts, *files_of(_near(folder), None, runs), verdict_of(study, rows)])


def _near(folder: Path) -> Path:
    """A folder as it is seen from here, where it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
