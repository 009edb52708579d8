"""Versions of installed packages."""

from __future__ import annotations

import os
import re
import sys
from functools import cache

DISTRIBUTION = (".dist-info", ".egg-info")  # endings of the folders with a package's metadata


@cache
def version_of(package: str) -> str | None:
    """Return the version of an installed package; None if it is not installed."""
    name = _plain(package)
    for folder in sys.path:
        if (entry := _distributions(folder or ".").get(name)) is not None:
            version = _stated_version(os.path.join(folder, entry, "METADATA"))  # noqa: PTH118
            return _by_importlib(package) if version is None else version
    return _by_importlib(package)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


@cache
def _distributions(folder: str) -> dict[str, str]:
    """Return the metadata of packages in a folder by name, the first of each."""
    found: dict[str, str] = {}
    try:
        entries = os.listdir(folder)  # noqa: PTH208 pathlib takes longer
    except OSError:  # no folder: a zip file, or missing
        return found
    for entry in entries:
        if entry.lower().endswith(DISTRIBUTION):
            found.setdefault(_plain(entry.rpartition(".")[0].partition("-")[0]), entry)
    return found


def _stated_version(path: str) -> str | None:
    """Return the version in the header of a METADATA file; None if there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            for line in file:
                field, _, value = line.partition(":")
                if field.lower() == "version":
                    return value.strip()
                if not line.strip():
                    break
    except (OSError, ValueError):
        pass
    return None


def _by_importlib(package: str) -> str | None:
    """Return the version by Python's own search of all kinds of installations, in 15 ms."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
