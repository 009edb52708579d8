"""Search for the ROS packages named in a URDF or a xacro file, without ROS."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sim.errors import ModelError

ROS, AMENT = "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"


def package_folder(name: str, folder: Path | None) -> Path:
    """Return the folder of a package, the first existing one of `package_places`.

    Raises
    ------
    ModelError
        If none exists; the message lists the searched folders.
    """
    places = package_places(name, folder)
    for place in places:
        if is_there(place):
            return place
    listed = "".join(f"\n    {place}" for place in places)
    raise ModelError(f"package {name!r} does not exist {search_path_text(folder)}; tried:{listed}")


def package_places(name: str, folder: Path | None) -> list[Path]:
    """Return folders that may be the package `name`, the most likely first.

    These are folders of this name in the file's folder and every folder above; a folder above whose
    ``package.xml`` has this name; folders in those of ``ROS_PACKAGE_PATH``, directly or one level
    further down, and such a folder itself; ``share/<name>`` in ``AMENT_PREFIX_PATH``.

    Parameters
    ----------
    folder : Path or None
        Folder of the file that names the package; None for a text without a file.
    """
    if not name or name in (".", "..") or "\0" in name:
        return []
    return list(dict.fromkeys(_places(name, folder, os.environ)))  # unique, in order


def search_path_text(folder: Path | None) -> str:
    """Return the search path for packages as text, with the value of each variable."""
    above = "above the URDF's folder" if folder is not None else "(this URDF text has no folder)"
    variables = [f"in {key} ({os.environ.get(key) or 'not set'})" for key in (ROS, AMENT)]
    return f"{above}, {variables[0]} or {variables[1]}"


def is_there(path: Path) -> bool:
    """Whether a path is a folder; False for a path that the file system cannot have."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_package(path: Path) -> bool:
    """Whether a folder has the ``package.xml`` of a ROS package."""
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
        yield from (path / name for path in _subfolders(entry) if is_there(path / name))
    for entry in _entries(environment, AMENT):
        yield entry / "share" / name


def _entries(environment: Mapping[str, str], key: str) -> list[Path]:
    return [Path(part) for part in environment.get(key, "").split(os.pathsep) if part]


def _subfolders(folder: Path) -> list[Path]:
    """Return the subfolders of a folder, sorted, as repositories in the ``src`` of a workspace."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _calls_itself(folder: Path, name: str) -> bool:
    """Whether the ``package.xml`` of a folder has this name; the folder may have another."""
    try:
        text = (folder / "package.xml").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    match = re.search(r"<name>\s*([^<\s]+)\s*</name>", text)
    return match is not None and match[1] == name
