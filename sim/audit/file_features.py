"""Features of `sim.audit.reading_facts` in a URDF, with the links and joints that have them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.audit.lenient import number, numbers, owner
from sim.audit.reading_facts import URDF_FEATURES
from sim.robots.loose_ends import end_of
from sim.robots.urdf_elements import MOMENTS

if TYPE_CHECKING:
    from lxml.etree import _Element

_HINGES = ("revolute", "prismatic")
_MOVES = (*_HINGES, "continuous")


def features_in(root: _Element) -> dict[str, tuple[str, ...]]:
    """Return names of the links and joints that have each feature, by key, in table order."""
    tree = _Tree(root)
    by_key = {key: tuple(dict.fromkeys(map(owner, _FINDERS[key](tree)))) for key in URDF_FEATURES}
    return {key: names for key, names in by_key.items() if names}


class _Tree:
    """Links and joints of a document, by their role in its tree."""

    def __init__(self, root: _Element) -> None:
        self.root = root
        self.links = list(root.iterchildren("link"))
        self.joints = list(root.iterchildren("joint"))
        self.above = {end_of(joint, "child"): joint for joint in self.joints}
        self.roots = [link for link in self.links if link.get("name") not in self.above]
        self.heavy = {
            link.get("name", "")
            for link in self.links
            if number(link.find("inertial/mass"), "value")
        }
        self.carried: dict[str, list[str]] = {}  # links that are fixed to a link
        for joint in self.of_kind("fixed"):
            self.carried.setdefault(end_of(joint, "parent"), []).append(end_of(joint, "child"))
        self.moving = [joint for joint in self.joints if joint.get("type") in _MOVES]

    def of_kind(self, *kinds: str) -> Iterator[_Element]:
        """Yield joints of some types."""
        return (joint for joint in self.joints if joint.get("type") in kinds)

    def links_below(self, *kinds: str) -> Iterator[_Element]:
        """Yield links below a joint, of some types if given."""
        for link in self.links:
            joint = self.above.get(link.get("name", ""))
            if joint is not None and (not kinds or joint.get("type") in kinds):
                yield link

    def is_massless(self, link: _Element) -> bool:
        """Whether neither a link nor the links fixed to it have mass."""
        waiting, visited = [link.get("name", "")], set[str]()
        while waiting:
            name = waiting.pop()
            if name in visited:
                continue
            visited.add(name)
            if name in self.heavy:
                return False
            waiting += self.carried.get(name, ())
        return True

    def limits(self, *kinds: str) -> Iterator[_Element]:
        """Return ``<limit>`` of joints of some types."""
        return (limit for joint in self.of_kind(*kinds) for limit in joint.iterchildren("limit"))

    def dynamics(self) -> Iterator[_Element]:
        """Return ``<dynamics>`` of moving joints."""
        return (one for joint in self.moving for one in joint.iterchildren("dynamics"))

    def axes(self) -> Iterator[tuple[_Element, tuple[float, ...], float]]:
        """Yield moving joints, with their axis and its length."""
        for joint in self.moving:
            axis = numbers(joint.find("axis"), "xyz")
            if axis is not None and len(axis) == 3 and any(axis):
                yield joint, axis, sum(x * x for x in axis) ** 0.5


def _has(element: _Element, *tags: str) -> bool:
    return any(element.find(tag) is not None for tag in tags)


def _links_with_mass(tree: _Tree) -> Iterator[_Element]:
    return (link for link in tree.links_below() if _has(link, "inertial"))


def _impossible_links(tree: _Tree) -> Iterator[_Element]:
    """Yield links whose largest principal moment exceeds the sum of the others."""
    for link in _links_with_mass(tree):
        values = [number(link.find("inertial/inertia"), key) for key in MOMENTS]
        xx, xy, xz, yy, yz, zz = (0.0 if value is None else value for value in values)
        A, B, C = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if A + B < C * (1 - 1e-9):
            yield link


def _bare_links(tree: _Tree) -> list[_Element]:
    """Return moving links without mass, shape or ``<inertial>``."""
    return [
        link
        for link in tree.links_below(*_MOVES)
        if not _has(link, "inertial", "collision") and tree.is_massless(link)
    ]


def _bare_frames(tree: _Tree) -> Iterator[_Element]:
    alone = _bare_links(tree)
    return (
        link
        for link in tree.links_below(*_MOVES, "fixed")
        if link not in alone and not _has(link, "inertial", "collision")
    )


def _ends(limit: _Element) -> tuple[float, float]:
    return number(limit, "lower") or 0.0, number(limit, "upper") or 0.0


def _dynamics(key: str) -> Callable[[_Tree], Iterator[_Element]]:
    return lambda tree: (one for one in tree.dynamics() if number(one, key))


def _below(tag: str, *tags: str) -> Callable[[_Tree], Iterator[_Element]]:
    """Return joints named by transmissions that contain some element."""

    def find(tree: _Tree) -> Iterator[_Element]:
        by_name = {joint.get("name"): joint for joint in tree.joints}
        for one in tree.root.iterchildren("transmission"):
            has_tag = any(str(inner.tag).rpartition("}")[2] in (tag, *tags) for inner in one.iter())
            for joint in one.iter("joint") if has_tag else ():
                if (hinge := by_name.get(joint.get("name"))) is not None:
                    yield hinge

    return find


def _compiler(tree: _Tree) -> Iterator[_Element]:
    keys = {"inertiafromgeom", "settotalmass", "boundmass", "boundinertia", "balanceinertia"}
    return (one for one in tree.root.iterfind("mujoco/compiler") if keys & set(one.attrib))


def _floating(*, at_root: bool) -> Callable[[_Tree], Iterator[_Element]]:
    def find(tree: _Tree) -> Iterator[_Element]:
        roots = {link.get("name") for link in tree.roots}
        for joint in tree.of_kind("floating"):
            if (end_of(joint, "parent") in roots) == at_root:
                yield joint

    return find


_FINDERS: Mapping[str, Callable[[_Tree], Iterator[_Element]]] = {
    "root": lambda tree: iter(tree.roots[:1]),
    "tensor": _links_with_mass,
    "impossible-tensor": _impossible_links,
    "shape-only": lambda tree: (
        link
        for link in tree.links_below()
        if not _has(link, "inertial") and _has(link, "collision")
    ),
    "bare-frame": _bare_frames,
    "bare-link": lambda tree: iter(_bare_links(tree)),
    "zero-mass": lambda tree: (
        link
        for link in tree.links_below(*_MOVES)
        if _has(link, "inertial") and tree.is_massless(link)
    ),
    "fixed": lambda tree: (
        link for link in tree.links_below("fixed") if number(link.find("inertial/mass"), "value")
    ),
    "long-axis": lambda tree: (joint for joint, _, length in tree.axes() if abs(length - 1) > 1e-6),
    "reversed-axis": lambda tree: (
        joint for joint, axis, length in tree.axes() if abs(sum(axis) + length) < 1e-6 * length
    ),
    "oblique-axis": lambda tree: (
        joint for joint, axis, length in tree.axes() if max(map(abs, axis)) < (1 - 1e-6) * length
    ),
    "no-limit": lambda tree: (
        joint for joint in tree.of_kind(*_HINGES) if not _has(joint, "limit")
    ),
    "no-ends": lambda tree: (
        one for one in tree.limits(*_HINGES) if not {"lower", "upper"} & set(one.attrib)
    ),
    "zero-range": lambda tree: (
        one
        for one in tree.limits(*_HINGES)
        if _ends(one) == (0, 0) and {"lower", "upper"} & set(one.attrib)
    ),
    "endless-limits": lambda tree: (
        one for one in tree.limits("continuous") if _ends(one) != (0, 0)
    ),
    "endless-joint": lambda tree: tree.of_kind("continuous"),
    "zero-effort": lambda tree: (one for one in tree.limits(*_MOVES) if number(one, "effort") == 0),
    "damping": _dynamics("damping"),
    "friction": _dynamics("friction"),
    "empty-dynamics": lambda tree: (
        one for one in tree.dynamics() if not {"damping", "friction"} & set(one.attrib)
    ),
    "dynamics-extras": lambda tree: (
        one for one in tree.dynamics() if set(one.attrib) - {"damping", "friction"}
    ),
    "mimic": lambda tree: (joint for joint in tree.moving if _has(joint, "mimic")),
    "transmission": _below("mechanicalReduction", "gear_ratio"),
    "rotor": _below("rotor_inertia"),
    "mujoco-masses": _compiler,
    "planar": lambda tree: tree.of_kind("planar"),
    "floating": _floating(at_root=True),
    "floating-inside": _floating(at_root=False),
    "ball": lambda tree: tree.of_kind("spherical"),
    "several-trees": lambda tree: iter(tree.roots[1:]),
}
