"""Locations of the ROS packages that a URDF or a xacro names; no ROS is needed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sim.errors import ModelError

ROS, AMENT = "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"


def package_folder(name: str, folder: Path | None) -> Path:
    """The folder of a package, the first of `package_places` that is there.

    Raises
    ------
    ModelError
        If none is; the message lists where it was looked for.
    """
    places = package_places(name, folder)
    for place in places:
        if is_there(place):
            return place
    listed = "".join(f"\n    {place}" for place in places)
    raise ModelError(f"package {name!r} does not exist {where(folder)}; tried:{listed}")


def package_places(name: str, folder: Path | None) -> list[Path]:
    """Folders that may be the package `name`, the likeliest first.

    Next to the file and to every folder above it; a folder above it whose ``package.xml`` has
    this name; below the folders of ``ROS_PACKAGE_PATH``, as they are or one folder further down,
    and such a folder itself; ``share/<name>`` of the prefixes in ``AMENT_PREFIX_PATH``.

    Parameters
    ----------
    folder : Path or None
        The folder of the file that names the package; None where a text has none.
    """
    if not name or name in (".", "..") or "\0" in name:
        return []
    return list(dict.fromkeys(_places(name, folder, os.environ)))  # in order, each once


def where(folder: Path | None) -> str:
    """Search path for packages as text, with the value of each variable."""
    above = "above the URDF's folder" if folder is not None else "(this URDF text has no folder)"
    variables = [f"in {key} ({os.environ.get(key) or 'not set'})" for key in (ROS, AMENT)]
    return f"{above}, {variables[0]} or {variables[1]}"


def is_there(path: Path) -> bool:
    """True where a path is a folder; a path that no file system can have is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_package(path: Path) -> bool:
    """True where a folder has the ``package.xml`` of a ROS package."""
    try:
        return (path / "package.xml").is_file()
    except (OSError, ValueError):
        return False


def _places(name: str, folder: Path | None, environment: Mapping[str, str]) -> Iterator[Path]:
    if folder is not None:
        start = folder.resolve()
        above = (start, *start.parents)
        yield from (parent / name for parent in above)
        yield from (parent for parent in above if _calls_itself(parent, name))
    for entry in _entries(environment, ROS):
        if entry.name == name or _calls_itself(entry, name):
            yield entry
        yield entry / name
        yield from (path / name for path in _below(entry) if is_there(path / name))
    for entry in _entries(environment, AMENT):
        yield entry / "share" / name


def _entries(environment: Mapping[str, str], key: str) -> list[Path]:
    return [Path(part) for part in environment.get(key, "").split(os.pathsep) if part]


def _below(folder: Path) -> list[Path]:
    """Folders in a folder, sorted: repositories in the ``src`` of a workspace."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _calls_itself(folder: Path, name: str) -> bool:
    """Whether the ``package.xml`` of a folder has this name; a checkout may have another."""
    try:
        text = (folder / "package.xml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    match = re.search(r"<name>\s*([^<\s]+)\s*</name>", text)
    return match is not None and match[1] == name
