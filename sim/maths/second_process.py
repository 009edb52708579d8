"""Computation in a copy of this process, on a second processor in parallel.

A process is used rather than a thread because an engine's calls hold Python's lock. The copy has
the same state and takes the same steps, so that its numbers are bitwise identical. Everything is
computed in this process if it has threads, which a copy would lack, if no second processor is idle,
in a worker of a study, and on systems other than Linux.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

VARIABLE = "SIM_SECOND_PROCESS"  # environment variable: "0" disables the second process
WORTH_A_COPY = 2000  # samples whose work takes longer than copying a process
COPIES_YIELD = 5  # increment of niceness: where copies share a processor with this process


@contextlib.contextmanager
def second_process(compute: Callable[[], T], *, is_worthwhile: bool) -> Iterator[Callable[[], T]]:
    """Start computing a value; yields a function that waits for it.

    Without a second process, or if it fails, that function computes the value here, where errors
    are raised.

    Parameters
    ----------
    compute : callable
        Its result must be picklable; it has no other effect on this process.
    is_worthwhile : bool
        Whether it takes much longer than copying a process.
    """
    if not (is_worthwhile and _is_possible()):
        yield compute
        return
    with os.fdopen(os.memfd_create("sim"), "w+b") as file:
        child = os.fork()
        if child == 0:
            _compute_and_end(compute, file.fileno())
        status: int | None = None

        def wait() -> T:
            nonlocal status
            _, status = os.waitpid(child, 0)
            if status:
                return compute()
            value: T = pickle.load(file)
            return value

        try:
            yield wait
        finally:
            if status is None:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _is_possible() -> bool:
    """Whether a copy of this process is equivalent, and a processor is available."""
    if not sys.platform.startswith("linux") or os.environ.get(VARIABLE) == "0":
        return False
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return False  # a worker
    processors = len(os.sched_getaffinity(0))
    # Otherwise waiting costs a seventh more. The load is a mean over the last minute.
    is_one_idle = os.getloadavg()[0] < processors - 0.5 or _running_count() < processors
    return processors > 1 and is_one_idle and _thread_count() == 1


def _running_count() -> int:
    """Return the number of threads on this machine that run or could run now, this one included."""
    return int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0])


def _thread_count() -> int:
    """Return the number of threads of this process, including those of libraries."""
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def _compute_and_end(compute: Callable[[], object], result: int) -> None:
    """Run the copy: only the value, pickled into the file `result`, has an effect."""
    status = 1
    try:
        gc.disable()  # collection would write to, and so copy, all shared memory
        os.nice(COPIES_YIELD)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        value = compute()
        with open(result, "wb", closefd=False) as file:
            pickle.dump(value, file, protocol=5)
        os.lseek(result, 0, os.SEEK_SET)  # this offset is the parent's, too
        status = 0
    finally:
        os._exit(status)
