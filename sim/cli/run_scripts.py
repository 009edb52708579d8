"""Run of scripts: from scripts to judged recordings."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, structs

from sim.checks import Judgement, judge_recording_in_detail
from sim.cli.audit_of_run import audit_of_run
from sim.cli.clearance_options import with_clearance_asked
from sim.cli.exit_status import WANTING, WELL
from sim.cli.foreign_comparison import foreign_table, with_reference
from sim.cli.output import console, print_json, progress
from sim.cli.robot_options import with_mount
from sim.cli.run_options import BOTH, parameters_of, require_reference_for_its_options
from sim.cli.runs import folder_above_runs, folder_of_run
from sim.decks.script_or_deck import script_facts
from sim.engines.opening import require_installed
from sim.errors import EngineError, ScenarioError, in_one_line
from sim.maths.second_process import WORTH_A_COPY, second_process
from sim.recording.files.named_file import require_place
from sim.recording.files.run_folders import DESCRIPTION
from sim.recording.files.staging import staging
from sim.recording.files.whole_files import sha256
from sim.recording.recording import Recording
from sim.recording.schema.description import plain_data
from sim.reports.terminal.styled_text import Text
from sim.scenario.script import Script, script_of
from sim.simulation.resource_limits import disk_of, memory_of, require_memory
from sim.simulation.run import run

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sim.cli.overview import Overview
    from sim.engine_names import EngineName
    from sim.recording.schema.description import Run
    from sim.scenario.scenario import Scenario


_log = logging.getLogger(__name__)

LONG = 100_000  # samples from which on the requirements of a run are printed in advance


class Job(Struct, frozen=True):
    """A run to do: a script, its scenario, and the scenario's parameters."""

    script: Script
    scenario: Scenario
    parameters: dict[str, Any]


def run_function(function: Callable[..., Scenario], options: argparse.Namespace) -> int:
    """Run the scenario of a script that is executed directly."""
    path = Path(inspect.getsourcefile(function) or "")
    if not path.is_file():
        raise ScenarioError(f"The function {function.__name__!r} must be defined in a file")
    return run_scripts([script_of(function, path)], options)


def run_scripts(scripts: list[Script], options: argparse.Namespace) -> int:
    """Simulate, judge, record and show scenarios; return status 1 if one fails."""
    if options.engine == BOTH:
        raise ScenarioError("--engine both requires the command: sim run NAME --engine both")
    jobs = jobs_of(scripts, options, options.engine)
    several = len(jobs) > 1
    overview = _overview(options) if several and not options.no_report else None
    done: list[tuple[Run, Path]] = []
    for job in jobs:
        folder = folder_of_run(options.out, job.script.name, several=several)
        _say_what_it_takes(job, options)
        recording, judgements = run_into(folder, job, options)
        done.append((recording.run, folder))
        if overview is not None:
            overview.add(folder, recording)
        if several and not (options.verbose or options.json):
            names = [job.script.name for job in jobs]
            _show_row(recording, names, judgements, first=len(done) == 1)
            show_window(folder, options)
        else:
            show_run(recording, folder, options, judgements=judgements)
    index = None if overview is None else overview.write()
    write_junit_of(done, options)
    if several and not options.json:
        _show_end([run for run, _ in done], folder_above_runs(options.out), index)
    if options.json:
        documents = [plain_data(run) for run, _ in done]
        print_json(documents if several else documents[0])
    return WELL if all(run.verdict == "pass" for run, _ in done) else WANTING


def _say_what_it_takes(job: Job, options: argparse.Namespace) -> None:
    """Print memory and disk space required by a long run, before it begins."""
    scenario = job.scenario if options.dt is None else replace(job.scenario, dt=options.dt)
    samples = round(scenario.duration / scenario.dt) + 1
    if samples < LONG or options.json:
        return
    require_memory(scenario, stored=True)
    memory = memory_of(scenario.robot, samples, stored=True)
    disk = disk_of(scenario.robot, samples)
    console().print(
        f"{job.script.name}: {samples} samples require about {memory / 1e9:.1f} GB of memory "
        f"and {disk / 1e9:.1f} GB of disk",
        highlight=False,
        markup=False,
    )


def jobs_of(
    scripts: list[Script], options: argparse.Namespace, engine: EngineName | None
) -> list[Job]:
    """Return the jobs, after checking everything that could stop one of them.

    `engine`, if given, replaces that of each scenario.
    """
    settings = parameters_of(options.settings)
    require_reference_for_its_options(options, len(scripts))
    names = [script.name for script in scripts]
    twice = [name for name in names if names.count(name) > 1]
    if options.out is not None and twice:
        raise ScenarioError(f"Scenario {twice[0]!r} is named twice; --out requires different names")
    # Build all first: an error in the last scenario should not cost the runs before it.
    jobs = [Job(script, *script.build(settings)) for script in scripts]
    if engine is not None:
        jobs = [structs.replace(job, scenario=replace(job.scenario, engine=engine)) for job in jobs]
    jobs = [structs.replace(job, scenario=with_mount(job.scenario, options)) for job in jobs]
    jobs = [
        structs.replace(job, scenario=with_clearance_asked(job.scenario, options)) for job in jobs
    ]
    require_possible(jobs, options)
    return jobs


def require_possible(jobs: list[Job], options: argparse.Namespace) -> None:
    """Check for errors that would otherwise appear after the work.

    Raises
    ------
    ModelError, PlaybackError, RecordingError, EngineError
        If a shape is malformed, a display, an engine or the folder of the JUnit file is missing, or
        strictness is requested and a robot carries repairs.
    """
    for name in {job.scenario.engine for job in jobs}:
        require_installed(name)
    if options.strict:
        for job in jobs:
            job.scenario.robot.require_as_written()
    if options.junit is not None:
        from sim.reports.junit import KIND

        require_place(Path(options.junit), KIND)
    if not options.no_report:
        from sim.shapes.visuals import visuals_or_lost

        for shape in dict.fromkeys(s.lost for j in jobs for s in visuals_or_lost(j.scenario.robot)):
            if shape:
                _log.warning(in_one_line(f"sim: {shape}; the page shows a box instead"))
    if options.gui:
        from sim.playback.display import require_display, require_pybullet

        require_pybullet()
        require_display()


def write_junit_of(done: list[tuple[Run, Path]], options: argparse.Namespace) -> None:
    """Write the JUnit file of judged runs into their folder, if requested."""
    if options.junit is not None:
        from sim.reports.junit import relative_path, write_junit

        path = Path(options.junit)
        write_junit(path, [(run, relative_path(run, folder, path)) for run, folder in done])


def _overview(options: argparse.Namespace) -> Overview:
    from sim.cli.overview import Overview

    return Overview(folder_above_runs(options.out))


class RunWatch(Protocol):
    """Observer of a run."""

    def tick(self, done: int, total: int) -> None:
        """Handle the numbers of completed and of all engine steps, from time to time."""

    def phase(self, name: str) -> None:
        """Handle the start of another phase of the work."""


@contextlib.contextmanager
def _placing_errors(script: Script) -> Iterator[None]:
    """Prefix an error of a run with the place in the script that it concerns."""
    try:
        yield
    except (ScenarioError, EngineError) as error:
        if (message := script.explain(error)) == str(error):
            raise
        raise type(error)(message) from error


def run_into(
    folder: Path, job: Job, options: argparse.Namespace, watch: RunWatch | None = None
) -> tuple[Recording, tuple[Judgement, ...]]:
    """Simulate, judge, draw and write one run; the folder is written whole or not at all.

    Progress goes to `watch`, or else to a bar. Returns the recording and its judgements, since
    judging a long run twice is expensive.
    """
    script = job.script
    # an unreadable file should not cost the run
    reference = None if options.reference is None else foreign_table(options, options.reference)
    with staging(folder, DESCRIPTION) as stage, progress(script.name) as tick:
        with _placing_errors(script):
            recording = run(
                job.scenario,
                method=options.method,
                dt=options.dt,
                name=script.name,
                progress=tick if watch is None else watch.tick,
                folder=stage,
            )
        begin = _nothing if watch is None else watch.phase
        begin("checks")
        recording = recording.with_description(
            folder=str(folder),
            parameters=job.parameters,
            script=script_facts(script.path, sha256(script.path), job.parameters),
        )
        if reference is not None:
            recording = with_reference(recording, *reference, options)
        simulated, is_worthwhile = recording, recording.run.settings.samples >= WORTH_A_COPY
        with second_process(
            lambda: simulated.write_tables(stage), is_worthwhile=is_worthwhile
        ) as hashes:
            recording, judgements = judge_recording_in_detail(recording)
            recording = recording.write(stage, hashes())
        if not options.no_report:
            begin("page")
            from sim.reports.writing import write_report_into

            robot_file = audit_of_run(recording)
            recording = write_report_into(
                recording,
                stage,
                job.scenario.robot,
                robot_file,
                figures=options.figures,
                judgements=judgements,
            )
    if options.keep:
        from sim.history import keep

        keep(recording.run)
    return recording.in_folder(folder), judgements


def _nothing(phase: str) -> None:
    """Ignore a phase, for a run without observer."""


def show_run(
    recording: Recording,
    folder: Path,
    options: argparse.Namespace,
    more: Sequence[RenderableType] = (),
    judgements: Sequence[Judgement] | None = None,
) -> None:
    """Print a run's summary and notes, and open its window, as requested."""
    if not options.json:
        from sim.reports.terminal.printing import show
        from sim.reports.terminal.run_details import details
        from sim.reports.terminal.summary import summary

        account = details if options.verbose else summary
        show(console(), [*account(recording, folder, options.limit, judgements), *more])
    show_window(folder, options)


def _show_row(
    recording: Recording, names: list[str], judgements: Sequence[Judgement], *, first: bool
) -> None:
    """Print the row of a run among several when it is complete."""
    from sim.reports.terminal.many_runs import head, row
    from sim.reports.terminal.printing import show

    show(console(), [*([head(names)] if first else []), *row(recording, names, judgements)])


def _show_end(runs: list[Run], folder: Path, index: Path | None) -> None:
    """Print the folder of several runs, and how many of them pass."""
    from sim.reports.terminal.many_runs import tally
    from sim.reports.terminal.printing import show

    place = f"folder   {folder}" if index is None else f"index    {index}"
    show(console(), [Text(place), tally([(run.scenario, run.verdict == "pass") for run in runs])])


def show_window(folder: Path, options: argparse.Namespace) -> None:
    """Open the window of a run, if requested."""
    if options.gui:
        from sim.playback import play

        play(folder)
