"""Robot of a file in any supported format, to be written in another."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from sim.decks.deck_model import load_deck
from sim.dynamics.lagrange import link_torque
from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.loading import load_robot, read_file, read_urdf, translate
from sim.robots.robot import Robot
from sim.robots.urdf import PLUS_MIMIC
from sim.robots.xml_text import is_mjcf, is_sdf, parse, text_of

Format = Literal["URDF", "MJCF", "SDF", "ADAMS"]
SUFFIXES: Mapping[str, Format] = MappingProxyType(
    {".urdf": "URDF", ".xml": "MJCF", ".sdf": "SDF", ".adm": "ADAMS"}
)
"""Formats that are written, by the ending of the file."""


@dataclass(frozen=True, eq=False)
class Original:
    """A robot and its file.

    Parameters
    ----------
    path : Path
    format : str
    robot : Robot
    left_out : tuple of str
        Parts of the file that the robot lacks.
    model : str, optional
        Model of an SDF file that has several.
    """

    path: Path
    format: Format
    robot: Robot
    left_out: tuple[str, ...] = ()
    model: str | None = None

    @cached_property
    def tree(self) -> Robot:
        """Robot with independent joints: none follows another, and none has a rotor."""
        return uncouple(self.robot)

    @cached_property
    def rotors(self) -> Mapping[str, float]:
        """Rotor inertia at each coordinate of an MJCF or SDF file, by row name."""
        if self.format not in ("MJCF", "SDF"):
            return {}
        translated = translate(self.path, read_file(self.path)[1], self.model)
        return {} if translated is None else translated.rotors

    @property
    def repairs(self) -> tuple[str, ...]:
        """Parts of the file that are read differently than written, one line each."""
        repairs = (one for one in self.robot.repairs if one.kind not in ("left out", "axis"))
        return tuple(f"repaired: {one.part}: {one.says}; written: {one.taken}" for one in repairs)

    @contextlib.contextmanager
    def as_file(self) -> Iterator[Path]:
        """Yield the file, or a copy of the text if a template was expanded or a name given."""
        if self.format != "URDF":
            yield self.path
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(self.robot.text, encoding="utf-8")
            yield path


def load_original(
    name_or_path: str | Path, *, model: str | None = None, xacro: Mapping[str, str] | None = None
) -> Original:
    """Read a URDF, MJCF, SDF or xacro file, an ADAMS deck, or a shipped robot by its name.

    Raises
    ------
    SimError
        If there is no such file, or it cannot be read as a robot.
    """
    if Path(name_or_path).suffix.lower() == ".adm":
        path = Path(name_or_path)
        deck = load_deck(path)
        robot = deck.scenario().robot
        omissions = tuple(f"deck: ignored statements: {line}" for line in deck.skipped)
        forces = [f"deck: {one.keyword}/{one.id}, a force" for one, _ in deck.elements]
        return Original(path, "ADAMS", robot, (*omissions, *forces))
    path, text = read_file(name_or_path)
    robot = load_robot(name_or_path, model=model, xacro=xacro)
    if not robot.joint_names:
        raise ModelError(f"{path}: it has no joint that moves")
    kind: Format = "MJCF" if is_mjcf(text) else "SDF" if is_sdf(text) else "URDF"
    omissions = tuple(
        f"{one.part}: {one.says}; written: {one.taken}"
        for one in robot.repairs
        if one.kind == "left out"
    )
    return Original(path, kind, robot, omissions, model)


def uncouple(robot: Robot) -> Robot:
    """Return a robot with independent joints, without drive trains, springs and loops."""
    root = parse(robot.text, f"robot {robot.name!r}")
    for joint in root.iterchildren("joint"):
        for tag in ("mimic", PLUS_MIMIC):
            for element in joint.findall(tag):
                joint.remove(element)
    return read_urdf(text_of(root), source=robot.name)


def tree_torque(tree: Robot, q: Array, qd: Array, qdd: Array) -> Array:
    """Return M qdd + C qd + g of each joint of an uncoupled robot, (n_tree, N) [N·m or N]."""
    return link_torque(tree, q, qd, qdd)
