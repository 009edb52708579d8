"""Baselines: accepted results of scenarios, with reviewer, time and reason.

A baseline's folder contains ``baseline.json``, with the conditions of the run and the ledger of all
acceptances, and three files referenced with their hashes: every sample of the run in steps far
below its tolerance (`sim.comparison.compact`), some instants to the last bit, and the robot. The
description is replaced last, by one move, so that there is always one complete baseline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sim import shipped
from sim.comparison.compact import read_compact
from sim.comparison.ledger import CURVES, DESCRIPTION, INSTANTS, ROBOT, Acceptance
from sim.errors import RecordingError
from sim.recording.files.table_files import read_table
from sim.recording.files.whole_files import decode_text, sha256
from sim.recording.held_tables import as_field, frames_when_read, recorded_of
from sim.recording.recorded_run import require_step
from sim.recording.schema.description import read_sealed
from sim.reference.alignment import samples_at
from sim.showing.one_line import count_text, one_line

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path("results/baselines")


@frames_when_read("recorded", "exact")
@dataclass(frozen=True, eq=False)
class Baseline:
    """An accepted result.

    Parameters
    ----------
    recorded : pandas.DataFrame
        Every sample of the compared channels, in multiples of `steps`.
    run : Acceptance
    urdf : str
        Text of the robot.
    steps : mapping of str to float
        Quantisation step of each channel, in its unit.
    exact : pandas.DataFrame
        Some of the samples to the last bit.
    """

    recorded: pd.DataFrame
    run: Acceptance
    urdf: str | None
    steps: Mapping[str, float]
    exact: pd.DataFrame

    def __repr__(self) -> str:
        table = recorded_of(self)
        size = f"{count_text(len(table.columns), 'channel')} × {count_text(len(table), 'sample')}"
        return one_line(f"Baseline of {self.run.scenario}:", size)


def find_baseline(name: str, root: Path = ROOT) -> Baseline:
    """Return the baseline of a scenario, from the working folder's `root` or a shipped one.

    Raises
    ------
    RecordingError
        If there is none, its files are damaged or of another, or the name is no folder name.
    """
    require_name(name)
    for folder in (root / name, shipped.baselines() / name):
        if (folder / DESCRIPTION).is_file():
            return read_baseline(folder)
    raise RecordingError(
        f"Scenario {name!r} has no baseline in {root} or among the shipped ones; "
        "accept a run with `sim accept RUN --reason TEXT`"
    )


def read_baseline(folder: Path) -> Baseline:
    """Return the baseline in a folder, which is named after its scenario.

    Raises
    ------
    RecordingError
        If its files are missing, damaged or of another baseline.
    """
    path = folder / DESCRIPTION
    run = read_sealed(path, Acceptance, "accept a run of", migrates=True)
    if run.scenario != folder.resolve().name:
        raise RecordingError(
            f"{path} belongs to {run.scenario!r}, but is in the place of the baseline of "
            f"{folder.resolve().name!r}"
        )
    if not run.ledger or set(run.files) != {CURVES, INSTANTS, ROBOT}:
        raise RecordingError(f"{path} names no {CURVES}, {INSTANTS} and {ROBOT}, or no reviewer")
    paths = {kind: _unchanged_file(folder, name) for kind, name in run.files.items()}
    recorded, steps = read_compact(paths[CURVES], run.times)
    require_step(path, run)
    exact = read_table(paths[INSTANTS], run.settings.samples)
    if list(exact.columns) != list(recorded.columns):
        raise RecordingError(f"{paths[INSTANTS]} has different channels than {paths[CURVES]}")
    samples_at(recorded.index.to_numpy(), exact.index.to_numpy())
    return Baseline(as_field(recorded), run, decode_text(paths[ROBOT]), steps, as_field(exact))


def baselines_in(root: Path = ROOT) -> tuple[str, ...]:
    """Return names of the scenarios with a baseline in `root`, or a shipped one (default)."""
    above = root if root.is_dir() else shipped.baselines()
    return tuple(sorted(path.parent.name for path in above.glob(f"*/{DESCRIPTION}")))


def _unchanged_file(folder: Path, name: str) -> Path:
    """Return the file of this name, if it is unchanged since it was accepted."""
    if Path(name).name != name:
        raise RecordingError(
            f"{folder / DESCRIPTION} names {name!r}, which is not a file in that folder"
        )
    path = folder / name
    if sha256(path)[:16] != Path(name).stem.rpartition("-")[2]:
        raise RecordingError(f"{path} has changed since it was accepted")
    return path


def require_name(scenario: str) -> None:
    """Check that a baseline is in a folder with its scenario's name."""
    if scenario in ("", ".", "..") or Path(scenario).name != scenario or "\\" in scenario:
        raise RecordingError(
            f"The scenario name {scenario!r} is not a valid folder name; a baseline "
            "requires a plain name such as 'ur10_step'"
        )
