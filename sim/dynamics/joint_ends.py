"""Joints, and drives between markers, whose force on a marker can be requested."""

from __future__ import annotations

from dataclasses import dataclass

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.marker import Marker

COMPONENTS = ("X", "Y", "Z", "B1", "B2", "B3")  # of a marker in another, with body 1-2-3 angles


@checked
@dataclass(frozen=True, eq=False)
class JointEnds:
    """A named joint and the two markers that it connects.

    Parameters
    ----------
    label : str
        Name in JOINT(label, …).
    joints : tuple of str
        Robot joints that it stands for, in series from one link to the other.
    i, j : Marker
        Its force is that on the link of i, or of j, at the marker's origin.
    loop : str
        Loop of the robot that it stands for, if it is no joint of the tree, or that connects its
        joints; i is at the loop's point b.
    along : {"", "X", "Y", "Z", "B1", "B2", "B3"}
        For a drive between markers, which alone acts on them: the coordinate of i in j that its one
        joint moves, with ``-`` if in the opposite sense.
    is_free_along : bool
        Whether its constraint transmits nothing along and about the axes of its joints, even if one
        follows another, as in a screw.

    Raises
    ------
    ModelError
        If `along` is something else.
    """

    label: str
    joints: tuple[str, ...]
    i: Marker
    j: Marker
    loop: str = ""
    along: str = ""
    is_free_along: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        if self.along and self.along.removeprefix("-") not in COMPONENTS:
            ways = f"{', '.join(COMPONENTS)}, with '-' before it if in the opposite sense"
            raise ModelError(f"JointEnds {self.label!r}: along={self.along!r}: choose from {ways}")
