"""`sim check`, `sim compare`, `sim accept`: verdicts on runs that are already there."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sim.checks import judged
from sim.cli.command import WANTING, WELL
from sim.cli.output import console, print_json
from sim.cli.running import RUNS
from sim.errors import RecordingError
from sim.recording import DESCRIPTION, Recording


def find_run(name: str) -> Path:
    """Folder of a run: the folder itself, or the newest run of a scenario.

    Raises
    ------
    RecordingError
        If there is neither.
    """
    folder = Path(name)
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


def check_run(options: argparse.Namespace) -> int:
    """Judge a run from its files alone."""
    folder = find_run(options.run)
    recording = judged(Recording.read(folder))
    if options.json:
        print_json({**recording.info, "run": str(folder)})
    else:
        from sim.reports.terminal import show, summary

        show(console(), summary(recording, folder))
    return WELL if recording.info["verdict"] == "pass" else WANTING


def compare_runs(options: argparse.Namespace) -> int:
    """Compare a run with its baseline, or with another run."""
    from sim.comparison import compare, find_baseline

    recording = Recording.read(find_run(options.run))
    name = recording.info["scenario"]
    reference: Any
    if options.other is None:
        reference, against = find_baseline(name), "baseline"
    else:
        other = find_run(options.other)
        reference, against = Recording.read(other), str(other)
    result = compare(recording, reference)
    if options.json:
        print_json({"scenario": name, "against": against, **asdict(result)})
    else:
        from sim.reports.terminal import comparison, show

        show(console(), comparison(result, f"{name} against {against}"))
    return WELL if result.ok else WANTING


def accept_run(options: argparse.Namespace) -> int:
    """Make a run the baseline of its scenario."""
    from sim.comparison import accept

    folder = accept(judged(Recording.read(find_run(options.run))), options.reason)
    console().print(f"baseline {folder}", highlight=False)
    return WELL
