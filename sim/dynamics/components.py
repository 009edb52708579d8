"""Components: the law of a force between two markers, as expressions of time and state."""

from __future__ import annotations

from dataclasses import dataclass

from sim.functions.syntax import Node
from sim.robots.marker import Marker
from sim.robots.names import Names

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


@dataclass(frozen=True, eq=False)
class Components:
    """Components of a force on i, as expressions of time and state.

    Parameters
    ----------
    expressions : tuple of Node
        Its size along the line from j to i; or six components, force first, along the axes of a
        marker [N], [N·m].
    along : Marker or None
        That marker; None where it acts along the line.
    names : Names
        What the expressions name.
    turning_stiffness : tuple of float
        Of a bushing, against the rotation vector of i in j, about the axes of j; what that gives is
        added to the torque [N·m/rad].
    """

    expressions: tuple[Node, ...]
    along: Marker | None
    names: Names
    turning_stiffness: tuple[float, ...] = ()
