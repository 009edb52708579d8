"""Numbers that look like degrees, millimetres or grams; a URDF has radians, metres, kilograms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from sim.audit.finding import Finding, Severity
from sim.audit.lenient import line_of, number, numbers, owner
from sim.audit.sizes import MARKER, Extent
from sim.robots.payload import is_payload

if TYPE_CHECKING:
    from lxml.etree import _Element

TURN = 2 * math.pi + 0.01  # [rad]; beyond any printed orientation
TURNS = 30.0  # [rad]; below, a limit may be a few turns of a cable, or ±20 for no limit
DEGREES = 720.0  # beyond, a limit is a large number for no limit
FAR = 20.0  # [m] between joints; beyond any arm
HALL = 10.0  # of the largest link; a gantry is as large as its strokes, in metres
TIMES = 50.0  # of the sum of distances between joints: size of a mesh in millimetres
UNSCALED = (1.0, 1.0, 1.0)
SCALE = 'scale="0.001 0.001 0.001"'
DENSEST = 22_600.0  # [kg/m³], osmium


def units(root: _Element, extents: Mapping[str, Extent]) -> Iterator[Finding]:
    """Yield findings on angles, lengths and masses."""
    yield from _orientations(root)
    yield from _limits(root, extents)
    yield from _lengths(root)
    yield from _meshes(root, extents)
    yield from _densities(root, extents)


def _orientations(root: _Element) -> Iterator[Finding]:
    for origin in root.iter("origin"):
        if (rpy := numbers(origin, "rpy")) is None or max(map(abs, rpy)) <= TURN:
            continue
        whole = all(angle == round(angle) for angle in rpy)
        parent = origin.getparent()
        is_drawn = parent is not None and parent.tag in ("visual", "collision")
        grave: Severity = "error" if whole and not is_drawn else "warning"
        radians = " ".join(f"{math.radians(angle):.16g}" for angle in rpy)
        text = f'rpy="{origin.get("rpy")}" exceeds one turn; a URDF is in radians'
        remedy = f'if these are degrees, write rpy="{radians}"'
        yield Finding(grave, "degrees-in-rpy", owner(origin), line_of(origin), text, remedy)


def _limits(root: _Element, extents: Mapping[str, Extent]) -> Iterator[Finding]:
    widest = max((extent.length for extent in extents.values()), default=0.0)
    is_seen = all(extent.is_whole for extent in extents.values())
    for joint in root.iterchildren("joint"):
        if (limit := joint.find("limit")) is None:
            continue
        where, line = owner(joint), line_of(limit)
        ends = {key: number(limit, key) for key in ("lower", "upper")}
        stated = {key: value for key, value in ends.items() if value is not None}
        furthest = max(map(abs, stated.values()), default=0.0)
        if joint.get("type") == "revolute" and TURNS < furthest <= DEGREES:
            # ±100 is sometimes used for "no limit"
            whole = all(v == round(v) for v in stated.values()) and furthest != 100.0
            if _is_turns(furthest):
                continue
            grave: Severity = "error" if whole else "warning"
            shown = " ".join(f'{key}="{value:g}"' for key, value in stated.items())
            meant = " ".join(f'{key}="{math.radians(v):.8g}"' for key, v in stated.items())
            text = f"limits {shown} exceed four turns; a URDF is in radians"
            remedy = f"if these are degrees, write {meant}; without stops it is 'continuous'"
            yield Finding(grave, "degrees-in-limit", where, line, text, remedy)
        elif (
            joint.get("type") == "prismatic"
            and max(FAR, HALL * widest) < furthest <= 1e5
            and not _is_round(furthest)
            and (is_seen or furthest == round(furthest))  # a hall without shapes has 37.206 m
        ):
            text = f"its stroke reaches {furthest:g} m; a URDF is in metres"
            remedy = "if these are millimetres, divide lower and upper by 1000"
            yield Finding("warning", "millimetres-in-limit", where, line, text, remedy)
        speed = number(limit, "velocity")
        turns = joint.get("type") in ("revolute", "continuous")
        if turns and speed is not None and 45 <= speed <= 1000 and speed % 15 == 0:
            text = f"velocity {speed:g} rad/s is {speed * 30 / math.pi:.0f} rev/min"
            remedy = f'if it is in degrees per second, write "{math.radians(speed):.8g}"'
            yield Finding("warning", "degrees-in-velocity", where, line, text, remedy)


def _is_turns(angle: float) -> bool:
    """Whether an angle is a printed number of half turns in radians: 31.4 is five turns."""
    halves = angle / math.pi
    return abs(halves - round(halves)) < 1e-3 * halves


def _is_round(value: float) -> bool:
    """Whether a limit is a power of ten, which means no limit."""
    return math.log10(value).is_integer()


def _lengths(root: _Element) -> Iterator[Finding]:
    for origin in root.iter("origin"):
        xyz, parent = numbers(origin, "xyz"), origin.getparent()
        if xyz is None or parent is None or max(map(abs, xyz)) < FAR:
            continue
        if parent.tag not in ("joint", "inertial", "visual", "collision"):
            continue
        physical = parent.tag in ("joint", "inertial")
        metres = " ".join(f"{value / 1000:.10g}" for value in xyz)
        shown = f'<origin xyz="{origin.get("xyz")}">'
        text = f"the {shown} of its <{parent.tag}> is {FAR:g} m or more from the origin"
        remedy = f'if these are millimetres, write xyz="{metres}"'
        grave: Severity = "error" if physical else "warning"
        yield Finding(grave, "millimetres-in-origin", owner(origin), line_of(origin), text, remedy)


def _meshes(root: _Element, extents: Mapping[str, Extent]) -> Iterator[Finding]:
    """Yield findings on meshes in millimetres: much larger than the robot's own distances.

    One finding if all links agree, so that ``--fix`` can give them a scale.
    """
    reach, large = _reach(root, extents), links_with_large_meshes(root, extents)
    if (agree := bool(unscaled_meshes(root, extents))) and len(large) > 1:
        sizes = {link: extents[link].shape or 0.0 for link in large}
        largest = max(sizes, key=lambda link: sizes[link])
        text = (
            f"the meshes of {len(large)} links are in millimetres: the shapes of {largest!r} are "
            f"{sizes[largest]:.4g} m large, all joints within {reach:.4g} m"
        )
        remedy = f"sim audit FILE --fix OUT.urdf gives them {SCALE}"
        line = line_of(next(iter(large.values())))
        yield Finding("warning", "millimetres-in-mesh", "robot", line, text, remedy)
        return
    for link, mesh in large.items():
        shape = extents[link].shape
        text = f"its shapes are {shape:.4g} m large, all joints within {reach:.4g} m"
        remedy = f"if the mesh is in millimetres, give it {SCALE}"
        remedy += ", as sim audit FILE --fix OUT.urdf does" if agree else ""
        where, line = owner(mesh), line_of(mesh)
        yield Finding("warning", "millimetres-in-mesh", where, line, text, remedy)


def links_with_large_meshes(root: _Element, extents: Mapping[str, Extent]) -> dict[str, _Element]:
    """Return the links whose meshes are too large for the robot, each with its first ``<mesh>``."""
    reach = _reach(root, extents)
    return {
        name: extent.meshes[0][0]
        for name, extent in extents.items()
        if extent.meshes and _is_large(extent.shape, reach)
    }


def links_of_unknown_size(root: _Element, extents: Mapping[str, Extent]) -> set[str]:
    """Return the links whose meshes are larger than the robot, if one is in millimetres."""
    reach = _reach(root, extents)
    if not links_with_large_meshes(root, extents):
        return set()
    return {name for name, one in extents.items() if one.meshes and (one.shape or 0.0) > reach}


def unscaled_meshes(root: _Element, extents: Mapping[str, Extent]) -> list[_Element]:
    """Return the meshes to be scaled from millimetres; none if an unscaled one may be in metres.

    These are meshes with scale 1 of the file types (``.stl``) of which one is too large. An
    unreadable mesh is one of them, if every other agrees.
    """
    reach = _reach(root, extents)
    unscaled: dict[str, list[tuple[_Element, float | None]]] = {}
    for mesh, size in (pair for extent in extents.values() for pair in extent.meshes):
        is_scaled = (numbers(mesh, "scale") or UNSCALED) != UNSCALED
        if is_scaled and _is_large(size, reach):
            return []
        if not is_scaled:
            kind = PurePath(mesh.get("filename", "")).suffix.lower()
            unscaled.setdefault(kind, []).append((mesh, size))
    groups = [
        group for group in unscaled.values() if any(_is_large(size, reach) for _, size in group)
    ]
    if any(size is not None and size <= reach for group in groups for _, size in group):
        return []
    return [mesh for group in groups for mesh, _ in group]


def _is_large(size: float | None, reach: float) -> bool:
    return size is not None and reach > 0 and size > max(FAR, TIMES * reach)


def _reach(root: _Element, extents: Mapping[str, Extent]) -> float:
    """Return the sum of the distances between joints, or that of a mass centre if larger [m]."""
    centres = (numbers(origin, "xyz") for origin in root.iterfind("link/inertial/origin"))
    furthest = max((math.hypot(*xyz) for xyz in centres if xyz), default=0.0)
    return max(sum(extent.joints for extent in extents.values()), furthest)


def _densities(root: _Element, extents: Mapping[str, Extent]) -> Iterator[Finding]:
    for link in root.iterchildren("link"):
        element = link.find("inertial/mass")
        mass, extent = number(element, "value"), extents[link.get("name", "")]
        if element is None or mass is None or mass < 1 or is_payload(link):
            continue
        volume, is_marker = extent.volume, extent.shape is not None and extent.shape < MARKER
        if volume is None or is_marker or not extent.is_whole:
            continue
        if volume > 0 and mass / volume > DENSEST:
            text = f"mass {mass:g} kg in {volume * 1000:.3g} litres is denser than any metal"
            remedy = f"if it is in grams, write {mass / 1000:g}; otherwise check mass and shapes"
            yield Finding("warning", "too-dense", owner(link), line_of(element), text, remedy)
