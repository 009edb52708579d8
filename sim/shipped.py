"""Folders that ship with the package: robots, scenarios and accepted results."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def root() -> Path:
    """Return the folder with ``urdf``, ``meshes``, ``scenarios``, ``verification`` and ``results``.

    It is ``share`` inside an installed package, and the repository in a working copy.
    """
    installed = _PACKAGE / "share"
    return installed if installed.is_dir() else _PACKAGE.parent


def urdf() -> Path:
    """Return the folder of the robots and their cards."""
    return root() / "urdf"


def scenarios() -> Path:
    """Return the folder of the scenario scripts."""
    return root() / "scenarios"


def verification() -> Path:
    """Return the folder of the verification cases, with a folder per chapter."""
    return root() / "verification"


def scenario_names() -> tuple[str, ...]:
    """Return names of the scenarios, in order."""
    return tuple(sorted(p.stem for p in scenarios().glob("*.py") if p.stem[0] != "_"))


def robot_names() -> tuple[str, ...]:
    """Return names of the robots, in order."""
    return tuple(sorted(path.stem for path in urdf().glob("*.urdf")))


def baselines() -> Path:
    """Return the folder with one accepted result for each scenario."""
    return root() / "results" / "baselines"
