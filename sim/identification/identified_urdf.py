"""URDF of a robot with identified inertias and joint friction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.dynamics.inertial_parameters import MOMENTS, NAMES, parameters_of, pseudo_inertia
from sim.identification.result import FrictionLaw, Identification
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.recording.schema.provenance import text_hash
from sim.robots.robot import Robot
from sim.robots.urdf import read_tree
from sim.robots.xml_text import parse, text_of
from sim.shapes.mesh_files import relocate_meshes

if TYPE_CHECKING:
    from lxml.etree import _Element


def with_inertias(robot: Robot, theta: Array) -> Robot:
    """Return a robot whose bodies have these inertial parameters, (10 n_tree,).

    The inertia of a body is that of the link moved by its joint; links fixed to it have none.
    """
    from lxml import etree

    root = parse(robot.text, f"robot {robot.name!r}")
    moving = {joint.child: k for k, joint in enumerate(robot.tree_joints)}
    of_body = {link: body for link, (body, _) in tree_of(robot).frames.items() if body >= 0}
    for link in root.iterchildren("link"):
        name = link.get("name", "")
        if name not in of_body:
            continue
        for old in list(link.iterchildren("inertial")):
            link.remove(old)
        if name in moving:
            link.insert(0, _inertial(theta.reshape(-1, 10)[moving[name]]))
            etree.indent(link, level=1)
    return _read_again(robot, text_of(root))


def with_joint_friction(robot: Robot, laws: Mapping[str, FrictionLaw]) -> Robot:
    """Return a robot with the viscous and Coulomb friction of laws; a URDF has no offsets."""
    from lxml import etree

    root = parse(robot.text, f"robot {robot.name!r}")
    for joint in root.iterchildren("joint"):
        if (law := laws.get(joint.get("name", ""))) is None:
            continue
        for old in list(joint.iterchildren("dynamics")):
            joint.remove(old)
        damping, friction = f"{law.viscous:.12g}", f"{law.coulomb:.12g}"
        etree.SubElement(joint, "dynamics", damping=damping, friction=friction)
        etree.indent(joint, level=1)
    return _read_again(robot, text_of(root))


def urdf_text(identification: Identification, out: Path, by: str) -> str:
    """Return the URDF for a file `out`, with a remark on the source of its numbers.

    Parameters
    ----------
    identification : Identification
    out : Path
        Relative paths of meshes refer to its folder.
    by : str
        Program and version.
    """
    from lxml import etree

    root = parse(identification.identified.text, f"robot {identification.robot.name!r}")
    if identification.robot.folder is not None:
        for _ in relocate_meshes(root, identification.robot.folder, out):
            pass
    offsets = ", ".join(f"{name} {law.offset:.4g}" for name, law in identification.friction.items())
    what = (
        "inertias and joint friction"
        if identification.payload is None
        else "payload and joint friction"
    )
    note = (
        f"{by}: {what} identified from {identification.log.source}, "
        f"{identification.log.t.size} samples, below {identification.cutoff:.3g} Hz; from robot "
        f"{identification.robot.name}, sha256 {text_hash(identification.robot.text)[:16]}. "
        f"Friction offsets, for which a URDF has no place [N·m]: {offsets}"
    )
    root.insert(0, etree.Comment(f" {note.replace('--', '- -')} "))
    root[0].tail = "\n  "
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text_of(root)}\n'


def _inertial(parameters: Array) -> _Element:
    from lxml import etree

    P = pseudo_inertia(parameters)
    mass, com = P[3, 3], P[:3, 3] / P[3, 3]
    P[:3, :3] -= mass * np.outer(com, com)
    P[:3, 3] = P[3, :3] = 0.0
    about_centre = parameters_of(P)[4:]
    inertial = etree.Element("inertial")
    etree.SubElement(inertial, "origin", xyz=" ".join(f"{x:.12g}" for x in com), rpy="0 0 0")
    etree.SubElement(inertial, "mass", value=f"{mass:.12g}")
    numbers = {NAMES[4 + k].lower(): f"{about_centre[k]:.12g}" for k in range(len(MOMENTS))}
    etree.SubElement(inertial, "inertia", numbers)
    return inertial


def _read_again(robot: Robot, text: str) -> Robot:
    """Return the robot of another text, with the properties that a URDF text does not contain."""
    tree = read_tree(text, f"robot {robot.name!r} as identified")
    return replace(robot, links=tree.links, joints=tree.joints, text=text)
