"""Marker: a frame on a link, used by forces and read by functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import pose, rotation_from_rpy
from sim.showing.one_line import ChangesShown

WORLD = "world"
ABSOLUTE = ""  # link of markers in the world, even if a robot has a link called "world"

# Names that the function language can read, or a whole number as in an ADAMS deck.
NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*|[1-9][0-9]*")


@checked
@dataclass(frozen=True, repr=False)
class Marker(ChangesShown):
    """A frame fixed on a link.

    Parameters
    ----------
    name : str
        Name in functions such as ``DM(tip, wall)``, case-insensitive: a letter followed by letters,
        digits, ``_`` or ``.``; or a whole number.
    link : str
        Link that carries it; ``world`` is the world if the robot has no link of that name.
    xyz : array_like, shape (3,)
        Its origin in the link [m].
    rpy : array_like, shape (3,)
        Orientation in the link, roll, pitch and yaw as in a URDF [rad].

    Raises
    ------
    ModelError
        If functions cannot read the name, or a number is not finite.
    """

    name: str
    link: str
    xyz: ArrayLike = (0.0, 0.0, 0.0)
    rpy: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and NAME.fullmatch(self.name)):
            raise ModelError(
                f"Marker {self.name!r}: a name is a letter and then letters, digits, '_' or '.', "
                "or a whole number above 0"
            )
        if not isinstance(self.link, str):
            raise ModelError(f"Marker {self.name!r}: link {self.link!r} must be a link's name")
        for what, unit in (("xyz", "m"), ("rpy", "rad")):
            try:
                x, y, z = (float(value) for value in np.asarray(getattr(self, what)))
            except (TypeError, ValueError):
                x = y = z = np.nan
            if not np.isfinite([x, y, z]).all():
                raise ModelError(
                    f"Marker {self.name!r}: {what} {getattr(self, what)!r} {unit} must be three "
                    "finite numbers"
                )
            object.__setattr__(self, what, (x, y, z))

    @cached_property
    def point(self) -> Array:
        """Origin of the marker in the link, shape (3,) [m]."""
        return frozen(self.xyz, (3,))

    @cached_property
    def T_lm(self) -> Array:
        """Pose of the marker in the link, shape (4, 4) [m]."""
        return frozen(pose(rotation_from_rpy(self.rpy), self.point))


ORIGIN = Marker("origin", WORLD)
"""Marker that the label of the ground stands for."""

Angle = tuple[str, Marker, Marker]
"""AX, AY or AZ of marker i about an axis of marker j."""
