"""Runs in the folder: verdicts, peaks and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from sim.comparison.ledger import DESCRIPTION as BASELINE
from sim.errors import SimError
from sim.recording.files.run_folders import DESCRIPTION, RUNS
from sim.recording.schema.description import Run, read_run
from sim.reports.page.page import FILE as PAGE
from sim.studio.commands import line_of
from sim.studio.folder import Folder
from sim.studio.refusal import RefusalError
from sim.studio.setup import NAME

MOST = 200  # runs that are listed
OVERLAYS = "results/comparisons"
BASELINES = "results/baselines"
_ID = re.compile(r"\d{8}T\d{6}\.\d{3}", re.ASCII)


def list_runs(folder: Folder) -> list[dict[str, Any]]:
    """Return the newest runs of the folder, newest first."""
    return [_row(folder, path, run) for path, run in _runs(folder)]


def run_folder(folder: Folder, name: str, identifier: str) -> Path:
    """Return the folder of a run.

    Raises
    ------
    RefusalError
        If there is none.
    """
    if not (NAME.fullmatch(name) and _ID.fullmatch(identifier)):
        raise RefusalError(404, "no such run")
    path = folder.below((RUNS / name / identifier).as_posix())
    if not (path / DESCRIPTION).is_file():
        raise RefusalError(404, "no such run")
    return path


def place_of_run(run: Path) -> tuple[Path, str] | None:
    """Return the folder whose window lists a run, and the run as NAME/ID; None if there is none."""
    path = run.resolve()
    name, identifier = path.parts[-2:]
    if not (path.parts[-4:-2] == RUNS.parts and NAME.fullmatch(name) and _ID.fullmatch(identifier)):
        return None
    return path.parents[3], f"{name}/{identifier}"


def run_page(folder: Folder, name: str, identifier: str) -> Path:
    """Return the page of a run.

    Raises
    ------
    RefusalError
        If there is none.
    """
    return existing_page(run_folder(folder, name, identifier) / PAGE)


def overlay_name(pair: list[Path]) -> str:
    """Return the name of the page of overlaid runs."""
    return "studio_" + "_".join(f"{path.parent.name}-{path.name}" for path in pair) + ".html"


def overlay_page(folder: Folder, name: str) -> Path:
    """Return the page of two overlaid runs.

    Raises
    ------
    RefusalError
        If there is none.
    """
    if not re.fullmatch(r"studio_[a-z0-9_.T-]{1,200}\.html", name, re.ASCII):
        raise RefusalError(404, "no such page")
    return existing_page(folder.below(f"{OVERLAYS}/{name}"))


def peaks_side_by_side(folder: Folder, pair: list[Path]) -> list[dict[str, Any]]:
    """Return the peak of each joint in the first of two runs and in the second [N·m or N]."""
    run = _run_of(pair[0])
    first, second = _peaks(run), _peaks(_run_of(pair[1]))
    return [
        {
            "joint": name,
            "first": value,
            "second": second[name],
            "sliding": run.units.get(f"tau.{name}") == "N",
        }
        for name, value in first.items()
        if name in second
    ]


def existing_page(path: Path) -> Path:
    """Return the path of a page.

    Raises
    ------
    RefusalError
        If there is no such file.
    """
    if not path.is_file():
        raise RefusalError(404, "no such page")
    return path


def _runs(folder: Folder) -> Iterator[tuple[Path, Run]]:
    files = (folder.path / RUNS).glob(f"[a-z]*/[0-9]*/{DESCRIPTION}")
    named = [file.parent for file in files if _ID.fullmatch(file.parent.name)]
    for path in sorted(named, key=lambda one: one.name, reverse=True)[:MOST]:
        try:
            yield path, _run_of(path)
        except (SimError, OSError):
            continue  # damaged: `sim check` reports it


def _row(folder: Folder, path: Path, run: Run) -> dict[str, Any]:
    name = path.parent.name
    return {
        "name": name,
        "id": path.name,
        "verdict": run.verdict,
        "checks": len(run.checks),
        "failed": sum(not one.ok for one in run.checks),
        "parameters": run.parameters,
        "command": _command_of(run),
        "peaks": _peaks(run),
        "forces": [name for name in _peaks(run) if run.units.get(f"tau.{name}") == "N"],
        "accepted": _accepted_time(folder.path / BASELINES / name) == run.provenance.created,
    }


def _command_of(run: Run) -> str:
    """Return the command that made a run; runs of earlier windows do not state it."""
    program, *arguments = run.provenance.command or ("",)
    is_command = (program, *arguments[:1]) == ("sim", "run")
    return line_of(*arguments) if is_command else line_of("run", f"{run.scenario}.py")


def _peaks(run: Run) -> dict[str, float | None]:
    """Return the peak torque or force of each joint."""
    channels = run.peaks.items()
    return {name.removeprefix("tau."): one for name, one in channels if name.startswith("tau.")}


def _accepted_time(baseline: Path) -> str | None:
    """Return the time of the run that is the baseline in a folder; None if there is none."""
    path = baseline / BASELINE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Accepted).provenance.created
    except (OSError, msgspec.DecodeError):
        return None


class _Made(msgspec.Struct):
    created: str


class _Accepted(msgspec.Struct):
    provenance: _Made


@lru_cache(maxsize=MOST)
def _read(path: Path, _changed: int) -> Run:
    return read_run(path)


def _run_of(path: Path) -> Run:
    file = path / DESCRIPTION
    return _read(file, file.stat().st_mtime_ns)
