"""Repair of minor faults in a URDF document, each noted as a defect.

Repaired are faults that other readers interpret alike (the first of two elements), and those that a
machine cannot read but a person can (a number followed by a comma). A strict reader repairs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, get_args

import numpy as np

from sim.maths.rotations import rotations_of, rpy_from_rotation
from sim.robots.chains import CHAINED, write_chains
from sim.robots.defects import Defects, Reach
from sim.robots.document import Node
from sim.robots.joint import JointKind
from sim.robots.loose_ends import mend_leaders, mend_tree
from sim.robots.numerals import slips
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element

_KINDS: tuple[str, ...] = get_args(JointKind)
_PLACES: dict[str, Reach] = {"joint": "all along", "inertial": "all below"}
UNIT = 1e-3  # rounding of printed digits in the length of a quaternion
_TEMPLATE = frozenset("macro property include arg if unless insert_block call element".split())
_PRODUCTS = ("ixy", "ixz", "iyz")

# Elements allowed once, and the torques that depend on the choice between two.
_PICTURE: dict[str, Reach] = dict.fromkeys(("origin", "geometry", "material"), "none")
_ONCE: dict[str, dict[str, Reach]] = {
    "joint": {
        "origin": "all along",
        "axis": "all along",
        "limit": "none",
        "dynamics": "itself",
        "mimic": "all along",
    },
    "link": {"inertial": "all below"},
    "inertial": {"origin": "all below", "mass": "all below", "inertia": "rotary below"},
    "visual": _PICTURE,
    "collision": _PICTURE,
    "material": {"color": "none", "texture": "none"},
}


def mend(
    text: str, source: str, findings: Defects | None = None, *, chained: bool = True
) -> _Element:
    """Return the root element of a URDF text, with minor faults repaired and noted in `findings`.

    All readers of a robot's text use this function, so that all have the same robot. Line numbers
    are unchanged. Joints with several motions become chains (`sim.robots.chains`), unless `chained`
    is false, for users of the file itself.

    Raises
    ------
    ModelError
        If the text is not an XML document, or a chain cannot be written.
    """
    root = parse(text, source)
    notes = Defects(strict=False) if findings is None else findings
    robot = Node(root, source, "robot")
    _namespace(robot, notes)
    if root.tag == "robot":
        _remove_twins(robot, notes)
        for part in _parts(robot):
            _keep_first(part, notes)
            _numerals(part, notes)
            _quaternions(part, notes)
            if part.element.tag == "joint":
                _kind(part, notes)
            else:
                _products(part, notes)
        mend_tree(robot, notes)
        if chained:
            write_chains(robot)
        mend_leaders(robot, notes)
    return root


def _parts(robot: Node) -> Iterator[Node]:
    """Yield the links and joints that have a name, with the subject used in messages."""
    for tag in ("link", "joint"):
        for node in robot.children(tag):
            if (name := node.element.get("name", "")).strip():
                yield Node(node.element, robot.source, f"{tag} {name!r}")


def _namespace(robot: Node, findings: Defects) -> None:
    """Remove the default namespace: elements of a URDF have none."""
    if (space := robot.element.nsmap.get(None)) is None:
        return
    inside = [e for e in robot.element.iter() if str(e.tag).startswith(f"{{{space}}}")]
    names = {element: str(element.tag).rpartition("}")[2] for element in inside}
    if space.endswith("/xacro") and _TEMPLATE & set(names.values()):
        return
    for element, name in names.items():
        element.tag = name
    if robot.element.tag == "robot":
        findings.note(
            "namespace",
            robot,
            "",
            says=f"its elements are in the namespace {space!r}; those of a URDF are in none",
            reading="the elements without namespace",
            why="other readers ignore namespaces",
        )


def _remove_twins(robot: Node, findings: Defects) -> None:
    """Remove links and joints that are exact copies of others."""
    first: dict[tuple[str, str], _Element] = {}
    for part in list(_parts(robot)):
        known = first.setdefault(
            (str(part.element.tag), part.element.get("name", "")), part.element
        )
        if known is not part.element and _is_same(known, part.element):
            _drop_repeated(part, part, "it is in the file twice", "none", findings)


def _keep_first(part: Node, findings: Defects) -> None:
    """Keep the first of elements that may occur once, as Pinocchio and PyBullet do."""
    for parent in list(part.element.iter()):
        for tag, reach in _ONCE.get(str(parent.tag), {}).items():
            elements = list(parent.iterchildren(tag))
            for other in elements[1:]:
                alike = _is_same(elements[0], other)
                node = Node(other, part.source, part.subject)
                says = f"it has several <{tag}> elements; at most one is allowed"
                _drop_repeated(part, node, says, "none" if alike else reach, findings)


def _drop_repeated(part: Node, node: Node, says: str, reach: Reach, findings: Defects) -> None:
    """Note that an element is repeated, and remove it."""
    findings.note(
        "repeated",
        node,
        part.element.get("name", ""),
        says=says,
        reading="the first",
        why="both are equal"
        if reach == "none"
        else "Pinocchio and PyBullet use the first, MuJoCo refuses the file",
        reach=reach,
    )
    if (above := node.element.getparent()) is not None:
        above.remove(node.element)


def _is_same(one: _Element, other: _Element) -> bool:
    """Whether two elements have the same content, apart from blanks and comments."""
    mine, others = one.findall("*"), other.findall("*")
    alike = (one.tag, sorted(one.items())) == (other.tag, sorted(other.items()))
    return alike and len(mine) == len(others) and all(map(_is_same, mine, others))


def _numerals(part: Node, findings: Defects) -> None:
    for slip in slips(part.element):
        tag = slip.element.tag
        findings.note(
            "number",
            Node(slip.element, part.source, part.subject),
            part.element.get("name", ""),
            says=f'<{tag} {slip.key}="{slip.typed[:60]}"> is not written as numbers are',
            reading=f'{slip.key}="{slip.meant}"',
            why="it can be read in one way only",
            reach=slip.reach,
        )
        slip.element.set(slip.key, slip.meant)


def _quaternions(part: Node, findings: Defects) -> None:
    """Convert quaternions, which the latest URDF has and most readers ignore, to rpy angles."""
    for origin in part.element.iter("origin"):
        node = Node(origin, part.source, part.subject)
        if "quat_xyzw" not in origin.attrib or "rpy" in origin.attrib:
            continue
        quaternion = node.vector("quat_xyzw", length=4)
        length = float(np.linalg.norm(quaternion))
        if abs(length - 1) > UNIT:
            raise node.error(f"its quat_xyzw has length {length:g}; a rotation has length 1")
        rpy = rpy_from_rotation(rotations_of((quaternion / length)[:, None])[:, :, 0])
        meant = " ".join(repr(float(angle)) for angle in rpy)
        findings.note(
            "quaternion",
            node,
            part.element.get("name", ""),
            says="its <origin> has quat_xyzw, which PyBullet and MuJoCo pass over",
            reading=f'rpy="{meant}"',
            why="that is the same rotation",
            reach=_PLACES.get(_tag_above(origin), "none"),
        )
        origin.set("rpy", meant)
        del origin.attrib["quat_xyzw"]


def _tag_above(element: _Element) -> str:
    parent = element.getparent()
    return "" if parent is None else str(parent.tag)


def _kind(part: Node, findings: Defects) -> None:
    """Convert types in capitals to lower case."""
    typed = part.element.get("type", "")
    plain = typed.strip().lower()
    if typed != plain and plain in (*_KINDS, *CHAINED):
        _note_change(part, f"its type {typed!r} is unknown", f"type {plain!r}", findings)
        part.element.set("type", plain)


def _note_change(part: Node, says: str, reading: str, findings: Defects) -> None:
    why = "it matches up to capitals and blanks"
    findings.note("type", part, part.element.get("name", ""), says, reading, why)


def _products(part: Node, findings: Defects) -> None:
    """Set missing products of inertia to zero, if the moments exist."""
    for inertia in part.element.iterfind("inertial/inertia"):
        missing = [key for key in _PRODUCTS if key not in inertia.attrib]
        if not missing or any(key not in inertia.attrib for key in ("ixx", "iyy", "izz")):
            continue
        findings.note(
            "products",
            Node(inertia, part.source, part.subject),
            part.element.get("name", ""),
            says=f"<inertia> has no {', '.join(missing)}",
            reading="0 for them",
            why="omitted products of inertia are zero by symmetry, as in PyBullet",
            reach="rotary below",
        )
        for key in missing:
            inertia.set(key, "0")
