"""A rotor as a body of its own: it turns on the parent of its joint, geared to it by a ``<mimic>``.

What a maker prints of a link has the motors in it. So the rotor takes its moments from its link, a
disc's, and next to no mass; at rest nothing has changed, and in motion the rotor adds

    T = ½ N² J qd² + N J qd (z · w_parent)

of which `sim.robots.drive_train.DriveTrain` as an inertia in the joint has the first part alone.

The rotor of an elastic gear has no ``<mimic>``: its angle is a coordinate of its own. Unless it is
meant to be carried around it stands on the root link, where T = ½ J theta_d² is all it has.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.coupled_rotor import CoupledRotor
from sim.robots.drive_train import DriveTrain
from sim.robots.inertia import Inertia
from sim.robots.joint import Joint
from sim.robots.urdf import PLUS_MIMIC
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

MASS = 1e-12  # kg; readers take it, and its weight is nowhere seen
SPIN = "spin_of_"
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def rotor_link(joint: str) -> str:
    """The name of a joint's rotor."""
    return f"rotor_of_{joint}"


def spin_joint(joint: str) -> str:
    """The name of the joint about which a joint's rotor turns."""
    return f"{SPIN}{joint}"


def motor_of(name: str) -> str:
    """The joint whose motor moves a joint: another one where the joint is a rotor's."""
    return name.removeprefix(SPIN)


def with_free_rotor(text: str, source: str, root_link: str, joint: Joint, drive: DriveTrain) -> str:
    """The URDF text with a rotor on the root link that follows nothing.

    It turns about the root link's z.
    """
    from lxml import etree

    root = parse(text, source)
    disc = 0.5 * drive.rotor_inertia * (np.eye(3) + np.diag([0.0, 0.0, 1.0]))
    _add_rotor(root, root_link, joint.name, disc)
    return etree.tostring(root.getroottree(), encoding="unicode")


def with_rotor(
    text: str, source: str, joint: Joint, drive: DriveTrain, parent: Inertia | None, *, stands: bool
) -> str:
    """The URDF text with a rotor on the parent of a joint, and without its moments in that link.

    Parameters
    ----------
    text, source : str
        The URDF, and what it is called in messages.
    parent : Inertia or None
        That of the joint's parent link.
    stands : bool
        The parent never moves, and may have any inertia or none.

    Raises
    ------
    ModelError
        If the link cannot have the rotor in it.
    """
    from lxml import etree

    root = parse(text, source)
    z = joint.T_pc[:3, :3] @ joint.axis
    disc = 0.5 * drive.rotor_inertia * (np.eye(3) + np.outer(z, z))
    if not stands:
        rest = None if parent is None else parent.tensor - disc
        if parent is None or rest is None or np.linalg.eigvalsh(rest)[0] < 0:
            J = drive.rotor_inertia
            raise ModelError(
                f"The rotor of joint {joint.name!r} is a part of link {joint.parent!r} of "
                f"{source}, which has not so much inertia: the rotor's moments are taken to be "
                f"{J:g} and {0.5 * J:g} kg·m²; leave gyroscopic out"
            )
        link = next(one for one in root.iterchildren("link") if one.get("name") == joint.parent)
        inertial = next(link.iterchildren("inertial"))
        inertial.clear()
        _write_inertial(inertial, parent.mass, parent.com, rest)
    # about its own frame, which is that of the joint
    turned = joint.T_pc[:3, :3].T @ disc @ joint.T_pc[:3, :3]
    typed = next(one for one in root.iterchildren("joint") if one.get("name") == joint.name)
    spin = _add_rotor(root, joint.parent, joint.name, turned, typed)
    if not drive.is_elastic:
        etree.SubElement(spin, "mimic", joint=joint.name, multiplier=repr(drive.ratio), offset="0")
    return etree.tostring(root.getroottree(), encoding="unicode")


def require_same_rotor(joint: Joint, spin: Joint, rotor: Inertia | None, drive: DriveTrain) -> None:
    """Check that a rotor that a robot has already is the one of a drive train.

    Raises
    ------
    ModelError
        If it has another ratio or inertia.
    """
    moment = 0.0 if rotor is None else float(spin.axis @ rotor.tensor @ spin.axis)
    ratio = 0.0 if spin.mimic is None else spin.mimic.multiplier
    if drive.is_elastic and spin.mimic is None:
        ratio = drive.ratio  # which is the spring's
    if ratio != drive.ratio or not np.isclose(moment, drive.rotor_inertia, rtol=1e-9, atol=0.0):
        raise ModelError(
            f"Joint {joint.name!r} has a rotor of {moment:g} kg·m² and ratio {ratio:g} already, "
            f"and not one of {drive.rotor_inertia:g} kg·m² and {drive.ratio:g}; start from the "
            "robot without a rotor"
        )


def _add_rotor(
    root: _Element, carrier: str, joint: str, tensor: Array, typed: _Element | None = None
) -> _Element:
    """The joint of a rotor on a link, with the rotor: where a given joint is, or about z."""
    from lxml import etree

    body = etree.SubElement(root, "link", name=rotor_link(joint))
    _write_inertial(etree.SubElement(body, "inertial"), MASS, np.zeros(3), tensor)
    spin = etree.SubElement(root, "joint", name=spin_joint(joint), type="continuous")
    for tag in ("origin", "axis"):
        if typed is not None and (element := typed.find(tag)) is not None:
            spin.append(copy(element))
    if typed is None:
        etree.SubElement(spin, "axis", xyz="0 0 1")
    etree.SubElement(spin, "parent", link=carrier)
    etree.SubElement(spin, "child", link=rotor_link(joint))
    return spin


def with_coupled_rotor(
    text: str, source: str, root_link: str, motor: str, rotor: CoupledRotor
) -> str:
    """The URDF text with a rotor on the root link that follows several joints."""
    from lxml import etree

    root = parse(text, source)
    disc = 0.5 * rotor.inertia * (np.eye(3) + np.diag([0.0, 0.0, 1.0]))
    spin = _add_rotor(root, root_link, motor, disc)
    followed = [(joint, ratio) for joint, ratio in rotor.ratios.items() if ratio]
    for number, (joint, ratio) in enumerate(followed):
        tag = PLUS_MIMIC if number else "mimic"
        etree.SubElement(spin, tag, joint=joint, multiplier=repr(ratio), offset="0")
    if rotor.viscous:
        etree.SubElement(spin, "dynamics", damping=repr(rotor.viscous), friction="0")
    return etree.tostring(root.getroottree(), encoding="unicode")


def without_free_rotor(text: str, source: str, joint: str) -> str:
    """The URDF text without a rotor on the root link."""
    from lxml import etree

    root = parse(text, source)
    for tag, name in (("link", rotor_link(joint)), ("joint", spin_joint(joint))):
        for element in [one for one in root.iterchildren(tag) if one.get("name") == name]:
            root.remove(element)
    return etree.tostring(root.getroottree(), encoding="unicode")


def _write_inertial(element: _Element, mass: float, com: Array, tensor: Array) -> None:
    from lxml import etree

    xyz = " ".join(repr(float(x)) for x in com)
    etree.SubElement(element, "origin", xyz=xyz, rpy="0 0 0")
    etree.SubElement(element, "mass", value=repr(float(mass)))
    upper = zip(MOMENTS, tensor[np.triu_indices(3)], strict=True)
    etree.SubElement(element, "inertia", {key: repr(float(value)) for key, value in upper})
