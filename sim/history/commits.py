"""Git commit at which a run was made; empty if unknown to git."""

from __future__ import annotations

import subprocess
from pathlib import Path

from sim.history.entry import seconds_of


def commit_of(folder: Path, since: str) -> tuple[str, bool]:
    """Return the commit of a folder, and whether the folder's tracked files are unchanged from it.

    A commit later than the run, `since` in ISO 8601, is not the run's: the result is then empty.
    """
    head = _git(folder, "log", "-1", "--format=%H %cI")
    if not head:
        return "", True
    commit, _, committed = head.partition(" ")
    if seconds_of(committed) > seconds_of(since):
        return "", True
    others = "--", ".", ":!results"  # output of runs and acceptances does not influence runs
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", *others)
    return commit, changed == ""


def commit_that_has(path: Path, since: str) -> str:
    """Return the first commit of a file from a time on, ISO 8601; empty if there is none."""
    log = _git(path.parent, "log", "--reverse", "--format=%H %cI", "--", path.name)
    for line in (log or "").splitlines():
        commit, _, committed = line.partition(" ")
        if seconds_of(committed) >= seconds_of(since):
            return commit
    return ""


def _git(folder: Path, *arguments: str) -> str | None:
    """Return the output of git; None if it is not installed, or the folder is in no repository."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
