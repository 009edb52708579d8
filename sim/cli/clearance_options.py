"""Options for the clearance between links, and between links and a floor."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag, add_number, add_repeated
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from sim.scenario.scenario import Scenario

OPTIONS = {"wanted_clearance": "--wanted-clearance", "floor": "--floor", "exclude": "--exclude"}


def add_clearance_options(command: argparse.ArgumentParser) -> None:
    """Add the options ``--clearance``, ``--wanted-clearance``, ``--floor`` and ``--exclude``."""
    add_flag(command, "--clearance", "compute and check the smallest distance between links")
    add_number(
        command,
        "--wanted-clearance",
        "M",
        "with --clearance: required distance between links [m] (default: 0)",
    )
    add_number(
        command, "--floor", "Z", "with --clearance: height of a floor [m] (default: no floor)"
    )
    add_repeated(
        command, "--exclude", "A,B", "with --clearance: pair of links to ignore; repeatable"
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
