"""`sim audit`: check a URDF for errors, and compare its torques across programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import ROBOT_HELP, add_flag, add_json
from sim.cli.exit_status import MISUSE, WANTING, WELL
from sim.cli.robot_options import (
    MOUNTS,
    add_meshes_option,
    add_mount_option,
    add_reading_options,
    mount_of,
    xacro_values,
)
from sim.errors import ModelError

if TYPE_CHECKING:
    from sim.audit import RobotAudit


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Check URDF, MJCF or SDF files for errors and suspicious values, whether or not they load, "
        "and compare their joint torques across all formulations and installed engines. Exit "
        "status 1 if there is an error, 2 if no file could be audited. A xacro file is expanded "
        "first, which executes the Python expressions in it."
    )
    command.add_argument("files", nargs="+", metavar="FILE", help=ROBOT_HELP)
    command.add_argument("--html", metavar="OUT", help="also write the audit as an HTML page")
    command.add_argument(
        "--fix",
        metavar="OUT.urdf",
        help="write a URDF with corrected units and errors; for an MJCF or SDF file, its URDF",
    )
    add_flag(
        command,
        "--annotate",
        "also print each finding as a GitHub Actions annotation with file and line",
    )
    add_mount_option(command)
    add_reading_options(command)
    add_meshes_option(command)
    add_json(command)
    command.set_defaults(action=audit_files)


def audit_files(options: argparse.Namespace) -> int:
    """Print the audits; the exit status is 1 if there is an error, corrected ones included."""
    from sim.cli.output import print_json

    several = len(options.files) > 1
    option = "--html" if options.html is not None else "--fix" if options.fix is not None else None
    if several and option is not None:
        raise ModelError(f"{option} applies to one file; {len(options.files)} are named")
    done = [_audit_file(name, options) for name in options.files]
    documents = [document for document, _ in done]
    if options.json:
        print_json(documents if several else documents[0])
    if not all(report.ok for _, report in done):
        return WANTING
    # with --annotate, as used in CI on changed files, macros are no mistake
    if options.annotate or any(report.audited for _, report in done):
        return WELL
    sys.stderr.write("sim: nothing to audit: no file describes a complete robot\n")
    return MISUSE


def _audit_file(name: str, options: argparse.Namespace) -> tuple[dict[str, object], RobotAudit]:
    """Print the audit of a file, write the requested files; return its document and last audit."""
    from sim.audit import audit, workflow_commands
    from sim.audit.fixing import fix
    from sim.audit.to_page import to_page
    from sim.cli.output import console, place_of
    from sim.recording.files.named_file import write_named
    from sim.reports.page.robot_page import write_robot_page

    out = place_of(options.fix, ".urdf")
    values = xacro_values(options)
    mount = mount_of(options) or MOUNTS["floor"]
    report = after = audit(name, xacro=values, mount=mount, model=options.model)
    changes, fixes = tuple[str, ...](), 0
    extra: dict[str, object] = {}
    if out is not None:
        fixed = fix(name, out, options.model)
        write_named(out, fixed.text.encode("utf-8"), ".urdf")
        changes, fixes, after = fixed.changes, fixed.fixes, audit(out)
        extra = {"fixed": {**after.document(), "changes": list(changes)}}
    if options.html is not None:
        write_robot_page(Path(options.html), to_page(report))
    if not options.json:
        from sim.audit.to_terminal import to_terminal
        from sim.reports.terminal.printing import show

        show(console(), to_terminal(report))
        lines = [] if options.html is None else [f"page     {options.html}"]
        if out is not None:
            lines += [f"changed  {change}" for change in changes]
            done = f"fixed    {out}: remaining" if fixes else f"copied   {out}: nothing to fix;"
            lines.append(f"{done} {after.counts}")
        lines += workflow_commands(report) if options.annotate else []
        for line in lines:
            console().print(line, highlight=False, markup=False, soft_wrap=True)
    return report.document() | extra, after
