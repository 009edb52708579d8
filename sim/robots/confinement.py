"""Confinement of a process: it may read files below given folders only.

It can neither write files, start processes nor use the network. This is for untrusted code
evaluated in a process of its own, and is a second barrier besides the rules of the evaluator; it
does not contain code that escapes from the interpreter.
"""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_HARMLESS = frozenset(
    (
        *("builtins.id", "compile", "cpython._PySys_ClearAuditHooks", "exec", "glob.glob"),
        *("import", "marshal.loads", "object.__getattr__", "os.listdir", "os.scandir"),
        "sys._getframe",
    )
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


def confine(below: Sequence[Path]) -> None:
    """Restrict this process until it ends; see the head of this file.

    Parameters
    ----------
    below : sequence of Path
        Folders whose files may be read, besides those of Python itself.
    """
    paths = sysconfig.get_paths()
    libraries = [paths[name] for name in ("stdlib", "platstdlib", "purelib")]
    package = str(Path(__file__).parents[1])
    allowed = [os.path.realpath(one) for one in (*libraries, package, *map(str, below))]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            _require_reading(arguments, allowed)
        elif event not in _HARMLESS:
            raise PermissionError(f"{event} is not allowed in a file that was dropped")

    sys.addaudithook(hook)


def _require_reading(arguments: tuple[Any, ...], allowed: list[str]) -> None:
    path, mode, flags = arguments
    if isinstance(path, int):
        return
    if (flags or 0) & _WRITING or (mode and set(mode) & set("wax+")):
        raise PermissionError(f"writing {path!r} is not allowed in a file that was dropped")
    place = os.path.realpath(os.fsdecode(path))
    if not any(place.startswith(one + os.sep) for one in allowed):
        raise PermissionError(errno.EACCES, "it is outside the folder", str(path))
