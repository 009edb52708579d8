"""Suppression of the output that a C library writes to the process's file descriptors."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

_lock = threading.RLock()


@contextlib.contextmanager
def suppress_c_output() -> Iterator[None]:
    """Redirect file descriptors 1 and 2 to the null device inside the block.

    The C buffers are flushed before the descriptors are restored; otherwise a piped run would print
    the suppressed output later.
    """
    with _lock, Path(os.devnull).open("wb") as nowhere:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        kept = [os.dup(fd) for fd in (1, 2)]
        try:
            for fd in (1, 2):
                os.dup2(nowhere.fileno(), fd)
            yield
        finally:
            flush_c_output()
            for fd, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, fd)
                os.close(copy)


def flush_c_output() -> None:
    """Flush the output of C functions, so that Python's follows it."""
    _c_library().fflush(None)


def _c_library() -> ctypes.CDLL:
    """Return the C library of this process, whose buffers PyBullet uses."""
    try:
        return ctypes.CDLL(None)
    except TypeError:  # Windows requires a library name
        return ctypes.CDLL("ucrtbase")
