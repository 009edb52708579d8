"""Scripts in, judged recordings out."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.checks import judged
from sim.cli.exit_status import WANTING, WELL
from sim.cli.foreign_comparison import foreign_table, with_reference
from sim.cli.output import console, print_json, progress
from sim.cli.run_options import parameters_of, require_reference_for_its_options
from sim.cli.runs import folder_above_runs, folder_of_run
from sim.errors import ScenarioError
from sim.recording.description import plain
from sim.recording.facts import ScriptFacts
from sim.recording.files import sha256
from sim.recording.recording import DESCRIPTION, Recording
from sim.recording.staging import staged
from sim.scenario.script import Script, script_of
from sim.shapes.visuals import visuals
from sim.simulation.run import run

if TYPE_CHECKING:
    from sim.cli.overview import Overview
    from sim.scenario.scenario import Scenario

    _Built = tuple[Script, Scenario, dict[str, Any]]


def run_function(function: Callable[..., Scenario], options: argparse.Namespace) -> int:
    """Run the scenario of a script that is executed by itself."""
    path = Path(inspect.getsourcefile(function) or "")
    if not path.is_file():
        raise ScenarioError(f"The function {function.__name__!r} must be defined in a file")
    return run_scripts([script_of(function, path)], options)


def run_scripts(scripts: list[Script], options: argparse.Namespace) -> int:
    """Simulate, judge, record and show scenarios; the exit status is 1 where one fails."""
    built = _built(scripts, options)
    several = len(built) > 1
    overview = _overview(options) if several and not options.no_report else None
    documents = []
    for script, scenario, parameters in built:
        folder = folder_of_run(options.out, script.name, several=several)
        recording = _run_into(folder, script, scenario, parameters, options)
        documents.append(plain(recording.run))
        if overview is not None:
            overview.add(folder, recording)
        _show(recording, folder, options)
    if overview is not None:
        index = overview.write()
        if not options.json:
            console().print(f"index    {index}", highlight=False, markup=False)
    if options.json:
        print_json(documents[0] if len(documents) == 1 else documents)
    return WELL if all(d["verdict"] == "pass" for d in documents) else WANTING


def _built(scripts: list[Script], options: argparse.Namespace) -> list[_Built]:
    """Scenarios and their parameters, once nothing is seen that would stop one of them."""
    settings = parameters_of(options.settings)
    require_reference_for_its_options(options, len(scripts))
    names = [script.name for script in scripts]
    twice = [name for name in names if names.count(name) > 1]
    if options.out is not None and twice:
        raise ScenarioError(
            f"Scenario {twice[0]!r} is named twice; in one --out each needs a name of its own"
        )
    # Build all first: a slip in the last name should not cost the runs before it.
    built = [(script, *script.build(settings)) for script in scripts]
    if not options.no_report:  # a missing mesh should not be found when the work is done
        for _, scenario, _ in built:
            visuals(scenario.robot)
    if options.gui:
        from sim.playback.display import require_display

        require_display()
    return built


def _overview(options: argparse.Namespace) -> Overview:
    from sim.cli.overview import Overview

    return Overview(folder_above_runs(options.out))


def _run_into(
    folder: Path,
    script: Script,
    scenario: Scenario,
    parameters: dict[str, Any],
    options: argparse.Namespace,
) -> Recording:
    """Simulate, judge, draw and write one run; the folder appears complete or not at all."""
    # a file that cannot be read should not cost the run
    given = None if options.reference is None else foreign_table(options, options.reference)
    with staged(folder, DESCRIPTION) as stage, progress(script.name) as tick:
        recording = run(
            scenario, method=options.method, dt=options.dt, name=script.name, progress=tick
        )
        recording = recording.described(
            folder=str(folder),
            parameters=parameters,
            script=ScriptFacts(path=str(script.path), sha256=sha256(script.path)),
        )
        if given is not None:
            recording = with_reference(recording, *given, options)
        recording = judged(recording).write(stage)
        if not options.no_report:
            from sim.reports.writing import write_report_into

            recording = write_report_into(recording, stage, scenario.robot)
    return recording


def _show(recording: Recording, folder: Path, options: argparse.Namespace) -> None:
    if not options.json:
        from sim.reports.terminal.summary import show, summary

        show(console(), summary(recording, folder))
    if options.gui:
        from sim.playback import play

        play(folder)
