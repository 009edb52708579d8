"""A robot as URDF: its own text, with joints of several motions as the chains that they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from sim.conversion.written import Written, unsaid_laws
from sim.recording.files.named_file import MARK
from sim.robots.chains import write_chains
from sim.robots.document import Node
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.urdf_elements import add_inertial
from sim.shapes.mesh_files import relocate_meshes

if TYPE_CHECKING:
    from lxml.etree import _Element


def urdf_text(robot: Robot, out: Path) -> Written:
    """The URDF of a robot; `out` is where it is to stand, for paths of meshes."""
    from lxml import etree

    source = f"robot {robot.name!r}"
    root = mend(robot.text, source)
    write_chains(Node(root, source, "robot"))
    _write_bodies(root, robot)
    if robot.folder is not None:
        list(relocate_meshes(root, robot.folder, out))
    root.insert(0, etree.Comment(f" {MARK.decode()} "))
    text = etree.tostring(root, encoding="unicode")
    balls = (f"joint {joint.name!r}: URDF has no ball" for joint in robot.joints if joint.is_ball)
    loops = (f"loop {loop.name!r}: URDF has no loops" for loop in robot.loops)
    laws = unsaid_laws(robot, springs=False, rotors=False, speeds=True)
    omissions = tuple(f"{one}; written: spherical" for one in balls)
    return Written(
        f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n', omissions=(*omissions, *loops, *laws)
    )


def _write_bodies(root: _Element, robot: Robot) -> None:
    """Write bodies as they are taken here, where the file has others: other programs differ."""
    from lxml import etree

    repaired = {one.part for one in robot.repairs}
    bodies = {f"link {one.name!r}": one.inertia for one in robot.links}
    for link in root.iterchildren("link"):
        part = f"link {link.get('name')!r}"
        if part not in repaired or part not in bodies:
            continue
        for inertial in link.findall("inertial"):
            link.remove(inertial)
        if (body := bodies[part]) is not None:
            made = ElementTree.Element("link")
            add_inertial(made, body.mass, body.com, body.tensor)
            link.extend(etree.fromstring(ElementTree.tostring(made)))
