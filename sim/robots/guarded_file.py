"""Reading of files named by other files: bounded size, no pipes or devices."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sim.errors import ModelError, unreadable
from sim.robots.xml_text import decode_text

LARGEST_TOML = 1_000_000  # bytes, for a card or a loops file
MOST_DOTS = 1000  # in a line of TOML; a key with as many parts takes seconds to parse


def read_regular_file(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file.

    Raises
    ------
    ModelError
        If it is a folder, a pipe or a device, which may be endless, or has more than `most` bytes.
    OSError
        If there is no such file, or it cannot be read.
    """
    if path.is_dir():
        raise ModelError(f"{path} is a folder; a file is needed")
    # non-blocking: opening a pipe without a writer would otherwise never return
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(number, "rb") as file:  # noqa: PTH123 a number, not a path
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise ModelError(f"{path} is not a regular file; a pipe or a device may never end")
        data = file.read(most + 1)
    if len(data) > most:
        raise ModelError(f"{path} has more than the {most} bytes that are allowed")
    return data


def read_toml(path: Path) -> str:
    """Return the text of a TOML file, checked for size and depth of keys.

    Raises
    ------
    ModelError
        If it cannot be read, is not a regular file or not UTF-8, or is larger or deeper than any
        manually written file.
    """
    try:
        text = decode_text(read_regular_file(path, LARGEST_TOML))
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(unreadable(path, error)) from None
    require_shallow_keys(text, str(path))
    return text


def require_shallow_keys(text: str, source: str) -> None:
    """Check that no line of a TOML text can contain a key with very many parts.

    Raises
    ------
    ModelError
        Names the line.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > MOST_DOTS:
            raise ModelError(
                f"{source}, line {number}: has {line.count('.')} dots; a line may have {MOST_DOTS}"
            )
