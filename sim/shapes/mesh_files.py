"""Locations of the mesh files named in a URDF."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sim.errors import ModelError
from sim.robots.mesh_places import own_places, report_outside, require_allowed
from sim.robots.packages import is_package, package_places, search_path_text
from sim.robots.xml_text import parse, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element


def mesh_path(filename: str, folder: Path | None, *, report: bool = True) -> Path:
    """Return the file of a ``<mesh filename>``.

    Parameters
    ----------
    filename : str
        A path relative to `folder`, an absolute path, ``file://`` or ``package://``. Possible
        folders of a package are in `sim.robots.packages.package_places`.
    folder : Path or None
        Folder of the URDF.
    report : bool
        Log a warning if the file is outside the URDF's own folder (`own_places`).

    Raises
    ------
    ModelError
        If there is no such file, with the paths that were tried; or if `only_meshes_below` does not
        allow its location.
    """
    candidates = _candidates(filename, folder)
    if not filename.startswith("package://"):  # else a message would tell whether a file exists
        require_allowed(candidates[0], filename)
    for path in candidates:
        if _is_file(path):
            require_allowed(path, filename)
            if report and folder is not None:
                report_outside(path, filename, folder, home_of(filename, folder))
            return path
    places = "".join(f"\n    {path.absolute()}" for path in candidates)
    looked = f" {search_path_text(folder)}" if filename.startswith("package://") else ""
    raise ModelError(f"mesh {filename!r} does not exist{looked}; tried:{places or ' nothing'}")


def home_of(filename: str, folder: Path) -> list[Path]:
    """Return the folders expected for a mesh of a URDF: its own places, or the package it names."""
    scheme, separator, rest = filename.partition("://")
    if not (separator and scheme == "package"):
        return own_places(folder)
    places = package_places(rest.partition("/")[0], folder)
    packages = [place.resolve() for place in places if is_package(place)]
    return [*own_places(folder), *packages]


def with_mesh_scale(text: str, scale: float) -> str:
    """Return the URDF text with one scale for every ``<mesh>``, replacing its own."""
    root = parse(text, "robot")
    for mesh in root.iter("mesh"):
        mesh.set("scale", " ".join([f"{scale!r}"] * 3))
    return text_of(root)


def relocate_meshes(root: _Element, folder: Path, out: Path) -> Iterator[tuple[_Element, str, str]]:
    """Rewrite relative paths of meshes relative to the folder of `out`.

    A ``package://`` that can be found only from `folder` is rewritten too. Yields each changed
    ``<mesh>``, with its path before and after.
    """
    there = out.resolve().parent
    if there == folder.resolve():
        return
    for mesh in root.iter("mesh"):
        name = mesh.get("filename", "")
        if name.startswith("package://"):
            path = _left_behind(name, folder, there)
        else:
            is_relative = "://" not in name and not Path(name).is_absolute()
            path = folder.resolve() / name if name and is_relative else None
        if path is not None:
            relocated = Path(os.path.relpath(path, there)).as_posix()
            mesh.set("filename", relocated)
            yield mesh, name, relocated


def _left_behind(name: str, folder: Path, there: Path) -> Path | None:
    """Return the mesh of a package that can be found from one folder, but not from the other."""
    mesh = next((path for path in _candidates(name, folder) if _is_file(path)), None)
    if mesh is None or any(_is_file(path) for path in _candidates(name, there)):
        return None
    return mesh.resolve()


def _candidates(filename: str, folder: Path | None) -> list[Path]:
    scheme, separator, rest = filename.partition("://")
    if not separator or scheme == "file":
        path = Path(unquote(rest)) if separator else Path(filename)
        if folder is None and not path.is_absolute():
            raise ModelError(
                f"mesh {filename!r} is a relative path, and this URDF text has no folder; "
                "read it from a file or give the folder"
            )
        return [path if folder is None else folder / path]
    if scheme == "package":
        package, _, inside = rest.partition("/")
        return [place / inside for place in package_places(package, folder)]
    raise ModelError(
        f"mesh {filename!r} has the scheme {scheme!r}; "
        "allowed: a relative or absolute path, file:// or package://"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # invalid in the file system
        return False
