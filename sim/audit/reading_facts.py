"""Facts: what other programs make of the features of a URDF, each measured with the real program.

`tools/readings` plants each feature in a small file, reads it with every program, and compares
with this table; the tests do so for PyBullet, MuJoCo and Pinocchio.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Programs as they read a file by their plainest call, and the versions that were measured.
MEASURED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "PyBullet": ("pybullet", "3.2.7"),
        "MuJoCo": ("mujoco-core", "4.0.1"),
        "Pinocchio": ("pin", "4.1.0"),
        "Drake": ("drake", "1.51.1"),
        "Newton": ("newton", "1.8.0"),
        "roboticstoolbox": ("roboticstoolbox-python", "1.5.0"),
    }
)
PROGRAMS = tuple(MEASURED)
REFUSED = "error"


@dataclass(frozen=True)
class Feature:
    """A feature of robot files, and what each program makes of it.

    Parameters
    ----------
    key : str
        One word for programs.
    title : str
        The feature in words.
    readings : tuple of str
        By each of the programs, in a few words; "error" is a refusal.
    remedy : str
        How to write the file so that all agree, or which call does.
    programs : tuple of str
        Those that read the format.
    """

    key: str
    title: str
    readings: tuple[str, ...]
    remedy: str
    programs: tuple[str, ...] = PROGRAMS

    @property
    def by_program(self) -> Mapping[str, str]:
        """The reading of each program."""
        return dict(zip(self.programs, self.readings, strict=True))

    @property
    def is_disputed(self) -> bool:
        """Whether programs differ."""
        return len(set(self.readings)) > 1


def _same_but(reading: str, **others: str) -> tuple[str, ...]:
    """One reading by all programs except some, which are named in lower case."""
    return tuple(others.get(program.lower(), reading) for program in PROGRAMS)


FEATURES: tuple[Feature, ...] = (
    Feature(
        "root",
        "root link",
        _same_but("fixed to the world", pybullet="floats", drake="floats"),
        "PyBullet: useFixedBase=True; Drake: WeldFrames, or name the root 'world'",
    ),
    Feature(
        "tensor",
        "<inertia> of a link",
        _same_but("as written", pybullet="from collision shapes"),
        "PyBullet: flags=p.URDF_USE_INERTIA_FROM_FILE",
    ),
    Feature(
        "impossible-tensor",
        "<inertia> with A + B < C",
        ("from collision shapes", REFUSED, "as written", "reduced", "enlarged", "as written"),
        "correct the tensor; PyBullet sets it to 0 with URDF_USE_INERTIA_FROM_FILE",
    ),
    Feature(
        "shape-only",
        "<collision> without <inertial>",
        ("1 kg", "1000 kg/m³ of the shape", "0 kg", "0 kg", "1000 kg/m³ of the shape", "0 kg"),
        "write the <inertial>; of a fixed link without mass one of zeros",
    ),
    Feature(
        "bare-frame",
        "<link> without <inertial>",
        _same_but("0 kg", pybullet="1 kg"),
        'write <inertial> with <mass value="0"/> and a tensor of zeros',
    ),
    Feature(
        "bare-link",
        "moving link without mass",
        _same_but("0 kg", pybullet="1 kg", mujoco=REFUSED),
        "write the <inertial>; if several joints meet there, a small real mass",
    ),
    Feature(
        "zero-mass",
        "moving link of <mass> 0",
        _same_but("0 kg", pybullet="does not move", mujoco=REFUSED),
        "write the mass, or make its joint 'fixed'",
    ),
    Feature(
        "fixed",
        "fixed links with mass",
        (*("separate link", "merged", "merged"), *("separate link",) * 3),
        "none: the torques agree; look up links by name only where they are kept",
    ),
    Feature(
        "long-axis",
        "axis not of unit length",
        _same_but("unit axis", pybullet="inertia × length²"),
        "write an axis of unit length",
    ),
    Feature(
        "reversed-axis",
        "axis along −X, −Y or −Z",
        _same_but("as written", roboticstoolbox="torque of wrong sign"),
        "turn the joint's origin so that the axis is positive, or use another program than rne",
    ),
    Feature(
        "oblique-axis",
        "axis not along X, Y or Z",
        _same_but("as written", roboticstoolbox="wrong pose and torque"),
        "turn the joint's origin so that the axis is X, Y or Z",
    ),
    Feature(
        "no-limit",
        "revolute or prismatic without <limit>",
        (REFUSED, "no limits", REFUSED, "no limits", "no limits", REFUSED),
        "write <limit>, or make the joint 'continuous'",
    ),
    Feature(
        "no-ends",
        "<limit> without lower and upper",
        ("no limits", "no limits", "0 to 0", "no limits", "no limits", "−π to π"),
        "write lower and upper, or make the joint 'continuous'",
    ),
    Feature(
        "zero-range",
        "lower and upper both 0",
        _same_but("0 to 0", mujoco="no limits"),
        "write the range, or make the joint 'fixed'",
    ),
    Feature(
        "endless-limits",
        "limits of a continuous joint",
        (
            *("reported, not enforced", "ignored", "ignored"),
            *("enforced", "reported, not enforced", "reported, not enforced"),
        ),
        "make it 'revolute' if it has stops, or delete lower and upper",
    ),
    Feature(
        "endless-joint",
        "continuous joint",
        _same_but("one coordinate", pinocchio="cosine and sine"),
        "Pinocchio: q has two entries for it; use pin.integrate and joint.idx_q",
    ),
    Feature(
        "zero-effort",
        "effort 0",
        ("stored as 0", "no limit", "stored as 0", "no actuator", "stored as 0", "ignored"),
        "write the drive's rating",
    ),
    Feature(
        "damping",
        "<dynamics damping>",
        (
            *("simulated only", "in inverse dynamics", "stored only"),
            *("in inverse dynamics", "stored only", "ignored"),
        ),
        "compare inverse dynamics at damping 0, or subtract d·qd",
    ),
    Feature(
        "friction",
        "<dynamics friction>",
        (
            *("stored only", "in inverse dynamics", "stored only"),
            *("ignored", "stored only", "taken as damping"),
        ),
        "compare at friction 0; no two programs mean the same by it",
    ),
    Feature(
        "empty-dynamics",
        "<dynamics> without damping and friction",
        _same_but("ignored", pybullet=REFUSED, pinocchio=REFUSED),
        'write damping="0" friction="0", or delete it',
    ),
    Feature(
        "dynamics-extras",
        "armature or springs in <dynamics>",
        _same_but("ignored"),
        "write them in the program's own file: MJCF, a card of this package",
    ),
    Feature(
        "mimic",
        "<mimic>",
        (
            *("free joint", "soft constraint", "free joint"),
            *("free in inverse dynamics", "coupled", "free joint"),
        ),
        "add the follower's torque × multiplier to the leader's; Pinocchio: mimic=True",
    ),
    Feature(
        "transmission",
        "gear ratio in <transmission>",
        _same_but("ignored", drake="actuator, ratio ignored"),
        "none for joint torques; motor torques need the ratio",
    ),
    Feature(
        "rotor",
        "drake:rotor_inertia",
        _same_but("ignored", drake="N² J in M"),
        "add N² J qdd to the others' torques; MuJoCo: dof_armature, Pinocchio: model.armature",
    ),
    Feature(
        "mujoco-masses",
        "masses in <mujoco><compiler>",
        _same_but("ignored", mujoco="other masses"),
        "write the masses and tensors themselves",
    ),
    Feature(
        "planar",
        "planar joint",
        _same_but("as written", pinocchio="X-Y, axis ignored", newton="cannot turn",
                  roboticstoolbox="fixed"),
        "write two prismatic joints and a revolute one",
    ),
    Feature(
        "floating",
        "floating joint at the root",
        _same_but("floats", pybullet="fixed", roboticstoolbox="fixed"),
        "leave it out: PyBullet floats by default, Pinocchio with a JointModelFreeFlyer",
    ),
    Feature(
        "floating-inside",
        "floating joint inside the tree",
        _same_but("floats", pybullet="fixed", mujoco=REFUSED, roboticstoolbox="fixed"),
        "write the free body as a robot of its own",
    ),
    Feature(
        "ball",
        "spherical joint",
        _same_but(REFUSED, pybullet="ball", mujoco="ball"),
        "write three revolute joints; their middle links need mass in MuJoCo and PyBullet",
    ),
    Feature(
        "several-trees",
        "several root links",
        ("crash", "fixed to the world", REFUSED, "floats", REFUSED, REFUSED),
        "write one file a tree, or one root with fixed joints",
    ),
)  # fmt: skip
BY_KEY: Mapping[str, Feature] = MappingProxyType({one.key: one for one in FEATURES})
