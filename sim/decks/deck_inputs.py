"""VARIABLEs of a deck that another program writes during an ADAMS run, read from a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from sim.decks import trees
from sim.decks.deck import Deck, channel_names
from sim.decks.statements import Statement
from sim.errors import DeckError
from sim.functions.spline import FEWEST, Kind, Spline, spline
from sim.functions.spline_functions import METHODS
from sim.functions.syntax import Call
from sim.maths.arrays import Array
from sim.showing.one_line import shorten_list

ORDERS: Mapping[str, Kind] = {"hold": "hold", "linear": "linear", "cubic": "notaknot"}
"""Ways from row to row, and the kinds of spline that they are."""

METHOD_OF: Mapping[str, int] = {kind: method for method, kind in METHODS.items()}
"""By kind, the method by which INTERP reads it."""

PLANTS = {"PINVAL": "PINPUT", "POUVAL": "POUTPUT"}
"""Functions that read a VARIABLE of a plant, and its statement."""

LEVELS = ("DISPLACEMENT", "VELOCITY", "ACCELERATION")  # of a MOTION; the first is the default
ROUNDED = 1e-12  # of the duration of a table: rounding of a sample time before a row


def input_variables(deck: Deck) -> dict[int, Statement]:
    """Return the VARIABLEs that PINPUTs list, by id.

    Raises
    ------
    DeckError
        If one of these, or of those that POUTPUTs list, does not exist.
    """
    variables = deck.by_id("VARIABLE")
    inputs: dict[int, Statement] = {}
    for plant in deck.of(*PLANTS.values()):
        for id in listed(plant):
            if id not in variables:
                raise plant.refusal(f"VARIABLES = {id}: there is no VARIABLE/{id}")
            if plant.keyword == "PINPUT":
                inputs[id] = variables[id]
    return inputs


def listed(plant: Statement) -> list[int]:
    """Return the ids of the VARIABLES of a PINPUT or POUTPUT."""
    ids = plant.numbers("VARIABLES")
    if ids is None or not all(float(id).is_integer() and id > 0 for id in ids):
        raise plant.refusal("it requires VARIABLES = the ids of VARIABLE statements")
    return [int(id) for id in ids]


def read_inputs(deck: Deck, path: Path, order: str = "") -> dict[int, Spline]:
    """Read values of VARIABLEs over time from a table, by id.

    A column is named like the VARIABLE in ADAMS's window, ``VARIABLE_3`` or ``3``, and is in the
    deck's units; the time ``t`` is in seconds. There are no values before the first and after the
    last row.

    Parameters
    ----------
    deck : Deck
    path : Path
    order : {"", "hold", "linear", "cubic"}
        Interpolation: hold until the next row, linear, or a cubic spline with the not-a-knot end
        condition. Empty: cubic where a MOTION reads the VARIABLE, else linear. Values that move a
        MOTION never jump: see `order_of`.

    Raises
    ------
    DeckError, ForeignError
        If the order is unknown, the file cannot be read, or a column is not a VARIABLE that a table
        can give.
    """
    from sim.foreign.map_curves import map_curves
    from sim.foreign.matching import TIME, channel_of_title
    from sim.foreign.naming import Naming
    from sim.foreign.reading import read_foreign

    if order and order not in ORDERS:
        raise DeckError(f"--input-order {order!r}: choose one of {', '.join(ORDERS)}")
    table, names = read_foreign(path), _names(deck)
    plant, levels = input_variables(deck), moved_levels(deck)
    channels: dict[str, str] = {}
    units: dict[str, str] = {}
    for column in table.columns:
        if channel_of_title(column.title, {}) == TIME:
            continue
        one = names.get(_key(column.title))
        if one is None:
            there = shorten_list(list(channel_names(names.values()).values()))
            raise DeckError(
                f"{path}: column {column.title!r} is not a VARIABLE of {deck.title or 'the deck'}; "
                f"there are: {there}"
            )
        if one.id not in plant:
            _require_constant(one, path)
        channels[column.title] = str(one.id)
        units[str(one.id)] = column.unit or "1"
    splines: dict[int, Spline] = {}
    for curve in map_curves(table, Naming(channels), units).curves:
        id = int(curve.channel)
        kind = ORDERS[order_of(order, levels.get(id))]
        splines[id] = _through_rows(np.asarray(curve.t), curve.values, kind)
    return splines


def order_of(order: str, level: str | None) -> str:
    """Return the interpolation of an input that moves a MOTION at a level, or None.

    Positions are always cubic and velocities at least linear, since the speed would jump otherwise.
    """
    if not order or level == "DISPLACEMENT":
        return "linear" if level is None else "cubic"
    return "linear" if level == "VELOCITY" and order == "hold" else order


def _through_rows(t: Array, values: Array, kind: Kind) -> Spline:
    """Return a spline through the rows; with fewer than four, intermediate points are added."""
    if kind == "hold":  # a sample at the time of a row has its value despite rounding
        t = np.concatenate([t[:1], t[1:] - ROUNDED * np.ptp(t), t[-1:]])
        values = np.append(values, values[-1])
    curve = Spline(t, values, kind, "none")
    while t.size < FEWEST:
        t = np.union1d(t, 0.5 * (t[1:] + t[:-1]))
    return spline(t, curve.value(t), kind, "none")


def moved_levels(deck: Deck) -> dict[int, str]:
    """Return the level of the MOTIONs that read each VARIABLE, directly or through others.

    Of several levels the one that requires the smoothest curve is returned.
    """
    variables = deck.by_id("VARIABLE")
    level_of: dict[int, str] = {}
    for motion in deck.of("MOTION"):
        level = next((one for one in LEVELS if one in motion.flags), LEVELS[0])
        ahead, visited = [motion], set[int]()
        while ahead:
            for id in _variables_in(ahead.pop(), deck):
                if id in variables and id not in visited:
                    visited.add(id)
                    ahead.append(variables[id])
                    level_of[id] = min(level_of.get(id, level), level, key=LEVELS.index)
    return level_of


def of_plant(call: Call, deck: Deck, one: Statement) -> int | None:
    """Return the id of the VARIABLE that PINVAL or POUVAL reads; None for other calls."""
    ids = trees.ids_of(call) if call.name in PLANTS else []
    match ids:
        case [int(id), int(place)]:
            kind, typed = PLANTS[call.name], f"{call.name}({id}, {place})"
            if id not in deck.by_id(kind):
                raise one.refusal(f"{typed}: there is no {kind}/{id}")
            variables = listed(deck.by_id(kind)[id])
            if not 0 < place <= len(variables):
                raise one.refusal(f"{typed}: {kind}/{id} has {len(variables)} VARIABLES")
            return variables[place - 1]
    return None


def _variables_in(one: Statement, deck: Deck) -> Iterator[int]:
    """Yield the ids of VARIABLEs that the function of a statement reads, including by PINVAL."""
    text = one.text("FUNCTION") or ""
    if not text or trees.is_subroutine(text):
        return
    for call in trees.calls(trees.parse(text, one)):
        match call.name, trees.ids_of(call):
            case "VARVAL", [int(id)]:
                yield id
            case _ if variable := of_plant(call, deck, one):
                yield variable


def with_inputs(deck: Deck, inputs: Mapping[int, Spline]) -> Deck:
    """Return the deck without the FUNCTIONs of VARIABLEs given by a table."""
    statements = tuple(
        replace(one, values={"FUNCTION": ("0",)})
        if one.keyword == "VARIABLE" and one.id in inputs
        else one
        for one in deck.statements
    )
    return replace(deck, statements=statements)


def require_span(inputs: Mapping[int, Spline], duration: float) -> None:
    """Check that tables cover 0 to `duration` [s]; raises DeckError if one ends before."""
    for id, one in inputs.items():
        first, last = float(one.knots[0]), float(one.knots[-1])
        if first > 0 or last < duration:
            raise DeckError(
                f"the table of VARIABLE/{id} is from {first:g} to {last:g} s, and the run from 0 "
                f"to {duration:g} s; --set duration={last:g} ends it there"
            )


def input_notes(deck: Deck, inputs: Mapping[int, Spline], order: str = "") -> Iterator[str]:
    """Yield notes on plant inputs without table, and on ignored parts of the deck or `order`."""
    plant, levels, names = (
        input_variables(deck),
        moved_levels(deck),
        channel_names(deck.of("VARIABLE")),
    )
    if missing := [names[id] for id in plant if id not in inputs]:
        yield (
            f"inputs that another program writes stay as the deck types them: "
            f"{shorten_list(missing)}; --input TABLE.csv gives them over time"
        )
    for id in inputs:
        if constant_of(one := next(s for s in deck.of("VARIABLE") if s.id == id)) is None:
            text = (one.text("FUNCTION") or "USER(...)")[:40]
            yield f"{one.label}: the table gives it; its FUNCTION, {text!r}, does not count"
    other: dict[tuple[str, str], list[str]] = {}
    for id in inputs:
        if order and (actual := order_of(order, levels.get(id))) != order:
            other.setdefault((levels[id].lower(), actual), []).append(names[id])
    for (level, actual), which in other.items():
        yield (
            f"inputs that move a MOTION by {level} are read as {actual}, not {order}, so that no "
            f"speed jumps: {shorten_list(which)}"
        )


def _names(deck: Deck) -> dict[str, Statement]:
    """Return the VARIABLEs by all names that a column may have."""
    variables = deck.of("VARIABLE")
    typed_names = channel_names(variables)
    by_id = {_key(way): one for one in variables for way in (f"VARIABLE_{one.id}", str(one.id))}
    return {**by_id, **{_key(typed_names[one.id]): one for one in variables}}


def _key(title: str) -> str:
    return re.sub(r"\W", "_", title.strip()).casefold()


def _require_constant(one: Statement, path: Path) -> None:
    """Check that a VARIABLE is constant: a computed one cannot be an input."""
    if constant_of(one) is None:
        text = (one.text("FUNCTION") or "")[:40]
        raise DeckError(
            f"{path}: {one.label} has a FUNCTION of its own, {text!r}, and no PINPUT lists it; a "
            "table gives the VARIABLEs of PINPUTs, and others whose FUNCTION is a number"
        )


def constant_of(one: Statement) -> float | None:
    """Return the number in the FUNCTION of a VARIABLE; None if it is not just a number."""
    try:
        value = float(one.text("FUNCTION") or "")
    except ValueError:
        return None
    return value if np.isfinite(value) else None
