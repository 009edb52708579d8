"""`sim report`: the page of a run that is already there."""

from __future__ import annotations

import argparse

from sim.cli.arguments import RUN_HELP
from sim.cli.exit_status import WELL


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.add_argument(
        "runs", nargs="+", metavar="RUN", help=f"{RUN_HELP}; others are laid over the first"
    )
    command.add_argument("--out", metavar="FILE", help="the HTML file; in the first run's folder")
    command.add_argument(
        "--figures", action="store_true", help="write figures too, PNG and SVG, into its folder"
    )
    command.set_defaults(action=write_page)


def write_page(options: argparse.Namespace) -> int:
    """Write the page of a run, with its baseline or other runs laid over it."""
    from pathlib import Path

    from sim.cli.audited import audited
    from sim.cli.output import console
    from sim.cli.runs import fitting
    from sim.recording.named_file import require_place
    from sim.recording.recording import Recording
    from sim.recording.run_folders import find_run
    from sim.reports.page.overlay import Overlay
    from sim.reports.page.overlay_labels import overlay_labels, require_same_joints
    from sim.reports.page.page import FILE
    from sim.reports.writing import write_figures_into, write_page_into, write_page_of

    folder, *others = (find_run(name) for name in options.runs)
    own = folder / FILE
    path = own if options.out is None else Path(options.out)
    into_run = path.resolve() == own.resolve()
    if not into_run:
        require_place(path, ".html")
    with fitting(folder, *others):
        recording = Recording.read(folder)
        beside = [Recording.read(other) for other in others]
        for other, where in zip(beside, others, strict=True):
            require_same_joints(recording, other, str(where), str(folder))
        labels = overlay_labels(recording, beside)
        overlays = [
            Overlay.of(label, other, recording, str(where))
            for label, other, where in zip(labels, beside, others, strict=True)
        ]
        if options.figures:
            recording = write_figures_into(recording, folder)
        if into_run:
            write_page_into(recording, folder, overlays or None, audited(recording))
        else:
            write_page_of(recording, folder, overlays or None, path, audited(recording))
    console().print(f"page     {path}", highlight=False, markup=False)
    return WELL
