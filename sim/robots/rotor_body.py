"""A rotor as a body of its own: it turns on the parent of its joint, geared to it by a ``<mimic>``.

What a maker prints of a link has the motors in it. So the rotor takes its moments from its link, a
disc's, and next to no mass; at rest nothing has changed, and in motion the rotor adds

    T = ½ N² J qd² + N J qd (z · w_parent)

of which `sim.robots.drive_train.DriveTrain` as an inertia in the joint has the first part alone.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.drive_train import DriveTrain
from sim.robots.inertia import Inertia
from sim.robots.joint import Joint
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

MASS = 1e-12  # kg; readers take it, and its weight is nowhere seen
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def rotor_link(joint: str) -> str:
    """The name of a joint's rotor."""
    return f"rotor_of_{joint}"


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

    root, name = parse(text, source), rotor_link(joint.name)
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
    body = etree.SubElement(root, "link", name=name)
    # about its own frame, which is that of the joint
    turned = joint.T_pc[:3, :3].T @ disc @ joint.T_pc[:3, :3]
    _write_inertial(etree.SubElement(body, "inertial"), MASS, np.zeros(3), turned)
    spin = etree.SubElement(root, "joint", name=f"spin_of_{joint.name}", type="continuous")
    given = next(one for one in root.iterchildren("joint") if one.get("name") == joint.name)
    for tag in ("origin", "axis"):
        if (element := given.find(tag)) is not None:
            spin.append(copy(element))
    etree.SubElement(spin, "parent", link=joint.parent)
    etree.SubElement(spin, "child", link=name)
    etree.SubElement(spin, "mimic", joint=joint.name, multiplier=repr(drive.ratio), offset="0")
    return etree.tostring(root.getroottree(), encoding="unicode")


def require_same_rotor(joint: Joint, spin: Joint, rotor: Inertia | None, drive: DriveTrain) -> None:
    """Check that a rotor that a robot has already is the one of a drive train.

    Raises
    ------
    ModelError
        If it has another ratio or inertia.
    """
    moment = 0.0 if rotor is None else float(joint.axis @ rotor.tensor @ joint.axis)
    ratio = 0.0 if spin.mimic is None else spin.mimic.multiplier
    if ratio != drive.ratio or not np.isclose(moment, drive.rotor_inertia, rtol=1e-9, atol=0.0):
        raise ModelError(
            f"Joint {joint.name!r} has a rotor of {moment:g} kg·m² and ratio {ratio:g} already, "
            f"and not one of {drive.rotor_inertia:g} kg·m² and {drive.ratio:g}; start from the "
            "robot without it"
        )


def _write_inertial(element: _Element, mass: float, com: Array, tensor: Array) -> None:
    from lxml import etree

    xyz = " ".join(repr(float(x)) for x in com)
    etree.SubElement(element, "origin", xyz=xyz, rpy="0 0 0")
    etree.SubElement(element, "mass", value=repr(float(mass)))
    upper = zip(MOMENTS, tensor[np.triu_indices(3)], strict=True)
    etree.SubElement(element, "inertia", {key: repr(float(value)) for key, value in upper})
