"""The engine's part of a run, and reading of the files in a run's folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import RecordingError
from sim.recording.columns import ColumnTable
from sim.recording.files.run_folders import DESCRIPTION
from sim.recording.files.table_files import StoredTable, open_table, read_table, require_times
from sim.recording.files.whole_files import read_text, sha256
from sim.recording.held_tables import as_field, frames_when_read
from sim.recording.schema.description import Conditions, Run, read_run

if TYPE_CHECKING:
    import pandas as pd


RECORDED, ANALYTIC = "recording.parquet", "analytic.parquet"
REFERENCE, CUT_OPEN = "reference.parquet", "cut_open.parquet"
BETWEEN = "between.parquet"
URDF = "robot.urdf"


@frames_when_read("recorded")
@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The engine's part of a run only, as required for comparing long runs.

    Parameters
    ----------
    recorded : pandas.DataFrame or StoredTable
    run : Run
    urdf : str or None
        As in `Recording`.
    """

    recorded: pd.DataFrame | StoredTable
    run: Run
    urdf: str | None

    @classmethod
    def read(cls, folder: Path) -> RecordedRun:
        """Read it from a run's folder.

        Raises
        ------
        RecordingError
            As in `Recording.read`, for the files that are read.
        """
        run = read_run(folder / DESCRIPTION)
        recorded = open_samples(folder, RECORDED, run)
        require_times(folder / RECORDED, recorded, run.times)
        require_step(folder / DESCRIPTION, run)
        urdf = read_text(folder / URDF, run.files[URDF]) if URDF in run.files else None
        return cls(as_field(recorded), run, urdf)


def require_step(path: Path, run: Conditions) -> None:
    """Check that a description's step is that of its samples, since limits grow with it.

    Raises
    ------
    RecordingError
        Names the description, and both steps.
    """
    settings = run.settings
    between = settings.duration / max(settings.samples - 1, 1)
    if abs(settings.dt - between) > 1e-6 * between:
        raise RecordingError(
            f"{path} gives a step of {settings.dt:.9g} s, but its samples are {between:.9g} s apart"
        )


def open_samples(folder: Path, name: str, run: Run) -> ColumnTable | StoredTable:
    """Open a table with as many samples as the run has."""
    return open_table(_require_unchanged(folder, name, run), run.settings.samples)


def read_some(folder: Path, name: str, run: Run, most: int) -> ColumnTable:
    """Read a table at some times, with at most `most` rows."""
    return read_table(_require_unchanged(folder, name, run), most)


def _require_unchanged(folder: Path, name: str, run: Run) -> Path:
    if sha256(folder / name) != run.files.get(name):
        raise RecordingError(f"{folder / name} has changed since the run wrote it")
    return folder / name
