"""Robots from MJCF files: MuJoCo compiles the file, and what it compiled becomes a robot.

No element of MJCF is parsed here: defaults, classes, includes, frames, replicas, meshes and inertia
from geometry are done when the model is there. The robot has the tree as URDF text, losses, springs
and rotors in its joints, followers and closed loops; what else the file states is one of
`Robot.repairs`, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sim.errors import ModelError
from sim.robots.drive_train import DriveTrain
from sim.robots.loop import Loop
from sim.robots.mjcf.body_links import urdf_text
from sim.robots.mjcf.compiled import Compiled, compile_file
from sim.robots.mjcf.equalities import equalities_of
from sim.robots.mjcf.joint_laws import joint_laws
from sim.robots.mjcf.left_out import left_out
from sim.robots.repair import Repair
from sim.robots.robot import Robot
from sim.robots.spring import JointSpring


# Each comment is taken once: a comment that may end in the next one costs 2^n for n of them.
@dataclass(frozen=True, eq=False)
class MjcfRobot:
    """Robot of an MJCF file: its text, springs, drives and loops.

    Parameters
    ----------
    text : str
        Its tree as URDF, with losses in the joints and those that follow others.
    springs, drives : mapping of str to JointSpring, DriveTrain
        By joint.
    loops : tuple of Loop
    left_out : tuple of Repair
        What the file has besides.
    """

    text: str
    springs: Mapping[str, JointSpring]
    drives: Mapping[str, DriveTrain]
    loops: tuple[Loop, ...]
    left_out: tuple[Repair, ...]

    @property
    def not_in_urdf(self) -> tuple[str, ...]:
        """What of the file its URDF text lacks, one line each."""
        inertia = {joint: one.reflected_inertia for joint, one in self.drives.items()}
        return (
            *(f"{one.part}: {one.says}; written: {one.taken}" for one in self.left_out),
            *(f"joint {joint!r}: its spring; written: none" for joint in self.springs),
            *(f"joint {j!r}: its armature {x:g}; written: none" for j, x in inertia.items()),
            *(f"loop {loop.name!r}: written: none" for loop in self.loops),
        )

    def complete(self, robot: Robot) -> Robot:
        """The robot of the text, with all that a URDF cannot state."""
        robot = robot.with_springs(self.springs).with_drives(self.drives).with_loops(*self.loops)
        return replace(robot, repairs=(*robot.repairs, *self.left_out))


def read_mjcf(path: Path) -> MjcfRobot:
    """Read the robot of an MJCF file.

    Raises
    ------
    ModelError
        If MuJoCo is not installed or refuses the file, or nothing in it moves.
    """
    return mjcf_robot(compile_file(path), str(path), path.parent.resolve())


def mjcf_robot(compiled: Compiled, source: str, folder: Path) -> MjcfRobot:
    """Robot of a compiled model.

    Parameters
    ----------
    source : str
        How messages call it.
    folder : Path
        From which mesh files are named.

    Raises
    ------
    ModelError
        If nothing in it moves.
    """
    if not int(compiled.model.njnt):
        raise ModelError(f"{source}: it has no joint; a robot has at least one")
    laws, equalities = joint_laws(compiled), equalities_of(compiled)
    passive = {name for loop in equalities.loops for name in loop.passive}
    led = {joint for joint in laws if joint in equalities.mimics or joint in passive}
    return MjcfRobot(
        urdf_text(compiled, laws, equalities.mimics, folder),
        {joint: law.spring for joint, law in laws.items() if law.spring is not None},
        {j: law.drive for j, law in laws.items() if law.drive is not None and j not in led},
        tuple(equalities.loops),
        tuple(left_out(compiled, laws, equalities, led)),
    )
