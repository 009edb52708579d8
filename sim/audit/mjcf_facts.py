"""Facts: what other programs make of the features of an MJCF file, each measured.

As `sim.audit.reading_facts` for URDFs; roboticstoolbox reads no MJCF.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sim.audit.reading_facts import REFUSED, Feature

MJCF_PROGRAMS = ("PyBullet", "MuJoCo", "Pinocchio", "Drake", "Newton")
AS_WRITTEN, LEFT_OUT, IGNORED = "as written", "left out", "ignored"
IN_DYNAMICS, STORED = "in inverse dynamics", "stored only"


def _of(key: str, title: str, readings: tuple[str, ...], remedy: str) -> Feature:
    return Feature(key, title, readings, remedy, MJCF_PROGRAMS)


def _right_but(right: str, **others: str) -> tuple[str, ...]:
    """One reading by all programs except some, which are named in lower case."""
    return tuple(others.get(program.lower(), right) for program in MJCF_PROGRAMS)


MJCF_FEATURES: tuple[Feature, ...] = (
    _of(
        "no-name",
        "<mujoco> without a model name",
        _right_but(AS_WRITTEN, drake=REFUSED),
        'write <mujoco model="…">, or name the model in Drake: AddModels with a model name',
    ),
    _of(
        "no-type",
        "joint without a type",
        _right_but("hinge", pybullet="fixed"),
        'write type="hinge" in each joint',
    ),
    _of(
        "auto-limits",
        "range without limited",
        _right_but(AS_WRITTEN, pybullet="no limits"),
        'write limited="true"',
    ),
    _of(
        "ref",
        "ref of a joint",
        (
            *("counted from the pose drawn, limits not shifted", "counted from ref"),
            *("counted from ref, limits shifted", "counted from ref"),
            "counted from the pose drawn",
        ),
        "draw the body at position 0, and delete ref",
    ),
    _of(
        "geom-mass",
        "mass from geoms",
        _right_but(AS_WRITTEN, pybullet="1000 kg/m³ at the origin"),
        "write <inertial> with diaginertia or fullinertia",
    ),
    _of(
        "default-mass",
        "mass or density in <default>",
        ("1000 kg/m³ at the origin", AS_WRITTEN, "1000 kg/m³", AS_WRITTEN, AS_WRITTEN),
        "write <inertial>, or the mass in the geom itself",
    ),
    _of(
        "mesh-mass",
        "mass from a mesh",
        ("0 kg", AS_WRITTEN, "1 kg, tensor 1 1 1", AS_WRITTEN, AS_WRITTEN),
        "write <inertial>",
    ),
    _of(
        "total-mass",
        "settotalmass",
        _right_but(IGNORED, mujoco=AS_WRITTEN),
        "write the masses and tensors themselves",
    ),
    _of(
        "armature",
        "armature of a joint without motor",
        (IGNORED, IN_DYNAMICS, IN_DYNAMICS, IGNORED, STORED),
        "add a <motor> for Drake; PyBullet: add armature × acceleration",
    ),
    _of(
        "armature-motor",
        "armature of a joint with a motor",
        (IGNORED, IN_DYNAMICS, IN_DYNAMICS, IN_DYNAMICS, STORED),
        "PyBullet: add armature × acceleration",
    ),
    _of(
        "damping",
        "damping of a joint",
        (IGNORED, IN_DYNAMICS, STORED, IN_DYNAMICS, STORED),
        "compare inverse dynamics at damping 0, or add damping × speed",
    ),
    _of(
        "damping-powers",
        "damping of several powers of the speed",
        (IGNORED, IN_DYNAMICS, IGNORED, REFUSED, REFUSED),
        "write one number, the linear damping",
    ),
    _of(
        "frictionloss",
        "frictionloss of a joint",
        (IGNORED, IN_DYNAMICS, STORED, IGNORED, STORED),
        "compare at frictionloss 0",
    ),
    _of(
        "spring",
        "stiffness and springref of a joint",
        (IGNORED, IN_DYNAMICS, IGNORED, IGNORED, STORED),
        "compare at stiffness 0, or add the spring's torque by program",
    ),
    _of(
        "gravcomp",
        "gravcomp of a body",
        _right_but(IGNORED, mujoco=IN_DYNAMICS),
        "compare at gravcomp 0; the motors carry the weight elsewhere",
    ),
    _of(
        "two-joints",
        "several joints in a body",
        _right_but("two joints", pinocchio="one composite joint"),
        "Pinocchio: the joints have one name, Composite_…; write a body for each joint",
    ),
    _of(
        "ball",
        "ball joint",
        _right_but("ball", pybullet="fixed"),
        "PyBullet: write three hinges, or load a URDF with a spherical joint",
    ),
    _of(
        "several-trees",
        "several bodies with joints in the world",
        _right_but(AS_WRITTEN, pinocchio=LEFT_OUT),
        "write one file a tree; Pinocchio reads the first only",
    ),
    _of(
        "frame",
        "<frame> in a body",
        (LEFT_OUT, AS_WRITTEN, LEFT_OUT, LEFT_OUT, AS_WRITTEN),
        "write pos and quat in the bodies and geoms themselves",
    ),
    _of(
        "replicate",
        "<replicate>",
        _right_but(LEFT_OUT, mujoco=AS_WRITTEN),
        "write each copy, as MuJoCo's mj_saveLastXML does",
    ),
    _of(
        "include",
        "<include> of bodies",
        (LEFT_OUT, AS_WRITTEN, LEFT_OUT, AS_WRITTEN, AS_WRITTEN),
        "write one file, as MuJoCo's mj_saveLastXML does",
    ),
    _of(
        "equality-joint",
        "<equality><joint>",
        ("free joint", "soft constraint", "free joint", "free joint", "coupled"),
        "add the follower's torque × polycoef[1] to the leader's",
    ),
    _of(
        "connect",
        "<equality> of bodies",
        ("open", "constraint", "open", "constraint", "loop joint"),
        "close the loop by the program's own constraints",
    ),
    _of(
        "gear",
        "gear and force range of a motor",
        (IGNORED, AS_WRITTEN, IGNORED, AS_WRITTEN, IGNORED),
        "set the limits by program; torques of joints do not change",
    ),
    _of(
        "servo",
        "position or velocity actuator",
        (IGNORED, "servo", IGNORED, "servo", "servo"),
        "state the controller in the program that simulates",
    ),
)
MJCF_BY_KEY: Mapping[str, Feature] = MappingProxyType({one.key: one for one in MJCF_FEATURES})
