"""A robot from another format than URDF: its URDF text, and parts that a URDF cannot have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import Struct

from sim.errors import ModelError
from sim.robots.drive_train import DriveTrain
from sim.robots.joint import Mimic
from sim.robots.loop import Loop
from sim.robots.repair import Repair
from sim.robots.robot import Robot
from sim.robots.spring import JointSpring

GRAVITY = 9.81  # [m/s²] along -Z: default of a run

NO_SUCH_SHAPE = "no such shape"
"""Reading of a shape that a URDF cannot have; masses from shapes lack it."""


class NoSuchModelError(ModelError):
    """Error for a missing model name in a file with several models, or for an unknown name."""


class TranslatedRobot(Struct, frozen=True, eq=False):
    """Robot of an MJCF or SDF file: text, springs, drives and loops.

    Parameters
    ----------
    text : str
        Tree as URDF, with joint losses and coupled joints.
    springs, drives : mapping of str to JointSpring, DriveTrain
        By joint name.
    loops : tuple of Loop
    left_out : tuple of Repair
        Other parts of the file.
    rotors : mapping of str to float
        Inertia of the rotor at each coordinate of the file, by row name, also of those that are
        left out or add to a leader's [kg·m² or kg].
    """

    text: str
    springs: Mapping[str, JointSpring]
    drives: Mapping[str, DriveTrain]
    loops: tuple[Loop, ...]
    left_out: tuple[Repair, ...]
    rotors: Mapping[str, float]

    @property
    def not_in_urdf(self) -> tuple[str, ...]:
        """Descriptions of the parts of the file that its URDF text lacks."""
        inertia = {joint: one.reflected_inertia for joint, one in self.drives.items()}
        return (
            *(f"{one.part}: {one.says}; written: {one.taken}" for one in self.left_out),
            *(f"joint {joint!r}: its spring; written: none" for joint in self.springs),
            *(f"joint {j!r}: its armature {x:g}; written: none" for j, x in inertia.items()),
            *(f"loop {loop.name!r}: written: none" for loop in self.loops),
        )

    def complete(self, robot: Robot) -> Robot:
        """Return the robot of the text, completed by the parts that a URDF cannot have."""
        robot = robot.with_springs(self.springs).with_drives(self.drives).with_loops(*self.loops)
        return replace(robot, repairs=(*robot.repairs, *self.left_out))


def leader_of(joint: str, mimics: Mapping[str, Mimic]) -> tuple[str, float]:
    """Return the joint that a joint follows in the end, or itself, and their speed ratio."""
    factor = 1.0
    while joint in mimics:
        factor *= mimics[joint].multiplier
        joint = mimics[joint].joint
    return joint, factor


def drives_of_leaders(
    drives: Mapping[str, DriveTrain], mimics: Mapping[str, Mimic]
) -> dict[str, DriveTrain]:
    """Return drive trains by joint; the rotor of a joint that follows another adds to its leader's.

    Parameters
    ----------
    drives : mapping of str to DriveTrain
        As in the file, by joint name.
    mimics : mapping of str to Mimic
        By name of the following joint.
    """
    led = dict[str, DriveTrain]()
    for joint in sorted(drives, key=lambda name: name in mimics):  # leaders first
        drive, (leader, factor) = drives[joint], leader_of(joint, mimics)
        train = led.get(leader, drive if leader == joint else DriveTrain(1.0))
        more = 0.0 if train is drive else drive.reflected_inertia * (factor / train.ratio) ** 2
        led[leader] = replace(train, rotor_inertia=train.rotor_inertia + more)
    return led


def gravity_left_out(kind: str, gravity: Sequence[float]) -> Repair | None:
    """Return the note that a file's gravity [m/s²] differs from that of a run; None if equal."""
    x, y, z = map(float, gravity)
    if (x, y, z) == (0.0, 0.0, -GRAVITY):
        return None
    return Repair(
        "left out",
        f"{kind} file",
        f"its gravity is {x:g} {y:g} {z:g} m/s²",
        f"that of the run: 0 0 -{GRAVITY:g}, or Scenario(..., gravity=({x:g}, {y:g}, {z:g}))",
        (),
        "gravity belongs to a scenario",
    )
