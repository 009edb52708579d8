"""Statements referenced by functions of a deck: markers, forces, splines and states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sim.decks import trees
from sim.decks.deck import Deck, DeckMarker
from sim.decks.deck_surfaces import is_surface, surface_row
from sim.functions.spline_functions import ID
from sim.functions.state_functions import OF_ONE
from sim.functions.syntax import Node

BEFORE_MARKERS = {**dict.fromkeys(OF_ONE, 3), "ORIENT": 2}
"""How many arguments some functions have before their markers."""


def is_placed(marker: DeckMarker | None) -> bool:
    """Whether a marker exists and does not float."""
    return marker is not None and not marker.is_floating


@dataclass
class Reads:
    """Statements that have been read, by id; inputs and SFORCEs also by name."""

    deck: Deck
    of_inputs: Mapping[str, int]
    of_forces: Mapping[str, int]
    markers: dict[int, None] = field(default_factory=dict)
    variables: dict[int, Node] = field(default_factory=dict)
    forces: dict[int, None] = field(default_factory=dict)
    splines: dict[int, None] = field(default_factory=dict)
    inputs: dict[int, None] = field(default_factory=dict)
    surfaces: dict[str, tuple[int, int]] = field(default_factory=dict)
    states: dict[str, None] = field(default_factory=dict)

    def take(self, node: Node) -> None:
        """Collect what a function in SI units reads directly."""
        for one in trees.calls(node):
            first = trees.label_of(one.arguments[0])
            if one.name == "DIF":
                self.states[first.lower()] = None
            elif one.name in ID and len(one.arguments) > ID[one.name]:
                self._take_spline(trees.label_of(one.arguments[ID[one.name]]))
            elif one.name in trees.READINGS and one.name != "VARVAL":
                if one.name == "SFORCE" and first in self.of_forces:
                    self.forces[self.of_forces[first]] = None
                self._take_markers(trees.ids_of(one)[BEFORE_MARKERS.get(one.name, 0) :])

    def _take_markers(self, ids: Iterable[int | None]) -> None:
        """Collect those that have a position."""
        there = self.deck.markers
        self.markers.update((id, None) for id in filter(None, ids) if is_placed(there.get(id)))

    def _take_spline(self, name: str) -> None:
        """Collect the points that a spline function reads."""
        surface, splines = surface_row(name), self.deck.by_id("SPLINE")
        if surface is not None and surface[0] in splines:
            self.surfaces[name] = surface
        elif name in self.of_inputs:
            self.inputs[self.of_inputs[name]] = None
        elif trees.is_id(name) and (one := splines.get(int(name))) and not is_surface(one):
            self.splines[int(name)] = None
