"""`sim audit`: all that can be said against a URDF file, and its torques by several programs."""

from __future__ import annotations

import argparse

from sim.cli.arguments import add_json
from sim.cli.exit_status import WANTING, WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.description = (
        "Everything doubtful in a URDF file, whether it loads or not, and its joint torques by "
        "every formulation and engine that is installed. Exit status 1 if there is an error."
    )
    command.add_argument("file", metavar="FILE.urdf", help="a URDF file, or a shipped robot")
    add_json(command)
    command.set_defaults(action=audit_robot)


def audit_robot(options: argparse.Namespace) -> int:
    """Print the audit; the exit status is 1 where there is an error."""
    from sim.audit import audit
    from sim.cli.output import console, print_json

    found = audit(options.file)
    if options.json:
        print_json(found.document())
    else:
        from sim.audit.shown import audit_shown
        from sim.reports.terminal.summary import show

        show(console(), audit_shown(found))
    return WELL if found.ok else WANTING
