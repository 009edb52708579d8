"""Temporary files for PyBullet, which reads robots and surfaces from files only."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sim.errors import SimError


@contextlib.contextmanager
def temporary_file(name: str, text: str) -> Iterator[str]:
    """Yield the path of a file with a text in the system's temporary folder; remove it afterwards.

    Raises
    ------
    SimError
        If there is no such folder, or no space in it.
    """
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            path = Path(folder) / name
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise SimError(
                f"PyBullet reads {name} from a temporary file, and none can be written "
                f"({error.strerror or error}); set TMPDIR to a folder that you may write to and "
                "that has room"
            ) from None
        yield str(path)
