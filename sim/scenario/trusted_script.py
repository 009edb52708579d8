"""Whether a Python file that a folder of results names may be executed, and what it may import.

A description may come from another person, and the script with it: neither a place nor a hash in
the description proves anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sim.errors import ScenarioError, missing
from sim.recording.files.whole_files import sha256
from sim.robots.local_code import Permission, imported_files, refusal_text, ships
from sim.scenario.known_code import known_modules
from sim.shipped import scenarios

NO_CODE = ".adm"  # the ending of decks, which execute nothing


def require_same_text(path: str | Path, digest: object) -> Path:
    """File of a hash that a description names; a shipped file with that text has priority.

    Parameters
    ----------
    path : str or Path
        As the description names it.
    digest : object
        SHA-256 of the text that the results were made with, as the description holds it.

    Raises
    ------
    ScenarioError
        If it is not there or of another text; contains what may be done.
    """
    path = Path(path)
    shipped = scenarios() / path.name
    if shipped.is_file() and sha256(shipped) == digest:
        return shipped
    made = f"SHA-256 {str(digest)[:12]}…"
    if not path.is_file():
        raise ScenarioError(f"{missing(path)}; the results were made with it ({made}): restore it")
    if (now := sha256(path)) != digest:
        raise ScenarioError(
            f"{path} is not executed: it has changed since the results were made ({made}, and "
            f"{now[:12]}… now); name it yourself to begin anew"
        )
    return path


def permission_for(paths: Iterable[Path], *, trust: bool) -> Permission:
    """Permission to execute files that a description names.

    A file may be executed if it ships with the package, or if the user has run it here by name
    with every local module that it imports.

    Parameters
    ----------
    paths : iterable of Path
    trust : bool
        The user has read the files: they, and all that they import, may be executed.

    Raises
    ------
    ScenarioError
        Naming the files that are not known.
    """
    if trust:
        return Permission()
    allowed: set[str] = set()
    unknown: list[Path] = []
    for path in paths:
        if path.suffix.lower() == NO_CODE:
            continue
        files = {file: digest for file, digest in imported_files(path).items() if not ships(file)}
        modules = known_modules(files.get(path, ""))
        known = set() if modules is None else {files[path], *modules}
        unknown += [file for file, digest in files.items() if digest not in known]
        allowed |= known
    if unknown:
        raise ScenarioError(refusal_text(list(dict.fromkeys(unknown))))
    return Permission(frozenset(allowed))
