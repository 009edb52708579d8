"""Elements and attributes that no reader uses: misspelt, misplaced, or of other tools."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim.audit.finding import Finding, Severity
from sim.audit.grammar import ATTRIBUTES, CHILDREN, FOREIGN, HARMLESS, OF_SDF, UNUSED
from sim.audit.lenient import line_of, number, numbers, owner

if TYPE_CHECKING:
    from lxml.etree import _Element

_NEAR = 0.7  # of difflib's ratio: one or two letters of a short word


def spelling(root: _Element) -> Iterator[Finding]:
    """Yield findings on all elements and attributes that the URDF standard does not have there."""
    foreign: dict[tuple[str, str], list[_Element]] = {}
    unknown: dict[tuple[str, str], list[Finding]] = {}
    waiting = [root]
    for element in waiting:  # grows during the iteration
        for one in _attributes(element):
            if one.severity != "error":
                unknown.setdefault((str(element.tag), one.remedy), []).append(one)
            else:
                yield one
        for child in element.iterchildren():
            if not isinstance(child.tag, str) or "/xacro}" in child.tag:
                continue  # a template has a finding of its own
            if child.tag in CHILDREN.get(element.tag, ()):
                waiting.append(child)
            elif is_prefixed(child.tag) or child.tag in FOREIGN.get(element.tag, ()):
                foreign.setdefault((element.tag, child.tag), []).append(child)
            else:
                yield _stray_element(element, child)
    for (parent, tag), elements in foreign.items():
        yield _foreign_elements(parent, tag, elements)
    for (tag, _), findings in unknown.items():
        yield _unknown_attributes(tag, findings)


def _stray_element(parent: _Element, child: _Element) -> Finding:
    """Return a finding on an element that is ignored in its place."""
    where, line, tag = owner(child), line_of(child), str(child.tag)
    allowed = CHILDREN.get(parent.tag, frozenset())
    near = _nearest_word(tag, allowed)
    is_drawn = parent.tag in HARMLESS  # without effect on torques
    if near is not None:
        grave: Severity = "warning" if is_drawn or near == "geometry" else "error"
        grave = "note" if near in HARMLESS - {"geometry"} else grave
        text = f"<{tag}> in <{parent.tag}> is not a URDF element and is ignored"
        return Finding(grave, "misspelt-element", where, line, text, f"write <{near}>")
    inner = [e for e in child.iter("link", "joint") if e is not child and e.get("name")]
    if inner:
        text = f"<{inner[0].tag}> {inner[0].get('name')!r} is inside <{tag}> and is ignored"
        remedy = f"put the {len(inner)} links and joints in it directly into <robot>"
        return Finding("error", "misplaced-element", where, line, text, remedy)
    if homes := [home for home, children in CHILDREN.items() if tag in children]:
        says_nothing = tag == "origin" and not _has_pose(child)
        grave = "note" if tag in HARMLESS or is_drawn or says_nothing else "error"
        text = f"<{tag}> is in <{parent.tag}>, where it is ignored"
        remedy = f"put it into {' or '.join(f'<{home}>' for home in homes)}"
        return Finding(grave, "misplaced-element", where, line, text, remedy)
    near = _nearest_word(tag, CHILDREN.keys() | ATTRIBUTES.keys())
    remedy = "delete it" if near is None else f"<{near}> may be intended; otherwise delete it"
    text = f"<{tag}> in <{parent.tag}> is not a URDF element and is ignored"
    if tag in OF_SDF:
        remedy = "it is an SDF element: in a URDF it belongs in <gazebo>"
    grave = "warning" if tag in OF_SDF else "note"
    return Finding(grave, "unknown-element", where, line, text, remedy)


def _has_pose(origin: _Element) -> bool:
    """Whether an ``<origin>`` is not the identity."""
    return any(
        any(number != 0 for number in numbers(origin, key) or (1.0,))
        for key in map(str, origin.attrib)
    )


def _foreign_elements(parent: str, tag: str, elements: list[_Element]) -> Finding:
    """Return a finding on all elements of one kind of another tool."""
    first, times = elements[0], f", {len(elements)} times" if len(elements) > 1 else ""
    name = tag.rpartition("}")[2]
    grave: Severity = "note"
    text = f"<{name}> in <{parent}>{times}, belongs to other tools and is not used"
    remedy = "none if no torque depends on it"
    if tag == "transmission":
        remedy = (
            "torques refer to joints; robot.with_transmissions() reads gear ratios. Rotor "
            "inertia is only in drake:rotor_inertia, which only Drake adds to the mass matrix"
        )
    elif tag == "joint_properties" and any(
        number(e, key) for e in elements for key in ("damping", "friction")
    ):
        grave = "warning"
        remedy = "write <dynamics damping=… friction=…>; otherwise these joints have no friction"
    return Finding(grave, "foreign-element", owner(first), line_of(first), text, remedy)


def _unknown_attributes(tag: str, findings: list[Finding]) -> Finding:
    """Return a finding on all unknown attributes of one kind of element."""
    if len(findings) == 1:
        return findings[0]
    keys = ", ".join(dict.fromkeys(one.text.split()[1].partition("=")[0] for one in findings))
    lines = len({(one.line, one.link_or_joint) for one in findings})
    elements = f"{lines} elements" if lines > 1 else "1 element"
    text = f"<{tag}> attributes {keys} ({elements}) are not in the URDF standard and are ignored"
    return replace(
        findings[0], text=text, remedy=findings[0].remedy.replace("delete it", "delete them")
    )


def _attributes(element: _Element) -> Iterator[Finding]:
    tag = str(element.tag)
    if (allowed := ATTRIBUTES.get(tag)) is None:
        return
    free = allowed - set(element.attrib)
    for key in map(str, element.attrib):
        if key in allowed or is_prefixed(key):
            continue
        near = _nearest_word(key, free)
        text = f'<{tag} {key}="{element.get(key)}"> is not a URDF attribute and is ignored'
        cosmetic = tag in ("robot", "link", *HARMLESS) or near is None
        grave: Severity = "note" if cosmetic else "warning" if tag in UNUSED else "error"
        code = "unknown-attribute" if near is None else "misspelt-attribute"
        remedy = "delete it" if near is None else f"write {near}"
        if near is None and allowed:
            remedy += f"; <{tag}> has {', '.join(sorted(allowed))}"
        yield Finding(grave, code, owner(element), line_of(element), text, remedy)


def is_prefixed(name: str) -> bool:
    """Whether a name has a prefix, declared or not: ``drake:acceleration`` is of another tool."""
    return name.startswith("{") or ":" in name


def _nearest_word(word: str, known: Collection[str]) -> str | None:
    """Return the known word similar to this one, ignoring case and hyphens."""
    plain = word.lower().replace("-", "_")
    matches = difflib.get_close_matches(plain, sorted(known), n=1, cutoff=_NEAR)
    return matches[0] if matches else None
