"""Permission to execute a Python file named by a results folder, and its imports.

A description may come from another person, and the script with it: neither a path nor a hash in the
description proves anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sim.errors import ScenarioError, missing
from sim.recording.files.whole_files import sha256
from sim.robots.local_code import Permission, imported_files, is_shipped, refusal_text
from sim.scenario.known_code import known_modules
from sim.shipped import scenarios

NO_CODE = ".adm"  # suffix of decks, which execute nothing


def require_same_text(path: str | Path, digest: object) -> Path:
    """Return the file named by a description; a shipped file with the same text has priority.

    Parameters
    ----------
    path : str or Path
        Path in the description.
    digest : object
        SHA-256 of the text for which the results were made, from the description.

    Raises
    ------
    ScenarioError
        If the file is missing or has a different text; states the remedy.
    """
    path = Path(path)
    shipped = scenarios() / path.name
    if shipped.is_file() and sha256(shipped) == digest:
        return shipped
    sha = f"SHA-256 {str(digest)[:12]}…"
    if not path.is_file():
        raise ScenarioError(f"{missing(path)}; the results were made with it ({sha}): restore it")
    if (now := sha256(path)) != digest:
        raise ScenarioError(
            f"{path} is not executed: it has changed since the results were made ({sha}, and "
            f"{now[:12]}… now); name it yourself to begin anew"
        )
    return path


def permission_for(paths: Iterable[Path], *, trust: bool) -> Permission:
    """Return the permission to execute files that a description names.

    A file may be executed if it ships with the package, or if the user has run it here by name
    with every local module that it imports.

    Parameters
    ----------
    paths : iterable of Path
    trust : bool
        Whether the user has read the files: they and all their imports may be executed.

    Raises
    ------
    ScenarioError
        Names the files that are not known.
    """
    if trust:
        return Permission()
    allowed: set[str] = set()
    unknown: list[Path] = []
    for path in paths:
        if path.suffix.lower() == NO_CODE:
            continue
        files = {
            file: digest for file, digest in imported_files(path).items() if not is_shipped(file)
        }
        modules = known_modules(files.get(path, ""))
        known = set() if modules is None else {files[path], *modules}
        unknown += [file for file, digest in files.items() if digest not in known]
        allowed |= known
    if unknown:
        raise ScenarioError(refusal_text(list(dict.fromkeys(unknown))))
    return Permission(frozenset(allowed))
