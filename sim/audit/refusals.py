"""Refusals by the strict reader: of the whole file, and of each single link and joint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim.audit.finding import Finding
from sim.audit.lenient import elements, line_of
from sim.errors import ModelError
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


def refusals(text: str, root: _Element | None) -> Iterator[Finding]:
    """Yield an error for each fault that the reader refuses; by itself it stops at the first."""
    try:
        read_tree(text, "FILE")
    except ModelError as error:
        yield _finding(str(error))
    else:
        return
    if root is None or root.tag != "robot":
        return
    for element in (*root.iterchildren("link"), *root.iterchildren("joint")):
        fault = _refusal_of_part(element)
        if fault is not None:
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
    match = _MESSAGE.match(message)
    if match is None:
        return Finding("error", "refused", "robot", None, message, _REMEDY)
    line, name, reason = match.groups()
    return Finding(
        "error", "refused", name or "robot", int(line) if line else None, reason, _REMEDY
    )
