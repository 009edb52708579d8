"""Bound of the memory that a library uses for a file: a few kilobytes can need any amount."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

MEMORY = 1_200_000_000  # bytes, in addition to what the process has


@contextlib.contextmanager
def bounded_memory(extra: int = MEMORY) -> Iterator[None]:
    """Let this process take so much more memory and no more, where Linux can bound it.

    Raises
    ------
    MemoryError
        From whatever asks for more.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError, ValueError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = pages * resource.getpagesize() + extra
    if soft != resource.RLIM_INFINITY:
        bound = min(bound, soft)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
