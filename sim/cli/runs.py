"""Where a new run goes, and where comparisons go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sim.errors import RecordingError, SimError
from sim.recording.files.run_folders import RUNS

COMPARISONS = Path("results/comparisons")


@contextlib.contextmanager
def fitting(*folders: Path) -> Iterator[None]:
    """An error that only files that do not fit together cause is reported as that.

    Which law fails first in a description that was edited and sealed anew, or with a table that
    lacks a channel, cannot be foreseen.

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
