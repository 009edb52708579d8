"""What a reader repaired in a file by itself, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sim.audit.finding import Finding
from sim.audit.lenient import line_of
from sim.robots.repair import Repair

if TYPE_CHECKING:
    from lxml.etree import _Element

_BODIES = ("no body", "no second moments", "impossible body")
REMEDY = "write what is meant"


def repair_warnings(repairs: Iterable[Repair], root: _Element | None = None) -> Iterator[Finding]:
    """A warning for each repair: a run would depend on what the file does not state."""
    for one in repairs:
        tag, _, quoted = one.part.partition(" ")
        name = quoted.removeprefix("'").removesuffix("'")
        line = None if root is None else _line(root, tag, name)
        text = f"{one.says}; taken was {one.taken}: {one.why}; it {one.touches}"
        yield Finding("warning", "repaired", name or one.part, line, text, REMEDY)


def with_repairs(
    found: Sequence[Finding], warnings: Iterable[Finding], repairs: Iterable[Repair]
) -> Iterator[Finding]:
    """All findings, where a body that is impossible and was repaired is one of them.

    It is an error where a torque rests on a tensor that is far from any body's, and else a warning.
    """
    bodies = {one.link_or_joint: one for one in found if one.code == "impossible-inertia"}
    reported = set()
    for warning, repair in zip(warnings, repairs, strict=True):
        body = bodies.get(warning.link_or_joint)
        if body is None or repair.kind not in _BODIES or not repair.part.startswith("link "):
            yield warning
            continue
        wrong = repair.kind == "impossible body" and bool(repair.joints)
        severity = body.severity if wrong else "warning"
        reported.add(body.link_or_joint)
        yield replace(body, severity=severity, text=warning.text)
    for one in found:
        if one.code != "impossible-inertia" or one.link_or_joint not in reported:
            yield one


def _line(root: _Element, tag: str, name: str) -> int | None:
    """The line of a link or joint."""
    for each in root.iterchildren("link", "joint"):
        if each.tag == tag and each.get("name") == name:
            return line_of(each)
    return None
