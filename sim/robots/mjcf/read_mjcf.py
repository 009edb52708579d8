"""Robots from MJCF files, compiled by MuJoCo.

No element of MJCF is parsed here: the compiled model has defaults, classes, includes, frames,
replicas, meshes and inertia from geometry resolved. The robot has the tree as URDF text, losses,
springs and rotors in its joints, coupled joints and closed loops; everything else in the file is
listed by name in `Robot.repairs`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np

from sim.errors import ModelError
from sim.robots.drive_train import DriveTrain
from sim.robots.mjcf.body_links import shapes_left_out, urdf_text
from sim.robots.mjcf.compiled import BALL, FREE, Compiled, compile_file
from sim.robots.mjcf.equalities import Equalities, equalities_of
from sim.robots.mjcf.joint_laws import ON_JOINT, JointLaw, actuator_law, joint_actuators, joint_laws
from sim.robots.repair import Repair
from sim.robots.translated_robot import (
    NO_SUCH_SHAPE,
    TranslatedRobot,
    drives_of_leaders,
    gravity_left_out,
    leader_of,
)

COUNTS = {"nflex": "flexible bodies", "nhfield": "height fields", "nplugin": "plugins"}
FLAGS = {
    "SPRING": "springs",
    "DAMPER": "dampers",
    "FRICTIONLOSS": "dry friction",
    "EQUALITY": "equalities",
}
"""What a file may switch off and a robot has, by MuJoCo's name of the flag."""


def read_mjcf(path: Path) -> TranslatedRobot:
    """Read the robot of an MJCF file.

    Raises
    ------
    ModelError
        If MuJoCo is not installed or refuses the file, or the model has no movable joint.
    """
    return mjcf_robot(compile_file(path), str(path), path.parent.resolve())


def mjcf_robot(
    compiled: Compiled, source: str, folder: Path, equalities: Equalities | None = None
) -> TranslatedRobot:
    """Return the robot of a compiled model.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    folder : Path
        Base folder of mesh file names.
    equalities : Equalities, optional
        Coupled joints, and loops (default: those of the model).

    Raises
    ------
    ModelError
        If the model has no movable joint.
    """
    if not int(compiled.model.njnt):
        raise ModelError(f"{source}: it has no joint; a robot has at least one")
    laws = joint_laws(compiled)
    equalities = equalities_of(compiled) if equalities is None else equalities
    passive = {name for loop in equalities.loops for name in loop.passive}
    passive |= {
        joint for joint in equalities.mimics if leader_of(joint, equalities.mimics)[0] in passive
    }
    drives = {
        joint: law.drive
        for joint, law in laws.items()
        if law.drive is not None and joint not in passive
    }
    return TranslatedRobot(
        urdf_text(compiled, laws, equalities.mimics, folder),
        {joint: law.spring for joint, law in laws.items() if law.spring is not None},
        drives_of_leaders(drives, equalities.mimics),
        tuple(equalities.loops),
        tuple(left_out(compiled, laws, equalities, passive)),
        _rotors(compiled, laws),
    )


def own_rotors(path: Path) -> dict[str, DriveTrain]:
    """Return the rotors of a file by joint, also those of joints that follow others."""
    laws = joint_laws(compile_file(path))
    return {joint: law.drive for joint, law in laws.items() if law.drive is not None}


def _rotors(compiled: Compiled, laws: Mapping[str, JointLaw]) -> dict[str, float]:
    """Return the armature of each coordinate of a file by row name, also where it is left out."""
    model, inertias = compiled.model, dict[str, float]()
    for j, (joint, law) in enumerate(laws.items()):
        kind = int(model.jnt_type[j])
        if kind not in (BALL, FREE):
            inertias[joint] = 0.0 if law.drive is None else law.drive.reflected_inertia
            continue
        ball, slides = (f"{joint}.ball", "xyz") if kind == FREE else (joint, "")
        rows = [*(f"{joint}.slide_{c}" for c in slides), *(f"{ball}.{c}" for c in "xyz")]
        inertias |= dict.fromkeys(rows, float(model.dof_armature[model.jnt_dofadr[j]]))
    return inertias


def left_out(
    compiled: Compiled,
    laws: Mapping[str, JointLaw],
    equalities: Equalities,
    passive: Collection[str],
) -> Iterator[Repair]:
    """Yield the parts of a model that its robot lacks; loops move the `passive` joints."""
    for text in compiled.warnings:
        yield _repair("file", f"MuJoCo warns: {text}", "the model as MuJoCo compiled it", ())
    for joint, law in laws.items():
        for what, instead in law.left_out:
            yield _repair(f"joint {joint!r}", f"it has {what}", instead, (joint,))
        if joint in passive and law.drive is not None:
            armature = f"it follows others and has armature {law.drive.reflected_inertia:g}"
            yield _repair(f"joint {joint!r}", armature, "no rotor", (joint,))
    for what, reason in equalities.left_out:
        yield _repair(what, reason, "none", ())
    yield from _motors(compiled)
    yield from _unsupported_elements(compiled)


def _motors(compiled: Compiled) -> Iterator[Repair]:
    model = compiled.model
    for motor in joint_actuators(compiled):
        law = actuator_law(model, motor)
        if law != "1*u" or int(model.actuator_dyntype[motor.number]):
            gear = f"; u is its command, L = {motor.gear:g}*q and V = {motor.gear:g}*qd"
            yield _repair(
                f"actuator {motor.name!r}",
                f"its force is {law}{gear}",
                f"no controller; a scenario states how joint {motor.joint!r} is driven",
                (motor.joint,),
            )
    others = [a for a in range(int(model.nu)) if int(model.actuator_trntype[a]) not in ON_JOINT]
    for a in others:
        what = f"actuator {compiled.name('actuator', a)!r}"
        yield _repair(what, "it acts on a tendon, site or body", "none", ())


def _unsupported_elements(compiled: Compiled) -> Iterator[Repair]:
    """Yield forces, which belong in a scenario, tendons, and elements without counterpart here."""
    model = compiled.model
    for b in np.flatnonzero(np.array(model.body_gravcomp)):
        share, at = float(model.body_gravcomp[b]), model.body_ipos[b] - compiled.offset(int(b))
        force = [0.0 - share * float(model.body_mass[b]) * float(g) for g in model.opt.gravity]
        name = compiled.bodies[b]
        yield _repair(
            f"body {name!r}",
            f"{share:g} of its weight is compensated",
            "the whole weight; in a scenario add "
            f"sim.Force({name!r}, force={tuple(force)}, at={tuple(at.tolist())})",
            (),
        )
    for k in range(int(model.ntendon)):
        what = f"tendon {compiled.name('tendon', k)!r}"
        yield _repair(what, "tendons have no counterpart here", "none", ())
    for shape, bodies in shapes_left_out(compiled).items():
        says = f"it has {len(bodies)} shape(s) of the kind {shape!r}, first in body {bodies[0]!r}"
        yield _repair("file", says, NO_SUCH_SHAPE, ())
    for field, what in COUNTS.items():
        if count := int(getattr(model, field)):
            yield _repair("file", f"it has {count} {what}", "none", ())
    yield from _options(compiled)


def _options(compiled: Compiled) -> Iterator[Repair]:
    """Yield gravity, fluid and disabled features."""
    model = compiled.model
    gravity = (0.0, 0.0, 0.0) if compiled.is_off("GRAVITY") else model.opt.gravity.tolist()
    if (other := gravity_left_out("MJCF", gravity)) is not None:
        yield other
    for flag, what in FLAGS.items():
        if compiled.is_off(flag):
            yield _repair("file", f"its flags switch {what} off", what, ())
    if model.opt.density or model.opt.viscosity:
        yield _repair("file", "its bodies move in a fluid", "no fluid", ())


def _repair(part: str, says: str, reading: str, joints: tuple[str, ...]) -> Repair:
    return Repair("left out", f"MJCF {part}", says, reading, joints, "a robot has no such element")
