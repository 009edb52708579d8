"""Repair of URDFs whose links and joints nearly form a tree; each change is noted as a defect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sim.robots.defects import Defects
from sim.robots.document import Node

if TYPE_CHECKING:
    from lxml.etree import _Element

_WORLD = "world"


def mend_tree(robot: Node, findings: Defects) -> None:
    """Repair faults of the tree that affect no torque or have a single interpretation."""
    _world(robot, findings)
    _loose_frames(robot, findings)
    _standing(robot, findings)


def _world(robot: Node, findings: Defects) -> None:
    """Add the frame ``world`` where joints name it as parent without a ``<link>`` of that name."""
    from lxml import etree

    links, joints = _by_name(robot, "link"), _joints(robot)
    hung = [joint for joint in joints if end_of(joint, "parent") == _WORLD]
    if not hung or _WORLD in links or any(end_of(joint, "child") == _WORLD for joint in joints):
        return
    node = _part(robot, hung[0])
    findings.note(
        "world",
        node,
        hung[0].get("name", ""),
        says=f"its parent link {_WORLD!r} does not exist",
        reading=f"a fixed frame {_WORLD!r}",
        why="the name identifies the world, and a fixed frame has no mass",
    )
    robot.element.insert(0, etree.Element("link", name=_WORLD))


def _loose_frames(robot: Node, findings: Defects) -> None:
    """Remove links without mass that no joint connects to the tree."""
    ends = {end_of(joint, role) for joint in _joints(robot) for role in ("parent", "child")}
    links = _by_name(robot, "link")
    if not ends & links.keys():
        return
    for name, link in links.items():
        if name not in ends and link.find("inertial") is None:
            findings.note(
                "loose frame",
                _part(robot, link),
                name,
                says="no joint leads to it or from it",
                reading="the robot without this link",
                why="it has no mass and nothing hangs on it",
            )
            robot.element.remove(link)


def _standing(robot: Node, findings: Defects) -> None:
    """Fix a base that floats or slides freely."""
    for joint in floating_bases(robot):
        kind = joint.get("type")
        findings.note(
            "floating base",
            _part(robot, joint),
            joint.get("name", ""),
            says=f"it is {kind}: its link is free, and the base of a robot is fixed here",
            reading="a fixed joint: the base is fixed; robot.mounted(xyz, rpy) places it",
            why="torques are those of a robot whose base is held, as PyBullet has them too",
            reach="all along",
        )
        joint.set("type", "fixed")


def floating_bases(robot: Node) -> Iterator[_Element]:
    """Yield the joints of a free base: connected to the ground, with movable joints beyond them.

    A floating or planar joint that carries no movable joint is not a base but a loose part.
    """
    carrier = {end_of(joint, "child"): joint for joint in _joints(robot)}
    for joint in _joints(robot):
        if joint.get("type") in ("floating", "planar") and _is_fixed_to_root(
            end_of(joint, "parent"), carrier
        ):
            moving = (one for one in carrier.values() if one.get("type") != "fixed")
            if any(_is_on_path_to(end_of(one, "parent"), joint, carrier) for one in moving):
                yield joint


def _is_on_path_to(link: str, joint: _Element, carrier: Mapping[str, _Element]) -> bool:
    """Whether a joint is among those that lead from the root to a link."""
    visited = set()
    while link in carrier and link not in visited:
        if carrier[link] is joint:
            return True
        visited.add(link)
        link = end_of(carrier[link], "parent")
    return False


def _is_fixed_to_root(link: str, carrier: Mapping[str, _Element]) -> bool:
    """Whether only fixed joints lead from the root to a link."""
    visited = set()
    while link in carrier and link not in visited:
        visited.add(link)
        joint = carrier[link]
        if joint.get("type") != "fixed":
            return False
        link = end_of(joint, "parent")
    return link not in visited


def mend_leaders(robot: Node, findings: Defects) -> None:
    """Make a joint that mimics itself or an immovable joint independent."""
    joints = _by_name(robot, "joint")
    moving = {name for name, joint in joints.items() if joint.get("type") != "fixed"}
    for name, joint in joints.items():
        if (mimic := joint.find("mimic")) is None or joint.get("type") == "fixed":
            continue
        leader = mimic.get("joint", "")
        if not leader or (leader in moving and leader != name):
            continue
        fault = "is fixed" if leader in joints else "does not exist"
        fault = "is itself" if leader == name else fault
        findings.note(
            "lost leader",
            _part(robot, joint),
            name,
            says=f"it mimics joint {leader!r}, which {fault}",
            reading="a joint that moves on its own",
            why="that leads it nowhere; PyBullet and Pinocchio let it move on its own too",
            reach="all along",
        )
        joint.remove(mimic)


def _part(robot: Node, element: _Element) -> Node:
    return Node(element, robot.source, f"{element.tag} {element.get('name', '')!r}")


def _by_name(robot: Node, tag: str) -> dict[str, _Element]:
    return {each.get("name", ""): each for each in robot.element.iterchildren(tag)}


def _joints(robot: Node) -> list[_Element]:
    return list(robot.element.iterchildren("joint"))


def end_of(joint: _Element, role: str) -> str:
    """Return the name of the parent or child of a joint; empty if it has none."""
    end = joint.find(role)
    return "" if end is None else end.get("link", "")
