"""require_trusted: whether a Python file that a folder of results names may be executed.

A description may come from another person: it names any file of this machine, or one with it.
"""

from __future__ import annotations

from pathlib import Path

from sim.errors import ScenarioError
from sim.recording.files.whole_files import sha256
from sim.shipped import scenarios


def require_trusted(
    path: str | Path, digest: object, trust: bool, received: Path | None = None
) -> Path:
    """The file to execute, whose text is that of the hash; a shipped one of that text comes first.

    Parameters
    ----------
    path : str or Path
        As the description names it.
    digest : object
        SHA-256 of the text that the results were made with, as the description holds it.
    trust : bool
        The user has stated that the file may be executed wherever it is; never one of another text.
    received : Path, optional
        The folder that holds the description.

    Raises
    ------
    ScenarioError
        If it is not there or of another text; without `trust` also if it is not below the working
        directory, or in the folder of the description. Contains what may be done.
    """
    path = Path(path)
    shipped = scenarios() / path.name
    if shipped.is_file() and sha256(shipped) == digest:
        return shipped
    made = f"SHA-256 {str(digest)[:12]}…"
    if not path.is_file():
        raise ScenarioError(
            f"{path}, which the results were made with, is not there ({made}); bring it back"
        )
    if (now := sha256(path)) != digest:
        raise ScenarioError(
            f"{path} is not executed: it has changed since the results were made ({made}, and "
            f"{now[:12]}… now); name it yourself to begin anew"
        )
    here, there = Path.cwd().resolve(), path.resolve()
    if not trust:
        why = "" if there.is_relative_to(here) else f"is not below {here}"
        if received is not None and there.is_relative_to(received.resolve()):
            why = "came with the results"
        if why:
            raise ScenarioError(
                f"{path} is not executed: it {why}; read it, and say --trust if it may be"
            )
    return path
