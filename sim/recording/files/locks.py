"""Locks that the system frees when a process ends, however it ends: by flock, or msvcrt on Windows.

Windows has no ``fcntl``, opens no folders, and removes no file that is open: there a byte far
behind the end of a file is locked, and a file among the temporary files stands for a folder.

The package ``filelock`` would not serve: it cannot lock a folder, but leaves a file in it; on
Windows it locks a file's first byte, which keeps readers of a study's log waiting; and importing it
takes 32 ms of a run.
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
BEHIND = 2**30  # the byte that stands for the file: its readers are not kept waiting
PAUSE = 0.05  # s between two tries where the system does not wait by itself


def try_lock(handle: int) -> bool:
    """Whether an open file is locked by this process now; False where another has it locked."""
    try:
        if IS_POSIX:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            _lock_byte(handle)
    except OSError:
        return False
    return True


def is_own(handle: int) -> bool:
    """Whether an open file is this user's; where files have no numbers of users, all are."""
    user = getattr(os, "geteuid", None)
    return user is None or os.fstat(handle).st_uid == user()


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """One after the other: blocks of this with the same folder, in all processes of this machine.

    Raises
    ------
    OSError
        If the folder is not there.
    """
    handle = os.open(folder, os.O_RDONLY) if IS_POSIX else _stand_in(folder)
    try:
        if IS_POSIX:
            with contextlib.suppress(OSError):  # a disk without locks of folders
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
    """An open file that stands for a folder; it stays, empty, for the next one."""
    name = os.path.normcase(folder.resolve(strict=True))
    mark = hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
    return os.open(Path(tempfile.gettempdir()) / f"sim-{mark}.lock", OPEN | os.O_CREAT, 0o666)
