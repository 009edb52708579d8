"""Whole processes: start-up of the command, runs with and without a page, and comparisons.

Times are CPU times unless stated; memory is the peak resident size.
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
BY_HAND = "minimal PyBullet script"
BY_HAND_MUJOCO = "minimal MuJoCo script"
RUN, RUN_MUJOCO = "sim run ur10_step", "sim run ur10_step --engine mujoco"
COMPARE = "sim compare ur10_step (with its baseline)"
EMPTY, NUMPY = "python -c pass", "python -c 'import numpy'"
OF_BY_HAND = {  # relative to the CPU time of a minimal script
    RUN: (BY_HAND, 3.0),
    f"{RUN} --no-report": (BY_HAND, 2.4),
    RUN_MUJOCO: (BY_HAND_MUJOCO, 3.2),
}
OF_ITS_MEMORY, OF_ITS_CLOCK = 2.2, 2.3
OF_STARTS = {"sim --help": 1.8, "sim list": 3.0}  # relative to an empty process
OF_NUMPY = 5.0
BOUNDS = {"ur10_step": (2.5, 300), "kr210_heart": (4.0, 350)}  # with page [s], [MB]


def measured(settings: Settings) -> Subject:
    """Return tables of starts, runs and comparisons."""
    python = sys.executable
    starts = turns(
        [
            Contender(name, partial(process, *words), is_process=True)
            for name, words in (
                (EMPTY, (python, "-c", "pass")),
                (NUMPY, (python, "-c", "import numpy")),
                ("python -c 'import sim'", (python, "-c", "import sim")),
                ("sim --help", (*SIM, "--help")),
                ("sim list", (*SIM, "list")),
            )
        ],
        settings,
    )
    with tempfile.TemporaryDirectory() as name:
        runs = turns(_runs(Path(name), settings), settings)
        clock = turns(_on_the_clock(Path(name), settings), settings)
    every = starts | runs
    targets = [
        Target(f"{name}, time relative to {EMPTY}", ratio(starts, name, EMPTY), bound, "x")
        for name, bound in OF_STARTS.items()
    ]
    for name, (seconds, megabytes) in BOUNDS.items():
        run = f"sim run {name}"
        targets.append(Target(f"{run}, time", seconds_of(runs, run), seconds, "s"))
        targets.append(Target(f"{run}, peak memory", megabytes_of(runs, run), megabytes, "MB"))
    targets += [
        Target(f"{run}, time relative to {other}", ratio(every, run, other), bound, "x")
        for run, (other, bound) in {**OF_BY_HAND, COMPARE: (NUMPY, OF_NUMPY)}.items()
        if {run, other} <= set(every)
    ]
    if BY_HAND in runs:
        times = megabytes_of(runs, RUN) / megabytes_of(runs, BY_HAND)
        targets += [
            Target(f"{RUN}, memory relative to {BY_HAND}", times, OF_ITS_MEMORY, "x"),
            Target(f"{RUN}, wall time relative to {BY_HAND}", ratio(clock, RUN, BY_HAND),
                   OF_ITS_CLOCK, "x"),
        ]  # fmt: skip
    parts = (
        Part("Start-up", tuple(starts.values()), "process"),
        Part("Runs and comparisons", tuple(runs.values()), "process"),
        Part("Runs, wall time", tuple(clock.values()), "process"),
    )
    return Subject(__doc__, parts, tuple(targets))


def _on_the_clock(folder: Path, settings: Settings) -> list[Contender]:
    """Return a run and the minimal script, measured in wall time."""
    if settings.quick or not has("pybullet"):
        return []
    lines = {RUN: (*SIM, "run", "ur10_step", "--out", str(folder / "clock")), **_by_hand(folder)}
    return [
        Contender(name, partial(process, *lines[name], wall=True), is_process=True)
        for name in (BY_HAND, RUN)
    ]


def _by_hand(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the minimal scripts whose engines are installed."""
    urdf, table = str(shipped.urdf() / "ur10.urdf"), str(folder / "by_hand.csv")
    programs = {
        BY_HAND: ("pybullet", "benchmarks.by_hand"),
        BY_HAND_MUJOCO: ("mujoco", "benchmarks.by_hand_mujoco"),
    }
    return {
        name: (sys.executable, "-m", program, urdf, table)
        for name, (engine, program) in programs.items()
        if has(engine)
    }


def _runs(folder: Path, settings: Settings) -> list[Contender]:
    names = ["two_link"] if settings.quick else ["two_link", *BOUNDS]
    commands: dict[str, tuple[str, ...]] = {}
    for name in names:
        words: tuple[str, ...] = ("run", name, "--out", str(folder / name))
        commands[f"sim run {name} --no-report"] = (*words, "--no-report")
        commands[f"sim run {name}"] = words
        commands[f"sim compare {name} (with its baseline)"] = ("compare", str(folder / name))
    if not settings.quick:
        out = ("--out", str(folder / "mujoco"))
        if has("mujoco"):
            commands[RUN_MUJOCO] = ("run", "ur10_step", "--engine", "mujoco", *out)
        commands["sim run --all"] = ("run", "--all", "--out", str(folder / "all"))
        where = ("--runs", str(folder / "all"), "--out", str(folder / "page"))
        commands["sim compare --all"] = ("compare", "--all", *where)
    lines: dict[str, tuple[str, ...]] = {name: (*SIM, *words) for name, words in commands.items()}
    if not settings.quick:
        lines |= _by_hand(folder)
    for line in lines.values():
        process(*line)  # the compared files must exist, whichever contender begins
    return [
        Contender(name, partial(process, *line), is_process=True) for name, line in lines.items()
    ]
