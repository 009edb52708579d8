r"""Known code: scripts that the user has run by name, with their local modules.

Their hashes are in one file of the user's state folder: ``$XDG_STATE_HOME/sim``, by default
``~/.local/state/sim``; on Windows ``%LOCALAPPDATA%\sim``. If that file cannot be written or read,
no code is known.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Set
from functools import cache
from pathlib import Path

import msgspec

from sim.errors import RecordingError
from sim.recording.files.locks import exclusive, is_own
from sim.recording.files.whole_files import json_text, require_end, write_bytes

FILE = "executed.json"
FORMAT = 1
MOST_SCRIPTS, MOST_MODULES = 2000, 200  # limits; the oldest scripts are removed first
MOST_HASHES = 10_000  # in the whole file
LARGEST_FILE = 2_000_000  # bytes; 10 000 hashes take 0.7 MB


class _Content(msgspec.Struct):
    """Content of the file: hashes of modules by the hash of the script, the oldest script first."""

    format: int
    scripts: dict[str, list[str]]


def state_folder() -> Path | None:
    """Return the state folder of this program; None if the environment defines none.

    A relative folder is ignored, as the specification of XDG requires: it could be part of an
    archive that was unpacked here.
    """
    named = [("LOCALAPPDATA", "")] if os.name == "nt" else []
    for variable, below in (*named, ("XDG_STATE_HOME", ""), ("HOME", ".local/state")):
        folder = Path(os.environ.get(variable, ""))
        if folder.is_absolute():
            return folder / below / "sim"
    return None


def known_modules(script: str) -> frozenset[str] | None:
    """Return hashes of the modules that a script with this hash has loaded; None if unknown."""
    modules = _read().get(script)
    return None if modules is None else frozenset(modules)


def record_executed(script: str, modules: Set[str]) -> None:
    """Record that the user has run a script by name.

    Parameters
    ----------
    script : str
        SHA-256 of its text.
    modules : set of str
        Hashes of the local modules that it has loaded.
    """
    folder = state_folder()
    if folder is not None and len(modules) <= MOST_MODULES:
        _record(folder, script, frozenset(modules))


@cache  # the cases of a study repeat the same record
def _record(folder: Path, script: str, modules: frozenset[str]) -> None:
    with contextlib.suppress(OSError):
        known = known_modules(script)
        if known is not None and modules <= known:
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(folder):
            scripts = _read()
            before = scripts.pop(script, [])
            scripts[script] = sorted(modules.union(before))
            if len(scripts[script]) > MOST_MODULES:  # for too many versions only the last is kept
                scripts[script] = sorted(modules)
            _forget_oldest(scripts)
            content = json_text({"format": FORMAT, "scripts": scripts})
            write_bytes(folder / FILE, content.encode("ascii"))


def _forget_oldest(scripts: dict[str, list[str]]) -> None:
    hashes = sum(1 + len(modules) for modules in scripts.values())
    for oldest in list(scripts):
        if len(scripts) <= MOST_SCRIPTS and hashes <= MOST_HASHES:
            return
        hashes -= 1 + len(scripts.pop(oldest))


def _read() -> dict[str, list[str]]:
    """Return the content of the file; empty if it is missing, another user's, or damaged."""
    folder = state_folder()
    if folder is None:
        return {}
    try:
        require_end(folder / FILE)
        with (folder / FILE).open("rb") as file:
            if not is_own(file.fileno()):
                return {}
            data = file.read(LARGEST_FILE + 1)
        content = msgspec.json.decode(data, type=_Content)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError, RecordingError):
        return {}
    return content.scripts if content.format == FORMAT else {}
