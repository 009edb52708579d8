"""Markers, splines and names of strings of the state, as a run's description keeps them."""

from __future__ import annotations

from typing import Protocol, cast

import numpy as np

from sim.functions.spline import Spline
from sim.recording.schema.base import Vector
from sim.recording.schema.element_facts import AnyElement, MarkerFacts, NamesFacts, SplineFacts
from sim.robots.marker import Marker
from sim.robots.names import Names


class _Described(Protocol):
    """A force that a description keeps."""

    def describe(self) -> AnyElement:
        """The force as a run's description keeps it."""
        ...


def marker_facts(marker: Marker) -> MarkerFacts:
    """A marker as a description keeps it."""
    return MarkerFacts(
        name=marker.name, link=marker.link, xyz=_vector(marker.xyz), rpy=_vector(marker.rpy)
    )


def names_facts(names: Names) -> NamesFacts:
    """What strings may name, as a description keeps it."""
    forces = cast("tuple[_Described, ...]", names.forces)
    return NamesFacts(
        markers=tuple(map(marker_facts, names.markers)),
        variables={name: names.expressions[name.upper()].text for name in names.variables},
        forces=tuple(force.describe() for force in forces),
        splines={name: spline_facts(one) for name, one in names.splines.items()},
        states={name: names.rates[name.upper()].text for name in names.states},
        start=dict(zip(names.states, names.first_values, strict=True)),
        shared=tuple(names.shared),
    )


def spline_facts(one: Spline) -> SplineFacts:
    """A spline with all its points."""
    knots, values = (tuple(numbers.tolist()) for numbers in (one.knots, one.values))
    return SplineFacts(knots=knots, values=values, kind=one.kind, extrapolate=one.extrapolate)


def _vector(values: object) -> Vector:
    x, y, z = np.asarray(values, dtype=np.float64).tolist()
    return x, y, z
