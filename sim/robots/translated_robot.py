"""A robot from another format than URDF: its URDF text, and parts that a URDF cannot have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import Struct

from sim.errors import ModelError
from sim.robots.drive_train import DriveTrain
from sim.robots.loop import Loop
from sim.robots.repair import Repair
from sim.robots.robot import Robot
from sim.robots.spring import JointSpring

GRAVITY = 9.81  # [m/s²] along -Z: default of a run


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
    """

    text: str
    springs: Mapping[str, JointSpring]
    drives: Mapping[str, DriveTrain]
    loops: tuple[Loop, ...]
    left_out: tuple[Repair, ...]

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
