"""Features of `sim.audit.reading_facts` in a model of an SDF file, and the torques at stake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from sim.audit.reading_facts import SDF_FEATURES
from sim.audit.reading_torques import TorqueDifference
from sim.audit.readings import FeatureReading
from sim.audit.states import StateSamples
from sim.maths.arrays import Array
from sim.robots.document import Node
from sim.robots.robot import Robot
from sim.robots.sdf.sdf_models import ModelScope, scopes_of
from sim.robots.sdf.sdf_values import child, number, relative_to, text_of

_WITHOUT_AXIS = ("fixed", "ball")
_AXES = ("axis", "axis2")

# Torque of a law that Drake's inverse dynamics include and PyBullet's do not, shape (n, N).
_LAWS: Mapping[str, Callable[[Robot, StateSamples], Array]] = {
    "damping": lambda robot, s: _of_joints(robot, lambda j, q, qd: j.damping * qd, s),
    "spring": lambda robot, s: _of_joints(
        robot, lambda j, q, qd: sum((one.effort(j, q, qd) for one in j.forces), 0.0 * q), s
    ),
    "rotor": lambda robot, s: robot.rotor_inertia[:, None] * s.qdd,
}


def sdf_readings(
    path: Path, text: str, model: str | None, robot: Robot, states: StateSamples | None
) -> tuple[FeatureReading, ...]:
    """Return readings by PyBullet and Drake, and PyBullet's missing torques relative to Drake.

    Parameters
    ----------
    path, text, model : Path, str, str or None
        The file, and one of its models.
    robot : Robot
        Robot of the model, with springs and rotors.
    states : StateSamples or None
        States of the comparison; without them there are no differences.
    """
    scopes, _ = scopes_of(path, text, model)
    readings = []
    for feature in SDF_FEATURES.values():
        names = tuple(dict.fromkeys(_FINDERS[feature.key](scopes)))
        law = _LAWS.get(feature.key)
        if names:
            lacking = {} if law is None or states is None else _lacking(robot, law(robot, states))
            readings.append(FeatureReading(feature, names, lacking))
    return tuple(readings)


def _of_joints(robot: Robot, law: Callable[..., Array], states: StateSamples) -> Array:
    """Return the torque of each joint with one row; torques of other joints are zero."""
    torque, joints = np.zeros_like(states.q), {one.name: one for one in robot.joints}
    for row, coordinate in enumerate(robot.coordinates):
        if coordinate.name in joints:
            torque[row] = law(joints[coordinate.name], states.q[row], states.qd[row])
    return torque


def _lacking(robot: Robot, torque: Array) -> dict[str, TorqueDifference]:
    worst = np.abs(torque).max(axis=1, initial=0.0)
    row = int(np.argmax(worst))
    unit = robot.coordinates[row].units.effort
    return {"PyBullet": TorqueDifference(float(worst[row]), unit, robot.row_names[row])}


Find = Callable[[list[ModelScope]], Iterator[str]]


def _each(tag: str, has: Callable[[Node], object]) -> Find:
    """Return a function for names of links or joints that satisfy a predicate."""
    return lambda scopes: (
        name for scope in scopes for name, node in scope.children(tag) if has(node)
    )


def _of_kind(*kinds: str) -> Find:
    return _each("joint", lambda node: node.element.get("type") in kinds)


def _axes(has: Callable[[Node], object]) -> Find:
    """Return a function for names of moving joints whose axis satisfies a predicate."""

    def of_joint(node: Node) -> bool:
        axes = (child(node, tag) for tag in _AXES)
        moves = node.element.get("type") not in _WITHOUT_AXIS
        return moves and any(axis is not None and bool(has(axis)) for axis in axes)

    return _each("joint", of_joint)


def _dynamics(key: str) -> Find:
    def of_axis(axis: Node) -> bool:
        dynamics = child(axis, "dynamics")
        return dynamics is not None and bool(number(dynamics, key, 0.0))

    return _axes(of_axis)


def _empty(axis: Node) -> bool:
    if (dynamics := child(axis, "dynamics")) is None:
        return False
    return child(dynamics, "damping") is None and child(dynamics, "friction") is None


def _limit(has: Callable[[Node], object]) -> Find:
    def of_axis(axis: Node) -> bool:
        limit = child(axis, "limit")
        return limit is not None and bool(has(limit))

    return _axes(of_axis)


def _is_auto(node: Node) -> bool:
    inertial = child(node, "inertial")
    return inertial is not None and inertial.element.get("auto", "") in ("true", "1")


def _has_tensor(node: Node) -> bool:
    inertial = child(node, "inertial")
    return inertial is not None and child(inertial, "inertia") is not None


def _is_expressed_elsewhere(axis: Node) -> bool:
    direction = child(axis, "xyz")
    return direction is not None and bool(direction.element.get("expressed_in"))


def _has_mimic(node: Node) -> bool:
    return any(
        (axis := child(node, tag)) is not None and child(axis, "mimic") is not None for tag in _AXES
    )


def _nested_models(scopes: list[ModelScope]) -> Iterator[str]:
    return (scope.key for scope in scopes[1:])


_FINDERS: Mapping[str, Find] = {
    "to-world": _each("joint", lambda node: text_of(node, "parent") == "world"),
    "tensor": _each("link", _has_tensor),
    "no-inertial": _each("link", lambda node: child(node, "inertial") is None),
    "auto-inertia": _each("link", _is_auto),
    "relative-to": _each("link", lambda node: relative_to(child(node, "pose"))),
    "joint-pose": _each("joint", lambda node: text_of(node, "pose")),
    "expressed-in": _axes(_is_expressed_elsewhere),
    "no-limit": _axes(lambda axis: child(axis, "limit") is None),
    "zero-effort": _limit(
        lambda limit: child(limit, "effort") is not None and not number(limit, "effort", -1.0)
    ),
    "no-effort": _limit(lambda limit: child(limit, "effort") is None),
    "damping": _dynamics("damping"),
    "friction": _dynamics("friction"),
    "spring": _dynamics("spring_stiffness"),
    "empty-dynamics": _axes(_empty),
    "mimic": _each("joint", _has_mimic),
    "rotor": _each("joint", lambda node: child(node, "drake:rotor_inertia") is not None),
    "ball": _of_kind("ball"),
    "universal": _of_kind("universal", "revolute2"),
    "screw": _of_kind("screw"),
    "gearbox": _of_kind("gearbox"),
    "nested-model": _nested_models,
}
