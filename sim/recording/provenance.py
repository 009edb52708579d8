"""Where a run comes from: time, platform, versions, hashes."""

from __future__ import annotations

import hashlib
import platform
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from sim.recording.engine_names import ENGINES
from sim.recording.facts import Provenance

_ENGINES = [engine.package for engine in ENGINES.values()]
PACKAGES = ("sim", *_ENGINES, "numpy", "scipy", "pandas", "pyarrow", "lark")


def of_this_process() -> Provenance:
    """Time, platform, and the version of everything that can change a number."""
    return Provenance(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        command=(Path(sys.argv[0]).name, *sys.argv[1:]),
        python=platform.python_version(),
        platform=platform.platform(),
        versions={name: _version(name) for name in PACKAGES},
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed as a package"


def text_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
