"""Folders that appear completely or not at all, and keep files of other origin."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from sim.errors import RecordingError
from sim.recording.files.leftovers import (
    StagingArea,
    files_written_in,
    remove_leftovers,
    remove_previous,
)
from sim.recording.files.locks import exclusive
from sim.recording.files.whole_files import refusal

NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MAY_NOT = "; choose a folder that you may write to (--out DIR)"
_WORKING_FOLDER = -100  # AT_FDCWD of Linux: paths are as in other calls
_EXCHANGE = 2  # RENAME_EXCHANGE


@contextlib.contextmanager
def staging(folder: Path, marker: str) -> Iterator[Path]:
    """Yield a hidden folder next to `folder` that replaces it when the block succeeds.

    After an error nothing is left behind and an existing `folder` is unchanged. Only files named in
    the marker of an existing `folder` are removed; others are kept. Remains of a killed process
    next to `folder` are removed first.

    Parameters
    ----------
    folder : Path
        Destination; it may exist if it is empty or has a file named `marker`.
    marker : str
        The file that identifies a folder as ours: JSON whose ``files`` lists the others.

    Raises
    ------
    RecordingError
        If `folder` has other contents or cannot be written.
    """
    created: list[Path] = []
    try:
        folder = folder.resolve()
        if folder.parent.is_dir():
            remove_leftovers(folder.parent, marker)
        _require_free(folder, marker)
        created += [parent for parent in folder.parents if not parent.exists()]
        folder.parent.mkdir(parents=True, exist_ok=True)
        place = StagingArea.open(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: circular links
        _remove_empty(created)
        raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from None
    try:
        yield place.stage
        with exclusive(folder.parent):
            _swap(place, folder)
            _retire(place.old, folder, marker)
    except BaseException as error:
        shutil.rmtree(place.stage, ignore_errors=True)
        place.close()
        _remove_empty(created)
        if isinstance(error, RecordingError) and str(place.stage) in str(error):
            # the stage is removed: the message names the folder
            raise RecordingError(str(error).replace(str(place.stage), str(folder))) from error
        if isinstance(error, OSError) and _is_in(place.stage, error):
            raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from error
        raise
    place.close()


def require_possible(folder: Path) -> None:
    """Check that no file blocks the path of a folder.

    Raises
    ------
    RecordingError
        If one does.
    """
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise RecordingError(f"Cannot write to {folder}: {place} is not a folder")


def _require_free(folder: Path, marker: str) -> None:
    require_possible(folder)
    if folder == Path.cwd():
        raise RecordingError(f"{folder} is the working folder; choose a new folder in it")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    if not (folder / marker).is_file():
        raise RecordingError(
            f"{folder} contains other files and no {marker}; choose an empty or a new folder"
        )
    if not os.access(folder, os.W_OK | os.X_OK):  # write-protected
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if files_written_in(folder, marker) is None:
        raise RecordingError(
            f"{folder / marker} does not list the files of its run, so nothing there may be "
            "replaced; choose an empty or a new folder"
        )


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _swap(place: StagingArea, folder: Path) -> None:
    """Replace `folder` by the stage, which makes it `place.old`.

    This is a single exchange if the file system supports it. Otherwise it takes two renames, and
    the next writer restores the previous folder if a process was killed in between.
    """
    try:
        if not folder.exists():
            place.stage.replace(folder)
            return
        # The stage is complete now. Under the name for previous runs it is not deleted as
        # incomplete, and after the exchange that name belongs to the previous run.
        place.stage.replace(place.old)
        if exchange_names(place.old, folder):
            return
        place.old.replace(place.stage)
        folder.replace(place.old)
        place.stage.replace(folder)
    except OSError as error:
        if place.old.exists() and not os.path.lexists(folder):
            place.old.replace(folder)
        raise RecordingError(f"Cannot write to {folder}: {_reason(error)}") from None


def exchange_names(one: Path, other: Path) -> bool:
    """Exchange two names on one file system; False, without changes, if this is not supported."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, TypeError, OSError):  # TypeError: Windows requires a library name
        return False
    done = rename(
        _WORKING_FOLDER,
        ctypes.c_char_p(os.fsencode(one)),
        _WORKING_FOLDER,
        ctypes.c_char_p(os.fsencode(other)),
        ctypes.c_uint(_EXCHANGE),
    )
    return bool(done == 0)


def _retire(old: Path, folder: Path, marker: str) -> None:
    try:
        remove_previous(old, folder, marker)
    except OSError as error:
        raise RecordingError(
            f"{folder} is written, but its other files could not be moved into it and are in "
            f"{old}: {_reason(error)}"
        ) from None


def _is_in(stage: Path, error: OSError) -> bool:
    """Whether a system error is of a file in the stage, or of a full disk, where it names none."""
    name = error.filename
    return error.errno in FULL if name is None else Path(os.fsdecode(name)).is_relative_to(stage)


def _reason(error: Exception) -> str:
    if not isinstance(error, OSError):
        return str(error)
    return f"{refusal(error)}{MAY_NOT if error.errno in NO_RIGHT else ''}"
