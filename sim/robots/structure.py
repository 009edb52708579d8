"""Tree order of links and joints, or an error that says why there is none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from sim.robots.chains import PART_OF
from sim.robots.defects import Defects
from sim.robots.document import Node
from sim.robots.inertia import Link
from sim.robots.joint import Joint

MOST_MOVABLE_JOINTS = 120  # the physics engine allows 127


def tree(
    links: Mapping[str, Link],
    joints: Mapping[str, Joint],
    nodes: Mapping[str, Node],
    robot: Node,
    findings: Defects,
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """Return links and joints outwards from the root, with ``joints[i]`` carrying ``links[i + 1]``.

    Parts fewer joints away from the root come first, so that the axes of a palletizer, whose second
    and third drives are side by side, keep their usual numbers. The children of a link keep the
    order of the document.

    Parameters
    ----------
    links, joints : mapping by name, in document order
    nodes : mapping by joint name
        XML element of each joint.
    robot : Node
        Root element of the document.
    findings : Findings
        Receives moving bodies without mass.

    Raises
    ------
    ModelError
        If they do not form one tree, if mimic joints follow no movable joint, or if there are too
        many joints.
    """
    below = _children(links, joints, nodes)
    root = _root(links, joints, robot)
    order = tuple(_joints_outwards(root, below))
    reached = {root, *(joint.child for joint in order)}
    for joint in joints.values():
        if joint.child not in reached:
            raise nodes[joint.name].error(
                f"closes a loop through links {_loop(joint, joints)}; a URDF must be a tree"
            )
    movable = [joint for joint in order if joint.is_movable]
    rows = sum(len(joint.coordinates) for joint in movable)
    if rows > MOST_MOVABLE_JOINTS:
        counted = "" if rows == len(movable) else ", each ball counted three times"
        raise robot.error(
            f"has {rows} movable joints{counted}; at most {MOST_MOVABLE_JOINTS} are allowed"
        )
    for joint in movable:
        if PART_OF not in nodes[joint.name].element.attrib:
            _check_mass(joint, links, below, nodes[joint.name], findings)
    for joint in order:
        _check_leader(joint, joints, nodes[joint.name])
    for joint in order:
        _check_mimic_chain(joint, joints, nodes[joint.name])
    return (links[root], *(links[joint.child] for joint in order)), order


def _children(
    links: Mapping[str, Link], joints: Mapping[str, Joint], nodes: Mapping[str, Node]
) -> dict[str, list[Joint]]:
    below: dict[str, list[Joint]] = {name: [] for name in links}
    carrier: dict[str, Joint] = {}
    for joint in joints.values():
        node = nodes[joint.name]
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                raise node.error(f"its {role} link {name!r} does not exist; links: {_list(links)}")
        if joint.child in carrier:
            raise node.error(
                f"its child link {joint.child!r} already hangs on joint "
                f"{carrier[joint.child].name!r}; a link can have only one parent. Of a closed "
                "loop leave one joint out here and write it into the .loops.toml next to the file"
            )
        carrier[joint.child] = joint
        below[joint.parent].append(joint)
    return below


def _root(links: Mapping[str, Link], joints: Mapping[str, Joint], robot: Node) -> str:
    roots = list(links.keys() - {joint.child for joint in joints.values()})
    roots.sort(key=list(links).index)
    if not roots:
        first = next(iter(joints.values()))
        raise robot.error(
            f"every link is the child of a joint, so the joints close a loop through links "
            f"{_loop(first, joints)}; a URDF must be a tree"
        )
    if len(roots) > 1:
        raise robot.error(
            f"links {_list(roots)} have no parent; exactly one link may be the root, "
            "so join the others to the tree"
        )
    return roots[0]


def _joints_outwards(root: str, below: Mapping[str, list[Joint]]) -> Iterator[Joint]:
    waiting = deque(below[root])
    while waiting:
        joint = waiting.popleft()
        yield joint
        waiting += below[joint.child]


def _loop(joint: Joint, joints: Mapping[str, Joint]) -> str:
    parent_of = {other.child: other.parent for other in joints.values()}
    path = [joint.child]
    while path[-1] not in path[:-1]:
        path.append(parent_of[path[-1]])
    return " - ".join(repr(name) for name in path[path.index(path[-1]) :][::-1])


def _check_mass(
    joint: Joint,
    links: Mapping[str, Link],
    below: Mapping[str, list[Joint]],
    node: Node,
    findings: Defects,
) -> None:
    body = [joint.child]
    for name in body:  # grows during the iteration
        if links[name].inertia is not None:
            return
        body += [other.child for other in below[name] if not other.is_movable]
    findings.note(
        "nothing to move",
        node,
        joint.child,
        says=f"its link {joint.child!r} moves but has no mass; give it an <inertial>",
        reading="no mass and no inertia",
        why="the torques of these joints lack the weight of this link",
        reach="all below",
    )


def _check_leader(joint: Joint, joints: Mapping[str, Joint], node: Node) -> None:
    if joint.mimic is None:
        return
    for leader in (one.joint for one in joint.mimic.each):
        if leader not in joints or not joints[leader].is_movable:
            fault = "is fixed" if leader in joints else "does not exist"
            movable = [other.name for other in joints.values() if other.is_movable]
            raise node.error(
                f"it mimics joint {leader!r}, which {fault}; movable joints: {_list(movable)}"
            )
        if joints[leader].is_ball:
            raise node.error(
                f"it mimics joint {leader!r}, which is a ball: its rotation is not one number"
            )


def _check_mimic_chain(joint: Joint, joints: Mapping[str, Joint], node: Node) -> None:
    ways = [[joint.name]]
    while ways:
        path = ways.pop()
        mimic = joints[path[-1]].mimic
        for leader in () if mimic is None else (one.joint for one in mimic.each):
            if leader in path:
                raise node.error(
                    f"its <mimic> leads in a circle, {' -> '.join([*path, leader])}; "
                    "it must end at a joint that moves on its own"
                )
            ways.append([*path, leader])


def _list(names: Mapping[str, object] | list[str]) -> str:
    return ", ".join(repr(name) for name in names)
