"""VForce: three components of force, and of torque, between two markers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np

from sim.dynamics.components import COMPONENTS, Components
from sim.dynamics.marker_force import MarkerForce
from sim.errors import ScenarioError
from sim.functions.state_expression import StateExpression
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.marker import Marker
from sim.robots.names import NO_NAMES, Names
from sim.showing.one_line import changed_fields


@checked
@dataclass(frozen=True, eq=False)
class VForce(MarkerForce):
    """A force and a torque on i along a marker's axes, with the reaction on j's link at i.

    Parameters
    ----------
    name : str
        Name in its channels ``force.<name>.fx`` … ``mz`` [N], [N·m], along the axes of `along`.
    i, j : Marker
        Markers, whose names the functions may use.
    force, torque : sequence of three str or float
        Components as functions of TIME and the state [N], [N·m].
    along : Marker, optional
        Marker whose axes the components are along (default: j). The functions may use its name.
    names : Names
        Further names available to the functions.

    Raises
    ------
    ScenarioError
        If there are not three components each, or two names are the same.
    ExpressionError
        If a component cannot be read; the message shows the place.

    References
    ----------
    MSC Adams Solver, statements VFORCE, VTORQUE and GFORCE.
    """

    name: str
    i: Marker
    j: Marker
    force: Sequence[str | float] = (0.0, 0.0, 0.0)
    torque: Sequence[str | float] = (0.0, 0.0, 0.0)
    _: KW_ONLY
    along: Marker | None = None
    names: Names = NO_NAMES

    def __post_init__(self) -> None:
        self.require_name_and_markers()
        self.require_names(self.names)
        if not (self.along is None or isinstance(self.along, Marker)):
            raise ScenarioError(f"{self.label}: along must be a sim.Marker, got {self.along!r}")
        for what in ("force", "torque"):
            components = getattr(self, what)
            if isinstance(components, str) or len(components) != 3:
                raise ScenarioError(f"{self.label}: {what} takes three components, x y z")
            object.__setattr__(self, what, tuple(components))
        _ = self.expressions  # raise here for a component that cannot be read

    def __repr__(self) -> str:
        return changed_fields(self)

    @property
    def axes(self) -> Marker:
        """Marker with the axes of the components."""
        return self.j if self.along is None else self.along

    @property
    def is_sudden(self) -> bool:
        """True if a component switches at some value of the state."""
        return any(one.switches_with_state for one in self.expressions)

    @cached_property
    def scope(self) -> Names:
        """Names available to the functions, including the markers of the force."""
        return self.names.with_markers(self.i, self.j, self.axes)

    @cached_property
    def expressions(self) -> tuple[StateExpression, ...]:
        """The six components, force first."""
        each = zip(COMPONENTS, (*self.force, *self.torque), strict=True)
        return tuple(self.scope.parse(f"{self.label}, {c}", one, self.name) for c, one in each)

    def read_markers(self) -> tuple[Marker, ...]:
        """Return all markers that the force needs."""
        markers = (marker for one in self.expressions for marker in self.scope.markers_read(one))
        return (self.i, self.j, self.axes, *markers)

    def read_forces(self) -> tuple[MarkerForce, ...]:
        """Return the other forces that its functions may read."""
        return tuple(one for one in self.names.forces if isinstance(one, MarkerForce))

    def breaks(self, duration: float) -> Array:
        """Return times where a component may jump because of time alone [s]."""
        return np.unique(np.concatenate([one.breaks(duration) for one in self.expressions]))

    @property
    def components_on_i(self) -> Components:
        """Six components along the axes, as expressions."""
        return Components(tuple(one.tree for one in self.expressions), self.axes, self.scope)
