"""Index page and JUnit file of several runs."""

from __future__ import annotations

from pathlib import Path

from sim.recording.files.named_file import require_place
from sim.recording.recording import Recording
from sim.recording.schema.description import Run
from sim.reports.junit import FILE as JUNIT
from sim.reports.junit import write_junit
from sim.reports.page.glb_scene import GlbScene
from sim.reports.page.index import FILE as INDEX
from sim.reports.page.index import IndexRow, write_index
from sim.reports.page.page import FILE as PAGE


class Overview:
    """Index page and JUnit file of several runs, in the folder that contains the runs.

    Parameters
    ----------
    root : Path

    Raises
    ------
    RecordingError
        If a file of another origin is in place of an overview.
    """

    def __init__(self, root: Path) -> None:
        for name in (INDEX, JUNIT):  # checked before the runs are made
            if (root / name).exists():
                require_place(root / name)
        self.root = root
        self.rows: list[IndexRow] = []
        self.judgements: list[tuple[Run, str]] = []

    def add(self, folder: Path, recording: Recording) -> None:
        """Add a judged run that has a page in its folder."""
        href = (folder / PAGE).resolve().relative_to(self.root.resolve()).as_posix()
        self.rows.append(IndexRow.of(recording, href, GlbScene.beside(folder)))
        self.judgements.append((recording.run, href))

    def write(self) -> Path:
        """Write both files; return the index."""
        write_index(self.root / INDEX, self.rows)
        write_junit(self.root / JUNIT, self.judgements)
        return self.root / INDEX
