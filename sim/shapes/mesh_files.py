"""Where the mesh files are that a URDF names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from sim.errors import ModelError
from sim.robots.packages import package_places, where


def mesh_path(filename: str, folder: Path | None) -> Path:
    """The file that ``<mesh filename>`` means.

    Parameters
    ----------
    filename : str
        A path relative to `folder`, an absolute path, ``file://`` or ``package://``. Where the
        package may be is in `sim.robots.packages.package_places`.
    folder : Path or None
        The folder of the URDF.

    Raises
    ------
    ModelError
        If there is no such file; the message lists the paths that were tried.
    """
    tried = _candidates(filename, folder)
    for path in tried:
        if _is_file(path):
            return path
    places = "".join(f"\n    {path.absolute()}" for path in tried)
    looked = f" {where(folder)}" if filename.startswith("package://") else ""
    raise ModelError(f"mesh {filename!r} does not exist{looked}; tried:{places or ' nothing'}")


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
    except (OSError, ValueError):  # a path that no file system can have
        return False
