"""Deck: parts, markers and gravity of an ADAMS deck in SI units, and its other statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.deck_remarks import PLACES, remarks_on, with_function
from sim.decks.deck_units import DeckUnits, read_units
from sim.decks.statement_lines import end_note
from sim.decks.statements import Statement, read_statements
from sim.errors import DeckError
from sim.maths.arrays import Array
from sim.maths.rotations import pose, rotation_from_rpy
from sim.robots.inertia import FARTHEST_PLACE

ROUNDING = 1e-15  # rounding of a zero in a rotation by right angles
ROUNDED_MOMENT = 1e-9  # relative to the largest moment: moment of a thin rod about its axis
COORDINATES = ("X", "Y", "Z", "PSI", "THETA", "PHI")  # of a part, named by EXACT
SHORT = 1e-9  # length of a direction between two points, in the deck's unit


class Part(Struct, frozen=True, eq=False):
    """A rigid body.

    Parameters
    ----------
    T_0p : ndarray, shape (4, 4)
        Pose of its frame in the world at the start [m].
    mass : float
        [kg]
    com : ndarray, shape (3,)
        Mass centre in its frame [m].
    inertia : ndarray, shape (3, 3)
        About the mass centre, along the axes of its frame [kg·m²].
    """

    statement: Statement
    T_0p: Array
    mass: float
    com: Array
    inertia: Array

    @property
    def is_ground(self) -> bool:
        """True for the fixed part."""
        return "GROUND" in self.statement.flags

    @property
    def is_point(self) -> bool:
        """True for a point mass, which does not rotate."""
        return self.statement.keyword == "POINT_MASS"


class DeckMarker(Struct, frozen=True, eq=False):
    """A frame on a part with the pose `T_pm` [m]; a floating one follows another marker."""

    statement: Statement
    part: int
    T_pm: Array
    is_floating: bool


class Deck(Struct, frozen=True, eq=False, dict=True):
    """A parsed ADAMS deck, not yet assembled."""

    title: str
    statements: tuple[Statement, ...]
    skipped: tuple[str, ...]
    notes: tuple[str, ...]
    units: DeckUnits
    parts: Mapping[int, Part]
    markers: Mapping[int, DeckMarker]
    gravity: tuple[float, float, float]
    folder: Path | None = None  # search folder of its files

    def of(self, *keywords: str) -> list[Statement]:
        """Return the statements with given keywords, in the order of the deck."""
        return [one for one in self.statements if one.keyword in keywords]

    def by_id(self, keyword: str) -> Mapping[int, Statement]:
        """Return the statements with a keyword, by id."""
        return self._by_keyword.get(keyword, {})

    @cached_property
    def _by_keyword(self) -> dict[str, dict[int, Statement]]:
        statements: dict[str, dict[int, Statement]] = {}
        for one in self.statements:
            statements.setdefault(one.keyword, {})[one.id] = one
        return statements

    @cached_property
    def ground(self) -> Part:
        """The fixed part."""
        return next(part for part in self.parts.values() if part.is_ground)

    def marker(self, statement: Statement, key: str) -> int:
        """Return the id of a marker that a statement names; raises if it has no position."""
        id = statement.reference(key)
        if id is None:
            raise statement.refusal(f"it names no marker {key}")
        if id not in self.markers:
            raise statement.refusal(f"{key} = {id}: there is no MARKER/{id}")
        if self.markers[id].is_floating:
            raise statement.refusal(f"{key} = {id}: MARKER/{id} floats and has no place")
        return id

    def T_0m(self, marker: int) -> Array:
        """Return the pose of a marker in the world at the start [m], shape (4, 4)."""
        one = self.markers[marker]
        return np.asarray(self.parts[one.part].T_0p @ one.T_pm)


def read_deck(text: str) -> Deck:
    """Parse the text of an ``.adm`` file.

    Raises
    ------
    DeckError
        If a statement cannot be parsed or is not supported, or refers to a missing one. Names line
        and statement.
    """
    if not text.strip("\ufeff \t\r\n"):
        raise DeckError("line 1: the file is empty")
    if "\x00" in text:
        raise DeckError("line 1: this is not text, so it is not an ADAMS deck")
    title, statements, skipped = read_statements(text)
    of_units = [one for one in statements if one.keyword == "UNITS"]
    of_units = of_units or [one for one in statements if "GC" in one.values]
    factor = next((one.number("GC") for one in statements if "GC" in one.values), None)
    units = read_units(of_units[0], factor) if of_units else DeckUnits()
    notes = (*filter(None, [end_note(text)]), *remarks_on(title, statements))
    statements = tuple(map(with_function, statements))
    bodies = _bodies(statements)
    placed = {id: _pose(one, "G", units) for id, one in bodies.items()}
    statements = tuple(_on_parts(statements))
    markers = {s.id: _marker(s, placed, units) for s in statements if s.keyword == "MARKER"}
    parts = {id: _part(one, placed[id], markers, units) for id, one in bodies.items()}
    grounds = [part.statement for part in parts.values() if part.is_ground]
    if not grounds:
        raise DeckError("line 1: the deck has no PART that is GROUND")
    if len(grounds) > 1:
        raise grounds[1].refusal(f"a second GROUND; {grounds[0].label} is one")
    return Deck(
        title, statements, skipped, notes, units, parts, markers, _gravity(statements, units)
    )


def channel_name(statement: Statement) -> str:
    """Return the name in a run: that in ADAMS's window, or keyword and number."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", statement.name)
    return name if name and not name[0].isdigit() else f"{statement.keyword}_{statement.id}"


def channel_names(statements: Iterable[Statement]) -> dict[int, str]:
    """Return names by id, unique regardless of case."""
    names: dict[int, str] = {}
    for one in statements:
        name, others = channel_name(one), {other.upper() for other in names.values()}
        names[one.id] = f"{name}_{one.id}" if name.upper() in others else name
    return names


def _bodies(statements: tuple[Statement, ...]) -> dict[int, Statement]:
    """Return PARTs and POINT_MASSes by id, which ADAMS numbers together."""
    bodies: dict[int, Statement] = {}
    for one in statements:
        if one.keyword in ("PART", "POINT_MASS"):
            other = bodies.setdefault(one.id, one)
            if other is not one:
                raise one.refusal(f"{other.label} has this number; parts and point masses share it")
    return bodies


def _on_parts(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield the statements; a MARKER without part gets the part before it."""
    before: Statement | None = None
    for one in statements:
        if one.keyword in ("PART", "POINT_MASS"):
            before = one
        if one.keyword == "MARKER" and before is not None and not PLACES & one.values.keys():
            yield replace(one, values={**one.values, before.keyword: (str(before.id),)})
        else:
            yield one


def _gravity(statements: tuple[Statement, ...], units: DeckUnits) -> tuple[float, float, float]:
    statements_of_gravity = [one for one in statements if one.keyword == "ACCGRAV"]
    if not statements_of_gravity:
        return 0.0, 0.0, 0.0
    scale = units.length / units.time**2
    x, y, z = (scale * statements_of_gravity[0].number(key) for key in ("IGRAV", "JGRAV", "KGRAV"))
    return x, y, z


def _marker(statement: Statement, parts: Mapping[int, Array], units: DeckUnits) -> DeckMarker:
    statement.require_one_of("PART", "POINT_MASS")
    statement.require_one_of("REULER", "ZP")
    statement.require_one_of("REULER", "XP")
    for key in ("FLEX_BODY", "NODE_ID"):
        if key in statement.values:
            raise statement.refusal(f"{key}: only a marker on a PART or POINT_MASS is supported")
    key = "POINT_MASS" if "POINT_MASS" in statement.values else "PART"
    part = statement.reference(key)
    if part is None:
        raise statement.refusal("it names no PART")
    if part not in parts:
        raise statement.refusal(f"{key} = {part}: there is no {key}/{part}")
    return DeckMarker(statement, part, _pose(statement, "P", units), "FLOATING" in statement.flags)


def _part(
    statement: Statement, T_0p: Array, markers: Mapping[int, DeckMarker], units: DeckUnits
) -> Part:
    zero = np.zeros(3)
    if "GROUND" in statement.flags:
        return Part(statement, T_0p, 0.0, zero, np.zeros((3, 3)))
    statement.words("EXACT", COORDINATES)
    mass = units.mass * statement.number("MASS")
    if mass < 0:
        raise statement.refusal(f"MASS = {mass:g} kg: it must not be negative")
    cm = _own_marker(statement, "CM", markers)
    if mass == 0 and cm is None and "IP" not in statement.values:
        return Part(statement, T_0p, 0.0, zero, np.zeros((3, 3)))
    if cm is None:
        raise statement.refusal("it has a MASS but no CM, the marker of its mass centre")
    inertia = np.zeros((3, 3))
    moments = statement.numbers("IP")
    if moments is not None:
        if len(moments) not in (3, 6):
            raise statement.refusal(
                f"IP has {len(moments)} numbers: it requires xx, yy, zz[, xy, xz, yz]"
            )
        xx, yy, zz, xy, xz, yz = units.mass * units.length**2 * np.append(moments, np.zeros(3))[:6]
        im = _own_marker(statement, "IM", markers)
        T = (cm if im is None else im).T_pm
        # products are positive integrals, about the origin of IM and along its axes
        along = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
        r = cm.T_pm[:3, 3] - T[:3, 3]
        steiner = mass * (r @ r * np.eye(3) - np.outer(r, r))
        inertia = T[:3, :3] @ along @ T[:3, :3].T - steiner
        _require_moments(statement, inertia)
    return Part(statement, T_0p, mass, cm.T_pm[:3, 3], inertia)


def _require_moments(statement: Statement, inertia: Array) -> None:
    """Check that a body can have these moments of inertia about its mass centre [kg·m²]."""
    moments = np.linalg.eigvalsh(0.5 * (inertia + inertia.T))
    if moments[0] < -ROUNDED_MOMENT * max(moments[-1], -moments[0]):
        shown = ", ".join(f"{moment:.6g}" for moment in moments)
        raise statement.refusal(
            f"its principal moments of inertia about the mass centre are {shown} kg·m², and none "
            "may be negative; IP is about IM, or CM where there is none"
        )


def _own_marker(
    statement: Statement, key: str, markers: Mapping[int, DeckMarker]
) -> DeckMarker | None:
    id = statement.reference(key)
    if id is None:
        return None
    if id not in markers or markers[id].part != statement.id or markers[id].is_floating:
        raise statement.refusal(f"{key} = {id}: there is no MARKER/{id} on this part")
    return markers[id]


def _pose(statement: Statement, letter: str, units: DeckUnits) -> Array:
    """Return the pose given by QG REULER or QG ZG XG; for a marker by QP … [m]."""
    place = statement.numbers(f"Q{letter}", 3)
    origin = np.zeros(3) if place is None else place
    far = units.length * float(np.linalg.norm(origin))
    if far > FARTHEST_PLACE:
        of = "the ground" if letter == "G" else "its part"
        raise statement.refusal(f"Q{letter} is {far:g} m from {of}; at most {FARTHEST_PLACE:g} m")
    angles = statement.numbers("REULER", 3)
    R = _rotation_by_points(statement, letter, origin) if angles is None else _rotation_313(*angles)
    return pose(np.where(abs(R) < ROUNDING, 0.0, R), units.length * origin)


def _rotation_313(first: float, second: float, third: float) -> Array:
    """Return Rz Rx Rz: rotation about z, the new x and the new z."""
    one, other = rotation_from_rpy((0, 0, first)), rotation_from_rpy((0, 0, third))
    return np.asarray(one @ rotation_from_rpy((second, 0, 0)) @ other)


def _rotation_by_points(statement: Statement, letter: str, origin: Array) -> Array:
    """Return axes with z through point Z and x in the half plane of point X; swapped by USEXP."""
    first, other = ("X", "Z") if "USEXP" in statement.flags else ("Z", "X")
    along = _direction(statement, f"{first}{letter}", origin)
    if np.linalg.norm(along) < SHORT:
        axis = first.lower()
        raise statement.refusal(f"{first}{letter} is its origin, so that {axis} has no direction")
    along = along / np.linalg.norm(along)
    across = _direction(statement, f"{other}{letter}", origin)
    across = across - along * (across @ along)
    if np.linalg.norm(across) < SHORT:
        if f"{other}{letter}" in statement.values:
            raise statement.refusal(
                f"{other}{letter} is on its {first.lower()} axis, so that {other.lower()} has no "
                "direction"
            )
        across = np.array([0, 1.0, 0]) - along * along[1]
    across = across / np.linalg.norm(across)
    x, z = (along, across) if first == "X" else (across, along)
    return np.column_stack([x, np.cross(z, x), z])


def _direction(statement: Statement, key: str, origin: Array) -> Array:
    """Return the direction from the origin to a point, or by default the axis of that name."""
    point = statement.numbers(key, 3)
    return np.eye(3)["XYZ".index(key[0])] if point is None else point - origin
