"""Options of a run, common to ``sim run`` and a script that runs itself."""

from __future__ import annotations

import argparse
from typing import get_args

from sim.cli.arguments import (
    add_flag,
    add_json,
    add_junit,
    add_limit,
    add_method_and_dt,
    add_set,
    add_verbose,
)
from sim.cli.clearance_options import add_clearance_options
from sim.cli.foreign_comparison import add_foreign_options
from sim.cli.naming_options import has_mapping
from sim.cli.repairs import add_strict
from sim.cli.robot_options import add_meshes_option, add_mount_option
from sim.engine_names import ENGINES
from sim.errors import ScenarioError
from sim.recording.schema.methods import MethodName

BOTH = "both"


def add_run_options(command: argparse.ArgumentParser) -> None:
    """Add the options from ``--set`` to ``--json``."""
    add_set(command)
    command.add_argument(
        "--robot",
        metavar="NAME|FILE",
        action="append",
        dest="settings",
        type="robot={}".format,
        help="value of the scenario's parameter robot; the same as --set robot=",
    )
    add_method_and_dt(command, get_args(MethodName))
    command.add_argument(
        "--engine",
        choices=(*ENGINES, BOTH),
        help="physics engine; both: one run with each, overlaid, with one verdict (default: "
        "first installed, bullet before mujoco)",
    )
    command.add_argument(
        "--out", metavar="DIR", help="output folder (default: results/runs/NAME/TIME)"
    )
    report = command.add_mutually_exclusive_group()
    add_flag(report, "--no-report", "skip the HTML page")
    add_flag(report, "--figures", "also write figures (PNG, SVG)")
    add_flag(command, "--keep", "add errors, peaks and CPU time to `sim history`")
    add_flag(command, "--gui", "show the finished run in a window")
    command.add_argument(
        "--reference", metavar="FILE", help="external results that the run is checked against"
    )
    add_mount_option(command)
    add_meshes_option(command)
    add_clearance_options(command)
    add_strict(command)
    add_junit(command)
    add_verbose(command)
    add_limit(command)
    add_json(command)
    add_foreign_options(command)


def parameters_of(settings: list[str]) -> dict[str, str]:
    """Return parameters by name, from ``--set name=value``; the last value of a name counts.

    Raises
    ------
    ScenarioError
        If a setting is not of this form.
    """
    parameters: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise ScenarioError(f"--set must be name=value; got {setting!r}")
        parameters[name.strip()] = value.strip()
    return parameters


def require_reference_for_its_options(options: argparse.Namespace, scenarios: int) -> None:
    """Check that ``--reference`` is given if other options need it, for one scenario.

    Raises
    ------
    ScenarioError
        If it is missing, or there are several scenarios.
    """
    option = has_mapping(options) or (None if options.rtol is None else "--rtol")
    if options.reference is None and option is not None:
        raise ScenarioError(f"{option} requires --reference FILE")
    if options.reference is not None and scenarios > 1:
        raise ScenarioError(
            f"--reference applies to one scenario; {scenarios} are named; run each with its own"
        )
