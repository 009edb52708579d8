"""Input for other programs: a robot file, its moving parts, and states.

A `MovingPart` identifies a motion in the file: a joint and the index of its motion, or a ball,
whose three rows are a rotation vector and the angular velocity along the axes of the child.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.audit.other_programs import JointRows
from sim.conversion.original import Format
from sim.maths.arrays import Array


@dataclass(frozen=True)
class MovingPart(JointRows):
    """A joint of a file, or one motion of it.

    Parameters
    ----------
    number : int
        Index of the motion in the joint.
    """

    number: int


@dataclass(frozen=True, eq=False)
class TorqueQuestion:
    """A file, its moving parts, and states.

    Parameters
    ----------
    path : Path
    format : Format
    motions : sequence of MovingPart
    q, qd, qdd : ndarray, shape (n, N)
    cut : tuple of str
        Joints of an SDF file that close loops.
    model : str
        Name of the robot, which identifies its joints if a file has several models.
    """

    path: Path
    format: Format
    motions: Sequence[MovingPart]
    q: Array
    qd: Array
    qdd: Array
    cut: tuple[str, ...] = ()
    model: str = ""

    @property
    def states(self) -> tuple[Array, ...]:
        """Positions, velocities and accelerations."""
        return self.q, self.qd, self.qdd
