"""Description of a run's robot."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from msgspec import structs

from sim import shipped
from sim.maths.arrays import Array
from sim.recording.schema import provenance
from sim.recording.schema.facts import JointFacts, LoopFacts, RepairFacts, RobotFacts
from sim.robots.joint import Joint
from sim.robots.loop import Loop
from sim.robots.loop_kinds import LoopKind
from sim.robots.robot import Robot


def robot_facts(robot: Robot) -> RobotFacts:
    """Return masses, limits and assumptions of a robot; infinite limits are None."""
    return RobotFacts(
        name=robot.name,
        urdf_sha256=provenance.text_hash(robot.text),
        tool=robot.tool,
        T_0b=tuple(map(tuple, robot.T_0b.tolist())),
        mesh_folder=_mesh_folder(robot),
        joints=tuple(map(_joint, robot.tree_joints)),
        coupling=tuple(map(tuple, robot.coupling[0].tolist())),
        masses={link.name: float(link.inertia.mass) for link in robot.links if link.inertia},
        loops=tuple(loop.name for loop in robot.loops),
        loop_kinds=_loop_kinds(robot.loops),
        assumed=() if robot.card is None else tuple(robot.card.assumptions()),
        repairs=tuple(RepairFacts(**structs.asdict(repair)) for repair in robot.repairs),
        closures=tuple(map(_loop, robot.loops)),
    )


def _loop_kinds(loops: Iterable[Loop]) -> tuple[LoopKind, ...]:
    """Return the kind of each loop; none if all are points."""
    kinds = tuple(loop.kind for loop in loops)
    return kinds if set(kinds) - {"point"} else ()


def _loop(loop: Loop) -> LoopFacts:
    of_frames = ("axis_a", "axis_b", "across_a", "across_b")
    axes = {key: getattr(loop, key) for key in of_frames}
    return LoopFacts(
        name=loop.name,
        link_a=loop.link_a,
        point_a=_vector(loop.point_a),
        link_b=loop.link_b,
        point_b=_vector(loop.point_b),
        normal=None if loop.normal is None else _vector(loop.normal),
        passive=loop.passive,
        kind=loop.kind,
        length=loop.length,
        function=loop.function,
        **{key: _vector(axis) for key, axis in axes.items() if axis is not None},
    )


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _joint(joint: Joint) -> JointFacts:
    x, y, z = joint.axis.tolist()
    return JointFacts(
        name=joint.name,
        kind=joint.kind,
        mimic=joint.mimic.leaders if joint.mimic else None,
        axis=(x, y, z),
        lower=_finite_or_none(joint.limits.lower),
        upper=_finite_or_none(joint.limits.upper),
        velocity=_finite_or_none(joint.limits.velocity),
        effort=_finite_or_none(joint.limits.effort),
        damping=joint.damping,
        friction=joint.friction,
        friction_law=None if joint.friction_law is None else joint.friction_law.facts,
        forces={force.channel: dict(vars(force)) for force in joint.forces},
        drive=None if joint.drive is None else asdict(joint.drive),
    )


def _mesh_folder(robot: Robot) -> str | None:
    """Return the base of relative mesh paths; None for shipped robots, wherever they are."""
    if robot.folder is None or robot.folder.resolve() == shipped.urdf().resolve():
        return None
    return str(Path(robot.folder).resolve())


def _finite_or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
