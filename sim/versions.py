"""Versions of installed packages."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def version_of(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed.

    The version of `sim` in a working copy is that of its project file: what pip has noted there is
    the version at the time of ``pip install -e``.
    """
    from importlib import metadata

    project = working_copy_project() if package == "sim" else {}
    try:
        return str(project["version"]) if "version" in project else metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def working_copy_project() -> dict[str, Any]:
    """Return table `project` of the project file; empty for an installed package, without one."""
    import tomllib

    try:
        text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
        project = tomllib.loads(text)["project"]
        return dict(project) if project["name"] == "sim" else {}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
