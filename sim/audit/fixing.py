"""fix: correct units and errors in a URDF that have a single interpretation.

Whatever only its author can decide (a mass, a range of 0 to 0, an impossible tensor) is unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sim.audit.inertias import inertials, largest_moment, reach
from sim.audit.lenient import line_of, number, numbers, owner
from sim.audit.one_cause import ANGLES, CODE, LENGTHS, one_cause
from sim.audit.sizes import extents
from sim.audit.units import FAR, units, unscaled_meshes
from sim.recording.files.named_file import MARK
from sim.robots.defects import Defects
from sim.robots.loading import read_file, translate
from sim.robots.mending import mend
from sim.robots.xml_text import text_of
from sim.shapes.mesh_files import relocate_meshes

if TYPE_CHECKING:
    from lxml.etree import _Element

DEGREES = 180 / math.pi  # per radian
MILLIMETRES = 1e3  # per metre
ROUND = ("radius", "length")
SIZES = {"box": ("size",), "cylinder": ROUND, "capsule": ROUND, "sphere": ("radius",)}
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
UNITS_OF_TENSORS = (1e6, 1e9)  # kg·mm² and g·mm² per kg·m²
# Radius of gyration of the links relative to the robot's reach, on average about a tenth; the range
# is that between the two units.
GYRATION = (0.03, 0.95)


@dataclass(frozen=True)
class FixedFile:
    """A URDF text with corrected units and slips.

    Parameters
    ----------
    text : str
    changes : tuple of str
        Differences from the file, place by place; paths of meshes last.
    fixes : int
        Number of changes other than paths of meshes.
    """

    text: str
    changes: tuple[str, ...]
    fixes: int = 0


def fix(name_or_path: str | Path, out: Path, model: str | None = None) -> FixedFile:
    """Return the intended text of a robot file, to be written to `out`; `model` of an SDF file.

    Raises
    ------
    ModelError
        If there is no such file, or it is not an XML document.
    """
    from lxml import etree

    path, text = read_file(name_or_path)
    changes = list[str]()
    if (translated := translate(path, text, model)) is not None:
        text, changes = translated.text, list(translated.not_in_urdf)
    slips = Defects(strict=False)
    root = mend(text, str(path), slips, chained=False)
    changes += [f"{one.name}: {one.says}; written: {one.reading}" for one in slips.defects]
    findings, lengths = list(units(root, extents(root, path.parent))), list[str]()
    if any(one.code == CODE for one in one_cause(findings)):
        codes = {one.code for one in findings}
        if codes & ANGLES.keys():
            changes += _into_radians(root, {one.line for one in findings if "velocity" in one.code})
        if codes & LENGTHS.keys():
            lengths += _into_metres(root)
    lengths += _scale_meshes(root, path.parent)
    if lengths:
        lengths += _tensors(root, path.parent)
    changes += lengths
    fixes = len(changes)
    changes += [
        f"{owner(mesh)}: <mesh filename> {before} → {after}"
        for mesh, before, after in relocate_meshes(root, path.parent, out)
    ]
    words = f" {MARK.decode()}: {path.name} with {len(changes) or 'no'} changes "
    root.insert(0, etree.Comment(words.replace("--", "- -")))
    urdf = text_of(root)
    return FixedFile(f'<?xml version="1.0" encoding="utf-8"?>\n{urdf}\n', tuple(changes), fixes)


def _into_radians(root: _Element, speeds: set[int | None]) -> Iterator[str]:
    """Convert whole degrees to radians: orientations, ranges, and the speeds in some lines."""
    for origin in root.iter("origin"):
        if _is_whole(numbers(origin, "rpy")):
            yield _divide(origin, "rpy", DEGREES)
    for joint in root.iterchildren("joint"):
        if (limit := joint.find("limit")) is None or joint.get("type") == "prismatic":
            continue
        ends = [numbers(limit, key) or (0.0,) for key in ("lower", "upper")]
        if _is_whole((*ends[0], *ends[1])):
            keys = (key for key in ("lower", "upper") if key in limit.attrib)
            yield from (_divide(limit, key, DEGREES) for key in keys)
        if line_of(limit) in speeds:
            yield _divide(limit, "velocity", DEGREES)


def _into_metres(root: _Element) -> Iterator[str]:
    """Convert millimetres to metres: positions, strokes, simple shapes."""
    for origin in root.iter("origin"):
        if any(numbers(origin, "xyz") or ()):
            yield _divide(origin, "xyz", MILLIMETRES)
    for joint in root.iterchildren("joint"):
        limit = joint.find("limit")
        if limit is not None and joint.get("type") == "prismatic":
            keys = (key for key in ("lower", "upper", "velocity") if number(limit, key))
            yield from (_divide(limit, key, MILLIMETRES) for key in keys)
    shapes = [(body, key) for tag, keys in SIZES.items() for body in root.iter(tag) for key in keys]
    if max((max(numbers(*shape) or (0.0,)) for shape in shapes), default=0.0) > FAR:
        yield from (_divide(body, key, MILLIMETRES) for body, key in shapes if numbers(body, key))


def _scale_meshes(root: _Element, folder: Path) -> Iterator[str]:
    """Give meshes in millimetres their scale, if all links agree."""
    for mesh in unscaled_meshes(root, extents(root, folder)):
        name, before = mesh.get("filename"), mesh.get("scale", "none")
        mesh.set("scale", "0.001 0.001 0.001")
        yield f"{owner(mesh)}: <mesh {name} scale> {before} → 0.001 0.001 0.001"


def _tensors(root: _Element, folder: Path) -> Iterator[str]:
    """Convert tensors to kg·m², if each is too large for the robot, and all by a unit's factor."""
    sizes = extents(root, folder)
    bodies = [body for body in inertials(root, sizes) if body.mass > 0]
    size = reach(sizes, bodies)
    rows = [(largest_moment(body), body.mass * size**2) for body in bodies]
    low, high = (edge**2 for edge in GYRATION)
    if not all(moment >= high * whole for moment, whole in rows if moment > 0):
        return  # one may be in kg·m²
    whole = sum(each for _, each in rows)
    share = sum(moment for moment, _ in rows) / whole if whole > 0 else 0.0
    for parts in UNITS_OF_TENSORS:
        if low <= share / parts < high:
            for tensor in root.iter("inertia"):
                for key in MOMENTS:
                    if number(tensor, key):
                        yield _divide(tensor, key, parts)


def _is_whole(values: tuple[float, ...] | None) -> bool:
    """Whether all are integers and one of them is not zero."""
    return values is not None and any(values) and all(value == round(value) for value in values)


def _divide(element: _Element, key: str, parts: float) -> str:
    """Divide the numbers of an attribute, exactly in decimals; return the old and new values."""
    before = str(element.get(key))
    after = " ".join(f"{value / parts!r}" for value in numbers(element, key) or ())
    element.set(key, after)
    return f"{owner(element)}: <{element.tag} {key}> {before} → {after}"
