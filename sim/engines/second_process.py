"""Numbers that a copy of this process computes on a second processor, at the same time.

A process, not a thread, for an engine's calls hold Python's lock. The copy has the same state and
takes the same steps, so that its numbers are the same to the bit. There is none where this process
has threads, which a copy would lack, where no second processor is idle, in a worker of a study, and
on systems other than Linux: everything is then computed here.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from sim.maths.arrays import Array

VARIABLE = "SIM_SECOND_PROCESS"  # of the environment: "0" computes everything in one process


@contextlib.contextmanager
def second_process(
    compute: Callable[[], Array], shape: tuple[int, ...], *, is_worthwhile: bool
) -> Iterator[Callable[[], Array]]:
    """Begin to compute an array of a shape; yields what waits for it.

    It is computed here, when it is waited for, if there is no second process, or if that fails: an
    error is raised here then.

    Parameters
    ----------
    compute : callable
    shape : tuple of int
    is_worthwhile : bool
        Whether it takes much longer than to copy a process.
    """
    if not (is_worthwhile and _is_possible()):
        yield compute
        return
    shared = mmap.mmap(-1, 8 * math.prod(shape))
    found = np.frombuffer(shared).reshape(shape)
    child = os.fork()
    if child == 0:
        _compute_and_end(compute, found)
    status: int | None = None

    def wait() -> Array:
        nonlocal status
        _, status = os.waitpid(child, 0)
        return found if status == 0 else compute()

    try:
        yield wait
    finally:
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _is_possible() -> bool:
    """Whether a copy of this process is one, and there is a processor for it."""
    if not sys.platform.startswith("linux") or os.environ.get(VARIABLE) == "0":
        return False
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return False  # a worker
    processors = len(os.sched_getaffinity(0))
    is_one_idle = os.getloadavg()[0] < processors - 0.5  # else a copy is waited for: a seventh more
    return processors > 1 and is_one_idle and _thread_count() == 1


def _thread_count() -> int:
    """Threads of this process, those of libraries among them."""
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def _compute_and_end(compute: Callable[[], Array], found: Array) -> None:
    """What the copy does: nothing of it is seen but the numbers."""
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        found[:] = compute()
        status = 0
    finally:
        os._exit(status)
