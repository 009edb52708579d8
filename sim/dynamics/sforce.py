"""SForce: one component of force or torque between two markers, as an expression of the state."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal

from sim.dynamics.components import Components
from sim.dynamics.force_element import ElementState
from sim.dynamics.marker_force import MarkerForce
from sim.errors import ScenarioError
from sim.functions.expression import StateExpression, state_expression
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.robots.marker import Marker
from sim.robots.names import NO_NAMES, Names

SForceKind = Literal["translational", "rotational"]


@checked
@dataclass(frozen=True, eq=False, repr=False)
class SForce(MarkerForce):
    """A single force between two markers.

    ``translational``: along the line between them; positive values push them apart. ``rotational``:
    a torque about z of j; positive values rotate i forwards about it. With `action_only` it acts on
    i alone, a translational one along z of j.

    Parameters
    ----------
    name : str
        Name in its channels: ``force.<name>.f`` [N] and ``length.<name>`` [m], or
        ``force.<name>.m`` [N·m].
    i, j : Marker
        Markers, whose names the function may use.
    function : str or float
        Expression of TIME and the state, such as ``-800*(DM(tip, wall)-0.4)-6*VR(tip, wall)``.
    acts : {"translational", "rotational"}
    action_only : bool
    names : Names
        Further names available to the function.

    Raises
    ------
    ScenarioError
        If the markers of a translational force are one point, or two names are the same.
    ExpressionError
        If the function cannot be read; the message shows the place.

    References
    ----------
    MSC Adams Solver, statement SFORCE.
    """

    name: str
    i: Marker
    j: Marker
    function: str | float
    _: KW_ONLY
    acts: SForceKind = "translational"
    action_only: bool = False
    names: Names = NO_NAMES

    def __post_init__(self) -> None:
        self.require_name_and_markers()
        self.require_names(self.names)
        if self.acts not in ("translational", "rotational"):
            raise ScenarioError(
                f"{self.label}: acts {self.acts!r}: choose 'translational' or 'rotational'"
            )
        if self.is_along_line:
            self.require_line()
        _ = self.expression  # raise here for a function that cannot be read

    @property
    def is_along_line(self) -> bool:
        """True if the force acts along the line between the markers."""
        return self.acts == "translational" and not self.action_only

    @property
    def has_reaction(self) -> bool:
        """False if the force acts on i alone."""
        return not self.action_only

    @property
    def is_sudden(self) -> bool:
        """True if its function switches at some value of the state."""
        return self.expression.switches_with_state

    @cached_property
    def scope(self) -> Names:
        """Names available to the function, including the markers of the force."""
        return self.names.with_markers(self.i, self.j)

    @cached_property
    def expression(self) -> StateExpression:
        """Parsed function of the force."""
        return self.scope.parse(self.label, self.function, self.name)

    def read_markers(self) -> tuple[Marker, ...]:
        """Return all markers that the force needs."""
        return (self.i, self.j, *self.scope.markers_read(self.expression))

    def breaks(self, duration: float) -> Array:
        """Return times where the function may jump because of time alone [s]."""
        return self.scope.breaks([self.expression], duration)

    def stops(self, duration: float) -> Array:
        """Return these times and the middles of narrow pulses, where a solver restarts [s]."""
        return self.scope.breaks([self.expression], duration, has_middles=True)

    @property
    def components_on_i(self) -> Components:
        """Size along the line, or the component along z of j."""
        size = self.expression.tree
        if self.is_along_line:
            return Components((size,), None, self.scope)
        none = state_expression(0.0, self.scope.scope()).tree
        force, torque = (size, none) if self.acts == "translational" else (none, size)
        return Components((none, none, force, none, none, torque), self.j, self.scope)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Channels of the value and of the length along which it acts."""
        value = f"force.{self.name}.{'f' if self.acts == 'translational' else 'm'}"
        return (value, f"length.{self.name}") if self.is_along_line else (value,)

    def channels(self, at: ElementState) -> dict[str, Array]:
        """Return the value of the function, and the length along which it acts."""
        values = self.values_on_i(at.t, at.kinematics)
        size = values[{1: 0, 6: 2 if self.acts == "translational" else 5}[len(values)]]
        return dict(zip(self.channel_names, (size, self.length(at)[0]), strict=False))
