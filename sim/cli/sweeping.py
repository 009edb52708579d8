"""`sim sweep` and `sim optimise`: compute a study, and show it in the terminal."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path

import msgspec

from sim.cli.exit_status import ENGINE, WANTING, WELL
from sim.cli.output import console, print_json, progress
from sim.cli.run_options import parameters_of
from sim.cli.struct_options import read_options
from sim.errors import ScenarioError, in_one_line
from sim.studies.optimisation.goal_options import GoalOptions
from sim.studies.placement import place_study
from sim.studies.request import ExecutionOptions, FolderOptions, StudyRequest
from sim.studies.run_study import run_study
from sim.studies.study import StudyResult
from sim.studies.workers.execution import ProgressCallbacks, duration_text


def run_sweep(options: argparse.Namespace) -> int:
    """Run a study and show it; return status 1 if a case does not pass."""
    return _run(options, "study: sim sweep NAME --vary P=0:10:21")


def run_optimise(options: argparse.Namespace) -> int:
    """Optimise and show the result; return status 1 if no optimum passes."""
    usage = "optimise: sim optimise NAME --minimise energy --vary P=0:10"
    return _run(options, usage, read_options(options, GoalOptions))


def _run(options: argparse.Namespace, usage: str, goals: GoalOptions | None = None) -> int:
    request, place = _study_request(options, usage)
    placed = place_study(request, place, goals)
    began = time.monotonic()
    execution = read_options(options, ExecutionOptions)
    interrupted = partial(_print_resume_command, "sweep" if goals is None else "optimise")
    callbacks = ProgressCallbacks(_print_message, progress, interrupted)
    result = run_study(placed, execution, callbacks)
    _show(result, duration_text(time.monotonic() - began), options)
    return _status(result)


def _study_request(options: argparse.Namespace, usage: str) -> tuple[StudyRequest, FolderOptions]:
    """Return the request, and the folder of its study."""
    place = read_options(options, FolderOptions)
    settings = parameters_of(options.settings)
    request = read_options(options, StudyRequest, scenario=options.name or "", settings=settings)
    if place.resume is None and place.trust:
        raise ScenarioError("--trust requires --resume; a script that you name is trusted")
    if place.resume is None and options.name is None:
        raise ScenarioError(f"Name the scenario to {usage}")
    return request, place


def _status(result: StudyResult) -> int:
    """Return 0 if a search has a value or all cases are accepted, 3 if the engine failed."""
    if result.is_accepted:
        return WELL
    return ENGINE if result.answer is None and result.counts["engine"] else WANTING


def _print_message(text: str) -> None:
    sys.stderr.write(f"{in_one_line(text)}\n")


def _print_resume_command(command: str, folder: Path, count: int) -> None:
    """Print the command that resumes a stopped study."""
    if count:
        near = _relative_path(folder)
        _print_message(
            f"{count} cases are kept in {near}; continue with: sim {command} --resume {near}"
        )


def _show(result: StudyResult, seconds: str, options: argparse.Namespace) -> None:
    facts = result.study.facts
    if options.json:
        rows = [msgspec.to_builtins(row) for row in result.rows]
        print_json({**msgspec.to_builtins(facts), "rows": rows})
        return
    from sim.reports.terminal.printing import show
    from sim.studies.report.summary import files_of, study_summary, verdict_of

    runs = sum(bool(row.run) for row in result.rows)
    page = next((name for name in facts.files if name.endswith(".html")), None)
    files = files_of(_relative_path(result.folder), page, runs)
    summary = study_summary(result, seconds, options.limit)
    show(console(), [*summary, *files, verdict_of(result)])


def _relative_path(folder: Path) -> Path:
    """Return a folder relative to the working folder, if it is below it."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
