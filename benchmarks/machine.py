"""Facts about the machine: processor, memory, system, and versions of all programs."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = (
    "numpy",
    "scipy",
    "pybullet",
    "pin",
    "mujoco-core",
    "mujoco",
    "EAIK",
    "roboticstoolbox-python",
    "numba",
    "pandas",
    "pyarrow",
)


OTHER_FILES = ":(exclude)docs/benchmarks"  # than those that the benchmarks write


def facts() -> dict[str, str]:
    """Return the facts that a reader needs to compare figures."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "commit": _commit(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "load": _load(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        **{name: version for name in PACKAGES if (version := _version(name))},
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _commit() -> str:
    """Return the commit; "-dirty" where files differ from it, other than results of benchmarks."""
    try:
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", OTHER_FILES)
        return _git("rev-parse", "--short=8", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _load() -> str:
    """Return the load average of the last minute, the measurement included."""
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (OSError, AttributeError):
        return "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError):
        return "unknown"
