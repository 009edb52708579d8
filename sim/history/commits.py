"""Git commit at which a run was made; empty where git does not know it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from sim.history.entry import seconds_of


def commit_of(folder: Path, made: str) -> tuple[str, bool]:
    """The commit that a folder is at, and whether the folder's tracked files are as in it.

    A commit that is younger than the run, `made` in ISO 8601, is not the run's: then it is empty.
    """
    head = _git(folder, "log", "-1", "--format=%H %cI")
    if not head:
        return "", True
    commit, _, committed = head.partition(" ")
    if seconds_of(committed) > seconds_of(made):
        return "", True
    others = "--", ".", ":!results"  # what runs and acceptances write is not what they are made by
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", *others)
    return commit, changed == ""


def commit_that_has(path: Path, written: str) -> str:
    """The first commit of a file from a time on, ISO 8601; empty where there is none."""
    log = _git(path.parent, "log", "--reverse", "--format=%H %cI", "--", path.name)
    for line in (log or "").splitlines():
        commit, _, committed = line.partition(" ")
        if seconds_of(committed) >= seconds_of(written):
            return commit
    return ""


def _git(folder: Path, *arguments: str) -> str | None:
    """Output of git; None where it is not installed, or the folder is in no repository."""
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
