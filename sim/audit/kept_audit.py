"""Audit of a run's robot for its page, cached by the contents of all files that it reads."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from sim.disk_cache import Arrays, cached_arrays
from sim.engine_names import ENGINES, default_engine
from sim.errors import ModelError
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording
from sim.reports.page.robot_file import RobotFile
from sim.robots.xml_text import parse
from sim.shapes.mesh_files import mesh_path

SIM = Path(__file__).parents[1]
ENGINE_PACKAGES = tuple(engine.package for engine in ENGINES.values())
PACKAGES = ("numpy", "scipy", "lxml", *ENGINE_PACKAGES)


def audit_for_page(recording: Recording) -> RobotFile:
    """Return the audit of the robot file stored with a run, from the cache if unchanged.

    Raises
    ------
    RecordingError
        If the file is not that of the run, or cannot be read.
    """
    robot = robot_of(recording)

    def compute() -> Arrays:
        from sim.audit import auditing
        from sim.audit.to_page import to_page

        encoded = msgspec.json.encode(to_page(auditing.audit_text(robot)))
        return (np.frombuffer(encoded, dtype=np.uint8),)

    placed = repr((robot.tool, robot.T_0b.tolist(), default_engine())).encode()
    meshes = _meshes(robot.text, robot.folder)
    (encoded,) = cached_arrays([robot.text.encode(), placed, meshes, _program()], compute, PACKAGES)
    return msgspec.json.decode(encoded.tobytes(), type=RobotFile)


def _meshes(text: str, folder: Path | None) -> bytes:
    """Return the hash of the file of every mesh of a URDF, or why it cannot be read."""
    names = {str(mesh.get("filename")) for mesh in parse(text, "FILE").iter("mesh")}
    return msgspec.json.encode([(name, _contents(name, folder)) for name in sorted(names)])


def _contents(filename: str, folder: Path | None) -> str:
    try:
        with mesh_path(filename, folder, report=False).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (ModelError, OSError, ValueError) as error:
        return str(error)


@cache
def _program() -> bytes:
    """Return sizes and times of this package's sources, among them all that an audit uses."""
    files = sorted(_sources(str(SIM)))
    return hashlib.sha256(repr(files).encode()).digest()


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                there = entry.stat()
                yield entry.path, there.st_size, there.st_mtime_ns
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)
