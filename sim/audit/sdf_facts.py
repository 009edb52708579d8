"""Facts: what PyBullet and Drake make of the features of an SDF file, each measured.

As `sim.audit.reading_facts` for URDFs. MuJoCo, Newton and roboticstoolbox read no SDF, nor does
the Pinocchio of its wheel.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sim.audit.reading_facts import REFUSED, Feature

SDF_PROGRAMS = ("PyBullet", "Drake")
AS_WRITTEN = "as written"


def _of(key: str, title: str, pybullet: str, drake: str, remedy: str) -> Feature:
    return Feature(key, title, (pybullet, drake), remedy, SDF_PROGRAMS)


_URDF = "PyBullet: sim convert FILE.sdf FILE.urdf, and loadURDF"
SDF_FEATURES: tuple[Feature, ...] = (
    _of("to-world", "joint to the world", REFUSED, AS_WRITTEN, _URDF),
    _of(
        "tensor",
        "<inertia> of a link",
        *("from collision shapes", AS_WRITTEN),
        "PyBullet: p.changeDynamics(…, localInertiaDiagonal=…)",
    ),
    _of(
        "no-inertial",
        "<link> without <inertial>",
        *("1 kg, tensor 0", "1 kg, tensor 1 1 1"),
        "write <inertial>; 1 kg and 1 1 1 are the format's defaults",
    ),
    _of(
        "auto-inertia",
        '<inertial auto="true">',
        *(REFUSED, AS_WRITTEN),
        "write mass, pose and tensor",
    ),
    _of(
        "relative-to",
        "<pose relative_to> of a link",
        *("in the model's frame", AS_WRITTEN),
        "write the poses of links in the model's frame",
    ),
    _of(
        "joint-pose",
        "<pose> of a joint",
        *("ignored", AS_WRITTEN),
        "put the link's origin at its joint",
    ),
    _of(
        "expressed-in",
        "expressed_in of an axis",
        *("in the joint's frame", AS_WRITTEN),
        "write the axis in the frame of its joint",
    ),
    _of(
        "no-limit",
        "axis without <limit>",
        *(REFUSED, "no limits"),
        "write <limit> with lower and upper",
    ),
    _of("zero-effort", "effort 0", "0", "no actuator", "write the drive's rating, or -1"),
    _of("no-effort", "<limit> without effort", "0", "no limit", "write the drive's rating"),
    _of(
        "damping",
        "damping of an axis",
        *("simulated only", "in inverse dynamics"),
        "compare inverse dynamics at damping 0, or add damping × speed",
    ),
    _of("friction", "friction of an axis", "stored only", "ignored", "compare at friction 0"),
    _of(
        "spring",
        "spring_stiffness of an axis",
        *("ignored", "in inverse dynamics"),
        "compare at stiffness 0, or add the spring's torque by program",
    ),
    _of(
        "empty-dynamics",
        "<dynamics> without damping and friction",
        *(REFUSED, AS_WRITTEN),
        "write <damping>0</damping>, or delete it",
    ),
    _of(
        "mimic",
        "<mimic>",
        *("free joint", "free joint"),
        "Drake: write <drake:mimic>; add the follower's torque × multiplier to the leader's",
    ),
    _of(
        "rotor",
        "drake:rotor_inertia",
        *("ignored", "N² J in M"),
        "PyBullet: add N² J × acceleration",
    ),
    _of("ball", "ball joint", REFUSED, AS_WRITTEN, _URDF),
    _of("universal", "universal joint", REFUSED, AS_WRITTEN, "write two revolute joints"),
    _of("screw", "screw joint", REFUSED, AS_WRITTEN, "none: PyBullet has no screw"),
    _of("gearbox", "gearbox joint", REFUSED, REFUSED, "write <mimic>, and <drake:mimic> for Drake"),
    _of("nested-model", "model in a model", REFUSED, AS_WRITTEN, "write one model; " + _URDF),
)  # fmt: skip
SDF_BY_KEY: Mapping[str, Feature] = MappingProxyType({one.key: one for one in SDF_FEATURES})
