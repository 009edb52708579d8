"""Robots from MJCF files: MuJoCo compiles the file, and what it compiled becomes a robot.

No element of MJCF is parsed here: defaults, classes, includes, frames, replicas, meshes and inertia
from geometry are done when the model is there. The robot has the tree as URDF text, losses, springs
and rotors in its joints, followers and closed loops; what else the file states is one of
`Robot.repairs`, by name.
"""

from __future__ import annotations

from pathlib import Path

from sim.errors import ModelError
from sim.robots.mjcf.body_links import urdf_text
from sim.robots.mjcf.compiled import Compiled, compile_file
from sim.robots.mjcf.equalities import equalities_of
from sim.robots.mjcf.joint_laws import joint_laws
from sim.robots.mjcf.left_out import left_out
from sim.robots.translated_robot import TranslatedRobot


def read_mjcf(path: Path) -> TranslatedRobot:
    """Read the robot of an MJCF file.

    Raises
    ------
    ModelError
        If MuJoCo is not installed or refuses the file, or nothing in it moves.
    """
    return mjcf_robot(compile_file(path), str(path), path.parent.resolve())


def mjcf_robot(compiled: Compiled, source: str, folder: Path) -> TranslatedRobot:
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
    return TranslatedRobot(
        urdf_text(compiled, laws, equalities.mimics, folder),
        {joint: law.spring for joint, law in laws.items() if law.spring is not None},
        {j: law.drive for j, law in laws.items() if law.drive is not None and j not in led},
        tuple(equalities.loops),
        tuple(left_out(compiled, laws, equalities, led)),
    )
