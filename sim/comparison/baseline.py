"""Baselines: the accepted result of a scenario, thinned, with who accepted it and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim import shipped
from sim.errors import RecordingError
from sim.recording import NEEDED as NEEDED_OF_RUN
from sim.recording import (
    Recording,
    read_json,
    read_table,
    require_description,
    sha256,
    write_json,
    write_table,
)
from sim.staging import staged

if TYPE_CHECKING:
    import pandas as pd

TABLE, DESCRIPTION = "baseline.parquet", "baseline.json"

NEEDED = {
    **NEEDED_OF_RUN,
    "run": ("scenario", "method", "settings", "robot", "units", "sha256"),
}

# Enough to see any change of a curve, small enough to live in a repository.
MOST_SAMPLES = 500


@dataclass(frozen=True, eq=False)
class Baseline:
    """An accepted result: a thinned table and its description."""

    recorded: pd.DataFrame
    info: Mapping[str, Any]


def find_baseline(name: str, root: Path = Path("results/baselines")) -> Baseline:
    """Baseline of a scenario, from the working folder's `root` or from those that are shipped.

    Raises
    ------
    RecordingError
        If there is none, or its files are damaged.
    """
    for folder in (root / name, shipped.baselines() / name):
        if (folder / DESCRIPTION).is_file():
            info = read_json(folder / DESCRIPTION)
            require_description(info, folder / DESCRIPTION, NEEDED)
            if info["sha256"] != sha256(folder / TABLE):
                raise RecordingError(f"{folder / TABLE} has changed since it was accepted")
            return Baseline(read_table(folder / TABLE), info)
    raise RecordingError(
        f"Scenario {name!r} has no baseline in {root} or among the shipped ones; "
        "accept a run with `sim accept RUN --reason TEXT`"
    )


def accept(recording: Recording, reason: str, root: Path = Path("results/baselines")) -> Path:
    """Make a run the baseline of its scenario; returns the baseline's folder.

    Raises
    ------
    RecordingError
        If the run has failed its checks, the reason is empty, or the folder cannot be written.
    """
    info = recording.info
    if info.get("verdict") != "pass":
        raise RecordingError(
            f"The run of {info['scenario']!r} has verdict {info.get('verdict')!r}; "
            "only a run that passes its checks can become a baseline"
        )
    if not reason.strip():
        raise RecordingError("Say why this run is accepted: --reason TEXT must not be empty")
    stride = -(-len(recording.recorded) // MOST_SAMPLES)
    thinned = recording.recorded.iloc[::stride]
    kept = ("scenario", "parameters", "method", "settings", "robot", "units", "provenance")
    folder = root / str(info["scenario"])
    with staged(folder, DESCRIPTION) as stage:
        write_table(stage / TABLE, thinned, recording.units)
        description = {
            "reason": reason,
            "accepted": datetime.now(UTC).isoformat(timespec="seconds"),
            "every": stride,
            "sha256": sha256(stage / TABLE),
            **{key: info[key] for key in kept if key in info},
        }
        if "robot" in info:  # where meshes lie is of one machine, and a baseline goes to all
            facts = info["robot"].items()
            description["robot"] = {key: value for key, value in facts if key != "mesh_folder"}
        write_json(stage / DESCRIPTION, description)
    return folder
