"""Text of a file from any program: detection of encodings and of binary files."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from sim.errors import ForeignError, unreadable

MOST_BYTES = 500_000_000  # larger tables should be read from Parquet
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LINE_ENDS = {"\t", "\n", "\r", "\f", "\x1a"}  # 1a: end of file in DOS


def bytes_of(path: Path) -> bytes:
    """Return the content of a file.

    Raises
    ------
    ForeignError
        If it is missing, not a file, empty, too large, or cannot be read.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ForeignError(f"{path} is not a file; a pipe or a device may never end")
        if path.is_file() and path.stat().st_size > MOST_BYTES:
            size = path.stat().st_size / 1e6
            raise ForeignError(
                f"{path} has {size:.0f} MB, more than the {MOST_BYTES / 1e6:.0f} MB that are read; "
                "leave out columns, or write it as Parquet"
            )
        data = path.read_bytes()
    except OSError as error:
        raise ForeignError(unreadable(path, error)) from None
    if not data:
        raise ForeignError(f"{path} is empty")
    return data


def text_of(path: Path) -> str:
    """Return the text of a file in UTF-8 or UTF-16, with or without a BOM, or else in Latin-1.

    Raises
    ------
    ForeignError
        If it cannot be read, or is not text.
    """
    data = bytes_of(path)
    text = decode(data)
    if text is None or any(ord(c) < 32 and c not in _LINE_ENDS for c in set(text)):
        raise ForeignError(f"{path} is not text: it has bytes that no table of numbers has")
    return text.replace("\x1a", "")


def decode(data: bytes) -> str | None:
    """Decode UTF-8 or UTF-16, with or without a BOM, or else Latin-1; None if not text."""
    if data.startswith(_UTF_16):
        guesses = ["utf-16"]
    elif b"\0" in data:  # only UTF-16 text has zeros; in a table they are every other byte
        guesses = ["utf-16-le" if data[1:2] == b"\0" else "utf-16-be"]
    else:
        guesses = ["utf-8-sig", "cp1252", "latin-1"]
    for encoding in guesses:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def source_of(path: Path, text: str) -> str:
    """Return the file's name, and ADAMS if the file states it as its origin."""
    return f"{path.name} (ADAMS)" if re.search("adams", text[:500], re.IGNORECASE) else path.name
