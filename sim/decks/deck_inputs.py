"""The VARIABLEs of a deck that another program writes while ADAMS runs, from a table instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sim.decks.deck import Deck, channel_names
from sim.decks.statements import Statement
from sim.errors import DeckError
from sim.foreign.map_curves import map_curves
from sim.foreign.matching import TIME, channel_of_title, shorten_list
from sim.foreign.naming import Naming
from sim.foreign.reading import read_foreign
from sim.functions.spline import FEWEST, Spline, spline


def input_variables(deck: Deck) -> dict[int, Statement]:
    """The VARIABLEs that PINPUTs list, by id.

    Raises
    ------
    DeckError
        If one is not there.
    """
    variables = {one.id: one for one in deck.of("VARIABLE")}
    found: dict[int, Statement] = {}
    for plant in deck.of("PINPUT"):
        for id in listed(plant):
            if id not in variables:
                raise plant.refusal(f"VARIABLES = {id}: there is no VARIABLE/{id}")
            found[id] = variables[id]
    return found


def listed(plant: Statement) -> list[int]:
    """The ids of the VARIABLES of a PINPUT."""
    given = plant.numbers("VARIABLES")
    if given is None or not all(float(id).is_integer() and id > 0 for id in given):
        raise plant.refusal("it takes VARIABLES = the ids of VARIABLE statements")
    return [int(id) for id in given]


def read_inputs(deck: Deck, path: Path) -> dict[int, Spline]:
    """Values over time of VARIABLEs, straight between the rows of a table, by id.

    A column is called as the VARIABLE in ADAMS's window, ``VARIABLE_3`` or ``3``, and is in the
    deck's units; the time ``t`` in seconds. Before the first row and after the last there is none.

    Raises
    ------
    DeckError, ForeignError
        If the file cannot be read, or a column is no VARIABLE that a table can give.
    """
    table, names = read_foreign(path), _names(deck)
    channels: dict[str, str] = {}
    units: dict[str, str] = {}
    for column in table.columns:
        if channel_of_title(column.title, {}) == TIME:
            continue
        one = names.get(_key(column.title))
        if one is None:
            there = shorten_list(list(channel_names(names.values()).values()))
            raise DeckError(
                f"{path}: column {column.title!r} is no VARIABLE of {deck.title or 'the deck'}; "
                f"there are: {there}"
            )
        _require_constant(one, path)
        channels[column.title] = str(one.id)
        units[str(one.id)] = column.unit or "1"
    found: dict[int, Spline] = {}
    for curve in map_curves(table, Naming(channels), units).curves:
        if curve.t.size < FEWEST:
            raise DeckError(
                f"{path}: column {curve.title!r} has {curve.t.size} values; {FEWEST} are needed"
            )
        found[int(curve.channel)] = spline(np.asarray(curve.t), curve.values, "linear", "none")
    return found


def require_span(inputs: Mapping[int, Spline], duration: float) -> None:
    """Check that tables hold values from 0 to `duration` [s]; raises DeckError where one ends."""
    for id, one in inputs.items():
        first, last = float(one.knots[0]), float(one.knots[-1])
        if first > 0 or last < duration:
            raise DeckError(
                f"the table of VARIABLE/{id} is from {first:g} to {last:g} s, and the run from 0 "
                f"to {duration:g} s; --set duration={last:g} ends it there"
            )


def input_notes(deck: Deck, inputs: Mapping[int, Spline]) -> tuple[str, ...]:
    """That inputs of a plant are what the deck types, where no table gives them."""
    missing = [one for id, one in input_variables(deck).items() if id not in inputs]
    if not missing:
        return ()
    names = channel_names(deck.of("VARIABLE"))
    which = shorten_list([names[one.id] for one in missing])
    return (
        f"inputs that another program writes stay as the deck types them: {which}; "
        "--input TABLE.csv gives them over time",
    )


def _names(deck: Deck) -> dict[str, Statement]:
    """The VARIABLEs by each of the names that a column may have."""
    variables = deck.of("VARIABLE")
    own = channel_names(variables)
    found = {_key(way): one for one in variables for way in (f"VARIABLE_{one.id}", str(one.id))}
    return {**found, **{_key(own[one.id]): one for one in variables}}


def _key(title: str) -> str:
    return re.sub(r"\W", "_", title.strip()).casefold()


def _require_constant(one: Statement, path: Path) -> None:
    """A VARIABLE that the deck itself computes is nobody's input."""
    if constant_of(one) is None:
        text = (one.text("FUNCTION") or "")[:40]
        raise DeckError(
            f"{path}: {one.label} has a FUNCTION of its own, {text!r}; a table gives those of a "
            "number only"
        )


def constant_of(one: Statement) -> float | None:
    """The number that the FUNCTION of a VARIABLE is; None if it is more."""
    try:
        value = float(one.text("FUNCTION") or "")
    except ValueError:
        return None
    return value if np.isfinite(value) else None
