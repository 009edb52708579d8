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
    fields = {name: _value_of(own) for name, own in asdict(facts).items()}
    element: ForceElement = resolve_name(facts.law)(**fields)
    return element


def names_of(facts: NamesFacts) -> Names:
    """What strings of the state name, by a run's description; raises as `element_of`."""
    markers = tuple(Marker(**asdict(marker)) for marker in facts.markers)
    # a force of this kind has a name, or the description could not name it
    forces = cast("tuple[NamedForce, ...]", tuple(element_of(one) for one in facts.forces))
    splines = {name: spline_of(one) for name, one in facts.splines.items()}
    own = facts.variables, forces, splines, facts.states, facts.start, facts.shared
    return Names(markers, *own)


def spline_of(facts: SplineFacts) -> Spline:
    """The spline that a run's description states; raises as `element_of`."""
    return spline(facts.knots, facts.values, facts.kind, facts.extrapolate)


def _value_of(own: object) -> object:
    """What an element takes for a field of its facts."""
    if isinstance(own, MarkerFacts):
        return Marker(**asdict(own))
    if isinstance(own, SplineFacts):
        return spline_of(own)
    if isinstance(own, dict):
        return {name: _value_of(part) for name, part in own.items()}
    return names_of(own) if isinstance(own, NamesFacts) else own
