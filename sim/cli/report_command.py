"""`sim report`: write the page of a recorded run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import RUN_HELP, add_flag
from sim.cli.exit_status import WELL
from sim.cli.robot_options import add_meshes_option, report_mesh_folders

if TYPE_CHECKING:
    from sim.recording.recording import Recording


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.add_argument(
        "runs", nargs="+", metavar="RUN", help=f"{RUN_HELP}; further runs are overlaid on the first"
    )
    command.add_argument(
        "--out",
        metavar="FILE",
        help="HTML file (default: first run's folder; results/runs if robots differ)",
    )
    add_flag(command, "--figures", "also write figures (PNG, SVG) into the run folder")
    command.add_argument(
        "--pdf",
        nargs="?",
        const="",
        metavar="FILE.pdf",
        help="print the page as a PDF with all sections (default: next to the page); requires "
        "Chromium, Chrome or Edge",
    )
    add_meshes_option(command)
    command.set_defaults(action=write_page)


def write_page(options: argparse.Namespace) -> int:
    """Write the page of a run, with its baseline or other runs overlaid.

    Runs of robots with different joints cannot be overlaid: an index links to the page of each.
    """
    from sim.cli.output import console
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.named_file import require_place
    from sim.recording.files.run_folders import find_run
    from sim.recording.recording import Recording
    from sim.reports.page.overlay_labels import have_same_joints
    from sim.reports.page.page import FILE as PAGE
    from sim.reports.page.pdf import require_browser, write_pdf

    if options.pdf is not None:
        require_browser()
    folders = [find_run(name) for name in options.runs]
    out = None if options.out is None else Path(options.out)
    if out is not None and out.resolve() != (folders[0] / PAGE).resolve():
        require_place(out, ".html")
    with explain_mismatch(*folders):
        runs = [(folder, Recording.read(folder)) for folder in folders]
        report_mesh_folders(recording for _, recording in runs)
        first = runs[0][1]
        if all(have_same_joints(first, other) for _, other in runs[1:]):
            path = page_of_first(runs, out, figures=options.figures)
            words = "page"
        else:
            path = _index_of(runs, out, figures=options.figures)
            words = "index"
    console().print(f"{words:8} {path}", highlight=False, markup=False)
    if options.pdf is not None:
        pdf = Path(options.pdf) if options.pdf else path.with_suffix(".pdf")
        write_pdf(path, pdf)
        console().print(f"{'pdf':8} {pdf}", highlight=False, markup=False)
    return WELL


def page_of_first(
    runs: Sequence[tuple[Path, Recording]], out: Path | None, *, figures: bool
) -> Path:
    """Write the page of the first run, overlaid with the others; return its path."""
    from sim.cli.audit_of_run import audit_of_run
    from sim.reports.page.overlay import Overlay
    from sim.reports.page.overlay_labels import overlay_labels, own_label
    from sim.reports.page.page import FILE
    from sim.reports.writing import write_figures_into, write_page_into, write_page_of

    (folder, recording), *others = runs
    path = folder / FILE if out is None else out
    into_run = path.resolve() == (folder / FILE).resolve()
    overlaid = [other for _, other in others]
    labels, label_of_first = overlay_labels(recording, overlaid), own_label(recording, overlaid)
    overlays = [
        Overlay.of(label, other, recording, str(where), label_of_first)
        for label, (where, other) in zip(labels, others, strict=True)
    ]
    if figures:
        recording = write_figures_into(recording, folder)
    if into_run:
        write_page_into(recording, folder, overlays or None, audit_of_run(recording))
    else:
        write_page_of(recording, folder, overlays or None, path, audit_of_run(recording))
    return path


def _index_of(runs: Sequence[tuple[Path, Recording]], out: Path | None, *, figures: bool) -> Path:
    """Write the page of each run into its folder, and an index; return its path."""
    from sim.cli.audit_of_run import audit_of_run
    from sim.recording.files.named_file import require_place
    from sim.reports.junit import relative_path
    from sim.reports.page.glb_scene import GlbScene
    from sim.reports.page.index import IndexRow, write_index
    from sim.reports.page.page import FILE
    from sim.reports.writing import write_figures_into, write_page_into

    above = os.path.commonpath([folder.resolve() for folder, _ in runs])
    path = Path(os.path.relpath(above)) / FILE if out is None else out
    require_place(path, ".html")
    rows = []
    for folder, recording in dict(runs).items():
        drawn = write_figures_into(recording, folder) if figures else recording
        page = write_page_into(drawn, folder, None, audit_of_run(drawn))
        rows.append(
            IndexRow.of(page, relative_path(page.run, folder, path), GlbScene.beside(folder))
        )
    write_index(path, rows)
    return path
