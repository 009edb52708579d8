"""Folders of new runs and of comparisons."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from sim.errors import RecordingError, SimError
from sim.recording.files.run_folders import RUNS

COMPARISONS = Path("results/comparisons")


@contextlib.contextmanager
def explain_mismatch(*folders: Path) -> Iterator[None]:
    """Report errors caused by files that do not belong together as such.

    It cannot be foreseen which check fails first for a description that was edited and sealed anew,
    or for a table that lacks a channel.

    Raises
    ------
    RecordingError
        Names the folders.
    """
    try:
        yield
    except (SimError, OSError):
        raise
    except Exception as error:
        named = " and ".join(map(str, folders))
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise RecordingError(
            f"The files of {named} are inconsistent; restore them or run the scenario again ({why})"
        ) from error


def stamp() -> str:
    """Return the present time, as part of a folder's name."""
    return datetime.now().astimezone().strftime("%Y%m%dT%H%M%S.%f")[:-3]


def folder_above_runs(out: str | None) -> Path:
    """Return the folder that contains several new runs: ``--out``, or that of all runs."""
    return RUNS if out is None else Path(out)


def folder_of_run(out: str | None, scenario: str, *, several: bool) -> Path:
    """Return the folder of a new run.

    Without ``--out`` it is named after the scenario and the time; with it, it is the given folder
    or, for several scenarios, a folder in it for each.
    """
    above = folder_above_runs(out)
    if out is None:
        return above / scenario / stamp()
    return above / scenario if several else above
