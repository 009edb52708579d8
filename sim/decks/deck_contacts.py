"""CONTACTs of a deck as contacts of shapes described by its GRAPHICS statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.deck_functions import DeckFunctions
from sim.decks.deck_units import DeckUnits
from sim.decks.statements import Statement
from sim.dynamics.contact_law import ContactLaw
from sim.dynamics.contact_shape import ContactShape
from sim.dynamics.shape_contact import Contact
from sim.errors import DeckError, SimError
from sim.maths.arrays import Array
from sim.maths.rotations import pose, rpy_from_rotation
from sim.robots.marker import Marker

MOST_PAIRS = 400  # of shapes in a CONTACT
SPEED = 1.0  # [m/s] at which a POISSON contact has its restitution
LEAST_RESTITUTION = 0.05

# Assumed values of omitted numbers of a CONTACT, in mm, N and s: those filled in by ADAMS's dialog,
# all of which many public decks contain. The solver's own defaults are not documented.
ASSUMED = {
    "STIFFNESS": 1e5, "EXPONENT": 2.2, "DAMPING": 10.0, "DMAX": 0.1, "PENALTY": 1e5,
    "RESTITUTION_COEFFICIENT": 0.8, "MU_STATIC": 0.3, "MU_DYNAMIC": 0.1,
    "STICTION_TRANSITION_VELOCITY": 100.0, "FRICTION_TRANSITION_VELOCITY": 1000.0,
}  # fmt: skip
MESHES = (".obj", ".stl")
FLIPS = "IFLIP JFLIP I_FLIP_NORMAL J_FLIP_NORMAL IFLIP_NORMAL JFLIP_NORMAL".split()
NO = ("NO", "FALSE", "OFF", "0")
SWITCHES = ("ON", "OFF", "DYNAMICS_ONLY", "YES", "TRUE", "1", "NO", "FALSE", "0")


class DeckContacts(Struct, frozen=True, eq=False):
    """Contacts of a deck, each with its statement, and notes for the reader."""

    contacts: tuple[tuple[Statement, Contact], ...] = ()
    notes: tuple[str, ...] = ()


def deck_contacts(functions: DeckFunctions) -> DeckContacts:
    """Return the contacts of a deck, one for each pair of shapes named by a CONTACT.

    Raises
    ------
    DeckError
        If a shape or a law is not supported; names line and statement.
    """
    contacts = list[tuple[Statement, Contact]]()
    notes = list[str]()
    for one in functions.deck.of("CONTACT"):
        of_statement, of_one = _contacts(one, functions)
        contacts += [(one, contact) for contact in of_statement]
        notes += [f"{one.label}: {note}" for note in of_one]
    return DeckContacts(tuple(contacts), tuple(notes))


def with_contacts(functions: DeckFunctions, contacts: DeckContacts) -> DeckFunctions:
    """Return the functions of a deck, in which CONTACT reads the forces of its pairs."""
    names = dict[str, tuple[str, ...]]()
    for one, contact in contacts.contacts:
        names[str(one.id)] = (*names.get(str(one.id), ()), contact.name)
    return replace(functions, contacts=names)


def _contacts(one: Statement, functions: DeckFunctions) -> tuple[list[Contact], list[str]]:
    numbers = _Numbers(one, functions.deck.units)
    law, friction = _law(numbers), _friction(numbers)
    sides = [
        [
            shape
            for id in ids
            for shape in _shapes(one, int(id), functions, numbers, _is_flipped(one, key[0]))
        ]
        for key, ids in ((key, _ids(one, key)) for key in ("IGEOM", "JGEOM"))
    ]
    pairs = list(product(*sides))
    if len(pairs) > MOST_PAIRS:
        raise one.refusal(f"it has {len(pairs)} pairs of shapes; at most {MOST_PAIRS} are allowed")
    name = functions.force_names[f"CONTACT/{one.id}"]
    contacts = list[Contact]()
    for k, (a, b) in enumerate(pairs, 1):
        called = name if len(pairs) == 1 else f"{name}_{k}"
        try:
            contacts.append(Contact(a, b, law, name=called, **friction))
        except SimError as error:
            raise DeckError(f"{one.label}: {error}") from None
    return contacts, list(numbers.notes())


def _ids(one: Statement, key: str) -> tuple[str, ...]:
    if key not in one.values:
        what = "IFLEX or JFLEX" if {"IFLEX", "JFLEX"} & one.values.keys() else f"no {key}"
        raise one.refusal(f"it has {what}; a contact needs the GRAPHICS of IGEOM and of JGEOM")
    ids = one.values[key]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise one.refusal(f"{key} has {twice} twice; name each GRAPHICS once")
    return ids


class _Numbers:
    """Numbers of a CONTACT in SI units; records which ones were omitted."""

    def __init__(self, one: Statement, units: DeckUnits) -> None:
        self.one, self.units = one, units
        self.assumed, self.more = list[str](), list[str]()

    def get(self, key: str, typed: float, millimetres: float) -> float:
        """Return a number of the statement times its unit `typed`, or the assumed value.

        `millimetres` is the unit of the assumed value [SI].
        """
        if key in self.one.values:
            return self.one.number(key) * typed
        value = ASSUMED[key] * millimetres
        self.assumed.append(f"{key} = {value / typed:.6g}")
        return value

    def notes(self) -> Iterator[str]:
        """Yield notes on assumptions and on differences from ADAMS."""
        if self.assumed:
            yield (
                f"it leaves out what no page of ADAMS states; assumed: {', '.join(self.assumed)}, "
                "as its dialog fills in"
            )
        yield from self.more


def _law(numbers: _Numbers) -> ContactLaw:
    one, units, mm = numbers.one, numbers.units, 1e-3
    if {"NORMAL_FUNCTION", "NORMAL_ROUTINE", "ROUTINE", "FUNCTION"} & one.values.keys():
        raise one.refusal("a subroutine cannot be called here; give IMPACT or POISSON")
    one.require_one_of("IMPACT", "POISSON")
    if "POISSON" in one.flags or ("PENALTY" in one.values and "IMPACT" not in one.flags):
        k = numbers.get("PENALTY", units.force / units.length, 1.0 / mm)
        e = numbers.get("RESTITUTION_COEFFICIENT", 1.0, 1.0)
        held = min(max(e, LEAST_RESTITUTION), 1.0)
        numbers.more.append(
            "no page states the formula of POISSON: its PENALTY is the stiffness of Hunt and "
            f"Crossley's law, damped so that the restitution is {held:g} at {SPEED:g} m/s"
        )
        return _create_law(one, lambda: ContactLaw.bouncing(k, held, SPEED, 1.0))
    e = numbers.get("EXPONENT", 1.0, 1.0)
    k = numbers.get("STIFFNESS", units.force / units.length**e, 1.0 / mm**e)
    c = numbers.get("DAMPING", units.force / units.speed, 1.0 / mm)
    depth = numbers.get("DMAX", units.length, mm)
    return _create_law(one, lambda: ContactLaw.impact(k, e, c, depth))


def _create_law(one: Statement, make: object) -> ContactLaw:
    try:
        law: ContactLaw = make()  # type: ignore[operator]
    except SimError as error:
        raise DeckError(f"{one.label}: {error}") from None
    return law


def _friction(numbers: _Numbers) -> dict[str, Any]:
    """Return the arguments of friction; empty without friction."""
    one, units, mm = numbers.one, numbers.units, 1e-3
    if {"FRICTION_FUNCTION", "FRICTION_ROUTINE"} & one.values.keys():
        raise one.refusal("a subroutine cannot be called here; give MU_STATIC and MU_DYNAMIC")
    has_friction = "COULOMB_FRICTION" in one.values
    switch = one.word("COULOMB_FRICTION", SWITCHES) if has_friction else ""
    has_numbers = bool({"MU_STATIC", "MU_DYNAMIC"} & one.values.keys())
    if "NO_FRICTION" in one.flags or switch in NO or not (switch or has_numbers):
        return {}
    if (one.text("STICTION") or "OFF").upper() not in NO:
        numbers.more.append("STICTION: nothing sticks here, it creeps below the first velocity")
    slow = numbers.get("STICTION_TRANSITION_VELOCITY", units.speed, mm)
    fast = numbers.get("FRICTION_TRANSITION_VELOCITY", units.speed, mm)
    if fast <= slow:
        fast = 1.5 * slow
        numbers.more.append(
            "FRICTION_TRANSITION_VELOCITY is not above STICTION_TRANSITION_VELOCITY; "
            f"taken as {fast / units.speed:.6g}"
        )
    return {
        "mu_static": numbers.get("MU_STATIC", 1.0, 1.0),
        "mu_dynamic": numbers.get("MU_DYNAMIC", 1.0, 1.0),
        "stiction_velocity": slow,
        "friction_velocity": fast,
    }


def _is_flipped(one: Statement, side: str) -> bool:
    """Whether the normal of a side is reversed."""
    for key in FLIPS:
        if key[0] == side and (key in one.flags or (one.text(key) or "NO").upper() not in NO):
            return True
    return False


def _shapes(
    one: Statement, id: int, functions: DeckFunctions, numbers: _Numbers, is_flipped: bool
) -> Sequence[ContactShape]:
    """Return the shape of a GRAPHICS, or the bodies of its mesh."""
    drawn = next((s for s in functions.deck.of("GRAPHICS") if s.id == id), None)
    if drawn is None:
        raise one.refusal(f"there is no GRAPHICS/{id}")
    kinds = [kind for kind in _SHAPES if kind in drawn.flags]
    is_mesh = "EXTERNAL" in drawn.flags
    if len(kinds) + is_mesh != 1:
        raise drawn.refusal(
            f"CONTACT/{one.id} needs it as a shape; supported are {', '.join(_SHAPES)} and EXTERNAL"
        )
    try:
        if is_mesh:
            return _meshes(drawn, one, functions)
        return (_SHAPES[kinds[0]](drawn, functions, numbers, is_flipped),)
    except DeckError:
        raise
    except SimError as error:
        raise DeckError(f"{drawn.label}: {error}") from None


def _meshes(drawn: Statement, one: Statement, functions: DeckFunctions) -> tuple[ContactShape, ...]:
    """Return the bodies of a solid's mesh, relative to its reference marker.

    The mesh is FILE, or a file in the deck's folder with the name of ELEMENT or the stem of FILE.
    """
    file, element = (drawn.text(key) or "" for key in ("FILE", "ELEMENT"))
    plain = file.strip("\"'").replace("\\", "/").rpartition("/")[2]
    stem = plain.rpartition(".")[0] or plain
    solid = re.sub(r"[^\w.-]", "_", element.strip("\"'").rpartition("/")[2])
    last = solid.rpartition(".")[2]
    names = [plain] if plain.lower().endswith(MESHES) else []
    names += [name + kind for name in (solid, last, stem) if name for kind in MESHES]
    folder = functions.deck.folder
    paths = (folder / name for name in dict.fromkeys(names) if folder is not None)
    path = next((place for place in paths if place.is_file()), None)
    if path is None:
        raise drawn.refusal(
            f"CONTACT/{one.id} needs the solid {element or plain} as a mesh; put "
            f"{' or '.join(dict.fromkeys(names)) or 'a file'}, in the deck's unit of length and "
            "the axes of RM, beside the deck"
        )
    key = "RM" if "RM" in drawn.values else "CM"
    at = _marker(drawn, key, functions, _at())
    return ContactShape.meshes(at.link, path, functions.deck.units.length, at.xyz, at.rpy)


def _marker(drawn: Statement, key: str, functions: DeckFunctions, turned: Array) -> Marker:
    """Return a frame at a given pose relative to a marker of the deck."""
    reference = functions.marker(functions.deck.marker(drawn, key))
    T = reference.T_lm @ turned
    return Marker(f"graphics_{drawn.id}", reference.link, T[:3, 3], rpy_from_rotation(T[:3, :3]))


def _at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    return pose(np.eye(3), np.array([x, y, z]))


def _ellipsoid(
    drawn: Statement, functions: DeckFunctions, numbers: _Numbers, is_flipped: bool
) -> ContactShape:
    has_radius = "RADIUS" in drawn.values
    scales = [drawn.number(f"{axis}SCALE") for axis in "XYZ"]
    if has_radius:
        scales = 3 * [2.0 * drawn.number("RADIUS")]
    if min(scales) <= 0:
        raise drawn.refusal("it needs RADIUS, or XSCALE, YSCALE and ZSCALE, above 0")
    if max(scales) - min(scales) > 1e-9 * max(scales):
        raise drawn.refusal("an ellipsoid with unlike axes does not touch here; only a sphere does")
    radius = 0.5 * scales[0] * functions.deck.units.length
    if not has_radius:
        note = f"the scales of ELLIPSOID are taken as diameters: GRAPHICS/{drawn.id} has radius"
        numbers.more.append(f"{note} {radius:.6g} m")
    return ContactShape("sphere", _marker(drawn, "CM", functions, _at()), (radius, 0.0, 0.0))


def _cylinder(
    drawn: Statement, functions: DeckFunctions, numbers: _Numbers, is_flipped: bool
) -> ContactShape:
    """Return a cylinder, or a frustum with equal ends, from its base along z of its marker."""
    unit = functions.deck.units.length
    radius = drawn.number("RADIUS")
    if "FRUSTUM" in drawn.flags:
        radius = drawn.number("BOTTOM")
        if drawn.number("TOP") != radius:
            raise drawn.refusal(
                "a cone does not touch here; make it a CYLINDER or an EXTERNAL mesh"
            )
    turn = drawn.number("RANGLE") or drawn.number("ANGLE")
    if turn and abs(abs(turn) - 2 * np.pi) > 1e-3 and abs(abs(turn) - 360) > 1e-3:
        raise drawn.refusal("a part of a cylinder does not touch here; a whole one does")
    half = 0.5 * drawn.number("LENGTH") * unit
    at = _marker(drawn, "CM", functions, _at(z=half))
    return ContactShape("cylinder", at, (radius * unit, abs(half), 0.0))


def _box(
    drawn: Statement, functions: DeckFunctions, numbers: _Numbers, is_flipped: bool
) -> ContactShape:
    halves = [0.5 * drawn.number(axis) * functions.deck.units.length for axis in "XYZ"]
    x, y, z = halves
    return ContactShape("box", _marker(drawn, "CORNER", functions, _at(x, y, z)), np.abs(halves))


def _plane(
    drawn: Statement, functions: DeckFunctions, numbers: _Numbers, is_flipped: bool
) -> ContactShape:
    turned = np.diag([1.0, -1.0, -1.0, 1.0]) if is_flipped else np.eye(4)
    if {"XMIN", "XMAX", "YMIN", "YMAX"} & drawn.values.keys():
        numbers.more.append(f"PLANE: GRAPHICS/{drawn.id} has no edges here")
    key = "RM" if "RM" in drawn.values else "CM"
    return ContactShape("plane", _marker(drawn, key, functions, turned))


def _point(
    drawn: Statement, functions: DeckFunctions, numbers: _Numbers, is_flipped: bool
) -> ContactShape:
    key = "RM" if "RM" in drawn.values else "CM"
    return ContactShape("sphere", _marker(drawn, key, functions, _at()))


_SHAPES = {
    "ELLIPSOID": _ellipsoid,
    "SPHERE": _ellipsoid,
    "CYLINDER": _cylinder,
    "FRUSTUM": _cylinder,
    "BOX": _box,
    "BLOCK": _box,
    "PLANE": _plane,
    "POINT": _point,
}
