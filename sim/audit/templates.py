"""Remains of xacro in a file: unexpanded placeholders, and parts of other files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sim.audit.finding import Finding
from sim.audit.grammar import FOREIGN
from sim.audit.lenient import elements, line_of, owner

if TYPE_CHECKING:
    from lxml.etree import _Element

_PICTURES = ("mesh", "texture")  # no effect on torques
_REMEDY = "expand the template first: xacro FILE > robot.urdf"
_PART_REMEDY = "audit the templates that include it"


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
        yield Finding("error", "unexpanded", owner(macros[0]), line_of(macros[0]), text, _REMEDY)
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
            yield Finding("error", "unexpanded", owner(element), line_of(element), text, _REMEDY)
    if pictures:
        first, count = pictures[0], len(pictures)
        text = f"the names of {count} picture file(s) were not expanded, first {first.attrib!r}"
        remedy = "none if a template includes this file; no torque depends on them"
        yield Finding("note", "unexpanded", owner(first), line_of(first), text, remedy)
