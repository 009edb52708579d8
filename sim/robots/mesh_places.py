"""Folders in which a robot file's meshes may be: below its own folder, or a given one.

A robot file by another author can name any file of this machine, and a shared page contains what
was read.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim.errors import ModelError, in_one_line
from sim.robots.packages import is_package, is_there

_log = logging.getLogger(__name__)


@dataclass
class _Allowed:
    """Folders with allowed meshes; shared by the whole process, since threads read them too."""

    below: tuple[Path, ...] = ()


_allowed = _Allowed()
_reported: set[tuple[Path, Path]] = set()


class MeshOutsideError(ModelError):
    """Error for a mesh outside the folder in which meshes are allowed."""


@contextlib.contextmanager
def only_meshes_below(folder: str | Path, *more: Path) -> Iterator[None]:
    """Refuse meshes and their material libraries outside a folder and the folders `more`.

    Raises
    ------
    ModelError
        If there is no such folder.
    """
    below = Path(folder)
    if not is_there(below):
        raise ModelError(f"--meshes-below {folder}: there is no such folder")
    before, _allowed.below = _allowed.below, tuple(one.resolve() for one in (below, *more))
    try:
        yield
    finally:
        _allowed.below = before


def own_places(folder: Path) -> list[Path]:
    """Return the folders whose meshes belong to a robot file in `folder`, symbolic links resolved.

    These are that folder, ``meshes`` next to it, as in ROS packages with a ``urdf`` folder, and the
    package that contains it, the nearest folder above with a ``package.xml``.
    """
    here = folder.resolve()
    package = (one for one in (here, *here.parents) if is_package(one))
    return [
        here,
        here.parent / "meshes",
        *([package_folder] if (package_folder := next(package, None)) else []),
    ]


def is_a_path(path: Path) -> bool:
    """Whether a path exists; False for a name that is invalid in the file system."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_outside(path: Path, places: list[Path]) -> bool:
    """Whether a file is outside all of these folders, with symbolic links resolved."""
    there = path.resolve()
    return not any(there.is_relative_to(place) for place in places)


def require_allowed(path: Path, filename: str) -> None:
    """Check that a file is below the folder of `only_meshes_below`, if one is set.

    A page then draws the link as a simple shape, and a warning is logged.

    Raises
    ------
    MeshOutsideError
        If it is not.
    """
    if not _allowed.below or not is_outside(path, list(_allowed.below)):
        return
    below, there = _allowed.below[0], path.resolve()
    _warn_once(below, there, f"mesh {filename!r} is not read: it is outside {below}")
    raise MeshOutsideError(
        f"mesh {filename!r} is {there}, outside {below}, below which --meshes-below allows meshes"
    )


def report_outside(path: Path, filename: str, folder: Path, places: list[Path]) -> None:
    """Report the reading of a mesh outside the folders of a robot file, once per folder."""
    if _allowed.below or not is_outside(path, places):
        return  # the user gave the folder
    there = path.resolve().parent
    text = (
        f"mesh {filename!r} is read from {there}, outside the folder of its robot file, {folder}; "
        "--meshes-below FOLDER refuses such meshes"
    )
    _warn_once(folder, there, text)


def _warn_once(folder: Path, there: Path, text: str) -> None:
    """Log a warning about a folder, the first time that a robot file refers to it."""
    if (folder, there) not in _reported:
        _reported.add((folder, there))
        _log.warning(in_one_line(f"sim: {text}"))
