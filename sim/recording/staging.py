"""Folders that appear complete or not at all."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sim.errors import RecordingError


@contextlib.contextmanager
def staged(folder: Path, marker: str) -> Iterator[Path]:
    """A hidden folder beside `folder` that takes its place when the block ends well.

    After an error nothing is left behind and an earlier `folder` is as it was.

    Parameters
    ----------
    folder : Path
        Where the result goes; it may exist if it is empty or holds a file named `marker`.
    marker : str
        The file that shows a folder to be one of ours.

    Raises
    ------
    RecordingError
        If `folder` holds something else or cannot be written.
    """
    made: list[Path] = []
    try:
        folder = folder.resolve()
        _require_free(folder, marker)
        made += [parent for parent in folder.parents if not parent.exists()]
        folder.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
        stage.chmod(0o755)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        _remove_empty(made)
        raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from None
    try:
        yield stage
        _swap(stage, folder)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        _remove_empty(made)
        raise


def _require_free(folder: Path, marker: str) -> None:
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise RecordingError(f"Cannot write to {folder}: {place} is not a folder")
    if folder == Path.cwd():
        raise RecordingError(f"{folder} is the working folder; choose a new folder in it")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / marker).is_file():
        raise RecordingError(
            f"{folder} holds other files and no {marker}; choose an empty or a new folder"
        )


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _swap(stage: Path, folder: Path) -> None:
    """Put `stage` in the place of `folder`; a rename each, so that no half folder is ever seen."""
    old = stage.with_name(f"{stage.name}.old")
    try:
        if folder.exists():
            folder.replace(old)
        stage.replace(folder)
    except OSError as error:
        if old.exists():
            old.replace(folder)
        raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from None
    shutil.rmtree(old, ignore_errors=True)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
