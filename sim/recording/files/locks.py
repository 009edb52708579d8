"""Locks released by the system when a process ends for any reason: flock, or msvcrt on Windows.

Windows has no ``fcntl``, cannot open folders, and cannot remove open files: there a byte far beyond
the end of a file is locked, and a temporary file represents a folder.

The package ``filelock`` is not suitable: instead of locking a folder it leaves a file in it; on
Windows it locks a file's first byte, which blocks readers of a study's log; and importing it takes
32 ms of a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    IS_POSIX = False
else:
    IS_POSIX = True

OPEN = os.O_RDWR | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
BEHIND = 2**30  # the locked byte, beyond the end so that readers are not blocked
PAUSE = 0.05  # [s] between attempts if the system does not wait itself


def try_lock(handle: int) -> bool:
    """Try to lock an open file for this process; return False if another process has locked it."""
    try:
        if IS_POSIX:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            _lock_byte(handle)
    except OSError:
        return False
    return True


def is_own(handle: int) -> bool:
    """Whether an open file belongs to this user; always true without user ids."""
    user = getattr(os, "geteuid", None)
    return user is None or os.fstat(handle).st_uid == user()


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Serialise blocks with the same folder over all processes of this machine.

    Raises
    ------
    OSError
        If the folder does not exist.
    """
    handle = os.open(folder, os.O_RDONLY) if IS_POSIX else _stand_in(folder)
    try:
        if IS_POSIX:
            with contextlib.suppress(OSError):  # file systems without folder locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        else:
            while not try_lock(handle):
                time.sleep(PAUSE)
        yield
    finally:
        os.close(handle)


def _lock_byte(handle: int) -> None:
    import msvcrt

    place = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, BEHIND, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    finally:
        os.lseek(handle, place, os.SEEK_SET)


def _stand_in(folder: Path) -> int:
    """Open a file that represents a folder; it is kept, empty, for the next process."""
    name = os.path.normcase(folder.resolve(strict=True))
    mark = hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
    return os.open(Path(tempfile.gettempdir()) / f"sim-{mark}.lock", OPEN | os.O_CREAT, 0o666)
