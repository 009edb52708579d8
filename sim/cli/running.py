"""`sim run`: scenarios in, judged recordings out."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.checks import judged
from sim.cli.command import WANTING, WELL
from sim.cli.output import console, print_json, progress
from sim.errors import ScenarioError
from sim.recording import DESCRIPTION, Recording, sha256, write_json
from sim.robots.visuals import visuals
from sim.script import Script, load_script, script_of, shipped_scenarios
from sim.simulation import run
from sim.staging import staged

if TYPE_CHECKING:
    from sim.cli.reporting import Overview
    from sim.scenario import Scenario

RUNS = Path("results/runs")


def run_names(options: argparse.Namespace) -> int:
    """Run the scenarios named on the command line."""
    names = list(shipped_scenarios()) if options.all else options.names
    if not names or (options.all and options.names):
        raise ScenarioError(
            "Name the scenarios to run, or --all for the shipped ones: "
            f"{', '.join(shipped_scenarios())}"
        )
    return _run_scripts([load_script(name) for name in names], options)


def run_function(function: Callable[..., Scenario], options: argparse.Namespace) -> int:
    """Run the scenario of a script that is executed by itself."""
    path = Path(inspect.getsourcefile(function) or "")
    if not path.is_file():
        raise ScenarioError(f"The function {function.__name__!r} must be defined in a file")
    return _run_scripts([script_of(function, path)], options)


def _run_scripts(scripts: list[Script], options: argparse.Namespace) -> int:
    settings = _settings(options.settings)
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
    several = len(built) > 1
    overview = _overview(options) if several and not options.no_report else None
    documents = []
    for script, scenario, parameters in built:
        folder = _folder(options.out, script.name, several=several)
        recording = run_into(folder, script, scenario, parameters, options)
        documents.append({**recording.info, "run": str(folder)})
        if overview is not None:
            overview.add(folder, recording)
        if not options.json:
            from sim.reports.terminal import show, summary

            show(console(), summary(recording, folder))
        if options.gui:
            from sim.playback import play

            play(folder)
    if overview is not None:
        index = overview.write()
        if not options.json:
            console().print(f"index    {index}", highlight=False, markup=False)
    if options.json:
        print_json(documents[0] if len(documents) == 1 else documents)
    return WELL if all(d["verdict"] == "pass" for d in documents) else WANTING


def run_into(
    folder: Path,
    script: Script,
    scenario: Scenario,
    parameters: dict[str, Any],
    options: argparse.Namespace,
) -> Recording:
    """Simulate, judge, draw and write one run; the folder appears complete or not at all."""
    with staged(folder, DESCRIPTION) as stage, progress(script.name) as tick:
        recording = run(
            scenario, method=options.method, dt=options.dt, name=script.name, progress=tick
        )
        recording = recording.with_info(
            run=str(folder),
            parameters=parameters,
            script={"path": str(script.path), "sha256": sha256(script.path)},
        )
        recording = judged(recording).write(stage)
        if not options.no_report:
            from sim.reports import report

            *drawn, page = report(recording, stage, scenario.robot)
            figures = [path.name for path in drawn]
            recording = recording.with_info(figures=figures, page=page.name)
            write_json(stage / DESCRIPTION, recording.info)
    return recording


def _overview(options: argparse.Namespace) -> Overview:
    from sim.cli.reporting import Overview

    return Overview(RUNS if options.out is None else Path(options.out))


def _settings(pairs: list[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise ScenarioError(f"--set takes name=value, got {pair!r}")
        settings[name.strip()] = value.strip()
    return settings


def _folder(out: str | None, name: str, *, several: bool) -> Path:
    if out is not None:
        return Path(out) / name if several else Path(out)
    stamp = datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]
    return RUNS / name / stamp
