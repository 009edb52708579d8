"""Findings on bodies that never move: reduced to notes, as no torque of a run depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim.audit.finding import Finding
from sim.audit.lenient import number

if TYPE_CHECKING:
    from lxml.etree import _Element

# Findings from the shapes. Those of a base seldom show all parts that are bolted to it.
BY_SHAPE = (
    "too-dense",
    "implied-density",
    "centre-outside",
    "centre-outside-shape",
    "inertia-beyond-shape",
)
# Bodies of a scene often have a mass and a tensor only because a simulator requires them.
BY_SIZE = ("inertia-too-large", "inertia-too-small", "point-mass", "millimetres-in-origin")
OF_ALL = ("copied-inertia",)  # about several bodies, and reported at the first


def at_rest(findings: Iterable[Finding], root: _Element | None) -> Iterator[Finding]:
    """Yield the findings, with warnings about bodies that never move as notes.

    For links welded to the root, findings from shapes become notes. For an arm, with at most one
    joint on them, findings from sizes do too; a root of legs or wheels may move in other programs,
    where its tensor counts.
    """
    still, branches = (set[str](), 2) if root is None else _welded_links(root)
    weightless = set() if root is None else _weightless_links(root)
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


def _welded_links(root: _Element) -> tuple[set[str], int]:
    """Return the links welded to a root, and the number of moving joints on them."""
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


def _weightless_links(root: _Element) -> set[str]:
    """Return links of mass 0 with a tensor, by which Bullet's files mark a fixed base."""
    return {
        link.get("name", "")
        for link in root.iterchildren("link")
        if number(link.find("inertial/mass"), "value") == 0
    }
