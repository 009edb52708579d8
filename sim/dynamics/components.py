"""Components: the law of a force between two markers, as expressions of time and state."""

from __future__ import annotations

from msgspec import Struct

from sim.functions.syntax import Node
from sim.robots.marker import Marker
from sim.robots.names import Names

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")


class Components(Struct, frozen=True, eq=False):
    """Components of a force on i, as expressions of time and state.

    Parameters
    ----------
    expressions : tuple of Node
        Force along the line from j to i; or six components, force first, along the axes of a marker
        [N], [N·m].
    along : Marker or None
        Marker with the axes of the components; None for a force along the line.
    names : Names
        Names in the expressions.
    turning_stiffness : tuple of float
        Stiffness of a bushing against the rotation vector of i in j, about the axes of j; adds to
        the torque [N·m/rad].
    """

    expressions: tuple[Node, ...]
    along: Marker | None
    names: Names
    turning_stiffness: tuple[float, ...] = ()
