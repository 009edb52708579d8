"""Search for the folders of runs, by path or scenario name."""

from __future__ import annotations

from pathlib import Path

from sim.errors import RecordingError

DESCRIPTION = "run.json"
RUNS = Path("results/runs")


def find_run(name: str) -> Path:
    """Return the folder of a run: itself, that of its ``run.json``, or a scenario's newest run.

    Raises
    ------
    RecordingError
        If there is none.
    """
    folder = Path(name)
    if folder.name == DESCRIPTION and folder.is_file():
        return folder.parent
    if (folder / DESCRIPTION).is_file():
        return folder
    if folder.is_dir() and any(folder.iterdir()):
        raise RecordingError(f"{folder} is not a run: it has no {DESCRIPTION}")
    runs = sorted(path.parent for path in (RUNS / name).glob(f"[!.]*/{DESCRIPTION}"))
    if not runs:
        raise RecordingError(
            f"There is no run {name!r}: neither a folder with a {DESCRIPTION} nor a scenario with "
            f"runs in {RUNS}"
        )
    return runs[-1]


def newest_runs(above: Path) -> dict[str, Path]:
    """Return the newest run of each scenario below a folder, by the scenario's name.

    Runs are in ``above/<scenario>`` itself, or in its subfolders named by time.
    """
    folders = {}
    for path in sorted(above.glob(f"[!.]*/{DESCRIPTION}")):
        folders[path.parent.name] = path.parent
    for path in sorted(above.glob(f"[!.]*/[!.]*/{DESCRIPTION}")):
        folders[path.parent.parent.name] = path.parent
    return folders
