"""Files of a run: bytes written completely or not at all, JSON, text and hashes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sim.errors import RecordingError, unreadable


def one_line(error: Exception) -> str:
    """Return the message of a library's error in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file completely or not at all: next to `path`, then moved into place.

    Raises
    ------
    OSError
        Has the name of the file.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError):  # the error of a full disk does not name the file
            raise type(error)(error.errno, error.strerror, str(path)) from error
        raise


def refusal(error: OSError) -> str:
    """Return the reason of a system error, as the system's own text."""
    return os.strerror(error.errno) if error.errno else error.strerror or str(error)


def json_text(content: Any, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """Return JSON of plain and NumPy values; NaN and infinity, which JSON lacks, become null.

    With `ascii_only` other characters are escaped.
    """
    return _encoder(indent, ascii_only).encode(_as_plain(content))


@cache
def _encoder(indent: int | None, ascii_only: bool) -> json.JSONEncoder:
    return json.JSONEncoder(indent=indent, ensure_ascii=ascii_only, allow_nan=False)


def _as_plain(content: Any) -> Any:
    if content is None or isinstance(content, str | int):
        return content
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, list | tuple):
        return [_as_plain(value) for value in content]
    if isinstance(content, Mapping):
        return {key: _as_plain(value) for key, value in content.items()}
    if hasattr(content, "tolist"):  # NumPy numbers, booleans and arrays
        return _as_plain(content.tolist())
    return content


def read_text(path: Path, expected: str) -> str:
    """Return the text of a file that must not have changed since the run wrote it."""
    if sha256(path) != expected:
        raise RecordingError(f"{path} has changed since the run wrote it")
    return decode_text(path)


def decode_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises
    ------
    RecordingError
        If it cannot be read, or is not UTF-8.
    """
    require_end(path)
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(unreadable(path, error)) from None


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, hexadecimal.

    Raises
    ------
    RecordingError
        If the file is missing or cannot be read.
    """
    require_end(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RecordingError(unreadable(path, error)) from None


def require_end(path: Path) -> None:
    """Check that a path is not endless to read.

    Raises
    ------
    RecordingError
        If it is a pipe or a device.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise RecordingError(f"{path} is no file; a pipe or a device may never end")
