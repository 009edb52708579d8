"""Folders allowed for a robot file's meshes: below its own, or a typed one.

A robot file that somebody else wrote can name any file of this machine, and a page that is passed
on carries what was read.
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
    """The only folders with meshes, of the whole process: threads read them too."""

    below: tuple[Path, ...] = ()


_allowed = _Allowed()
_reported: set[tuple[Path, Path]] = set()


class MeshOutsideError(ModelError):
    """A mesh is outside the folder in which meshes are allowed."""


@contextlib.contextmanager
def only_meshes_below(folder: str | Path, *more: Path) -> Iterator[None]:
    """Refuse meshes and their material libraries outside a folder, and outside these `more`.

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
    """Folders whose meshes belong to a robot file in `folder`, symbolic links resolved.

    That folder; ``meshes`` beside it, as ROS packages have it beside ``urdf``; and the package that
    it is in, the nearest folder above with a ``package.xml``.
    """
    here = folder.resolve()
    package = (one for one in (here, *here.parents) if is_package(one))
    return [
        here,
        here.parent / "meshes",
        *([package_folder] if (package_folder := next(package, None)) else []),
    ]


def is_a_path(path: Path) -> bool:
    """Whether a name exists; an invalid name of the file system does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_outside(path: Path, places: list[Path]) -> bool:
    """Whether a file is in none of these folders, once symbolic links are resolved."""
    there = path.resolve()
    return not any(there.is_relative_to(place) for place in places)


def require_allowed(path: Path, filename: str) -> None:
    """Check that a file is below the folder of `only_meshes_below`, if there is one.

    A page draws the link plainly then, and a warning is logged.

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
    """Report that a mesh outside the own folder of a robot file is read, once a folder."""
    if _allowed.below or not is_outside(path, places):
        return  # what is typed is known
    there = path.resolve().parent
    text = (
        f"mesh {filename!r} is read from {there}, outside the folder of its robot file, {folder}; "
        "--meshes-below FOLDER refuses such meshes"
    )
    _warn_once(folder, there, text)


def _warn_once(folder: Path, there: Path, text: str) -> None:
    """Log a warning about a place, the first time that a robot file of a folder leads there."""
    if (folder, there) not in _reported:
        _reported.add((folder, there))
        _log.warning(in_one_line(f"sim: {text}"))
