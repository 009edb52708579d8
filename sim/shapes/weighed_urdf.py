"""URDF text with masses from geometry, and the source of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.robots.urdf_elements import MOMENTS
from sim.robots.xml_text import parse, text_of
from sim.shapes.link_masses import LinkMass
from sim.shapes.mass_properties import MassProperties
from sim.shapes.mesh_files import relocate_meshes

if TYPE_CHECKING:
    from lxml.etree import _Element

ROUNDING = 1e-13  # relative to a size or moment: rounding of zero in sums over triangles


def weighed_urdf(
    robot: Robot, masses: Iterable[LinkMass], materials: Mapping[str, str], out: Path, by: str
) -> str:
    """Return the URDF of a robot with the masses of some links computed from their shapes.

    Everything else is unchanged, except for relative paths of meshes, which become relative to the
    folder of `out`.

    Parameters
    ----------
    robot : Robot
    masses : iterable of LinkMass
        Links whose ``<inertial>`` is replaced, without a fault.
    materials : mapping of str to str
        Material of each of these links, as text.
    out : Path
        Destination of the text.
    by : str
        Program and version.
    """
    from lxml import etree

    root = parse(robot.text, f"robot {robot.name!r}")
    links = {link.get("name"): link for link in root.iterchildren("link")}
    weighed = list(masses)
    for one in weighed:
        if one.by_shapes is not None:
            note = f"{_made_of(one.by_shapes, materials[one.link])}; {_shapes(one)}{_before(one)}"
            _set_inertial(links[one.link], one.by_shapes, note)
    if robot.folder is not None:
        for _ in relocate_meshes(root, robot.folder, out):
            pass
    names = ", ".join(one.link for one in weighed)
    of = f"robot {robot.name}, sha256 {_hash(robot.text.encode())[:16]}"
    root.insert(0, etree.Comment(_comment(f"{by}: masses from geometry of {names}; from {of}")))
    root[0].tail = "\n  "
    urdf = text_of(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{urdf}\n'


def _set_inertial(link: _Element, mass: MassProperties, note: str) -> None:
    """Write the ``<inertial>`` of a link, replacing an existing one."""
    from lxml import etree

    for old in list(link.iterchildren("inertial")):
        link.remove(old)
    inertial = etree.Element("inertial")
    inertial.append(etree.Comment(_comment(note)))
    com, six = _numbers(mass.com, np.cbrt(mass.volume)), mass.tensor[np.triu_indices(3)]
    etree.SubElement(inertial, "origin", xyz=" ".join(com), rpy="0 0 0")
    etree.SubElement(inertial, "mass", value=f"{mass.mass:.12g}")
    etree.SubElement(inertial, "inertia", dict(zip(MOMENTS, _numbers(six, six.max()), strict=True)))
    link.insert(0, inertial)
    etree.indent(link, level=1)


def _made_of(mass: MassProperties, material: str) -> str:
    kind = "solid" if mass.thickness is None else f"shell of {1000 * mass.thickness:g} mm"
    return f"{material}, {mass.density:g} kg/m³, {kind}"


def _shapes(one: LinkMass) -> str:
    """Return shapes with the hashes of their files, as text."""
    return ", ".join(
        shape.shape
        if shape.path is None
        else f"{shape.path.name} sha256 {_hash(shape.path.read_bytes())[:16]}"
        for shape in one.shapes
    )


def _before(one: LinkMass) -> str:
    return "" if one.in_urdf is None else f"; in the place of {one.in_urdf.mass:g} kg"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _comment(text: str) -> str:
    """Return text valid in an XML comment: without double hyphens."""
    return f" {text.replace('--', '- -')} "


def _numbers(values: Array, scale: float) -> list[str]:
    """Return numbers with twelve digits each, and 0 for rounding relative to `scale`."""
    rounded = np.where(np.abs(values) < ROUNDING * scale, 0.0, values)
    return [f"{value:.12g}" for value in rounded.tolist()]
