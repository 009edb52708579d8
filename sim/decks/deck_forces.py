"""Forces of a deck as force elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sim.decks import trees
from sim.decks.deck_fields import field_force
from sim.decks.deck_functions import DeckFunctions
from sim.decks.statement_forms import FORCES, form_of
from sim.decks.statements import Statement
from sim.dynamics.force import VForce
from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.sforce import SForce
from sim.dynamics.spring import Bushing, Spring
from sim.errors import DeckError, SimError
from sim.robots.marker import Marker
from sim.robots.names import NamedForce

COMPONENTS = ("FX", "FY", "FZ"), ("TX", "TY", "TZ")

SPRINGS = {
    "ROTATIONAL": ("KT", "CT", "ANGLE", "TORQUE"),
    "TRANSLATIONAL": ("K", "C", "LENGTH", "FORCE"),
}
"""Arguments of a SPRINGDAMPER by its kind."""

DEEPEST = 30  # depth of SFORCEs that read each other

Found = dict[int, NamedForce]


def deck_forces(functions: DeckFunctions) -> tuple[tuple[Statement, MarkerForce], ...]:
    """Return each force with its statement, in the order of the deck.

    Raises
    ------
    DeckError
        If one is not supported; names line and statement.
    """
    statements, names = functions.deck.of(*FORCES), functions.force_names
    forces: dict[tuple[str, int], MarkerForce] = {}
    single: Found = {}
    depth: dict[int, int] = {}

    def make(one: Statement, path: tuple[int, ...] = ()) -> MarkerForce:
        """Create a force, after the SFORCEs that it reads."""
        if (one.keyword, one.id) in forces:
            return forces[one.keyword, one.id]
        trees_of_force = [functions.function(one, key) for key in _functions_of(one)]
        read = functions.labels_read(trees_of_force, "SFORCE") - functions.single_forces.keys()
        if others := sorted(read & {*names.values()}):
            raise one.refusal(
                f"its function reads the force of {others[0]}; a force reads only SFORCEs, so "
                "write the law of the other one out"
            )
        deep = 0
        for id in functions.forces_read(trees_of_force):
            other = next(s for s in statements if (s.keyword, s.id) == ("SFORCE", id))
            if id in path or other is one:
                raise one.refusal(f"its function reads SFORCE/{id}, which reads it in turn")
            if len(path) <= DEEPEST:
                make(other, (*path, one.id) if one.keyword == "SFORCE" else path)
            deep = max(deep, depth.get(id, DEEPEST) + 1)
            if deep > DEEPEST:
                raise one.refusal(
                    f"its function reads SFORCE/{id}, which reads more than {DEEPEST} in turn; "
                    "write what they share as VARIABLEs"
                )
        try:
            force = _MAKERS[one.keyword](one, names[f"{one.keyword}/{one.id}"], functions, single)
        except DeckError:
            raise
        except SimError as error:
            raise DeckError(f"{one.label}: {error}") from None
        forces[one.keyword, one.id] = force
        if isinstance(force, SForce):
            single[one.id], depth[one.id] = force, deep
        return force

    return tuple((one, make(one)) for one in statements)


def _functions_of(one: Statement) -> list[str]:
    """Return the arguments of a force that are functions."""
    functions = form_of(one.keyword).functions.split()
    return [key for key in one.values if key in functions]


def _ends(one: Statement, functions: DeckFunctions) -> tuple[Marker, Marker]:
    i, j = (functions.marker(functions.deck.marker(one, key)) for key in "IJ")
    return i, j


def _sforce(one: Statement, name: str, functions: DeckFunctions, earlier: Found) -> MarkerForce:
    units = functions.deck.units
    turns = _turns(one)
    function = functions.function(one, scale=units.torque if turns else units.force)
    ends = _ends(one, functions)
    return SForce(
        name,
        *ends,
        trees.write(function),
        acts="rotational" if turns else "translational",
        action_only="ACTIONONLY" in one.flags,
        names=functions.names([function], earlier, ends),
    )


def _turns(one: Statement) -> bool:
    kinds = one.flags & {"TRANSLATIONAL", "ROTATIONAL"}
    if len(kinds) != 1:
        raise one.refusal("it is either TRANSLATIONAL or ROTATIONAL; give one")
    return "ROTATIONAL" in kinds


def _vforce(one: Statement, name: str, functions: DeckFunctions, earlier: Found) -> MarkerForce:
    deck = functions.deck
    if "FUNCTION" in one.values or "ROUTINE" in one.values:
        raise one.refusal("a subroutine cannot be called here; give its components as expressions")
    scales = (deck.units.force, deck.units.torque)
    rows = [
        [functions.function(one, key, scale) if key in one.values else None for key in keys]
        for keys, scale in zip(COMPONENTS, scales, strict=True)
    ]
    jfloat = one.reference("JFLOAT")
    if jfloat is None or jfloat not in deck.markers:
        raise one.refusal("JFLOAT names no marker of the part that the reaction is on")
    link = functions.tree.link_of[deck.markers[jfloat].part].name
    nodes = [node for row in rows for node in row if node is not None]
    i, along = (functions.marker(deck.marker(one, key)) for key in ("I", "RM"))
    j = Marker(f"floating_{jfloat}", link)
    names = functions.names(nodes, earlier, (i, along))
    force, torque = ([0.0 if x is None else trees.write(x) for x in row] for row in rows)
    return VForce(name, i, j, force, torque, along=along, names=names)


def _spring(one: Statement, name: str, functions: DeckFunctions, earlier: Found) -> MarkerForce:
    units, (i, j), turns = functions.deck.units, _ends(one, functions), _turns(one)
    kind, other = sorted(SPRINGS, reverse=not turns)
    if wrong := [key for key in SPRINGS[other] if one.number(key)]:
        raise one.refusal(f"{', '.join(wrong)}: it is {kind}, and takes {', '.join(SPRINGS[kind])}")
    if not turns:
        return Spring(
            name,
            i,
            j,
            stiffness=one.number("K") * units.force / units.length,
            damping=one.number("C") * units.force / units.speed,
            free_length=one.number("LENGTH") * units.length,
            preload=one.number("FORCE") * units.force,
        )
    k = one.number("KT") * units.torque
    c = one.number("CT") * units.torque * units.time
    angle, torque = one.number("ANGLE"), one.number("TORQUE") * units.torque
    a, b = i.name, j.name
    text = f"{torque!r}-({k!r})*(AZ({a}, {b})-({angle!r}))-({c!r})*WZ({a}, {b}, {b})"
    return SForce(name, i, j, text, acts="rotational")


def _bushing(one: Statement, name: str, functions: DeckFunctions, earlier: Found) -> MarkerForce:
    units = functions.deck.units

    def three(key: str, scale: float) -> tuple[float, ...] | float:
        numbers = one.numbers(key)
        if numbers is not None and len(numbers) != 3:
            raise one.refusal(f"{key} has {len(numbers)} numbers: it takes three")
        return 0.0 if numbers is None else tuple((scale * numbers).tolist())

    return Bushing(
        name,
        *_ends(one, functions),
        stiffness=three("K", units.force / units.length),
        damping=three("C", units.force / units.speed),
        turning_stiffness=three("KT", units.torque),
        turning_damping=three("CT", units.torque * units.time),
        preload=three("FORCE", units.force),
        turning_preload=three("TORQUE", units.torque),
    )


def _six_components(
    one: Statement, name: str, functions: DeckFunctions, earlier: Found
) -> MarkerForce:
    return field_force(one, name, functions)


Maker = Callable[[Statement, str, DeckFunctions, Found], MarkerForce]
_MAKERS: Mapping[str, Maker] = {
    "SFORCE": _sforce,
    "VFORCE": _vforce,
    "VTORQUE": _vforce,
    "GFORCE": _vforce,
    "SPRINGDAMPER": _spring,
    "BUSHING": _bushing,
    "FIELD": _six_components,
    "BEAM": _six_components,
}
