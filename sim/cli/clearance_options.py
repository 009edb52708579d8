"""Options for the clearance between links, and between links and a floor."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import number
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from sim.scenario.scenario import Scenario

OPTIONS = {"wanted_clearance": "--wanted-clearance", "floor": "--floor", "exclude": "--exclude"}


def add_clearance_options(command: argparse.ArgumentParser) -> None:
    """Add the options ``--clearance``, ``--wanted-clearance``, ``--floor`` and ``--exclude``."""
    command.add_argument(
        "--clearance",
        action="store_true",
        help="compute and check the smallest distance between links",
    )
    command.add_argument(
        "--wanted-clearance",
        type=number,
        metavar="M",
        help="with --clearance: required distance between links [m] (default: 0)",
    )
    command.add_argument(
        "--floor",
        type=number,
        metavar="Z",
        help="with --clearance: height of a floor [m] (default: no floor)",
    )
    command.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="A,B",
        help="with --clearance: pair of links to ignore; repeatable",
    )


def with_clearance_asked(scenario: Scenario, options: argparse.Namespace) -> Scenario:
    """Return the scenario with the clearance of the options in place of its own.

    Raises
    ------
    ScenarioError
        If an option lacks ``--clearance``, a value is invalid, or a link is unknown.
    """
    from dataclasses import replace

    from sim.clearance.request import Clearance

    if not options.clearance:
        present = [
            word for name, word in OPTIONS.items() if getattr(options, name) not in (None, [])
        ]
        if present:
            raise ScenarioError(f"{present[0]} requires --clearance")
        return scenario
    clearance = scenario.clearance or Clearance()
    request = Clearance(
        wanted=clearance.wanted if options.wanted_clearance is None else options.wanted_clearance,
        floor=clearance.floor if options.floor is None else options.floor,
        exclude=(*clearance.exclude, *map(_pair, options.exclude)),
    )
    return replace(scenario, clearance=request)


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = (word.strip() for word in text.partition(","))
    if not (first and comma and second):
        raise ScenarioError(f"--exclude must be two links, A,B; got {text!r}")
    return first, second
