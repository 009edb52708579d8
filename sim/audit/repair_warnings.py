"""Repairs of a file by a reader, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim.audit.finding import Finding, Severity
from sim.audit.grammar import HARMLESS
from sim.audit.lenient import line_of, number
from sim.robots.link_inertia import ROUNDING
from sim.robots.repair import Repair

if TYPE_CHECKING:
    from lxml.etree import _Element

_BODIES = ("no body", "no second moments", "impossible body")
_OF_DRAKE = ("world", "namespace")  # in its own files
_STANDARD = ("one end",)  # the assumption is the standard's default
_SHAPES = ("visual", "collision")
REMEDY = "write the intended value"


def repair_warnings(repairs: Iterable[Repair], root: _Element | None = None) -> Iterator[Finding]:
    """Yield a warning per repair: a run would depend on values that the file does not state."""
    for one in repairs:
        tag, _, quoted = one.part.partition(" ")
        name = quoted.removeprefix("'").removesuffix("'")
        line = None if root is None else _line(root, tag, name)
        text = f"{one.says}; read as: {one.taken} ({one.why}); it {one.touches}"
        if one.kind == "nothing to move" and root is not None and not _is_body(root, tag, name):
            text = f"its link is a frame that moves, without mass or shape; it {one.touches}"
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
