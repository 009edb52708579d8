"""`sim audit`: all findings on a URDF file, and its torques by several programs."""

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
    command.add_argument("--html", metavar="OUT", help="write it as a page too")
    command.add_argument(
        "--fix", metavar="OUT.urdf", help="write it with its units and slips put right"
    )
    add_json(command)
    command.set_defaults(action=audit_robot)


def audit_robot(options: argparse.Namespace) -> int:
    """Print the audit; the exit status is 1 where there is an error, also in what was fixed."""
    from pathlib import Path

    from sim.audit import audit
    from sim.audit.fixing import fix
    from sim.audit.to_page import to_page
    from sim.cli.output import console, print_json
    from sim.recording.files.named_file import require_place, write_named
    from sim.reports.page.robot_page import write_robot_page

    out = None if options.fix is None else Path(options.fix)
    if out is not None:
        require_place(out, ".urdf")
    found = after = audit(options.file)
    changes: tuple[str, ...] = ()
    if out is not None:
        fixed = fix(options.file, out)
        write_named(out, fixed.text.encode("utf-8"), ".urdf")
        changes, after = fixed.changes, audit(out)
    if options.html is not None:
        write_robot_page(Path(options.html), to_page(found))
    if options.json:
        extra = {} if out is None else {"fixed": {**after.document(), "changes": list(changes)}}
        print_json(found.document() | extra)
    else:
        from sim.audit.to_terminal import to_terminal
        from sim.reports.terminal.summary import show

        show(console(), to_terminal(found))
        if options.html is not None:
            console().print(f"page     {options.html}", highlight=False, markup=False)
        if out is not None:
            lines = [f"changed  {change}" for change in changes] or ["changed  nothing"]
            for line in (*lines, f"fixed    {out}: {after.counts}"):
                console().print(line, highlight=False, markup=False, soft_wrap=True)
    return WELL if after.ok else WANTING
