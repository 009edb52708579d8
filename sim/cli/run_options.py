"""Options of a run, the same for ``sim run`` and for a script that runs itself."""

from __future__ import annotations

import argparse

from sim.cli.arguments import add_json, add_junit, add_limit
from sim.errors import ScenarioError

# The choices are typed here too, so that `sim --help` need not load the library; a test compares.
METHODS = ("stepped", "ideal", "adaptive")


def add_run_options(command: argparse.ArgumentParser) -> None:
    """The options from ``--set`` to ``--json``."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="K=V",
        dest="settings",
        help="a parameter of the scenario; may be repeated",
    )
    command.add_argument("--method", choices=METHODS, help="method of solving")
    command.add_argument("--dt", type=float, metavar="S", help="sampling interval and step [s]")
    command.add_argument("--out", metavar="DIR", help="folder of the run")
    command.add_argument("--no-report", action="store_true", help="write no page and no figures")
    command.add_argument("--gui", action="store_true", help="show the run in a window afterwards")
    add_junit(command)
    add_limit(command)
    add_json(command)


def parameters_of(settings: list[str]) -> dict[str, str]:
    """Parameters by name, from ``--set name=value``; the last one of a name counts.

    Raises
    ------
    ScenarioError
        If a setting is not of this form.
    """
    parameters: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals):
            raise ScenarioError(f"--set takes name=value, got {setting!r}")
        parameters[name.strip()] = value.strip()
    return parameters
