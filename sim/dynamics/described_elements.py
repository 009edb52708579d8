"""Force elements as values again, from what a run's description states of them."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import cast

from msgspec.structs import asdict

from sim.dynamics.force_element import ForceElement
from sim.functions.spline import Spline, spline
from sim.recording.schema.element_facts import AnyElement, MarkerFacts, NamesFacts, SplineFacts
from sim.robots.marker import Marker
from sim.robots.names import NamedForce, Names


def element_of(facts: AnyElement) -> ForceElement:
    """The element that a run's description states.

    Raises
    ------
    SimError
        If there cannot be one with these numbers.
    """
    fields = {name: _value_of(value) for name, value in asdict(facts).items()}
    element: ForceElement = resolve_name(facts.law)(**fields)
    return element


def names_of(facts: NamesFacts) -> Names:
    """Names of the strings of the state, from a run's description; raises as `element_of`."""
    markers = tuple(Marker(**asdict(marker)) for marker in facts.markers)
    # a force of this kind has a name, or the description could not name it
    forces = cast("tuple[NamedForce, ...]", tuple(element_of(one) for one in facts.forces))
    splines = {name: spline_of(one) for name, one in facts.splines.items()}
    fields = facts.variables, forces, splines, facts.states, facts.start, facts.shared
    return Names(markers, *fields)


def spline_of(facts: SplineFacts) -> Spline:
    """The spline that a run's description states; raises as `element_of`."""
    return spline(facts.knots, facts.values, facts.kind, facts.extrapolate)


def _value_of(field: object) -> object:
    """Argument of an element from a field of its facts."""
    if isinstance(field, MarkerFacts):
        return Marker(**asdict(field))
    if isinstance(field, SplineFacts):
        return spline_of(field)
    if isinstance(field, dict):
        return {name: _value_of(part) for name, part in field.items()}
    return names_of(field) if isinstance(field, NamesFacts) else field
