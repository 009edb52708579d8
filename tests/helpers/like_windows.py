"""A process that lacks what Python on Windows lacks: ``python like_windows.py ARGUMENTS OF SIM``.

There is no fcntl, no user's number, no SIGHUP; folders cannot be opened, and a file that is open
through a handle is neither removed nor moved, nor is a folder that it is in; a move replaces no
folder; a library has a name. ``msvcrt.locking`` is made of record locks of POSIX, which a process
loses as one of Windows does, when it ends.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import signal
import struct
import sys
import types
from pathlib import Path

MISSING = ("fcntl", "grp", "pwd", "resource", "termios")
OPEN: dict[int, str] = {}  # full names of files that are open, by their handle


class _Missing:
    """A finder of modules that finds some never."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _locking() -> types.ModuleType:
    module = types.ModuleType("msvcrt")
    module.LK_NBLCK = 2

    def locking(handle: int, mode: int, count: int) -> None:
        assert mode == module.LK_NBLCK
        # of the open file (F_OFD_SETLK), as on Windows, and not of the process
        where = os.lseek(handle, 0, os.SEEK_CUR)
        record = _record(fcntl.F_WRLCK, where, count)
        fcntl.fcntl(handle, 37, record)

    module.locking = locking
    return module


def _record(kind: int, start: int, length: int) -> bytes:
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0)


def _is_used(path: object) -> bool:
    full = os.path.realpath(os.fspath(path))
    return any(
        _is_open(handle, name) and (name == full or name.startswith(full + os.sep))
        for handle, name in list(OPEN.items())
    )


def _is_open(handle: int, name: str) -> bool:
    """Whether it is still; files of Python's own close their handles by themselves."""
    try:
        return os.path.samestat(os.fstat(handle), Path(name).stat())
    except OSError:
        return False


def take_away() -> None:
    """Make this process like one on Windows, as far as `sim` can tell."""
    shutil._use_fd_functions = False  # folders are removed by paths, as on Windows
    for name in MISSING:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Missing())
    sys.modules["msvcrt"] = _locking()
    true = {name: getattr(os, name) for name in ("open", "close", "unlink", "rename", "replace")}

    def open_(path, flags, mode=0o777, *, dir_fd=None):
        if dir_fd is None and Path(path).is_dir() and not str(path).startswith(sys.prefix):
            raise PermissionError(13, "Permission denied", str(path))
        handle = true["open"](path, flags, mode, dir_fd=dir_fd)
        OPEN[handle] = os.path.realpath(path)
        return handle

    def close(handle):
        OPEN.pop(handle, None)
        true["close"](handle)

    def unlink(path, **more):
        if _is_used(path):
            raise PermissionError(32, "The file is being used by another process", str(path))
        true["unlink"](path, **more)

    def moved(name):
        def move(one, other, **more):
            if _is_used(one) or _is_used(other):
                raise PermissionError(32, "The file is being used by another process", str(one))
            if Path(other).is_dir() or (name == "rename" and os.path.lexists(other)):
                raise PermissionError(5, "Access is denied", str(other))
            true[name](one, other, **more)

        return move

    os.open, os.close, os.unlink, os.remove = open_, close, unlink, unlink
    os.rename, os.replace = moved("rename"), moved("replace")
    for name in ("geteuid", "getuid", "pread", "O_NOFOLLOW", "sysconf", "fork"):
        delattr(os, name)
    del signal.SIGHUP
    library = ctypes.CDLL

    def named(name, *more, **options):
        if name is None:
            raise TypeError("LoadLibrary() argument 1 must be str, not None")
        return library(None if name == "ucrtbase" else name, *more, **options)

    ctypes.CDLL = named


def main() -> None:
    """Import what is not ours as it is, take away, and run the command."""
    # what these do with a system is their own matter
    import scipy.optimize  # noqa: F401

    take_away()
    import sim

    sim.main()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
