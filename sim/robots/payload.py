"""Bodies written into a robot's URDF: a rigid one at a frame, and rotors.

A rotor is a separate body on the parent of its joint, geared to the joint by a ``<mimic>``. The
published inertia of a link includes the motors in it. Hence the rotor takes its moments, those
of a disc, from that link, and has almost no mass; at rest nothing changes, in motion it adds

    T = ½ N² J qd² + N J qd (z · w_parent)

to the kinetic energy, of which `sim.robots.drive_train.DriveTrain` in a joint has the first term.

The rotor of an elastic gear has no ``<mimic>``: its angle is a separate coordinate. Unless it is
gyroscopic, it is on the root link, where its kinetic energy is just T = ½ J theta_d².
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.coupled_rotor import CoupledRotor
from sim.robots.drive_train import DriveTrain
from sim.robots.inertia import Inertia, why_impossible
from sim.robots.joint import Joint
from sim.robots.urdf import PLUS_MIMIC
from sim.robots.urdf_elements import add, fill_inertial, number_text
from sim.robots.xml_text import parse, text_of
from sim.showing.one_line import one_line, vector

if TYPE_CHECKING:
    from lxml.etree import _Element


BLOCK_DENSITY = 2700.0  # of the block in illustrations [kg/m³]: aluminium
BLOCK_COLOUR = (0.62, 0.66, 0.70, 1.0)
MASS = 1e-12  # [kg] accepted by readers; its weight is negligible
SPIN = "spin_of_"


@checked
@dataclass(frozen=True, eq=False)
class Payload:
    """A rigid body that a robot carries.

    Parameters
    ----------
    mass : float
        [kg]
    com : array_like, shape (3,)
        Mass centre in `frame` [m].
    inertia : array_like, shape (3, 3), optional
        About the mass centre, axes of `frame` [kg·m²] (default: a point mass).
    frame : str, optional
        Link that carries it (default: the tool frame).

    Raises
    ------
    ModelError
        If a number is not finite or the inertia is impossible.
    """

    mass: float
    com: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike | None = None
    frame: str | None = None

    def __post_init__(self) -> None:
        tensor = _array(
            "inertia", np.zeros((3, 3)) if self.inertia is None else self.inertia, (3, 3)
        )
        com = _array("mass centre", self.com, (3,))
        if not np.isfinite(com).all():
            raise ModelError(f"Payload: mass centre {com.tolist()} m must be finite numbers")
        fault = why_impossible(float(_array("mass", self.mass, ())), tensor)
        if fault is not None:
            raise ModelError(f"Payload: {fault}")
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "com", com)
        if self.inertia is not None:
            object.__setattr__(self, "inertia", frozen((tensor + tensor.T) / 2))

    def __repr__(self) -> str:
        where = "the tool frame" if self.frame is None else self.frame
        return one_line(
            "Payload:", f"{self.mass:g} kg at {vector(np.asarray(self.com))} m of {where}"
        )


def with_body(text: str, source: str, payload: Payload, frame: str, name: str) -> str:
    """Return the URDF text with a further link `name`, fixed to the link `frame`."""
    from lxml import etree

    root = parse(text, source)
    root[-1].tail = "\n\n  "
    link = add(root, "link", name=name)
    tensor = np.zeros((3, 3)) if payload.inertia is None else np.asarray(payload.inertia)
    fill_inertial(add(link, "inertial"), payload.mass, np.asarray(payload.com), tensor)
    _add_block(link, payload)
    joint = add(root, "joint", name=f"{name}_joint", type="fixed")
    add(joint, "parent", link=frame)
    add(joint, "child", link=name)
    for element, tail in ((link, "\n\n  "), (joint, "\n\n")):
        etree.indent(element, level=1)
        element.tail = tail
    return text_of(root.getroottree())


def is_payload(link: _Element) -> bool:
    """Whether a link was written by `with_body`, by the colour of its block."""
    colour = link.find("visual/material")
    return colour is not None and colour.get("name") == _block(link)


def _block(link: _Element) -> str:
    return f"{link.get('name')} block"


def _add_block(link: _Element, payload: Payload) -> None:
    """Add a cube of equal mass at the mass centre: an illustration, not the body's shape."""
    # Six digits: the last digit of a root differs between machines, and the text must not.
    edge = float(f"{np.cbrt(payload.mass) / np.cbrt(BLOCK_DENSITY):.6g}")
    visual = add(link, "visual")
    add(visual, "origin", xyz=number_text(np.asarray(payload.com)), rpy="0 0 0")
    add(add(visual, "geometry"), "box", size=number_text([edge] * 3))
    add(add(visual, "material", name=_block(link)), "color", rgba=number_text(BLOCK_COLOUR))


def _array(what: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        return frozen(values, shape)
    except (TypeError, ValueError) as error:
        raise ModelError(f"Payload: {what} {values!r} cannot be used: {error}") from None


def rotor_link(joint: str) -> str:
    """Return the name of a joint's rotor link."""
    return f"rotor_of_{joint}"


def spin_joint(joint: str) -> str:
    """Return the name of the joint about which a joint's rotor turns."""
    return f"{SPIN}{joint}"


def motor_of(name: str) -> str:
    """Return the joint whose motor drives a joint: another one if the joint is a rotor's."""
    return name.removeprefix(SPIN)


def with_free_rotor(text: str, source: str, root_link: str, joint: Joint, drive: DriveTrain) -> str:
    """Return the URDF text with a free rotor on the root link.

    It turns about the root link's z.
    """
    root = parse(text, source)
    disc = 0.5 * drive.rotor_inertia * (np.eye(3) + np.diag([0.0, 0.0, 1.0]))
    _add_rotor(root, root_link, joint.name, disc)
    return text_of(root.getroottree())


def with_rotor(
    text: str, source: str, joint: Joint, drive: DriveTrain, parent: Inertia | None, *, stands: bool
) -> str:
    """Return the URDF text with a rotor on a joint's parent link, its moments moved from that link.

    Parameters
    ----------
    text, source : str
        The URDF, and its name in messages.
    parent : Inertia or None
        Inertia of the joint's parent link.
    stands : bool
        Whether the parent never moves, and may have any inertia or none.

    Raises
    ------
    ModelError
        If the link has less inertia than the rotor.
    """
    root = parse(text, source)
    z = joint.T_pc[:3, :3] @ joint.axis
    disc = 0.5 * drive.rotor_inertia * (np.eye(3) + np.outer(z, z))
    if not stands:
        rest = None if parent is None else parent.tensor - disc
        if parent is None or rest is None or np.linalg.eigvalsh(rest)[0] < 0:
            J = drive.rotor_inertia
            raise ModelError(
                f"The rotor of joint {joint.name!r} is a part of link {joint.parent!r} of "
                f"{source}, which has less inertia: the rotor's moments are assumed to be "
                f"{J:g} and {0.5 * J:g} kg·m²; omit gyroscopic"
            )
        link = next(one for one in root.iterchildren("link") if one.get("name") == joint.parent)
        inertial = next(link.iterchildren("inertial"))
        inertial.clear()
        fill_inertial(inertial, parent.mass, parent.com, rest)
    # relative to its own frame, which is that of the joint
    turned = joint.T_pc[:3, :3].T @ disc @ joint.T_pc[:3, :3]
    typed = next(one for one in root.iterchildren("joint") if one.get("name") == joint.name)
    spin = _add_rotor(root, joint.parent, joint.name, turned, typed)
    if not drive.is_elastic:
        add(spin, "mimic", joint=joint.name, multiplier=repr(drive.ratio), offset="0")
    return text_of(root.getroottree())


def require_same_rotor(joint: Joint, spin: Joint, rotor: Inertia | None, drive: DriveTrain) -> None:
    """Check that an existing rotor of a robot is the one of a drive train.

    Raises
    ------
    ModelError
        If it has another ratio or inertia.
    """
    moment = 0.0 if rotor is None else float(spin.axis @ rotor.tensor @ spin.axis)
    ratio = 0.0 if spin.mimic is None else spin.mimic.multiplier
    if drive.is_elastic and spin.mimic is None:
        ratio = drive.ratio  # the ratio of the spring
    if ratio != drive.ratio or not np.isclose(moment, drive.rotor_inertia, rtol=1e-9, atol=0.0):
        raise ModelError(
            f"Joint {joint.name!r} has a rotor of {moment:g} kg·m² and ratio {ratio:g} already, "
            f"and not one of {drive.rotor_inertia:g} kg·m² and {drive.ratio:g}; start from the "
            "robot without a rotor"
        )


def _add_rotor(
    root: _Element, carrier: str, joint: str, tensor: Array, typed: _Element | None = None
) -> _Element:
    """Add a rotor and its joint to a link: in the frame of a given joint, or about z."""
    body = add(root, "link", name=rotor_link(joint))
    fill_inertial(add(body, "inertial"), MASS, np.zeros(3), tensor)
    spin = add(root, "joint", name=spin_joint(joint), type="continuous")
    for tag in ("origin", "axis"):
        if typed is not None and (element := typed.find(tag)) is not None:
            spin.append(copy(element))
    if typed is None:
        add(spin, "axis", xyz="0 0 1")
    add(spin, "parent", link=carrier)
    add(spin, "child", link=rotor_link(joint))
    return spin


def with_coupled_rotor(
    text: str, source: str, root_link: str, motor: str, rotor: CoupledRotor
) -> str:
    """Return the URDF text with a rotor on the root link that follows several joints."""
    root = parse(text, source)
    disc = 0.5 * rotor.inertia * (np.eye(3) + np.diag([0.0, 0.0, 1.0]))
    spin = _add_rotor(root, root_link, motor, disc)
    followed = [(joint, ratio) for joint, ratio in rotor.ratios.items() if ratio]
    for number, (joint, ratio) in enumerate(followed):
        tag = PLUS_MIMIC if number else "mimic"
        add(spin, tag, joint=joint, multiplier=repr(ratio), offset="0")
    if rotor.viscous:
        add(spin, "dynamics", damping=repr(rotor.viscous), friction="0")
    return text_of(root.getroottree())


def without_free_rotor(text: str, source: str, joint: str) -> str:
    """Return the URDF text without a rotor on the root link."""
    root = parse(text, source)
    for tag, name in (("link", rotor_link(joint)), ("joint", spin_joint(joint))):
        for element in [one for one in root.iterchildren(tag) if one.get("name") == name]:
            root.remove(element)
    return text_of(root.getroottree())
