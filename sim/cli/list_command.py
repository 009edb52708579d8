"""`sim list`: available scenarios and robots."""

from __future__ import annotations

import argparse

from sim.cli.arguments import add_json
from sim.cli.exit_status import WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = "List available scenarios, their parameters, and robots."
    add_json(command)
    command.set_defaults(action=show_list, draws=False)


def show_list(options: argparse.Namespace) -> int:
    """Print names, titles and parameters."""
    from sim import shipped
    from sim.cli.output import console, print_json
    from sim.cli.script_summary import script_summary

    folder, robots = shipped.scenarios(), shipped.robot_names()
    scripts = [script_summary(folder / f"{name}.py") for name in shipped.scenario_names()]
    if options.json:
        scenarios = [
            {"name": s.name, "title": s.title, "parameters": s.parameters} for s in scripts
        ]
        print_json({"scenarios": scenarios, "robots": list(robots)})
        return WELL
    from sim.reports.terminal.tables import FittedTable

    table = FittedTable(
        ("scenario", "parameters", "description"),
        ("parameters", "description"),
        prose=("parameters", "description"),
    )
    for script in scripts:
        parameters = ", ".join(f"{name}={value}" for name, value in script.parameters.items())
        table.add_row(script.name, parameters, script.title)
    out = console()
    out.print(table, highlight=False, crop=False)
    out.print(f"robots: {', '.join(robots)}", highlight=False, markup=False)
    return WELL
