"""Limits of what one input may take: CPU time, so that a slow machine finds nothing, and memory."""

from __future__ import annotations

import contextlib
import faulthandler
import resource
import signal
import sys
from collections.abc import Iterator
from types import FrameType

CPU_SECONDS = 30  # of one input; the slowest honest ones take about two
MEMORY = 1_500_000_000  # bytes more than before the first input
WALL_SECONDS = 300.0  # then the process is killed: some library waits, or never looks up


class TooLong(BaseException):
    """An input took more than `CPU_SECONDS`."""


class TooLarge(BaseException):
    """An input took more than `MEMORY`."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """An input that takes too much time or memory raises `TooLong` or `TooLarge`."""
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
    """The most memory that this process has had [bytes]."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes if sys.platform == "darwin" else 1024 * kilobytes


def cap_memory() -> None:
    """No more than 4 GB beyond what is mapped now: an allocation of more is refused, not tried."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 no file of ours
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + 4_000_000_000, resource.RLIM_INFINITY))
