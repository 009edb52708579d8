"""Where a run comes from: versions, hashes, the facts of its robot, as plain data."""

from __future__ import annotations

import hashlib
import math
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from sim import shipped
from sim.robots.model import Robot

PACKAGES = ("sim", "pybullet", "numpy", "scipy", "pandas", "pyarrow", "lark")


def of_this_process() -> dict[str, Any]:
    """Time, platform, and the version of everything that can change a number."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "python": platform.python_version(),
        "platform": platform.platform(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed as a package"


def text_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def robot_facts(robot: Robot) -> dict[str, Any]:
    """Masses, limits and assumptions of a robot; infinite limits are None."""
    return {
        "name": robot.name,
        "urdf_sha256": text_hash(robot.text),
        "tool": robot.tool,
        "T_0b": robot.T_0b.tolist(),
        "mesh_folder": _mesh_folder(robot),
        "joints": [
            {
                "name": joint.name,
                "kind": joint.kind,
                "mimic": joint.mimic.joint if joint.mimic else None,
                "axis": joint.axis.tolist(),
                "lower": _finite(joint.limits.lower),
                "upper": _finite(joint.limits.upper),
                "velocity": _finite(joint.limits.velocity),
                "effort": _finite(joint.limits.effort),
                "damping": joint.damping,
                "friction": joint.friction,
                "friction_law": None if joint.friction_law is None else asdict(joint.friction_law),
                "stop": None if joint.stop is None else asdict(joint.stop),
            }
            for joint in robot.tree_joints
        ],
        "coupling": robot.coupling[0].tolist(),
        "masses": {link.name: link.inertia.mass for link in robot.links if link.inertia},
        "loops": [loop.name for loop in robot.loops],
        "assumed": [] if robot.card is None else list(robot.card.assumed()),
    }


def _mesh_folder(robot: Robot) -> str | None:
    """Where relative mesh paths start; None for the robots that are shipped, wherever they are."""
    if robot.folder is None or robot.folder.resolve() == shipped.urdf().resolve():
        return None
    return str(robot.folder.resolve())


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
