"""Where runs are: those that are there, and the folder of a new one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sim.errors import RecordingError
from sim.recording.recording import DESCRIPTION

RUNS = Path("results/runs")


def find_run(name: str) -> Path:
    """Folder of a run: the folder itself, that of its ``run.json``, or a scenario's newest run.

    Raises
    ------
    RecordingError
        If there is neither.
    """
    folder = Path(name)
    if folder.name == DESCRIPTION and folder.is_file():
        return folder.parent
    if (folder / DESCRIPTION).is_file():
        return folder
    if folder.is_dir() and any(folder.iterdir()):
        raise RecordingError(f"{folder} is no run: it has no {DESCRIPTION}")
    runs = sorted(path.parent for path in (RUNS / name).glob(f"[!.]*/{DESCRIPTION}"))
    if not runs:
        raise RecordingError(
            f"There is no run {name!r}: neither a folder with a {DESCRIPTION} nor a scenario with "
            f"runs in {RUNS}"
        )
    return runs[-1]


def scenarios_with_runs(root: Path = RUNS) -> tuple[str, ...]:
    """Names of the scenarios that have a run in `root`, in order."""
    found = {path.parents[1].name for path in root.glob(f"*/[!.]*/{DESCRIPTION}")}
    return tuple(sorted(found))


def folder_above_runs(out: str | None) -> Path:
    """The folder that several new runs are below: ``--out``, or that of all runs."""
    return RUNS if out is None else Path(out)


def folder_of_run(out: str | None, scenario: str, *, several: bool) -> Path:
    """Folder of a new run.

    Without ``--out`` it is named after the scenario and the time; with it, it is the folder given
    or, where several scenarios run, one in it for each.
    """
    above = folder_above_runs(out)
    if out is None:
        stamp = datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]
        return above / scenario / stamp
    return above / scenario if several else above
