"""`sim report`, and the pages of runs just made."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.checks import judged
from sim.cli.command import WELL
from sim.cli.judging import find_run
from sim.cli.output import console
from sim.errors import RecordingError
from sim.recorded_robot import robot_of
from sim.recording import Recording
from sim.reports.junit import FILE as JUNIT
from sim.reports.junit import write_junit
from sim.reports.page.index import FILE as INDEX
from sim.reports.page.index import Row, write_index
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import FILE as PAGE
from sim.reports.page.report import write_report
from sim.reports.page.scene import FILE as SCENE
from sim.reports.page.scene import Scene
from sim.reports.writing import baseline_of


def write_pages(options: argparse.Namespace) -> int:
    """Write the page of a run, with its baseline or other runs laid over it."""
    folder, *others = (find_run(name) for name in options.runs)
    recording = judged(Recording.read(folder))
    overlays = [Overlay.of(str(other), Recording.read(other), recording) for other in others]
    path = folder / PAGE if options.out is None else Path(options.out)
    if not path.parent.is_dir():
        raise RecordingError(f"Cannot write {path}: {path.parent} is not a folder")
    robot = None if (folder / SCENE).is_file() else robot_of(recording)
    write_report(folder, recording, robot, overlays or baseline_of(recording), path)
    console().print(f"page     {path}", highlight=False, markup=False)
    return WELL


class Overview:
    """Index page and JUnit file of several runs, in the folder that theirs are below.

    Parameters
    ----------
    root : Path
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.rows: list[Row] = []
        self.judgements: list[tuple[Mapping[str, Any], str]] = []

    def add(self, folder: Path, recording: Recording) -> None:
        """Take up a judged run that has a page in its folder."""
        href = (folder / PAGE).resolve().relative_to(self.root.resolve()).as_posix()
        self.rows.append(Row.of(recording, href, Scene.beside(folder)))
        self.judgements.append((recording.info, href))

    def write(self) -> Path:
        """Write both files; returns the index."""
        write_index(self.root / INDEX, self.rows)
        write_junit(self.root / JUNIT, self.judgements)
        return self.root / INDEX
