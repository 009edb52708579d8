"""Files that writers place next to a folder while they work, and their removal after a crash.

A writer of ``X`` has a lock file ``.X.sim-HOST-RANDOM.lock`` next to it, which contains X's full
name, and with the same prefix the folders ``….new``, which it fills, and ``….old``, the previous X
during its removal. The system releases the lock when a process ends for any reason: a free lock of
this host and user belongs to a dead process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from sim.recording.files.locks import NO_LINK, OPEN, exclusive, is_own, try_lock

LOCK, NEW, OLD = ".lock", ".new", ".old"
LONGEST = 100  # characters of a folder's name in that of its lock: names are limited to 255 bytes


class StagingArea(Struct, frozen=True):
    """Lock of one writer, and the folders that belong to it.

    Parameters
    ----------
    lock : Path
    handle : int
        The open lock file; closing it releases the lock.
    """

    lock: Path
    handle: int

    @property
    def stage(self) -> Path:
        """The folder to be filled."""
        return self.lock.with_suffix(NEW)

    @property
    def old(self) -> Path:
        """Temporary location of the previous folder."""
        return self.lock.with_suffix(OLD)

    @classmethod
    def open(cls, folder: Path) -> StagingArea:
        """Create a locked staging area next to a folder, with its stage.

        Raises
        ------
        OSError
            If nothing can be written there; then nothing is left behind.
        """
        start = f".{os.fsdecode(os.fsencode(folder.name)[:LONGEST])}{_mark()}"
        while True:
            lock = folder.with_name(start + secrets.token_hex(4) + LOCK)
            place = cls(lock, os.open(lock, OPEN | os.O_CREAT | os.O_EXCL, 0o644))
            try:
                if try_lock(place.handle) and _stands(lock, place.handle):
                    os.write(place.handle, os.fsencode(folder.name))
                    place.stage.mkdir()
                    return place
                os.close(place.handle)  # removed by another writer before it was locked
            except BaseException:
                place.close()
                raise

    def close(self) -> None:
        """Remove the lock file and release it."""
        with contextlib.suppress(OSError):
            self.lock.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.close(self.handle)
        with contextlib.suppress(OSError):  # Windows cannot remove open files
            self.lock.unlink(missing_ok=True)


def remove_leftovers(above: Path, marker: str) -> None:
    """Remove files of dead processes in a folder.

    A previous folder that was renamed gets its name back. Whatever cannot be removed remains.
    """
    for lock in above.glob(f".*{_mark()}*{LOCK}"):
        with contextlib.suppress(OSError):
            place = StagingArea(lock, os.open(lock, OPEN | NO_LINK))
            done = False
            try:
                if is_own(place.handle) and try_lock(place.handle) and _stands(lock, place.handle):
                    with exclusive(above):
                        _tidy_up(place, marker)
                    done = True
            finally:
                if done:
                    place.close()
                else:
                    os.close(place.handle)


def _tidy_up(place: StagingArea, marker: str) -> None:
    shutil.rmtree(place.stage, ignore_errors=True)
    os.lseek(place.handle, 0, os.SEEK_SET)
    name = os.fsdecode(os.read(place.handle, 1024))
    if not name or Path(name).name != name:  # killed before it was written: nothing else exists
        return
    folder = place.lock.with_name(name)
    if place.old.exists() and not os.path.lexists(folder):
        place.old.replace(folder)
    remove_previous(place.old, folder, marker)


def remove_previous(old: Path, folder: Path, marker: str) -> None:
    """Remove a previous folder; files of others in it are moved to the new folder.

    Raises
    ------
    OSError
        If something cannot be moved; it then stays in place, and nothing is removed.
    """
    if not old.is_dir():
        return
    for path in list(
        _other_contents(old, old, files_written_in(old, marker) or frozenset({marker}))
    ):
        target = folder / path.relative_to(old)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(_free_path(target))
    for path in old.iterdir():  # the marker last: it names the writer's files
        if path.name != marker:
            shutil.rmtree(path) if _is_folder(path) else path.unlink()
    shutil.rmtree(old, ignore_errors=True)


def files_written_in(folder: Path, marker: str) -> frozenset[str] | None:
    """Return the names of files written to a folder with its marker; None if it names none."""
    try:
        names = json.loads((folder / marker).read_bytes())["files"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return frozenset({marker, *map(str, names)}) if isinstance(names, dict | list) else None


def _other_contents(folder: Path, top: Path, ours: frozenset[str]) -> Iterator[Path]:
    """Yield the contents of a folder other than the written files; whole folders as one."""
    for path in sorted(folder.iterdir()):
        name = path.relative_to(top).as_posix()
        if _is_folder(path):
            if any(one.startswith(f"{name}/") for one in ours):
                yield from _other_contents(path, top, ours)
            else:
                yield path
        elif name not in ours and not _is_partial(path, top, ours):
            yield path


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_partial(path: Path, top: Path, ours: frozenset[str]) -> bool:
    """Whether a path is a partial file of an interrupted `write_bytes`."""
    whole = path.with_name(path.name.removeprefix(".").removesuffix(".partial"))
    is_so = path.name.startswith(".") and path.name.endswith(".partial")
    return is_so and whole.relative_to(top).as_posix() in ours


def _free_path(path: Path) -> Path:
    """Return the path, or a similar unused one if it exists."""
    candidate, count = path, 1
    while os.path.lexists(candidate):
        candidate = path.with_name(f"{path.name}.kept{count if count > 1 else ''}")
        count += 1
    return candidate


def _mark() -> str:
    """Return the part of lock names for this host."""
    host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
    return f".sim-{host}-"


def _stands(lock: Path, handle: int) -> bool:
    """Whether a locked file is still the one with its name."""
    try:
        return os.path.samestat(lock.stat(), os.fstat(handle))
    except OSError:
        return False
