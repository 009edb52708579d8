"""Axes, limits and mimics that are allowed, but seldom intended or ambiguous."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sim.audit.finding import Finding, Severity
from sim.audit.lenient import line_of, number, owner
from sim.errors import ModelError
from sim.robots.joint_limits import NO_RANGE, TINY
from sim.robots.mesh_places import MeshOutsideError, is_outside

if TYPE_CHECKING:
    from lxml.etree import _Element

OVERRUN = 0.05  # of a follower's range; two limits of one finger seldom agree better
OF_MASSES = (
    "inertiafromgeom", "inertiagrouprange", "settotalmass", "boundmass", "boundinertia",
    "balanceinertia",
)  # fmt: skip
_MOVES = ("revolute", "continuous", "prismatic")


def joints(root: _Element, folder: Path | None) -> Iterator[Finding]:
    """Yield findings on moving joints, and on missing meshes."""
    moving = [joint for joint in root.iterchildren("joint") if joint.get("type") in _MOVES]
    for joint in moving:
        yield from _axis(joint)
        yield from _limit(joint)
        yield from _tiny_ratings(joint)
    yield from _zero_limits(moving)
    yield from _mimics(moving)
    yield from _friction(moving)
    yield from _meshes(root, folder)
    yield from _mujoco_options(root)


def _axis(joint: _Element) -> Iterator[Finding]:
    if not any(str(child.tag).lower() == "axis" for child in joint):  # <Axis> is misspelt
        text = "it has no <axis>; by the standard it moves about or along X"
        yield Finding(
            "warning", "no-axis", owner(joint), line_of(joint), text, 'write <axis xyz="…"/>'
        )


def _limit(joint: _Element) -> Iterator[Finding]:
    if (limit := joint.find("limit")) is None:
        return
    where, line = owner(joint), line_of(limit)
    lower, upper = (number(limit, key) or 0.0 for key in ("lower", "upper"))
    if not {"lower", "upper"} & set(limit.attrib):
        return  # reported by the reader
    if lower > upper:
        return  # reported too
    if joint.get("type") == "continuous":
        if lower < upper:
            text = (
                f"limits {lower:g} to {upper:g} of a continuous joint are ignored here, by MuJoCo "
                "and by PyBullet; Drake enforces them, Newton and roboticstoolbox report them"
            )
            remedy = "make it 'revolute' if it has stops, or delete lower and upper"
            yield Finding("note", "endless-limits", where, line, text, remedy)
    elif lower == upper:
        text = f"lower and upper limit are both {lower:g}: it cannot move"
        text = text if lower else NO_RANGE
        remedy = "give it a range, or make it 'fixed'"
        yield Finding("warning", "no-range", where, line, text, remedy)
    elif not lower <= 0 <= upper:
        text = f"zero is outside its limits {lower:g} to {upper:g}"
        remedy = "start runs from a pose inside; other programs start at zero"
        yield Finding("note", "zero-outside", where, line, text, remedy)


def _tiny_ratings(joint: _Element) -> Iterator[Finding]:
    if (limit := joint.find("limit")) is None:
        return
    for key, units in (("velocity", ("rad/s", "m/s")), ("effort", ("N·m", "N"))):
        if (value := number(limit, key)) is not None and 0 < value < TINY:
            unit = units[joint.get("type") == "prismatic"]
            text = f"{key} {value:g} {unit} is close to zero; no drive is that slow or weak"
            remedy = "write the drive's rating, or 0 if it is unknown"
            yield Finding("warning", "tiny-rating", owner(joint), line_of(limit), text, remedy)


def _zero_limits(moving: list[_Element]) -> Iterator[Finding]:
    limits = [limit for joint in moving for limit in joint.iterchildren("limit")]
    for key in ("effort", "velocity"):
        if zero := [limit for limit in limits if number(limit, key) == 0]:
            text = f"{key} 0 at {len(zero)} joint(s) sets no limit here; other programs may stop"
            remedy = "write the drive's rating"
            yield Finding("note", "zero-limit", owner(zero[0]), line_of(zero[0]), text, remedy)


def _mimics(moving: list[_Element]) -> Iterator[Finding]:
    by_name = {joint.get("name"): joint for joint in moving}
    followers = [joint for joint in moving if joint.find("mimic") is not None]
    for joint in followers:
        mimic = joint.find("mimic")
        leader = None if mimic is None else by_name.get(mimic.get("joint"))
        if mimic is None or leader is None:
            continue
        reach, range_here = _range(leader), _range(joint)
        factor, offset = number(mimic, "multiplier"), number(mimic, "offset") or 0.0
        if reach is None or range_here is None:
            continue
        ends = sorted((1.0 if factor is None else factor) * end + offset for end in reach)
        slack = 1e-3 * (1.0 + max(map(abs, ends)))  # rounding of printed limits
        beyond = max(range_here[0] - ends[0], ends[1] - range_here[1])
        if beyond > slack:
            text = (
                f"following joint {leader.get('name')!r} it moves from {ends[0]:.4g} to "
                f"{ends[1]:.4g}, its own limits are {range_here[0]:.4g} to {range_here[1]:.4g}"
            )
            remedy = "check multiplier and offset, or widen its limits"
            grave: Severity = (
                "warning" if beyond > OVERRUN * (range_here[1] - range_here[0]) else "note"
            )
            yield Finding(grave, "mimic-range", owner(joint), line_of(mimic), text, remedy)
    if followers:
        first = followers[0]
        text = f"{len(followers)} joint(s) follow others by <mimic>"
        remedy = "PyBullet alone, and Pinocchio by default, treat them as free joints"
        yield Finding("note", "mimic", owner(first), line_of(first), text, remedy)


def _range(joint: _Element) -> tuple[float, float] | None:
    limit = joint.find("limit")
    if joint.get("type") == "continuous" or limit is None:
        return None
    return number(limit, "lower") or 0.0, number(limit, "upper") or 0.0


def _friction(moving: list[_Element]) -> Iterator[Finding]:
    rubbing = [
        joint
        for joint in moving
        if any(number(joint.find("dynamics"), key) for key in ("damping", "friction"))
    ]
    if rubbing:
        text = f"{len(rubbing)} joint(s) have damping or friction, which a run adds to the torque"
        remedy = "other programs' inverse dynamics and the table of torques exclude it"
        first = rubbing[0]
        yield Finding("note", "friction", owner(first), line_of(first), text, remedy)


def _mujoco_options(root: _Element) -> Iterator[Finding]:
    """Yield a note on options by which MuJoCo alone changes masses or tensors."""
    for compiler in root.iterfind("mujoco/compiler"):
        options = [f'{key}="{compiler.get(key)}"' for key in OF_MASSES if compiler.get(key)]
        if options:
            text = f"<compiler {' '.join(options)}> changes masses or tensors, in MuJoCo alone"
            remedy = "write the masses and tensors themselves; other programs ignore <mujoco>"
            yield Finding("note", "mujoco-masses", "robot", line_of(compiler), text, remedy)


def _meshes(root: _Element, folder: Path | None) -> Iterator[Finding]:
    """Yield a finding for all missing meshes, and one for those found elsewhere."""
    from sim.shapes.mesh_files import home_of, mesh_path

    missing, outside = [], []
    for mesh in root.iter("mesh"):
        name = mesh.get("filename", "")
        try:
            path = mesh_path(name, folder, report=False)
        except MeshOutsideError:
            outside.append(mesh)
        except ModelError:
            missing.append(mesh)
        else:
            if folder is not None and is_outside(path, home_of(name, folder)):
                outside.append(mesh)
    if outside:
        names = sorted({mesh.get("filename", "") for mesh in outside})
        text = f"{len(names)} mesh file(s) are outside the file's own folder, first {names[0]!r}"
        remedy = "for untrusted files: --meshes-below FOLDER refuses them"
        yield Finding("note", "mesh-outside", owner(outside[0]), line_of(outside[0]), text, remedy)
    if missing:
        names = sorted({mesh.get("filename", "") for mesh in missing})
        text = f"{len(names)} mesh file(s) do not exist, first {names[0]!r}"
        remedy = "add them for pictures; no torque depends on them"
        yield Finding("note", "mesh-missing", owner(missing[0]), line_of(missing[0]), text, remedy)
