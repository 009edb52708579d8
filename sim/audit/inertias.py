"""Masses, mass centres and tensors that are impossible, or contradict the size of the link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.audit.finding import Finding, Severity
from sim.audit.lenient import line_of, number, numbers, owner, pose_of
from sim.audit.sizes import Extent
from sim.maths.arrays import Array
from sim.robots.inertia import SLIGHT, beyond_triangle, is_noise, why_impossible
from sim.robots.payload import is_payload
from sim.robots.urdf_elements import MOMENTS
from sim.showing.one_line import shorten_list

if TYPE_CHECKING:
    from lxml.etree import _Element

# Largest moment relative to m d²/10, d the size of the link. A rod has 0.8 and no solid within its
# box 2.5; a size from joints is only an estimate.
LARGEST, SMALLEST = 20.0, 1e-2
UNSEEN = 10.0  # factor for the size of the whole robot, unless all three moments are one number
OUTSIDE = 1.0  # of a link's diagonal, beyond its box: no mass centre can be there
FEW = 0.01  # of the body that a link is welded to: a stand-in for a sensor or a contact
SAME_BODY = 1.05  # masses of links that may be the same part
ALIKE = 1.3  # sizes of links that may be equal
_TINY = np.finfo(np.float64).tiny  # a product of small numbers may underflow


class InertialText(Struct, frozen=True, eq=False):
    """A link's ``<inertial>``, as written; `element` is the ``<link>``."""

    element: _Element
    link: str
    line: int | None
    mass: float
    com: tuple[float, ...]
    R_lc: Array
    six: tuple[float, ...]
    extent: Extent

    @property
    def tensor(self) -> Array:
        """Tensor as written, along the axes of the ``<inertial>``, shape (3, 3) [kg·m²]."""
        xx, xy, xz, yy, yz, zz = self.six
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def tensor_in_link(self) -> Array:
        """Tensor about the mass centre along the axes of the link frame, shape (3, 3) [kg·m²]."""
        return self.R_lc @ self.tensor @ self.R_lc.T


def inertias(root: _Element, extents: Mapping[str, Extent]) -> Iterator[Finding]:
    """Yield findings on each single body, and on copied bodies."""
    bodies = list(inertials(root, extents))
    slight = stand_ins(root, bodies)
    # a textbook pendulum: no body has a moment, those with mass have an arm, and it is drawn by
    # rods and balls
    is_of_points = all(any(b.com) and is_noise(b.mass, b.tensor) for b in bodies if b.mass > 0)
    is_of_points = is_of_points and root.find("link/*/geometry/mesh") is None
    welds = _welds(root)
    for body in bodies:
        is_rounding = is_noise(body.mass, body.tensor)
        fault = None if is_rounding else why_impossible(body.mass, body.tensor)
        if fault is not None:
            beyond = None if body.mass <= 0 else beyond_triangle(body.tensor)
            grave: Severity = "warning" if beyond is not None and beyond <= SLIGHT else "error"
            grave = "note" if body.mass > 0 and body.link in slight else grave
            remedy = "export mass and tensor from CAD: about the mass centre, in kg·m²"
            yield Finding(grave, "impossible-inertia", body.link, body.line, fault, remedy)
        elif body.mass > 0:
            for one in _size_findings(body, reach(extents, bodies)):
                is_point = one.code == "point-mass" and (body.link in welds or is_of_points)
                yield replace(one, severity="note") if is_point or body.link in slight else one
    yield from _find_copies([body for body in bodies if body.link not in slight])
    yield from _links_without_mass(root)


def reach(extents: Mapping[str, Extent], bodies: Sequence[InertialText]) -> float:
    """Return the sum of all lengths between joints, or the largest to a mass centre [m]."""
    return max(
        sum(one.joints for one in extents.values()),
        max((float(np.linalg.norm(body.com)) for body in bodies), default=0.0),
    )


def inertials(root: _Element, extents: Mapping[str, Extent]) -> Iterator[InertialText]:
    """Yield the ``<inertial>`` of each link that has a complete one, payloads excluded."""
    for link in root.iterchildren("link"):
        inertial = link.find("inertial")
        if inertial is None or is_payload(link):  # a payload is as requested
            continue
        mass, tensor = number(inertial.find("mass"), "value"), inertial.find("inertia")
        six = tuple(value for key in MOMENTS if (value := number(tensor, key)) is not None)
        com = numbers(inertial.find("origin"), "xyz") or (0.0, 0.0, 0.0)
        if mass is not None and len(six) == 6 and len(com) == 3:
            extent = extents[link.get("name", "")]
            R_lc = pose_of(inertial)[:3, :3]
            name, line = owner(link), line_of(inertial)
            yield InertialText(link, name, line, mass, com, R_lc, six, extent)


def _welds(root: _Element) -> dict[str, str]:
    """Return the link to which each welded one is fixed."""
    welds: dict[str, str] = {}
    for joint in root.iterchildren("joint"):
        parent, child = joint.find("parent"), joint.find("child")
        if joint.get("type") == "fixed" and parent is not None and child is not None:
            welds[child.get("link", "")] = parent.get("link", "")
    return welds


def stand_ins(root: _Element, bodies: list[InertialText]) -> set[str]:
    """Return links with almost no mass and moments: frames of sensors and contacts, a bare root.

    Less than a hundredth of the link it is welded to, or a ten-thousandth of the robot; for a root
    less than a hundredth of the robot.
    """
    by_name, slight = {body.link: body for body in bodies}, set()
    total = sum(max(0.0, body.mass) for body in bodies)
    widest = max(map(largest_moment, bodies), default=0.0)
    welds = _welds(root)
    carried = {child.get("link") for child in root.iterfind("joint/child")}
    for name in by_name.keys() - carried:  # a root: nothing is welded under it
        link_body = by_name[name]
        if link_body.mass < FEW * total and largest_moment(link_body) < FEW * max(widest, _TINY):
            slight.add(name)
    for link in welds.keys() & by_name.keys():
        host = welds[link]
        for _ in welds:  # frames without mass between them; the bound also ends a ring
            host = host if host in by_name else welds.get(host, host)
        link_body, hosts = by_name[link], [(FEW**2, total, widest)]
        if host in by_name:
            hosts.append((FEW, by_name[host].mass, largest_moment(by_name[host])))
        if any(
            link_body.mass < few * m and largest_moment(link_body) < few * max(J, _TINY)
            for few, m, J in hosts
        ):
            slight.add(link)
    return slight


def largest_moment(body: InertialText) -> float:
    """Return the largest principal moment by size [kg·m²]."""
    return float(np.abs(np.linalg.eigvalsh(body.tensor)).max())


def _size_findings(body: InertialText, reach: float) -> Iterator[Finding]:
    """Yield findings by the size of the link, or of the robot if its shapes are unreadable."""
    is_shown = body.extent.shape is not None
    d = body.extent.length if is_shown else reach
    if d == 0 or body.extent.length == 0:
        return
    low, high = body.extent.low, body.extent.high
    largest, most = largest_moment(body), LARGEST
    if not is_shown and len(set(np.linalg.eigvalsh(body.tensor))) > 1:
        most *= UNSEEN
    elif not body.extent.is_whole:
        d = max(d, float(np.linalg.norm(high - low)), float(np.linalg.norm(body.com)))
    expected = max(body.mass * d * d / 10, _TINY)
    measured = f"largest moment {largest:.3g} kg·m² where {body.mass:g} kg and {d:.3g} m give"
    if is_noise(body.mass, body.tensor):
        text = f"{body.mass:g} kg without any moment of inertia"
        remedy = "none if a point mass is intended; MuJoCo refuses it"
        yield Finding("warning", "point-mass", body.link, body.line, text, remedy)
    elif largest > most * expected:
        text = f"{measured} about {expected:.2g}: {largest / expected:.3g} times too large"
        yield Finding(
            "warning",
            "inertia-too-large",
            body.link,
            body.line,
            text,
            _unit(largest / expected * (1.0 if is_shown else UNSEEN)),
        )
    elif is_shown and largest < SMALLEST * expected:
        text = f"{measured} about {expected:.2g}: {expected / largest:.3g} times too small"
        remedy = "check mass and inertia of this link"
        yield Finding("warning", "inertia-too-small", body.link, body.line, text, remedy)
    beyond = np.maximum(low - body.com, np.array(body.com) - high).max()
    size = max(d, float(np.linalg.norm(high - low)))
    if beyond > OUTSIDE * size:
        shown = " ".join(f"{value:g}" for value in body.com)
        text = f"the mass centre ({shown}) m is {beyond:.3g} m outside a link of {d:.3g} m"
        remedy = "give it in the link frame, in metres"
        yield Finding("warning", "centre-outside", body.link, body.line, text, remedy)


def _unit(times: float) -> str:
    """Return the unit that would explain a tensor that is too large by a factor."""
    if times > 1e7:
        return "it may be in g·mm²: multiply it by 1e-9"
    if times > 1e5:
        return "it may be in kg·mm²: multiply it by 1e-6"
    return "specify it about the mass centre, not about the joint, in kg·m²"


def _find_copies(bodies: list[InertialText]) -> Iterator[Finding]:
    """Yield tensors that are equal at several different links to the last digit."""
    groups: dict[tuple[float, ...], list[InertialText]] = {}
    for body in bodies:
        if any(body.six):
            groups.setdefault(body.six, []).append(body)
    for six, group in groups.items():
        masses = {body.mass for body in group}
        alike = max(masses) <= SAME_BODY * min(masses)  # two sides of a robot, weighed separately
        sizes = [size for b in group if (size := b.extent.shape) and b.extent.is_whole]
        unlike = len(sizes) > 1 and max(sizes) > ALIKE * min(sizes)
        if len(group) < 2 or (alike and not unlike):
            continue
        first, others = group[0], [body.link for body in group[1:]]
        why = "other sizes" if alike else "other masses"
        text = f"the same tensor ({_short(six)}) as {shorten_list(others, 4)}, with {why}"
        remedy = "export each tensor from CAD: different bodies have different tensors"
        yield Finding("warning", "copied-inertia", first.link, first.line, text, remedy)


def _short(six: tuple[float, ...]) -> str:
    return " ".join(f"{value:g}" for value in six)


def _links_without_mass(root: _Element) -> Iterator[Finding]:
    """Yield links that have a shape but no mass, where programs differ."""
    children = {c.get("link") for j in root.iterchildren("joint") for c in j.iterchildren("child")}
    for link in root.iterchildren("link"):
        mass = number(link.find("inertial/mass"), "value")
        absent = link.find("inertial") is None or mass == 0
        has_shape = link.find("visual") is not None or link.find("collision") is not None
        if absent and has_shape and link.get("name") in children:
            text = "it has a shape but no mass; PyBullet alone assumes 1 kg, others 0"
            remedy = "add an <inertial>, or remove the shape of a pure frame"
            yield Finding("note", "no-mass", owner(link), line_of(link), text, remedy)
