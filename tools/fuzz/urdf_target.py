"""URDF text, with a card and loops: loaded, audited, and a short run if it loads."""

from __future__ import annotations

import random
import tempfile
import zlib
from pathlib import Path

import numpy as np
from lxml import etree

from sim import shipped
from sim.audit import audit
from sim.errors import SimError
from sim.motion import JointMotion
from sim.robots import Robot, load_robot
from sim.scenario.scenario import Scenario
from sim.simulation.run import run
from tests.helpers.random_robots import random_urdf
from tools.fuzz.mutation import NUMBERS, TEXT_CHANGES, WORDS, text_mutated
from tools.fuzz.target import BrokenError, refusal

# Files with the URDF in one input: its loops, its card.
BESIDE = {b"\n=== loops.toml\n": ".loops.toml", b"\n=== toml\n": ".toml"}
TAGS = (
    *("robot", "link", "joint", "inertial", "mass", "inertia", "origin", "axis", "limit", "mimic"),
    *("dynamics", "visual", "collision", "geometry", "box", "sphere", "cylinder", "mesh", "parent"),
    *("child", "transmission", "gazebo", "material", "safety_controller", "calibration", "x:y"),
)
NAMES = (
    *("name", "type", "value", "xyz", "rpy", "ixx", "ixy", "izz", "lower", "upper", "effort"),
    *("velocity", "joint", "multiplier", "offset", "link", "filename", "scale", "size", "radius"),
    *("length", "damping", "friction"),
)
TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "Revolute", "")
VECTORS = "0 0 0;0 0;1 2 3 4;nan 0 0;1e200 0 0;0 0 1e-200;1,0,0;0 0 inf;1 1 1".split(";")
MOST_JOINTS = 12  # of a robot that is run and audited: more would only take longer


class UrdfTarget:
    """A robot from its files."""

    name = "urdf"
    suffix = ".urdf"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-urdf-")
        self.path = Path(self._folder.name) / "arm.urdf"

    def seeds(self) -> list[bytes]:
        """Return the shipped robots, and random trees."""
        found = []
        for path in sorted([*shipped.urdf().glob("*.urdf"), *shipped.scenarios().glob("*.urdf")]):
            data = path.read_bytes()
            for mark, suffix in BESIDE.items():
                beside = path.with_suffix(suffix)
                data += mark + beside.read_bytes() if beside.exists() else b""
            found += [path.read_bytes(), data] if data != path.read_bytes() else [data]
        for seed in range(6):
            text = random_urdf(np.random.default_rng(seed), seed + 1, mimic=seed % 2 == 1)
            found.append(text.encode())
        return found

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Return changes of the tree of elements, or of the text."""
        if chance.random() < 0.6:
            main, mark, beside = data.partition(b"\n=== ")
            try:
                return _tree_changed(main, chance) + mark + beside
            except (etree.XMLSyntaxError, ValueError):
                pass
        return text_mutated(data, chance, TEXT_CHANGES, 40_000)

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Load; audit one in eight, and run every second one that loads."""
        self._write(data)
        number = 0 if whole else zlib.crc32(data)
        told = []
        if whole or number % 8 == 1:
            told.append(_audited(self.path))
        try:
            robot = load_robot(self.path, strict=number % 5 == 3)
        except SimError as error:
            return " ".join([refusal(error), *told])
        for line in robot.repairs:
            if len(str(line).splitlines()) != 1:
                raise BrokenError(f"a repair of several lines: {str(line)[:300]!r}")
        told.append(f"loads with {len(robot.repairs)} repairs")
        if number % 2 == 0:
            told.append(_run(robot))
        return " ".join(told)

    def parts(self, data: bytes) -> list[bytes]:
        """Return its lines."""
        return data.splitlines(keepends=True)

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the text of some lines."""
        return b"".join(parts)

    def _write(self, data: bytes) -> None:
        rest = data
        for mark, suffix in BESIDE.items():
            rest, found, beside = rest.partition(mark)
            path = self.path.with_suffix(suffix)
            if found:
                path.write_bytes(beside)
            else:
                path.unlink(missing_ok=True)
        self.path.write_bytes(rest)


def _audited(path: Path) -> str:
    try:
        found = audit(path)
    except SimError as error:
        return f"audit: {refusal(error)}"
    found.document()
    return f"audit: {sorted({finding.code for finding in found.findings})}"


def _run(robot: Robot) -> str:
    if len(robot.joints) > MOST_JOINTS:
        return "not run"
    try:
        motion = JointMotion.displacement(dict.fromkeys(robot.joint_names, "STEP5(time,0,0,1,1d)"))
        recording = run(Scenario(robot, motion, duration=0.004, dt=1e-3), name="fuzz")
    except SimError as error:
        return f"run: {refusal(error)}"
    return f"run: {recording.run.verdict}"


def _tree_changed(data: bytes, chance: random.Random) -> bytes:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(data, parser)
    for _ in range(chance.choice([1, 1, 2, 3, 6])):
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        one, other = chance.choice(elements), chance.choice(elements)
        how = chance.randrange(9)
        if how <= 3 and one.attrib:
            _attribute_changed(root, one, chance)
        elif how == 4 and one.attrib:
            del one.attrib[chance.choice(list(one.attrib))]
        elif how == 5 and (above := one.getparent()) is not None:
            above.remove(one)
        elif how == 6 and one is not root:
            copy = etree.fromstring(etree.tostring(one))
            other.insert(chance.randrange(len(other) + 1), copy)
        elif how == 7:
            one.tag = chance.choice(TAGS[:-1])
        else:
            new = etree.SubElement(one, chance.choice(TAGS[:-1]))
            new.set(chance.choice(NAMES), _value(root, chance))
    return etree.tostring(root)


def _attribute_changed(root: etree._Element, one: etree._Element, chance: random.Random) -> None:
    name = str(chance.choice(list(one.attrib)))
    words = str(one.attrib[name]).split()
    if len(words) > 1 and chance.random() < 0.6:
        words[chance.randrange(len(words))] = chance.choice(NUMBERS)
        one.set(name, " ".join(words))
    elif name == "type" and chance.random() < 0.6:
        one.set(name, chance.choice(TYPES))
    else:
        one.set(name, _value(root, chance))


def _value(root: etree._Element, chance: random.Random) -> str:
    how = chance.randrange(4)
    if how == 0:
        return chance.choice(NUMBERS)
    if how == 1:
        return chance.choice(VECTORS)
    if how == 2:
        return str(chance.choice([e.get("name", "") for e in root.iter()]))
    return "".join(c for c in chance.choice(WORDS) if c.isprintable())


TARGET = UrdfTarget
