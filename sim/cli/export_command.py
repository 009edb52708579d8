"""`sim export`: write a run as a table for other programs, or as an ADAMS model."""

from __future__ import annotations

import argparse

from sim.cli.arguments import RUN_HELP, add_flag
from sim.cli.exit_status import WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument(
        "file",
        metavar="FILE",
        help="table: .csv .xlsx .mat .parquet .tab (ADAMS); ADAMS deck of the whole model: .adm; "
        "overwrites only files written by sim",
    )
    command.add_argument(
        "--channels",
        nargs="+",
        metavar="PATTERN",
        help="channels to export, such as 'q.*' 'tau.elbow*' (default: all)",
    )
    add_flag(command, "--analytic", "export the analytic results instead of the engine's")
    add_flag(command, "--degrees", "write angles in degrees")
    add_flag(command, "--millimetres", "write lengths in millimetres; .adm: model units mm")
    command.add_argument(
        "--every", type=int, default=1, metavar="N", help="write every N-th sample (default: 1)"
    )
    add_flag(command, "--drives", ".adm: write the drives only, for use in another model")
    command.set_defaults(action=export_run)


def export_run(options: argparse.Namespace) -> int:
    """Write a run to a file for another program."""
    from sim.cli.output import console
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.run_folders import find_run
    from sim.recording.recording import Recording
    from sim.reports.exports import export

    folder = find_run(options.run)
    with explain_mismatch(folder):
        path = export(
            Recording.read(folder),
            options.file,
            channels=options.channels,
            analytic=options.analytic,
            degrees=options.degrees,
            millimetres=options.millimetres,
            every=options.every,
            drives=options.drives,
        )
    size = f"{path.stat().st_size:,} bytes"
    console().print(f"export   {path}, {size}", highlight=False, markup=False)
    return WELL
