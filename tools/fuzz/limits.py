"""Limits for one input: CPU time, so that a slow machine has no findings, and memory."""

from __future__ import annotations

import contextlib
import faulthandler
import resource
import signal
import sys
from collections.abc import Iterator
from types import FrameType

CPU_SECONDS = 30  # for one input; the slowest valid ones take about two
MEMORY = 1_500_000_000  # bytes in addition to those before the first input
WALL_SECONDS = 300.0  # the process is then killed: a library waits or ignores signals


class TooLong(BaseException):
    """An input took more than `CPU_SECONDS`."""


class TooLarge(BaseException):
    """An input took more than `MEMORY`."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raise `TooLong` or `TooLarge` for an input that takes too much time or memory."""
    before = _peak()

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {CPU_SECONDS} s of CPU time")

    former = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    faulthandler.dump_traceback_later(WALL_SECONDS, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)
        faulthandler.cancel_dump_traceback_later()
    if _peak() - before > MEMORY:
        raise TooLarge(f"{(_peak() - before) / 1e9:.1f} GB more than before")


def _peak() -> int:
    """Return the peak memory of this process [bytes]."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes if sys.platform == "darwin" else 1024 * kilobytes


def cap_memory() -> None:
    """Limit memory to 4 GB beyond the present mapping: larger allocations fail at once."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 no file of ours
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + 4_000_000_000, resource.RLIM_INFINITY))
