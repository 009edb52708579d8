"""Refusals and repairs in reading a file: of the file, links and joints, and remains of xacro."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim.audit.finding import Finding, Severity
from sim.audit.grammar import FOREIGN, HARMLESS
from sim.audit.lenient import elements, line_of, number, owner
from sim.errors import ModelError
from sim.robots.inertia import ROUNDING
from sim.robots.repair import Repair
from sim.robots.urdf import read_tree
from sim.robots.xml_text import parse

if TYPE_CHECKING:
    from lxml.etree import _Element


_MESSAGE = re.compile(r"^FILE(?:, line (\d+))?: (?:(?:link|joint|robot) ?'([^']*)': )?(.*)$", re.S)
_REMEDY = "correct this: the file does not load"
_BODY = (
    '<link name="{}"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
)

_BODIES = ("no body", "no second moments", "impossible body")
_OF_DRAKE = ("world", "namespace")  # in its own files
_STANDARD = ("one end",)  # the assumption is the standard's default
_SHAPES = ("visual", "collision")
REMEDY = "write the intended value"

_PICTURES = ("mesh", "texture")  # no effect on torques
_REMEDY_OF_TEMPLATES = "expand the template first: xacro FILE > robot.urdf"
_PART_REMEDY = "audit the templates that include it"


def refusals(text: str, root: _Element | None) -> Iterator[Finding]:
    """Yield an error for each fault that the reader refuses; the reader stops at the first."""
    try:
        read_tree(text, "FILE")
    except ModelError as error:
        yield _finding(str(error))
    else:
        return
    if root is None or root.tag != "robot":
        return
    for element in (*root.iterchildren("link"), *root.iterchildren("joint")):
        if (fault := _refusal_of_part(element)) is not None:
            yield fault


def _refusal_of_part(element: _Element) -> Finding | None:
    """Return the refusal of one link or joint, read with valid ones around it."""
    from lxml import etree

    text_of_element = etree.tostring(element, encoding="unicode", with_tail=False)
    around = ""
    if element.tag == "joint":
        ends = [end.get("link", "") for end in (*element.iterchildren("parent", "child"),)]
        leaders = [mimic.get("joint", "") for mimic in element.iterchildren("mimic")]
        if len(set(ends)) != len(ends) or any(c in "".join(ends + leaders) for c in '<&"'):
            return None
        around = "".join(_BODY.format(end) for end in ends)
        for k, leader in enumerate(leaders):
            if leader == element.get("name"):
                return None
            end = f"follows {k}"
            around += _BODY.format(end) + (
                f'<joint name="{leader}" type="continuous"><parent link="{ends[0]}"/>'
                f'<child link="{end}"/></joint>'
                if ends
                else ""
            )
    text = f'<robot name="r">\n{text_of_element}\n{around}</robot>'
    try:
        read_tree(text, "FILE")
    except ModelError as error:
        return _with_file_line(_finding(str(error)), text, element)
    return None


def _with_file_line(finding: Finding, text: str, element: _Element) -> Finding | None:
    """Return a copy with the line in the file; None if it is not about the element."""
    if finding.link_or_joint == "robot" and finding.line is None:
        return None
    inner = elements(next(parse(text, "FILE").iterchildren()))
    for one, original in zip(inner, elements(element), strict=True):
        if line_of(one) == finding.line:
            return replace(finding, line=line_of(original))
    return None


def _finding(message: str) -> Finding:
    if (match := _MESSAGE.match(message)) is None:
        return Finding("error", "refused", "robot", None, message, _REMEDY)
    line, name, reason = match.groups()
    return Finding(
        "error", "refused", name or "robot", int(line) if line else None, reason, _REMEDY
    )


def repair_warnings(repairs: Iterable[Repair], root: _Element | None = None) -> Iterator[Finding]:
    """Yield a warning per repair: a run would depend on values that the file does not state."""
    for one in repairs:
        tag, _, quoted = one.part.partition(" ")
        name = quoted.removeprefix("'").removesuffix("'")
        line = None if root is None else _line(root, tag, name)
        text = f"{one.says}; read as: {one.taken} ({one.why}); it {one.touches}"
        if one.kind == "nothing to move" and root is not None and not _is_body(root, tag, name):
            text = f"its link is a moving frame without mass or shape; it {one.touches}"
            yield Finding("note", "repaired", name, line, text, "none if only a frame is intended")
            continue
        if one.kind in _OF_DRAKE and root is not None and _is_of_drake(root):
            remedy = "none if it is for Drake alone; other programs refuse it"
            yield Finding("note", "repaired", name or one.part, line, text, remedy)
            continue
        is_drawn = one.kind == "repeated" and any(f"<{tag}>" in one.says for tag in HARMLESS)
        grave: Severity = "note" if is_drawn or one.kind in _STANDARD else "warning"
        yield Finding(grave, "repaired", name or one.part, line, text, REMEDY)


def with_repairs(
    findings: Sequence[Finding], warnings: Iterable[Finding], repairs: Iterable[Repair]
) -> Iterator[Finding]:
    """Yield all findings, repaired impossible bodies included.

    They are errors if a torque depends on a tensor far from any body's, otherwise warnings.
    """
    points = {one.link_or_joint for one in findings if one.code == "point-mass"}
    bodies = {one.link_or_joint: one for one in findings if one.code == "impossible-inertia"}
    reported = set()
    for warning, repair in zip(warnings, repairs, strict=True):
        if warning.link_or_joint in points and repair.kind == "no second moments":
            continue
        if repair.why == ROUNDING:
            yield replace(warning, severity="note", remedy="none if a point mass is intended")
            continue
        body = bodies.get(warning.link_or_joint)
        if body is None or repair.kind not in _BODIES or not repair.part.startswith("link "):
            yield warning
            continue
        wrong = repair.kind == "impossible body" and bool(repair.joints)
        severity = body.severity if wrong or body.severity == "note" else "warning"
        reported.add(body.link_or_joint)
        yield replace(body, severity=severity, text=warning.text)
    for one in findings:
        if one.code != "impossible-inertia" or one.link_or_joint not in reported:
            yield one


def _is_of_drake(root: _Element) -> bool:
    """Whether a file has Drake's namespace, or elements with its prefix."""
    spaces = {*root.nsmap.values(), *(str(one.tag) for one in root.iter())}
    return any(space is not None and "drake" in space for space in spaces)


def _is_body(root: _Element, tag: str, name: str) -> bool:
    """Whether a link, or a joint's child, has a shape or a mass; true if it is missing."""
    for each in root.iterchildren(tag):
        if each.get("name") != name:
            continue
        child = each.find("child")
        link = name if child is None else child.get("link")
        for one in root.iterchildren("link"):
            if one.get("name") == link:
                elements = [*one.iterfind("inertial/mass"), *one.iterfind("inertial/inertia")]
                numbers = [number(each, str(key)) for each in elements for key in each.attrib]
                return any(one.find(part) is not None for part in _SHAPES) or any(numbers)
    return True


def _line(root: _Element, tag: str, name: str) -> int | None:
    """Return the line of a link or joint."""
    for each in root.iterchildren("link", "joint"):
        if each.tag == tag and each.get("name") == name:
            return line_of(each)
    return None


def part_of_others(root: _Element) -> Finding | None:
    """Return a note on a part to be included by other templates; None for a robot."""
    if root.tag == "robot" and next(root.iterchildren("link"), None) is None:
        text = "it expands to no link: a file of macros, for other templates to include"
        return Finding("note", "macros", "robot", None, text, _PART_REMEDY)
    if holders := _holders(root):
        text = f"it hangs on links of the templates that include it: {', '.join(holders[:4])}"
        return Finding("note", "macros", "robot", None, text, _PART_REMEDY)
    return None


def is_part(root: _Element) -> bool:
    """Whether a URDF is to be included by templates.

    It has xacro macros and no parts of a robot; or it has the namespace of xacro, and its missing
    parts are those that its root is attached to.
    """
    children = [str(child.tag) for child in root.iterchildren() if isinstance(child.tag, str)]
    if children and all("/xacro}" in tag or tag == "material" for tag in children):
        return True
    is_of_xacro = any("/xacro" in space for space in root.nsmap.values())
    links, carried = _links(root), {child.get("link") for child in root.iterfind("joint/child")}
    return is_of_xacro and carried <= links and bool(links and _holders(root))


def _links(root: _Element) -> set[str | None]:
    return {link.get("name") for link in root.iterchildren("link")}


def _holders(root: _Element) -> list[str]:
    """Return parent links of joints that are not in the file."""
    links = _links(root)
    named = (parent.get("link", "") for parent in root.iterfind("joint/parent"))
    return [name for name in dict.fromkeys(named) if name not in links and name != "world"]


def unexpanded_macros(root: _Element) -> Iterator[Finding]:
    """Yield a finding for each attribute with a placeholder, and one for all elements of xacro.

    Names of picture files are one note, since included xacro files are written like that.
    """
    macros = [e for e in elements(root) if e.tag.startswith("{") and "/xacro}" in e.tag]
    if macros:
        name = macros[0].tag.rpartition("}")[2]
        text = f"<xacro:{name}>, {len(macros)} element(s) of xacro: this is a template"
        yield Finding(
            "error", "unexpanded", owner(macros[0]), line_of(macros[0]), text, _REMEDY_OF_TEMPLATES
        )
    pictures = []
    for element in elements(root):
        if any(one.tag in FOREIGN["robot"] for one in (element, *element.iterancestors())):
            continue
        for key, value in ((str(key), str(value)) for key, value in element.attrib.items()):
            if "${" not in value and "$(" not in value:
                continue
            if element.tag in _PICTURES:
                pictures.append(element)
                continue
            text = f'<{element.tag} {key}="{value}"> was not expanded'
            yield Finding(
                "error", "unexpanded", owner(element), line_of(element), text, _REMEDY_OF_TEMPLATES
            )
    if pictures:
        first, count = pictures[0], len(pictures)
        text = f"the names of {count} picture file(s) were not expanded, first {first.attrib!r}"
        remedy = "none if a template includes this file; no torque depends on them"
        yield Finding("note", "unexpanded", owner(first), line_of(first), text, remedy)
