"""Joints of an SDF model: type, axes, range, losses, springs, rotors and leaders."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.maths.arrays import Array
from sim.robots.document import Node
from sim.robots.drive_train import DriveTrain
from sim.robots.joint import Mimic
from sim.robots.sdf.sdf_frames import WORLD, Frames
from sim.robots.sdf.sdf_models import ModelScope
from sim.robots.sdf.sdf_values import (
    DRAKE,
    attribute_number,
    child,
    direction,
    endless_number,
    is_true,
    number,
    tag_of,
    text_of,
)
from sim.robots.spring import JointSpring

KINDS: Mapping[str, int] = {
    "fixed": 0, "ball": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "screw": 1,
    "universal": 2, "revolute2": 2,
}  # fmt: skip
"""Types of joints that a robot can have, with the number of their axes."""
SUFFIXES = ("turn_a", "turn_b")
WITH_USE_OF_MODEL_FRAME = (1, 4)  # last version with axes in the model frame


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis of a joint with the laws that act about it.

    Parameters
    ----------
    row : str
        Name of the robot's joint that moves about it.
    direction : ndarray, shape (3,)
        Unit vector in the world, at zero positions.
    lower, upper, effort, velocity : float
        Infinite without a limit.
    damping, friction : float
    spring : JointSpring or None
    leader : tuple of (str, str, Mimic) or None
        The joint and axis that it follows, as named in the file, and the relation.
    node : Node
    """

    row: str
    direction: Array
    lower: float
    upper: float
    effort: float
    velocity: float
    damping: float
    friction: float
    spring: JointSpring | None
    leader: tuple[str, str, Mimic] | None
    node: Node


@dataclass(frozen=True, eq=False)
class SdfJoint:
    """A joint between two links, or a link and the world.

    Parameters
    ----------
    name, kind : str
    parent, child : str
        Links to which its frames are attached.
    T : ndarray, shape (4, 4)
        Its frame in the world at zero positions [m].
    axes : tuple of Axis
    drive : DriveTrain or None
    pitch : float
        Advance of a screw per turn [m].
    node : Node
    """

    name: str
    kind: str
    parent: str
    child: str
    T: Array
    axes: tuple[Axis, ...]
    drive: DriveTrain | None
    pitch: float
    node: Node


def joint_of(
    scope: ModelScope, name: str, node: Node, frames: Frames, links: Mapping[str, Node]
) -> SdfJoint | None:
    """Return a joint of a model; None if a robot cannot have its type.

    Raises
    ------
    ModelError
        If something is missing or impossible.
    """
    kind = node.element.get("type", "")
    if kind == "gearbox":
        return None
    if kind not in KINDS:
        raise node.error(f"its type {kind!r} is unknown; allowed: {', '.join((*KINDS, 'gearbox'))}")
    ends = [text_of(node, tag) for tag in ("parent", "child")]
    for end, tag in zip(ends, ("parent", "child"), strict=True):
        if not end:
            raise node.error(f"needs a <{tag}>")
    parent, child_link = (
        WORLD if end == WORLD else frames.link(frames.find(scope, end, node), links) for end in ends
    )
    if parent == child_link:
        raise node.error(f"it joins {parent!r} to itself")
    tags = ("axis", "axis2")[: KINDS[kind]]
    rows = (name,) if len(tags) == 1 else tuple(f"{name}.{suffix}" for suffix in SUFFIXES)
    axes = (
        tuple(
            _axis(scope, name, row, node, tag, frames) for row, tag in zip(rows, tags, strict=True)
        )
        if tags
        else ()
    )
    pitch = _pitch(node) if kind == "screw" else 0.0
    drive = _drive(node) if kind in ("revolute", "continuous", "prismatic", "screw") else None
    return SdfJoint(name, kind, parent, child_link, frames.pose(name), axes, drive, pitch, node)


def _axis(scope: ModelScope, joint: str, row: str, node: Node, tag: str, frames: Frames) -> Axis:
    if (one := child(node, tag)) is None:
        raise node.error(f"needs an <{tag}>")
    limit = child(one, "limit")
    lower, upper, effort, velocity = -math.inf, math.inf, math.inf, math.inf
    if limit is not None:
        lower = endless_number(limit, "lower", -math.inf) if child(limit, "lower") else lower
        upper = endless_number(limit, "upper", math.inf) if child(limit, "upper") else upper
        effort = endless_number(limit, "effort", -1.0)
        velocity = endless_number(limit, "velocity", -1.0)
    if lower > upper:
        raise one.error(f"its lower limit {lower:g} is above its upper limit {upper:g}")
    dynamics = child(one, "dynamics")
    values = dict.fromkeys(("damping", "friction", "spring_stiffness", "spring_reference"), 0.0)
    if dynamics is not None:
        values = {key: number(dynamics, key, 0.0) for key in values}
    for key in ("damping", "friction", "spring_stiffness"):
        if values[key] < 0:
            raise one.error(f"its {key} {values[key]:g} is negative; it must be at least 0")
    spring = None
    if stiffness := values["spring_stiffness"]:
        spring = JointSpring(stiffness, free_position=values["spring_reference"])
    return Axis(
        row,
        _direction(scope, joint, one, frames),
        lower,
        upper,
        math.inf if effort < 0 else effort,
        math.inf if velocity < 0 else velocity,
        values["damping"],
        values["friction"],
        spring,
        _leader(scope, node, one, tag),
        one,
    )


def _direction(scope: ModelScope, joint: str, axis: Node, frames: Frames) -> Array:
    """Return the direction in the world of an axis given in the joint frame, or another frame."""
    xyz = child(axis, "xyz")
    vector = np.array([0.0, 0.0, 1.0]) if xyz is None else direction(xyz)
    frame = joint
    expressed = "" if xyz is None else xyz.element.get("expressed_in", "")
    uses_model = is_true(axis, "use_parent_model_frame")
    if expressed:
        frame = frames.find(scope, expressed, axis)
    elif uses_model or scope.version <= WITH_USE_OF_MODEL_FRAME:
        frame = scope.key
    return np.asarray(frames.pose(frame)[:3, :3] @ vector)


def _leader(scope: ModelScope, joint: Node, axis: Node, tag: str) -> tuple[str, str, Mimic] | None:
    """Return the leader of a joint: ``multiplier (q - reference) + offset``."""
    if (mimic := child(axis, "mimic")) is not None:
        name, of = mimic.element.get("joint", ""), mimic.element.get("axis", "axis")
        multiplier = number(mimic, "multiplier", 1.0)
        offset = number(mimic, "offset", 0.0) - multiplier * number(mimic, "reference", 0.0)
    elif tag == "axis" and (mimic := child(joint, f"{DRAKE}mimic")) is not None:
        name, of = mimic.element.get("joint", ""), "axis"
        multiplier = attribute_number(mimic, "multiplier", 1.0)
        offset = attribute_number(mimic, "offset", 0.0)
    else:
        return None
    leader = scope.full(name)
    return leader, of, Mimic(leader, multiplier=multiplier, offset=offset)


def _pitch(node: Node) -> float:
    """Return the advance of a screw per turn [m]; the older element has -2π over it."""
    if child(node, "screw_thread_pitch") is not None:
        return number(node, "screw_thread_pitch", 1.0)
    old = number(node, "thread_pitch", 1.0)
    if child(node, "thread_pitch") is None:
        return 1.0
    if not old:
        raise node.error("its <thread_pitch> is 0")
    return -2 * math.pi / old


def _drive(node: Node) -> DriveTrain | None:
    """Return rotor and gear ratio, which are elements of Drake."""
    inertia = number(node, f"{DRAKE}rotor_inertia", 0.0)
    ratio = number(node, f"{DRAKE}gear_ratio", 1.0)
    return DriveTrain(ratio, rotor_inertia=inertia) if inertia and ratio else None


def unknown_parts(node: Node, known: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """Return tag and name of elements in a model, link or joint that are not read."""
    allowed = known[tag_of(node.element)]
    return [
        (tag, one.get("name", ""))
        for one in node.element
        if (tag := tag_of(one)) and tag not in allowed
    ]
