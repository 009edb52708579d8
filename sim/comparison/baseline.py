"""Baselines: the accepted result of a scenario, thinned, with who accepted it and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim import shipped
from sim.errors import RecordingError
from sim.recording.description import Conditions, description_text, read_description
from sim.recording.files import read_table, require_times, sha256, write_bytes, write_table
from sim.recording.recording import Recording
from sim.recording.staging import staged

if TYPE_CHECKING:
    import pandas as pd

TABLE, DESCRIPTION = "baseline.parquet", "baseline.json"

# Enough to see any change of a curve, small enough to live in a repository.
MOST_SAMPLES = 500


class Acceptance(Conditions, frozen=True, kw_only=True):
    """The content of ``baseline.json``: the conditions of a run that was accepted, and why it was.

    Parameters
    ----------
    reason : str
    accepted : str
        When, as in ISO 8601.
    every : int
        Each of how many samples of the run was kept.
    sha256 : str
        Of the table beside it.
    """

    reason: str
    accepted: str
    every: int
    sha256: str


@dataclass(frozen=True, eq=False)
class Baseline:
    """An accepted result: a thinned table and its description."""

    recorded: pd.DataFrame
    run: Acceptance


def find_baseline(name: str, root: Path = Path("results/baselines")) -> Baseline:
    """Baseline of a scenario, from the working folder's `root` or from those that are shipped.

    Raises
    ------
    RecordingError
        If there is none, its files are damaged or not its own, or the name is none of a folder.
    """
    _require_name(name)
    for folder in (root / name, shipped.baselines() / name):
        if (folder / DESCRIPTION).is_file():
            run = read_description(folder / DESCRIPTION, Acceptance, "accept a run of")
            if run.sha256 != sha256(folder / TABLE):
                raise RecordingError(f"{folder / TABLE} has changed since it was accepted")
            if run.scenario != name:
                raise RecordingError(
                    f"{folder / DESCRIPTION} is labelled {run.scenario!r}, and stands where the "
                    f"baseline of {name!r} should be"
                )
            table = read_table(folder / TABLE)
            require_times(folder / TABLE, table, run.times[:: run.every])
            return Baseline(table, run)
    raise RecordingError(
        f"Scenario {name!r} has no baseline in {root} or among the shipped ones; "
        "accept a run with `sim accept RUN --reason TEXT`"
    )


def accept(recording: Recording, reason: str, root: Path = Path("results/baselines")) -> Path:
    """Make a run the baseline of its scenario; returns the baseline's folder.

    Raises
    ------
    RecordingError
        If the run has failed its checks, its scenario's name is no name of a folder, the reason is
        empty, or the folder cannot be written.
    """
    run = recording.run
    if run.verdict != "pass":
        raise RecordingError(
            f"The run of {run.scenario!r} has verdict {run.verdict!r}; "
            "only a run that passes its checks can become a baseline"
        )
    if not reason.strip():
        raise RecordingError("Say why this run is accepted: --reason TEXT must not be empty")
    stride = -(-len(recording.recorded) // MOST_SAMPLES)
    conditions = {name: getattr(run, name) for name in Conditions.__struct_fields__}
    # where meshes lie is of one machine, and a baseline goes to all
    conditions["robot"] = replace(run.robot, mesh_folder=None)
    _require_name(run.scenario)
    folder = root / run.scenario
    with staged(folder, DESCRIPTION) as stage:
        write_table(stage / TABLE, recording.recorded.iloc[::stride], recording.units)
        acceptance = Acceptance(
            **conditions,
            reason=reason,
            accepted=datetime.now(UTC).isoformat(timespec="seconds"),
            every=stride,
            sha256=sha256(stage / TABLE),
        )
        write_bytes(stage / DESCRIPTION, description_text(acceptance))
    return folder


def _require_name(scenario: str) -> None:
    """A baseline stands in the folder of its scenario's name, and in no other place."""
    if scenario in ("", ".", "..") or Path(scenario).name != scenario or "\\" in scenario:
        raise RecordingError(
            f"The run's scenario is called {scenario!r}, which is no name of a folder; a baseline "
            "needs a plain name such as 'ur10_step'"
        )
