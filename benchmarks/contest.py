"""A contest: contenders that take turns at the same work, and what each of them took."""

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

# A process counts as its own what was resident where it was forked, so a small one starts it.
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
        Does it once; or, where `is_process`, answers (CPU time [s], peak memory [MB]).
    amount : float
        How much work that is: samples, poses or steps; times are given for one.
    error : float or None
        How far its result is from the reference, in the unit of the subject.
    needs : str
        The package without which it is absent, "" for none.
    """

    name: str
    work: Callable[[], object]
    amount: float = 1.0
    error: float | None = None
    needs: str = ""
    is_process: bool = False


@dataclass(frozen=True)
class Row:
    """What a contender took, each time for one piece of its work.

    Parameters
    ----------
    name : str
    seconds : float or None
        Median of all rounds [s]; None where it is absent.
    least, most : float or None
        Of all rounds [s].
    rounds : int
    error : float or None
        In the unit of the subject.
    megabytes : float or None
        Largest resident memory, of processes.
    note : str
        Why it is absent, or what else there is to say.
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
    """A figure to reach.

    Parameters
    ----------
    what : str
    reached : float or None
        None where it was not measured, which is said by a number that is not finite, too.
    bound : float
    unit : str
        "x" for a ratio.
    at_least : bool
        Whether the bound is the smallest that is allowed, not the largest.
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
        """Whether the figure is within its bound; what was not measured never is."""
        if self.reached is None:
            return False
        return self.reached >= self.bound if self.at_least else self.reached <= self.bound


@dataclass(frozen=True)
class Part:
    """One table, and perhaps a plot of it.

    Parameters
    ----------
    title : str
    rows : sequence of Row
    per : str
        What a time is for: "a sample", "a run".
    error : str
        What the errors are, with their unit; "" for none.
    plot : {"", "work-precision", "growth"}
    along : str
        Of a plot of growth: what grows.
    """

    title: str
    rows: tuple[Row, ...]
    per: str = "a run"
    error: str = ""
    plot: str = ""
    along: str = ""


@dataclass(frozen=True)
class Subject:
    """What a file of benchmarks answers."""

    about: str
    parts: tuple[Part, ...]
    targets: tuple[Target, ...] = field(default=())


@dataclass(frozen=True)
class Settings:
    """How much is done: `rounds` of each contest, and `quick` where only whether it runs counts."""

    rounds: int = 5
    quick: bool = False

    def pick(self, full: int, quick: int) -> int:
        """A size."""
        return quick if self.quick else full


def turns(contenders: Sequence[Contender], settings: Settings) -> dict[str, Row]:
    """Rows of contenders after their rounds; in each round another one begins.

    Times are CPU times of this process, or of the process that a contender starts. What is in
    memory before is out of the collector's sight: one collection of it is a quarter of a run, and
    would be counted to whose turn it is.
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
    """Whether a package can be imported; its own mistakes count as absence."""
    try:
        if package:
            importlib.import_module(package)
    except Exception:
        return False
    return True


def ratio(rows: dict[str, Row], slow: str, fast: str) -> float:
    """How many times the time of `fast` the time of `slow` is; NaN where one is absent."""
    a, b = rows[slow].seconds, rows[fast].seconds
    return float("nan") if a is None or b is None else a / b


def seconds_of(rows: dict[str, Row], name: str) -> float:
    """Median of a contender [s]; NaN where it is absent."""
    found = rows[name].seconds if name in rows else None
    return float("nan") if found is None else found


def megabytes_of(rows: dict[str, Row], name: str) -> float:
    """Peak memory of a contender [MB]; NaN where it is absent."""
    found = rows[name].megabytes if name in rows else None
    return float("nan") if found is None else found


def absent(name: str, package: str) -> Contender:
    """The place of a contender whose package cannot be imported."""
    return Contender(name, list, needs=package)


def process(
    *words: str, accepted: tuple[int, ...] = (0,), wall: bool = False
) -> tuple[float, float]:
    """CPU time [s], or wall time on request, and peak memory [MB] of a process.

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
