"""The files of a recording of ROS, looked at before a reader opens them."""

from __future__ import annotations

import re
from pathlib import Path

from sim.errors import ForeignError, ModelError
from sim.robots.guarded_file import read_regular_file

METADATA = "metadata.yaml"
LARGEST_METADATA = 10_000_000  # bytes; a thousand topics take a tenth of it
DEEPEST = 100  # levels of YAML, which a reader follows by calling itself
_LEVELS = re.compile(r"[ \t]*(?:- )*")


def require_bag_files(path: Path) -> None:
    """Check that a recording has regular files only, and a list of contents that can be read.

    Parameters
    ----------
    path : Path
        The folder of a bag, or a single file.

    Raises
    ------
    ForeignError
        If there is a pipe or a device, which may have no end, or ``metadata.yaml`` is too large or
        nested too deep.
    """
    files = list(path.iterdir()) if path.is_dir() else [path]
    for file in files:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise ForeignError(f"{file} is not a regular file; a pipe or a device may never end")
    if not (path / METADATA).is_file():
        return
    try:
        text = read_regular_file(path / METADATA, LARGEST_METADATA).decode("utf-8", "replace")
    except (ModelError, OSError) as error:
        raise ForeignError(f"{path.name} cannot be read: {error}") from None
    depth = most = 0
    for character in text:
        depth = max(depth + (character in "[{") - (character in "]}"), 0)
        most = max(most, depth)
    lines = (_LEVELS.match(line) for line in text.splitlines())
    most = max(most, max((len(indent[0]) // 2 for indent in lines if indent), default=0))
    if most > DEEPEST:
        raise ForeignError(f"{path / METADATA} is nested {most} levels deep; {DEEPEST} are allowed")
