"""Contenders that take turns at the same task, with their times and memory."""

from __future__ import annotations

import gc
import importlib
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# A process inherits the resident memory of its parent at the fork, so a small one starts it.
LAUNCHER = """
import resource, subprocess, sys, time
begin = time.perf_counter()
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
clock = time.perf_counter() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, clock, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    Parameters
    ----------
    name : str
    work : callable
        Does it once; if `is_process`, returns (CPU time [s], peak memory [MB]).
    amount : float
        Amount of work: samples, poses or steps; times are given per unit.
    error : float or None
        Error of its result with respect to the reference, in the unit of the subject.
    needs : str
        Package without which it is skipped, "" for none.
    """

    name: str
    work: Callable[[], object]
    amount: float = 1.0
    error: float | None = None
    needs: str = ""
    is_process: bool = False


@dataclass(frozen=True)
class Row:
    """Result of a contender, each time per unit of its work.

    Parameters
    ----------
    name : str
    seconds : float or None
        Median of all rounds [s]; None if it was skipped.
    least, most : float or None
        Extremes of all rounds [s].
    rounds : int
    error : float or None
        In the unit of the subject.
    megabytes : float or None
        Largest resident memory of a process.
    note : str
        Reason for skipping, or a remark.
    """

    name: str
    seconds: float | None = None
    least: float | None = None
    most: float | None = None
    rounds: int = 0
    error: float | None = None
    megabytes: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Target:
    """A bound on a measured value.

    Parameters
    ----------
    what : str
    reached : float or None
        None, or a number that is not finite, if it was not measured.
    bound : float
    unit : str
        "x" for a ratio.
    at_least : bool
        Whether the bound is the smallest allowed value, not the largest.
    """

    what: str
    reached: float | None
    bound: float
    unit: str
    at_least: bool = False

    def __post_init__(self) -> None:
        if self.reached is not None and not math.isfinite(self.reached):
            object.__setattr__(self, "reached", None)

    @property
    def met(self) -> bool:
        """Whether the figure is within its bound; false if not measured."""
        if self.reached is None:
            return False
        return self.reached >= self.bound if self.at_least else self.reached <= self.bound


@dataclass(frozen=True)
class Part:
    """One table, and optionally a plot of it.

    Parameters
    ----------
    title : str
    rows : sequence of Row
    per : str
        Unit of work of a time: "sample", "run".
    error : str
        Meaning and unit of the errors; "" for none.
    plot : {"", "work-precision", "growth"}
    along : str
        For a plot of growth: the independent variable.
    """

    title: str
    rows: tuple[Row, ...]
    per: str = "run"
    error: str = ""
    plot: str = ""
    along: str = ""


@dataclass(frozen=True)
class Subject:
    """Results of a benchmark file."""

    about: str
    parts: tuple[Part, ...]
    targets: tuple[Target, ...] = field(default=())


@dataclass(frozen=True)
class Settings:
    """Amount of work: `rounds` of each contest; `quick` only checks that it runs."""

    rounds: int = 5
    quick: bool = False

    def pick(self, full: int, quick: int) -> int:
        """Return a size."""
        return quick if self.quick else full


def turns(contenders: Sequence[Contender], settings: Settings) -> dict[str, Row]:
    """Run the contenders in turn, each round beginning with another, and return their rows.

    Times are CPU times of this process, or of the process that a contender starts. Objects already
    in memory are frozen for the garbage collector: one collection of them takes a quarter of a run,
    and would count for the contender whose turn it is.
    """
    gc.collect()
    gc.freeze()
    there = [c for c in contenders if has(c.needs)]
    times: dict[str, list[float]] = {c.name: [] for c in there}
    memory: dict[str, list[float]] = {c.name: [] for c in there}
    for turn in range(settings.rounds):
        first = turn % max(len(there), 1)
        for contender in there[first:] + there[:first]:
            begin = time.process_time()
            answer = contender.work()
            seconds = time.process_time() - begin
            if contender.is_process:
                assert isinstance(answer, tuple)
                seconds, megabytes = answer
                memory[contender.name].append(megabytes)
            times[contender.name].append(seconds / contender.amount)
    gc.unfreeze()
    return {c.name: _row(c, times.get(c.name), memory.get(c.name)) for c in contenders}


def has(package: str) -> bool:
    """Whether a package can be imported; its own errors count as absence."""
    try:
        if package:
            importlib.import_module(package)
    except Exception:
        return False
    return True


def ratio(rows: dict[str, Row], slow: str, fast: str) -> float:
    """Return the time of `slow` over that of `fast`; NaN if one is missing."""
    a, b = rows[slow].seconds, rows[fast].seconds
    return float("nan") if a is None or b is None else a / b


def seconds_of(rows: dict[str, Row], name: str) -> float:
    """Return the median of a contender [s]; NaN if it is missing."""
    found = rows[name].seconds if name in rows else None
    return float("nan") if found is None else found


def megabytes_of(rows: dict[str, Row], name: str) -> float:
    """Return the peak memory of a contender [MB]; NaN if it is missing."""
    found = rows[name].megabytes if name in rows else None
    return float("nan") if found is None else found


def absent(name: str, package: str) -> Contender:
    """Return the placeholder of a contender whose package cannot be imported."""
    return Contender(name, list, needs=package)


def process(
    *words: str, accepted: tuple[int, ...] = (0,), wall: bool = False
) -> tuple[float, float]:
    """Run a process; return its CPU time [s], or wall time on request, and peak memory [MB].

    Raises
    ------
    SystemExit
        If it ends with another status than those accepted.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, *words],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    status, clock, processor, kilobytes = map(float, done.stdout.split())
    if status not in accepted:
        raise SystemExit(f"{' '.join(words)} ended with status {status:.0f}")
    return clock if wall else processor, kilobytes / 1024


def _row(contender: Contender, times: list[float] | None, memory: list[float] | None) -> Row:
    if not times:
        return Row(contender.name, note=f"absent: {contender.needs} cannot be imported")
    return Row(
        contender.name,
        statistics.median(times),
        min(times),
        max(times),
        len(times),
        contender.error,
        max(memory) if memory else None,
    )
