"""Versions of installed packages."""

from functools import cache


@cache
def version_of(package: str) -> str | None:
    """Version of an installed package; None where there is none."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
