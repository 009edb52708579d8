"""Origin of a run: time, platform, versions, hashes."""

from __future__ import annotations

import hashlib
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from msgspec import UNSET, UnsetType

from sim.engine_names import ENGINES, EngineName
from sim.recording.schema.facts import Provenance
from sim.versions import version_of

PACKAGES = ("sim", "numpy", "scipy", "pandas", "pyarrow")  # and that of the engine


def of_this_process(engine: EngineName = "bullet", cpu: float | UnsetType = UNSET) -> Provenance:
    """Return time, platform, and versions of everything that affects the numbers of a run.

    `cpu` is the processor time of the run [s].
    """
    first, *others = PACKAGES
    return Provenance(
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        command=(Path(sys.argv[0]).name, *sys.argv[1:]),
        python=platform.python_version(),
        platform=platform.platform(),
        versions={
            name: version_of(name) or "not installed as a package"
            for name in (first, ENGINES[engine].package, *others)
        },
        cpu=cpu,
    )


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
