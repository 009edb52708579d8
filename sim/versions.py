"""Versions of installed packages, without loading `importlib.metadata`, which takes 15 ms."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from functools import cache

_INFO = ".dist-info"


@cache
def version_of(package: str) -> str | None:
    """Version of an installed package; None where there is none."""
    path = _info_folders(tuple(sys.path)).get(_normalised(package))
    if path is not None:
        with contextlib.suppress(OSError), open(f"{path}/METADATA", encoding="utf-8") as file:  # noqa: PTH123 pathlib is not needed here
            for line in file:
                if line.startswith("Version:"):
                    return line.partition(":")[2].strip()
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def _info_folders(places: tuple[str, ...]) -> dict[str, str]:
    """The folder with the metadata of each package, the first of those in `places`."""
    found: dict[str, str] = {}
    for place in places:
        with contextlib.suppress(OSError):
            for name in os.listdir(place or "."):  # noqa: PTH208
                if name.endswith(_INFO):
                    found.setdefault(_normalised(name.partition("-")[0]), f"{place}/{name}")
    return found


def _normalised(package: str) -> str:
    return re.sub(r"[-_.]+", "_", package).lower()
