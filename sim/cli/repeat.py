"""`sim run --from`: re-run and compare with the original."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from sim.clearance.request import Clearance
from sim.cli.clearance_options import OPTIONS
from sim.cli.exit_status import WANTING, WELL
from sim.cli.output import print_json
from sim.cli.run_options import require_reference_for_its_options
from sim.cli.run_scripts import Job, require_possible, run_into, show_run, write_junit_of
from sim.cli.runs import folder_of_run
from sim.comparison.changed_inputs import changed_inputs
from sim.comparison.sameness import Sameness, sameness
from sim.decks.script_or_deck import load_script_or_deck
from sim.errors import ScenarioError
from sim.recording.files.run_folders import find_run
from sim.recording.files.whole_files import sha256
from sim.recording.recorded_run import ANALYTIC, RECORDED
from sim.recording.recording import Recording
from sim.recording.schema.description import Run, plain_data
from sim.recording.schema.verdicts import Check
from sim.reports.terminal.repeats import repeats
from sim.robots.robot import Robot
from sim.scenario.trusted_script import permission_for, require_same_text

CHOICES = {
    "names": "NAME",
    "all": "--all",
    "settings": "--set",
    "input": "--input",
    "input_order": "--input-order",
    "parts": "--parts",
    "acf": "--acf",
    "method": "--method",
    "engine": "--engine",
    "dt": "--dt",
    "mount": "--mount",
    "clearance": "--clearance",
    **OPTIONS,
}


def repeat_run(options: argparse.Namespace) -> int:
    """Repeat a run from its description; return status 1 if it differs or fails."""
    _require_alone(options)
    folder = find_run(options.repeated)
    earlier = Recording.read(folder)
    path = _script(folder, earlier.run)
    with permission_for([path], trust=options.trust).in_force():
        return _repeat(folder, earlier, path, options)


def _repeat(folder: Path, earlier: Recording, path: Path, options: argparse.Namespace) -> int:
    job = _job(earlier.run, path)
    out = folder_of_run(options.out, job.script.name, several=False)
    if folder.resolve().is_relative_to(out.resolve()):
        raise ScenarioError(f"--out {out} would overwrite {folder}, the run that is repeated")
    require_possible([job], options)
    run_into(out, job, options)
    recording = Recording.read(out)
    tables = {
        RECORDED: sameness(recording.recorded, earlier.recorded),
        ANALYTIC: sameness(recording.analytic, earlier.analytic),
    }
    inputs = changed_inputs(recording, earlier)
    write_junit_of([(_with_checks(recording, folder, tables), out)], options)
    if options.json:
        print_json({**plain_data(recording.run), "repeats": _document(folder, tables, inputs)})
    show_run(recording, out, options, repeats(str(folder), tables, inputs, recording.units))
    same = all(one.same for one in tables.values())
    return WELL if same and recording.run.verdict == "pass" else WANTING


def _require_alone(options: argparse.Namespace) -> None:
    excluded = [
        word
        for name, word in CHOICES.items()
        if (value := getattr(options, name)) is not None and value is not False and value != []
    ]
    if excluded:
        raise ScenarioError(
            f"--from repeats a run unchanged and excludes {', '.join(excluded)}; to change "
            "an option, name the scenario: sim run NAME --set K=V --method M --dt S"
        )
    require_reference_for_its_options(options, 1)


def _script(folder: Path, run: Run) -> Path:
    """Return the script of a run.

    Raises
    ------
    ScenarioError
        If the description names none, or one that is missing or has changed.
    """
    facts = run.script
    if run.method == "watched":
        raise ScenarioError(f"{folder} was recorded by sim.watch: run its own loop again")
    if facts is None:
        raise ScenarioError(f"{folder} cannot be repeated: its description names no script")
    return require_same_text(facts.path, facts.sha256)


def _job(run: Run, path: Path) -> Job:
    """Return the job that repeats a run: its script, parameters and method."""
    script = load_script_or_deck(str(path))
    scenario, parameters = script.build(script.settings_of(run.parameters))
    is_same = run.script is not None and sha256(path) == run.script.sha256
    assert run.method != "watched"  # which names no script
    scenario = replace(
        scenario,
        robot=_mount(scenario.robot, run, is_same_script=is_same),
        method=run.method,
        dt=run.settings.dt,
        engine=run.engine,
        clearance=_clearance(run),
    )
    return Job(script, scenario, parameters)


def _mount(robot: Robot, run: Run, *, is_same_script: bool) -> Robot:
    """Return the robot of the script, mounted by the run's ``--mount``.

    The same script mounts its robot by itself; differences of a changed one appear in the
    comparison.
    """
    is_mounted = not np.array_equal(robot.T_0b, np.eye(4))
    if is_mounted or not is_same_script:
        return robot
    return replace(robot, T_0b=np.array(run.robot.T_0b, dtype=np.float64))


def _clearance(run: Run) -> Clearance | None:
    if (facts := run.settings.clearance) is None:
        return None
    return Clearance(wanted=facts.wanted, floor=facts.floor, exclude=facts.excluded)


def _document(
    folder: Path, tables: Mapping[str, Sameness], inputs: tuple[str, ...]
) -> dict[str, object]:
    return {
        "run": str(folder),
        "same": all(one.same for one in tables.values()),
        "tables": {name: msgspec.to_builtins(one) for name, one in tables.items()},
        "inputs": list(inputs),
    }


def _with_checks(recording: Recording, folder: Path, tables: Mapping[str, Sameness]) -> Run:
    """Add one check per table to the description, for JUnit, which has only checks."""
    return msgspec.structs.replace(
        recording.run,
        checks=(
            *recording.run.checks,
            *(_check(recording, folder, name, one) for name, one in tables.items()),
        ),
    )


def _check(recording: Recording, folder: Path, name: str, one: Sameness) -> Check:
    far = one.furthest
    return Check(
        name=f"same to the bit as {folder}",
        channel=name,
        worst=(0.0 if one.same else None) if far is None else far.worst,
        limit=0.0,
        unit="1" if far is None else recording.units[far.channel],
        at=0.0 if far is None else far.at,
        ok=one.same,
        plot="" if far is None else far.channel,
    )
