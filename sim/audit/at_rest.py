"""Findings on bodies by which no torque of a run can be wrong: notes, as nothing moves them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sim.audit.finding import Finding
from sim.audit.lenient import number

if TYPE_CHECKING:
    from lxml.etree import _Element

# By what a picture says of a body. A picture of a base seldom shows all of what is bolted to it.
BY_SHAPE = (
    "too-dense",
    "implied-density",
    "centre-outside",
    "centre-outside-shape",
    "inertia-beyond-shape",
)
# Bodies of a scene often have a mass and a tensor only because a simulator wants some.
BY_SIZE = (
    "inertia-too-large",
    "inertia-too-small",
    "point-mass",
    "millimetres-in-origin",
)
OF_ALL = ("copied-inertia",)  # of several bodies, and said at the first


def at_rest(findings: Iterable[Finding], root: _Element | None) -> Iterator[Finding]:
    """The findings, their warnings as notes where they are about a body that never moves.

    Of links welded to the root those that rest on shapes. Of an arm, which one joint at most holds
    to them, those that rest on sizes too; a root of legs or wheels may be let go elsewhere, and its
    tensor counts.
    """
    still, branches = (set[str](), 2) if root is None else _still(root)
    weightless = set() if root is None else _weightless(root)
    for one in findings:
        codes: tuple[str, ...] = BY_SHAPE if branches > 1 else BY_SHAPE + BY_SIZE
        codes = codes if branches else codes + OF_ALL
        is_frame = one.code == "impossible-inertia" and one.link_or_joint in weightless
        if (
            one.severity == "warning"
            and one.link_or_joint in still
            and (one.code in codes or is_frame)
        ):
            remedy = f"none if the link never moves; otherwise {one.remedy}"
            yield replace(one, severity="note", remedy=remedy)
        else:
            yield one


def _still(root: _Element) -> tuple[set[str], int]:
    """The links that are welded to a root, and how many joints move something on them."""
    held = {link.get("name", "") for link in root.iterchildren("link")}
    below: dict[str, list[str]] = {}
    moving: list[str] = []
    for joint in root.iterchildren("joint"):
        parent, child = joint.find("parent"), joint.find("child")
        if parent is None or child is None:
            continue
        below.setdefault(parent.get("link", ""), []).append(child.get("link", ""))
        if joint.get("type") != "fixed":
            moving.append(parent.get("link", ""))
            held.discard(child.get("link", ""))
    waiting = [child for name, children in below.items() if name not in held for child in children]
    while waiting:
        name = waiting.pop()
        if name in held:
            held.discard(name)
            waiting += below.get(name, [])
    return held, sum(name in held for name in moving)


def _weightless(root: _Element) -> set[str]:
    """Links of mass 0 with a tensor: how Bullet's files write a base that is held."""
    return {
        link.get("name", "")
        for link in root.iterchildren("link")
        if number(link.find("inertial/mass"), "value") == 0
    }
