"""URDF text read into links and joints, strictly: what cannot be meant is an error, no guess."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast, get_args

import numpy as np

from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.document import Node, parse
from sim.robots.inertia import Inertia, Link, why_impossible
from sim.robots.joint import Joint, JointKind, Limits, Mimic
from sim.robots.structure import tree

if TYPE_CHECKING:
    from lxml.etree import _Element

UNIT_TOLERANCE = 1e-4  # of the length of an axis: what printed digits lose
_KINDS: tuple[str, ...] = get_args(JointKind)
_ORIGIN = (0.0, 0.0, 0.0)
_OTHER_KINDS = {
    "floating": "it leaves all six directions free, and the base of a robot stands here. Of a base "
    "drop joint and world link, or make the joint 'fixed', and mount the robot where it stands: "
    "robot.mounted(xyz, rpy); of a part that hangs loose write three prismatic and three revolute "
    "joints, each with a light link of its own",
    "planar": "it slides in a plane and turns about its normal. Write a chain of two prismatic "
    "joints along the plane and a continuous one about its axis",
    "spherical": "URDF has no such joint. Write three revolute joints whose axes meet in a point",
}
_FOREIGN = {
    "sdf": "this is SDF, the format of Gazebo, not URDF. Look for the .urdf or .xacro that it was "
    "made from (the folder 'urdf' of the robot's ROS package); SDF itself is not read",
    "mujoco": "this is MJCF, the format of MuJoCo, not URDF. Look for the .urdf that it was made "
    "from, or convert it (pip install mjcf-urdf-simple-converter) and check masses and limits",
}
_DEFAULT_AXIS = (1.0, 0.0, 0.0)  # where <axis> is missing, by the URDF standard


@dataclass(frozen=True)
class Tree:
    """What a URDF says: links and joints, the root first, every parent before its children."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]


def read_tree(text: str, source: str = "URDF") -> Tree:
    """Links and joints of a URDF text.

    Any tree of revolute, continuous, prismatic and fixed joints. A link without ``<inertial>``, or
    with mass and inertia zero, is a pure frame. A ``<limit>`` whose effort or velocity is zero or
    missing sets no such limit. Elements of other tools are passed over.

    Raises
    ------
    ModelError
        If the text is no URDF, or describes no possible robot; the message says the file `source`,
        the line, the link or joint, what is there and what is allowed.
    """
    robot = _robot(parse(text, source), source)
    links: dict[str, Link] = {}
    for node in robot.children("link"):
        link = _link(node)
        _claim(link.name, links, "link", node)
        links[link.name] = link
    if not links:
        raise robot.error("has no <link>; it needs at least one")
    joints: dict[str, Joint] = {}
    nodes: dict[str, Node] = {}
    for node in robot.children("joint"):
        joint = _joint(node)
        _claim(joint.name, joints, "joint", node)
        joints[joint.name] = joint
        nodes[joint.name] = replace(node, subject=f"joint {joint.name!r}")
    return Tree(robot.name(), *tree(links, joints, nodes, robot))


def _robot(root: _Element, source: str) -> Node:
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
    return replace(robot, subject=f"robot {robot.name()!r}")


def _claim(name: str, taken: dict[str, Link] | dict[str, Joint], what: str, node: Node) -> None:
    if name in taken:
        raise node.error(f"{what} name {name!r} is used twice; names must differ")


def _link(node: Node) -> Link:
    node = replace(node, subject="link")
    name = node.name()
    node = replace(node, subject=f"link {name!r}")
    for shape in (*node.children("visual"), *node.children("collision")):
        for geometry in shape.children("geometry"):
            for mesh in geometry.children("mesh"):
                mesh.attribute("filename")  # the file itself matters only to a picture
    inertial = node.only("inertial")
    return Link(name, None if inertial is None else _inertia(inertial))


def _inertia(node: Node) -> Inertia | None:
    mass = node.required("mass").number("value")
    tensor = node.required("inertia")
    xx, xy, xz = (tensor.number(key) for key in ("ixx", "ixy", "ixz"))
    yy, yz, zz = (tensor.number(key) for key in ("iyy", "iyz", "izz"))
    I_c = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    fault = why_impossible(mass, I_c)
    if fault is not None:
        raise node.error(fault)
    if mass == 0:
        return None
    T_lc = origin_pose(node)
    R_lc = T_lc[:3, :3]
    I_l = R_lc @ I_c @ R_lc.T
    return Inertia(mass, T_lc[:3, 3], (I_l + I_l.T) / 2)


def origin_pose(node: Node) -> Array:
    """Pose that the ``<origin>`` of an element gives, shape (4, 4); the identity without one."""
    origin = node.only("origin")
    if origin is None:
        return pose()
    rotation = rotation_from_rpy(origin.vector("rpy", _ORIGIN))
    return pose(rotation, origin.vector("xyz", _ORIGIN))


def _joint(node: Node) -> Joint:
    node = replace(node, subject="joint")
    name = node.name()
    node = replace(node, subject=f"joint {name!r}")
    kind = _kind(node)
    dynamics = node.only("dynamics")
    return Joint(
        name,
        kind,
        parent=node.required("parent").attribute("link"),
        child=node.required("child").attribute("link"),
        T_pc=origin_pose(node),
        axis=_axis(node, kind),
        limits=_limits(node, kind),
        damping=0.0 if dynamics is None else _not_negative(dynamics, "damping"),
        friction=0.0 if dynamics is None else _not_negative(dynamics, "friction"),
        mimic=_mimic(node, kind),
    )


def _kind(node: Node) -> JointKind:
    kind = node.attribute("type")
    if kind in _KINDS:
        return cast(JointKind, kind)
    allowed = f"allowed: {', '.join(_KINDS)}"
    if kind in _OTHER_KINDS:
        raise node.error(f"its type {kind!r} is not supported: {_OTHER_KINDS[kind]}; {allowed}")
    raise node.error(f"its type {kind!r} is unknown; {allowed}")


def _axis(node: Node, kind: JointKind) -> Array:
    axis = node.only("axis")
    if axis is None or kind == "fixed":  # some exporters give fixed joints a zero axis
        return np.array(_DEFAULT_AXIS)
    vector = axis.vector("xyz")
    length = float(np.sqrt(vector @ vector))
    if abs(length - 1) > UNIT_TOLERANCE:
        what = "is zero" if length == 0 else f"has length {length:.6g}"
        shown = ", ".join(f"{component:g}" for component in vector)
        raise axis.error(f"its axis ({shown}) {what}; an axis has length 1")
    return vector / length


def _limits(node: Node, kind: JointKind) -> Limits:
    limit = node.only("limit")
    if kind == "fixed":
        return Limits()
    has_stops = kind in ("revolute", "prismatic")
    if limit is None:
        if has_stops:
            raise node.error(
                f"a {kind} joint needs a <limit> with lower and upper; "
                "a rotary joint without stops is 'continuous'"
            )
        return Limits()
    velocity = _not_negative(limit, "velocity") or math.inf
    effort = _not_negative(limit, "effort") or math.inf
    if not has_stops:
        return Limits(velocity=velocity, effort=effort)
    if not {"lower", "upper"} & set(limit.element.attrib):
        raise limit.error(f"the <limit> of a {kind} joint needs lower and upper")
    lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
    if lower > upper:
        raise limit.error(f"its lower limit {lower:g} is above its upper limit {upper:g}")
    return Limits(lower, upper, velocity, effort)


def _not_negative(node: Node, key: str) -> float:
    value = node.number(key, 0.0)
    if value < 0:
        raise node.error(f"its {key} {value:g} is negative; it must be at least 0")
    return value


def _mimic(node: Node, kind: JointKind) -> Mimic | None:
    mimic = node.only("mimic")
    if mimic is None:
        return None
    if kind == "fixed":
        raise mimic.error("a fixed joint cannot have a <mimic>")
    return Mimic(
        mimic.attribute("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
    )
