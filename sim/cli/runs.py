"""Where runs are: those that are there, and the folder of a new one; where comparisons go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sim.errors import RecordingError, SimError
from sim.recording.recording import DESCRIPTION

RUNS = Path("results/runs")
COMPARISONS = Path("results/comparisons")


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


def newest_runs(above: Path) -> dict[str, Path]:
    """The newest run of each scenario below a folder, by the scenario's name.

    Runs are in ``above/<scenario>`` itself, or in folders there that are named after their times.
    """
    found = {}
    for path in sorted(above.glob(f"[!.]*/{DESCRIPTION}")):
        found[path.parent.name] = path.parent
    for path in sorted(above.glob(f"[!.]*/[!.]*/{DESCRIPTION}")):
        found[path.parent.parent.name] = path.parent
    return found


@contextlib.contextmanager
def fitting(*folders: Path) -> Iterator[None]:
    """What only files that do not fit together can lead to is told as that.

    Of a description that was edited and sealed anew, or a table that lacks a channel, nobody can
    foresee which law it breaks first.

    Raises
    ------
    RecordingError
        Naming the folders.
    """
    try:
        yield
    except (SimError, OSError):
        raise
    except Exception as error:
        named = " and ".join(map(str, folders))
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise RecordingError(
            f"The files of {named} do not fit together; bring them back or run the scenario again "
            f"({why})"
        ) from error


def stamp() -> str:
    """The time now, as part of a folder's name."""
    return datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]


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
        return above / scenario / stamp()
    return above / scenario if several else above
