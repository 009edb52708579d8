"""What other programs are asked: a robot file, what moves in it, and states.

A `MovingPart` names what moves in the file: a joint and the number of its motion, or a ball, whose
three rows are a rotation vector and the angular velocity along the axes of what turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.conversion.original import Format
from sim.maths.arrays import Array


@dataclass(frozen=True)
class MovingPart:
    """A joint of a file, or one motion of it.

    Parameters
    ----------
    joint : str
    number : int
        Of the motion in the joint.
    rows : slice
        Of (n, N) arrays; three of a ball.
    """

    joint: str
    number: int
    rows: slice

    @property
    def is_ball(self) -> bool:
        """True if it has three rows."""
        return self.rows.stop - self.rows.start == 3


@dataclass(frozen=True, eq=False)
class TorqueQuestion:
    """A file, what moves in it, and at which states.

    Parameters
    ----------
    path : Path
    format : Format
    motions : sequence of MovingPart
    q, qd, qdd : ndarray, shape (n, N)
    cut : tuple of str
        Joints of an SDF file that close loops.
    model : str
        Name of the robot, by which its joints are known where a file has several models.
    """

    path: Path
    format: Format
    motions: Sequence[MovingPart]
    q: Array
    qd: Array
    qdd: Array
    cut: tuple[str, ...] = ()
    model: str = ""


def xml_text(root: Any) -> str:
    """Text of an XML element."""
    from lxml import etree

    return etree.tostring(root, encoding="unicode")
