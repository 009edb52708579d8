"""Two folders that change their names in one move, where the system can do it."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_WORKING_FOLDER = -100  # AT_FDCWD of Linux: paths are those that other calls take
_EXCHANGE = 2  # RENAME_EXCHANGE


def exchange_names(one: Path, other: Path) -> bool:
    """Exchange two names on one disk; False, and nothing done, where the system cannot."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, TypeError, OSError):  # TypeError: Windows has no library without name
        return False
    done = rename(
        _WORKING_FOLDER,
        ctypes.c_char_p(os.fsencode(one)),
        _WORKING_FOLDER,
        ctypes.c_char_p(os.fsencode(other)),
        ctypes.c_uint(_EXCHANGE),
    )
    return bool(done == 0)
