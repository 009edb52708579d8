"""Whole processes: the start of the command, runs with and without their page, and comparisons.

Times are those of the processor; memory is the largest that was resident.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.contest import (
    Contender,
    Part,
    Settings,
    Subject,
    Target,
    has,
    megabytes_of,
    process,
    ratio,
    seconds_of,
    turns,
)
from sim import shipped

SIM = (sys.executable, "-m", "sim")
BY_HAND = "PyBullet by hand, a CSV"
OF_BY_HAND = {"sim run ur10_step": 3.0, "sim run ur10_step --no-report": 2.4}  # times its time
OF_ITS_MEMORY = 2.2
BOUNDS = {"ur10_step": (2.5, 300), "kr210_heart": (4.0, 350)}  # with page [s], [MB]


def measured(settings: Settings) -> Subject:
    """Tables of starts, runs and comparisons."""
    python = sys.executable
    starts = turns(
        [
            Contender(name, partial(process, *words), is_process=True)
            for name, words in (
                ("python -c pass", (python, "-c", "pass")),
                ("python -c 'import numpy'", (python, "-c", "import numpy")),
                ("python -c 'import sim'", (python, "-c", "import sim")),
                ("sim --help", (*SIM, "--help")),
                ("sim list", (*SIM, "list")),
            )
        ],
        settings,
    )
    with tempfile.TemporaryDirectory() as name:
        runs = turns(_runs(Path(name), settings), settings)
    help_, empty = starts["sim --help"], "python -c pass"
    targets = [Target(f"sim --help, times {empty}", ratio(starts, help_.name, empty), 3, "x")]
    targets += [Target("sim list", seconds_of(starts, "sim list"), 0.2, "s")]
    for name, (seconds, megabytes) in BOUNDS.items():
        run = f"sim run {name}"
        targets.append(Target(run, seconds_of(runs, run), seconds, "s"))
        targets.append(Target(run, megabytes_of(runs, run), megabytes, "MB"))
    if BY_HAND in runs:
        for run, bound in OF_BY_HAND.items():
            targets.append(Target(f"{run}, times {BY_HAND}", ratio(runs, run, BY_HAND), bound, "x"))
        run, *_ = OF_BY_HAND
        times = megabytes_of(runs, run) / megabytes_of(runs, BY_HAND)
        targets.append(Target(f"{run}, times the memory of {BY_HAND}", times, OF_ITS_MEMORY, "x"))
    parts = (
        Part("Starting", tuple(starts.values()), "a process"),
        Part("Running and comparing", tuple(runs.values()), "a process"),
    )
    return Subject(__doc__, parts, tuple(targets))


def _runs(folder: Path, settings: Settings) -> list[Contender]:
    names = ["two_link"] if settings.quick else ["two_link", *BOUNDS]
    commands: dict[str, tuple[str, ...]] = {}
    for name in names:
        words: tuple[str, ...] = ("run", name, "--out", str(folder / name))
        commands[f"sim run {name} --no-report"] = (*words, "--no-report")
        commands[f"sim run {name}"] = words
        commands[f"sim compare, {name} with its baseline"] = ("compare", str(folder / name))
    if not settings.quick:
        commands["sim run --all"] = ("run", "--all", "--out", str(folder / "all"))
        where = ("--runs", str(folder / "all"), "--out", str(folder / "page"))
        commands["sim compare --all"] = ("compare", "--all", *where)
    lines: dict[str, tuple[str, ...]] = {name: (*SIM, *words) for name, words in commands.items()}
    if not settings.quick and has("pybullet"):
        script, urdf = Path(__file__).with_name("by_hand.py"), shipped.urdf() / "ur10.urdf"
        lines[BY_HAND] = (sys.executable, str(script), str(urdf), str(folder / "by_hand.csv"))
    for line in lines.values():
        process(*line)  # what is compared must be there, whichever begins a round
    return [
        Contender(name, partial(process, *line), is_process=True) for name, line in lines.items()
    ]
