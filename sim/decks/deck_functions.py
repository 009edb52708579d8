"""Functions of a deck, which are in its own units, as strings of the state in SI units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sim.decks.deck import Deck
from sim.decks.deck_urdf import pose_numbers
from sim.decks.spanning_tree import SpanningTree
from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.spline import Spline, spline
from sim.maths.rotations import inverse_pose
from sim.robots.marker import Marker
from sim.robots.names import NamedForce, Names

LENGTHS, SPEEDS, RATES = "DM DX DY DZ", "VR VM VX VY VZ", "WM WX WY WZ"
ANGLES, SPLINES = "AX AY AZ", "AKISPL CUBSPL INTERP"
_CALL = re.compile(
    rf"\b({'|'.join(f'{LENGTHS} {SPEEDS} {RATES} {ANGLES} VARVAL SFORCE'.split())})"
    r"\s*\(([^()]*)\)|\b(TIME)\b",
    re.IGNORECASE,
)
_SPLINE = re.compile(
    rf"\b({'|'.join(SPLINES.split())})\s*\((?:[^()]|\([^()]*\))*?,[^,()]*,\s*(\d+)", re.IGNORECASE
)


@dataclass
class Reads:
    """What a string reads of the deck, by id."""

    markers: dict[int, None] = field(default_factory=dict)
    variables: dict[int, str] = field(default_factory=dict)
    forces: dict[int, None] = field(default_factory=dict)
    splines: dict[int, None] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class DeckFunctions:
    """The functions of a deck on its tree."""

    deck: Deck
    tree: SpanningTree

    @cached_property
    def variables(self) -> Mapping[int, Statement]:
        """The VARIABLEs by id."""
        return {one.id: one for one in self.deck.of("VARIABLE")}

    @cached_property
    def splines(self) -> Mapping[int, Statement]:
        """The SPLINEs by id."""
        return {one.id: one for one in self.deck.of("SPLINE")}

    def marker(self, id: int) -> Marker:
        """A marker of the deck on its link."""
        one = self.deck.markers[id]
        link = self.tree.link_of[one.part]
        xyz, rpy = pose_numbers(inverse_pose(link.T_0l) @ self.deck.T_0m(id))
        x, y, z = (float(v) if abs(v) > 1e-15 else 0.0 for v in xyz)
        return Marker(str(id), link.name, (x, y, z), tuple(map(float, rpy)))

    def spline(self, id: int) -> Spline:
        """The points of a SPLINE, in the deck's units, as its functions read them."""
        one = self.splines[id]
        x, y = one.numbers("X"), one.numbers("Y")
        if x is None or y is None or "Z" in one.values:
            raise one.refusal("a spline of X and Y is offered, from the deck itself")
        outside = "linear" if "LINEAR_EXTRAPOLATE" in one.flags else "polynomial"
        try:
            return spline(x, y, extrapolate=outside)  # type: ignore[arg-type]
        except SimError as error:
            raise one.refusal(str(error)) from None

    def text(self, statement: Statement, key: str = "FUNCTION", scale: float = 1.0) -> str:
        """A function in SI units: `scale` is what one of the deck's unit is.

        Raises
        ------
        DeckError
            If it is not there, or is a subroutine.
        """
        given = statement.text(key)
        if given is None or "ROUTINE" in statement.values or re.match(r"USER\s*\(", given, re.I):
            reason = "a subroutine cannot be called here" if given else f"it has no {key}"
            raise statement.refusal(f"{reason}; give {key} = an expression")
        text = self._in_si(given)
        return text if scale == 1.0 else f"({text})*{scale!r}"

    def names(self, texts: list[str], forces: Mapping[int, NamedForce]) -> Names:
        """All that some strings name, variables that they read by others too."""
        reads = Reads()
        for text in texts:
            self._read(text, reads)
        return Names(
            markers=tuple(self.marker(id) for id in reads.markers),
            variables={str(id): text for id, text in reads.variables.items()},
            forces=tuple(forces[id] for id in reads.forces),
            splines={str(id): self.spline(id) for id in reads.splines},
        )

    def forces_read(self, texts: list[str]) -> list[int]:
        """Ids of the SFORCEs that some strings read, by variables too."""
        reads = Reads()
        for text in texts:
            self._read(text, reads)
        return list(reads.forces)

    def splines_read(self, text: str) -> dict[str, Spline]:
        """The splines that a string reads, by number."""
        reads = Reads()
        self._read(text, reads)
        return {str(id): self.spline(id) for id in reads.splines}

    def _in_si(self, text: str) -> str:
        units = self.deck.units

        def in_deck_units(match: re.Match[str]) -> str:
            if match[3]:
                return "TIME" if units.time == 1.0 else f"(TIME/{units.time!r})"
            name = match[1].upper()
            labels = [_plain(label) for label in match[2].split(",")]
            call = f"{name}({', '.join(labels)})"
            one = 1.0
            if name in LENGTHS.split():
                one = units.length
            elif name in SPEEDS.split():
                one = units.speed
            elif name in RATES.split():
                one = 1.0 / units.time
            elif name == "SFORCE":
                is_torque = len(labels) > 2 and labels[2] in {"5", "6", "7", "8"}
                one = units.torque if is_torque else units.force
            return call if one == 1.0 else f"({call}/{one!r})"

        return _CALL.sub(in_deck_units, text)

    def _read(self, text: str, reads: Reads) -> None:
        for match in _CALL.finditer(text):
            if match[3]:
                continue
            ids = [int(label) for label in match[2].split(",") if label.strip().isdigit()]
            name = match[1].upper()
            if name == "VARVAL":
                for id in ids:
                    self._read_variable(id, reads)
                continue
            if name == "SFORCE":
                reads.forces.update((id, None) for id in ids[:1])
                ids = ids[3:]
            reads.markers.update(
                (id, None)
                for id in ids
                if id in self.deck.markers and not self.deck.markers[id].is_floating
            )
        for match in _SPLINE.finditer(text):
            if int(match[2]) in self.splines:
                reads.splines[int(match[2])] = None

    def _read_variable(self, id: int, reads: Reads) -> None:
        if id in self.variables and id not in reads.variables:
            reads.variables[id] = text = self.text(self.variables[id])
            self._read(text, reads)


def _plain(label: str) -> str:
    """A number of the deck without its leading zeros."""
    label = label.strip()
    return str(int(label)) if label.isascii() and label.isdigit() else label
