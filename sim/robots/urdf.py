"""Parser of URDF text into links and joints: faults raise errors or are reported as repairs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast, get_args

import numpy as np
from msgspec import structs

from sim.maths.arrays import Array
from sim.robots.chains import CHAINED, LEAST_AXIS, write_chains
from sim.robots.defects import Defects
from sim.robots.document import Node
from sim.robots.inertia import Link, origin_pose, read_inertia
from sim.robots.joint import Joint, JointKind, Mimic
from sim.robots.joint_limits import read_limits
from sim.robots.mending import mend
from sim.robots.structure import tree
from sim.robots.urdf_tree import UrdfTree
from sim.robots.xml_text import flaws, parse

if TYPE_CHECKING:
    from lxml.etree import _Element

R = TypeVar("R", bound=UrdfTree)
UNIT_TOLERANCE = 1e-4  # rounding of printed digits in the length of an axis
_KINDS: tuple[str, ...] = get_args(JointKind)
_LOOSE_KINDS = {  # allowed types of a base where nothing is repaired
    "floating": "leaves all six directions free",
    "planar": "slides in a plane and turns about its normal",
}
_FOREIGN = {
    "sdf": "this is SDF, the format of Gazebo, not URDF; load_robot reads it from its file",
    "mujoco": "this is MJCF, the format of MuJoCo, not URDF; load_robot reads it from its file",
}
_DEFAULT_AXIS = (1.0, 0.0, 0.0)  # where <axis> is missing, by the URDF standard
NAMELESS = "robot"  # name of a robot without one

PLUS_MIMIC = "mimic_plus"
"""Tag of the further joints that a joint follows, beside ``<mimic>``; other programs pass it by."""


@lru_cache(maxsize=4)
def read_tree(text: str, source: str = "URDF", *, strict: bool = False) -> UrdfTree:
    """Parse the links and joints of a URDF text.

    Any tree of revolute, continuous, prismatic, spherical and fixed joints, and of types that are
    chains of these (`sim.robots.chains`), is allowed. A link without ``<inertial>``, or with zero
    mass and inertia, is a pure frame. A ``<limit>`` with zero or missing effort or velocity sets no
    such limit. Elements of other tools are ignored. Faults with one sensible interpretation are
    repaired and reported; ``docs/robots.md`` lists them. The last texts are kept with their trees.

    Parameters
    ----------
    text, source : str
        The URDF, and the name of the file in messages.
    strict : bool
        Repair nothing: what would be a repair is an error.

    Raises
    ------
    ModelError
        If the text is not a URDF, or describes an impossible robot; the message gives the file
        `source`, the line, the link or joint, the given value and the allowed ones.
    """
    findings = Defects(strict)
    root = parse(text, source) if strict else mend(text, source, findings)
    robot = _robot(root, source, text, findings)
    if strict:
        write_chains(robot)
    links: dict[str, Link] = {}
    for node in robot.children("link"):
        link = _link(node, findings)
        _claim(link.name, links, "link", node)
        links[link.name] = link
    if not links:
        raise robot.error("has no <link>; it needs at least one")
    joints: dict[str, Joint] = {}
    nodes: dict[str, Node] = {}
    for node in robot.children("joint"):
        joint = _joint(node, findings)
        _claim(joint.name, joints, "joint", node)
        joints[joint.name] = joint
        nodes[joint.name] = structs.replace(node, subject=f"joint {joint.name!r}")
    ordered = tree(links, joints, nodes, robot, findings)
    return UrdfTree(_name(robot), *ordered, text, findings.repairs(ordered[1]))


def reread(robot: R, text: str, source: str) -> R:
    """Return the robot with another text; its joints keep everything besides the text."""
    of_text = read_tree(text, source)
    omissions = tuple(one for one in robot.repairs if one.kind == "left out")  # of another format
    repairs = (*of_text.repairs, *omissions)
    new = replace(robot, links=of_text.links, joints=of_text.joints, text=text, repairs=repairs)
    return new.with_joints(robot.joints)


def _robot(root: _Element, source: str, text: str, findings: Defects) -> Node:
    robot = Node(root, source, "robot")
    if root.tag != "robot":
        advice = _FOREIGN.get(str(root.tag), "a URDF starts with <robot>")
        raise robot.error(f"the outermost element is <{root.tag}>; {advice}")
    macros = [uri for uri in root.nsmap.values() if uri.endswith("/xacro")]
    for element in (element for uri in macros for element in root.iter(f"{{{uri}}}*")):
        raise Node(element, source, "robot").error(
            "this is a xacro template; expand it to a URDF first (xacro FILE > robot.urdf), or "
            "call the file *.xacro: such a file is expanded here, with the extra 'xacro'"
        )
    for fault in flaws(text):
        findings.note(
            "declaration",
            structs.replace(robot, subject="file"),
            source,
            says=f"not an XML document: {fault}",
            reading="the document without this",
            why="it does not describe the robot",
        )
    if not root.get("name", "").strip():
        findings.note(
            "name",
            robot,
            source,
            says="<robot> needs the attribute 'name'",
            reading=f"the name {NAMELESS!r}",
            why="a name has no effect on torques",
        )
    return structs.replace(robot, subject=f"robot {_name(robot)!r}")


def _name(robot: Node) -> str:
    return robot.name() if robot.element.get("name", "").strip() else NAMELESS


def _claim(name: str, others: dict[str, Link] | dict[str, Joint], what: str, node: Node) -> None:
    if name in others:
        raise node.error(f"{what} name {name!r} is used twice; names must differ")


def _link(node: Node, findings: Defects) -> Link:
    node = structs.replace(node, subject="link")
    name = node.name()
    node = structs.replace(node, subject=f"link {name!r}")
    inertial = node.only("inertial")
    return Link(name, None if inertial is None else read_inertia(inertial, name, findings))


def _joint(node: Node, findings: Defects) -> Joint:
    node = structs.replace(node, subject="joint")
    name = node.name()
    node = structs.replace(node, subject=f"joint {name!r}")
    kind = _kind(node)
    dynamics = node.only("dynamics")
    if kind == "spherical":
        _check_ball(node)
    return Joint(
        name,
        kind,
        parent=node.require_child("parent").attribute("link"),
        child=node.require_child("child").attribute("link"),
        T_pc=origin_pose(node),
        axis=_axis(node, name, kind, findings),
        limits=read_limits(node, name, kind, findings),
        damping=0.0 if dynamics is None else _not_negative(dynamics, "damping"),
        friction=0.0 if dynamics is None else _not_negative(dynamics, "friction"),
        mimic=_mimic(node, name, kind, findings),
    )


def _check_ball(node: Node) -> None:
    """Check that a ball has no elements of other joint types."""
    if (mimic := node.only("mimic")) is not None:
        raise mimic.error(
            "it is a ball, which cannot follow a joint: its rotation is not one number"
        )
    dynamics = node.only("dynamics")
    if dynamics is not None and dynamics.number("friction", 0.0) != 0:
        raise dynamics.error("dry friction of a ball is not supported; use damping only")


def _kind(node: Node) -> JointKind:
    kind = node.attribute("type")
    if kind in _KINDS:
        return cast(JointKind, kind)
    allowed = f"allowed: {', '.join((*_KINDS, *CHAINED))}"
    if kind in _LOOSE_KINDS:
        raise node.error(
            f"its type {kind!r} is not supported of a base: it {_LOOSE_KINDS[kind]}, and the base "
            "of a robot is fixed here. Drop joint and world link, or make the joint 'fixed', and "
            f"mount the robot: robot.mounted(xyz, rpy); {allowed}"
        )
    raise node.error(f"its type {kind!r} is unknown; {allowed}")


def _axis(node: Node, name: str, kind: JointKind, findings: Defects) -> Array:
    axis = node.only("axis")
    if axis is None or kind in ("fixed", "spherical"):  # some exporters write a zero axis
        return np.array(_DEFAULT_AXIS)
    vector = axis.vector("xyz")
    length = float(np.sqrt(vector @ vector))
    shown = ", ".join(f"{component:g}" for component in vector)
    if not LEAST_AXIS < length < math.inf:
        raise axis.error(f"its axis ({shown}) is zero; an axis has length 1")
    if abs(length - 1) > UNIT_TOLERANCE:
        findings.note(
            "axis",
            axis,
            name,
            says=f"its axis ({shown}) has length {length:.6g}; an axis has length 1",
            reading="its direction, with length 1",
            why="a reader that scales the motion by the length has other angles and torques",
            reach="itself",
        )
    return vector / length


def _not_negative(node: Node, key: str) -> float:
    value = node.number(key, 0.0)
    if value < 0:
        raise node.error(f"its {key} {value:g} is negative; it must be at least 0")
    return value


def _mimic(node: Node, name: str, kind: JointKind, findings: Defects) -> Mimic | None:
    if (mimic := node.only("mimic")) is None:
        for further in node.children(PLUS_MIMIC):
            raise further.error("it has no <mimic> next to it, which names the first leader")
        return None
    if kind == "fixed":
        findings.note(
            "fixed mimic",
            mimic,
            name,
            says="a fixed joint cannot have a <mimic>",
            reading="the joint as fixed",
            why="what does not move follows nothing",
        )
        return None
    every = (mimic, *node.children(PLUS_MIMIC))
    first, *others = (
        Mimic(one.attribute("joint"), one.number("multiplier", 1.0), one.number("offset", 0.0))
        for one in every
    )
    names = [one.joint for one in (first, *others)]
    for one, leader in zip(every, names, strict=True):
        if names.count(leader) > 1:
            raise one.error(f"it follows joint {leader!r} twice; write the sum of both")
    return structs.replace(first, others=tuple(others))
