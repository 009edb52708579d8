"""Programs for a child process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from sim.errors import ScenarioError


def numbers(count: int) -> Iterator[int]:
    """0, 1, 2, ..."""
    yield from range(count)


def process_id() -> Iterator[int]:
    """The number of the process that runs this, for ever."""
    while True:
        yield os.getpid()
        time.sleep(0.01)


def leaves(after: int, status: int) -> Iterator[int]:
    """Ends its process like PyBullet, with no word."""
    yield from range(after)
    os._exit(status)


def crashes() -> Iterator[int]:
    """Ends its process by a signal."""
    yield 0
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(10)


def fails() -> Iterator[int]:
    """Meets an error of ours."""
    yield 0
    raise ScenarioError("the joint 'elbow' is not there")


def noisy() -> Iterator[str]:
    """Writes where PyBullet writes."""
    os.write(1, b"to stdout")
    os.write(2, b"to stderr")
    yield str(Path.cwd())
