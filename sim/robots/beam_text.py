"""Rewriting of a link in a robot's URDF as a beam of rigid pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.urdf_elements import add, fill_inertial, number_text
from sim.robots.xml_text import parse, text_of

if TYPE_CHECKING:
    from lxml.etree import _Element

REPLACED = ("inertial", "visual", "collision")  # in the link, by those of its pieces
SLENDER = 40.0  # length over thickness of the drawn beam
BEHIND = 1e-6  # [m] rounding tolerance for the position of a joint
COLOUR = "0.62 0.66 0.70 1.0"


@dataclass(frozen=True, eq=False)
class BeamPieces:
    """Pieces of a beam along an axis of a link.

    Parameters
    ----------
    link : str
    axis, sign : int
        0, 1 or 2 for x, y or z; 1 or -1 for the direction along it.
    at : ndarray, shape (3,)
        Root of the beam in the link [m].
    turns : tuple of str
        Axes about which each hinge turns.
    edges : ndarray, shape (hinges + 2,)
        Boundaries of the pieces along the beam [m].
    mass_per_length, polar_inertia : float
        [kg/m], [kg·m]
    """

    link: str
    axis: int
    sign: int
    at: Array
    turns: tuple[str, ...]
    edges: Array
    mass_per_length: float
    polar_inertia: float

    def along(self, distance: float) -> Array:
        """Point on the beam's axis, in the link [m]."""
        return np.asarray(self.at + self.sign * distance * np.eye(3)[self.axis])

    def place(self, number: int) -> Array:
        """Origin of a piece in the link [m]: its hinge; for the first piece that of the link."""
        return self.along(float(self.edges[number])) if number else np.zeros(3)

    def tensor(self, length: float) -> Array:
        """Inertia tensor of a piece about its mass centre, (3, 3) [kg·m²]."""
        polar = self.polar_inertia * length
        across = self.mass_per_length * length**3 / 12 + polar / 2
        return np.asarray(np.diag(np.where(np.arange(3) == self.axis, polar, across)))


def joint_name(link: str, axis: str, number: int) -> str:
    """Name of the hinge joint about an axis."""
    return f"{link}_{axis}{number}"


def piece_name(link: str, number: int) -> str:
    """Name of a piece; the first keeps the name of the link."""
    return link if number == 0 else f"{link}_{number}"


def with_beam(text: str, source: str, beam: BeamPieces) -> str:
    """Return the URDF text with a link replaced by the pieces of a beam.

    The first piece takes the link's place; the joints that the link carried move to the last piece.

    Raises
    ------
    ModelError
        If the link does not exist, a piece's name is taken, or a joint is behind the beam's root.
    """
    from lxml import etree

    root = parse(text, source)
    link = next((one for one in root.findall("link") if one.get("name") == beam.link), None)
    if link is None:
        names = ", ".join(str(one.get("name")) for one in root.findall("link"))
        raise ModelError(f"{source} has no link {beam.link!r}; links: {names}")
    _hang_on_last(root, beam)
    for old in [one for tag in REPLACED for one in link.findall(tag)]:
        link.remove(old)
    lengths = np.diff(beam.edges)
    _fill(link, beam, 0)
    for number in range(1, lengths.size):
        _add_piece(root, beam, number)
    end = beam.along(float(beam.edges[-1])) - beam.place(lengths.size - 1)
    _add(root, f"{beam.link}_tip", "fixed", _last(beam), end)
    etree.indent(root)
    return text_of(root.getroottree())


def _last(beam: BeamPieces) -> str:
    return piece_name(beam.link, beam.edges.size - 2)


def _hang_on_last(root: _Element, beam: BeamPieces) -> None:
    """Attach the joints that the link carried to the last piece, at the same positions."""
    for joint in root.findall("joint"):
        if (parent := joint.find("parent")) is None or parent.get("link") != beam.link:
            continue
        parent.set("link", _last(beam))
        origin = joint.find("origin")
        origin = add(joint, "origin") if origin is None else origin
        place = np.array([float(word) for word in (origin.get("xyz") or "0 0 0").split()])
        behind = beam.sign * (beam.at - place)[beam.axis]
        if behind > BEHIND and joint.get("type") != "fixed":
            raise ModelError(
                f"Flexible link {beam.link!r}: joint {joint.get('name')!r} is {behind:.4g} m "
                "behind the root of the beam, but would be attached to its end; change axis or "
                "at"
            )
        origin.set("xyz", number_text(place - beam.place(beam.edges.size - 2)))


def _add_piece(root: _Element, beam: BeamPieces, number: int) -> None:
    """Add a piece with a hinge joint for each axis; links between these joints have no mass."""
    parent = piece_name(beam.link, number - 1)
    begin = beam.place(number) - beam.place(number - 1)
    for axis in beam.turns:
        is_last = axis == beam.turns[-1]
        name = piece_name(beam.link, number)
        child = name if is_last else f"{name}_{axis}"
        link = _add(root, child, "continuous", parent, begin, joint_name(beam.link, axis, number))
        root[-1].append(_axis(axis))
        if is_last:
            _fill(link, beam, number)
        parent, begin = child, np.zeros(3)


def _add(
    root: _Element, link: str, kind: str, parent: str, place: Array, joint: str = ""
) -> _Element:
    """Add a new link and the joint that carries it at a position of its parent link."""
    names = {one.get("name") for one in root}
    name = joint or f"{link}_joint"
    for one in (link, name):
        if one in names:
            raise ModelError(f"The robot already has an element named {one!r}; rename it")
    element = add(root, "link", name=link)
    hinge = add(root, "joint", name=name, type=kind)
    add(hinge, "origin", xyz=number_text(place), rpy="0 0 0")
    add(hinge, "parent", link=parent)
    add(hinge, "child", link=link)
    return element


def _axis(name: str) -> _Element:
    from lxml import etree

    return etree.Element("axis", xyz=number_text(np.eye(3)["xyz".index(name)]))


def _fill(link: _Element, beam: BeamPieces, number: int) -> None:
    """Write mass and visual shape of a piece."""
    begin, end = beam.edges[number : number + 2].tolist()
    length = end - begin
    middle = beam.along((begin + end) / 2) - beam.place(number)
    mass = beam.mass_per_length * length
    fill_inertial(add(link, "inertial"), mass, middle, beam.tensor(length))
    visual = add(link, "visual")
    add(visual, "origin", xyz=number_text(middle), rpy="0 0 0")
    thick = float(beam.edges[-1]) / SLENDER
    size = np.where(np.arange(3) == beam.axis, length, thick)
    add(add(visual, "geometry"), "box", size=number_text(size))
    material = add(visual, "material", name=f"{beam.link} beam")
    add(material, "color", rgba=COLOUR)
