"""Checks of a deck's functions as typed, before they are converted to SI units."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

from sim.decks import trees
from sim.decks.deck import Deck
from sim.decks.statements import Statement
from sim.errors import ExpressionError
from sim.functions.grammar import check_count, not_known
from sim.functions.operation import Operation
from sim.functions.operations import FUNCTIONS, LAWS, OPERATORS, READ, STATE_FUNCTIONS
from sim.functions.parser import check_ends, check_signs
from sim.functions.spline_functions import SIGNATURES
from sim.functions.syntax import Call, Node, Number, walk

SPLINES = frozenset({"AKISPL", "CUBSPL", "INTERP"})
ONLY_ADAMS = frozenset({"USER", "INVPSD", "CURVE", "TIRE", "MFORCE"})
ADAMS = frozenset(
    {*FUNCTIONS, *STATE_FUNCTIONS, *SIGNATURES, *LAWS, *ONLY_ADAMS, *trees.OF_FORCES, "JPRIM"}
)
"""Functions that ADAMS has."""


def check_typed(node: Node, text: str, one: Statement, deck: Deck) -> None:
    """Check the functions that a typed text calls, and what their ids name.

    Raises
    ------
    DeckError
        With the place in the text.
    """
    variables, splines = deck.by_id("VARIABLE"), deck.by_id("SPLINE")
    try:
        for call in trees.calls(node):
            _check_call(call, text)
            if call.name == "VARVAL":
                _check_ids(call, text, "VARIABLE", variables)
            elif call.name in SPLINES:
                named = Call(call.name, call.arguments[2:3], call.position)
                _check_ids(named, text, "SPLINE", splines)
            elif call.name in READ and "i" in READ[call.name].parameters:
                _check_ids(call, text, "MARKER", {*deck.markers, 0})
    except ExpressionError as error:
        raise one.refusal(str(error)) from None


def require_time_only(node: Node, one: Statement) -> None:
    """Check that the function of a MOTION reads no state; raises DeckError."""
    if calls := [call.name for call in trees.calls(node) if call.name in STATE_FUNCTIONS]:
        remedy = "use an SFORCE for a function of the state"
        if calls[0] == "DIF" and "ACCELERATION" not in one.flags:
            level = "ACCELERATION" if "VELOCITY" in one.flags else "VELOCITY"
            remedy += f", or for a DIFF of TIME alone its FUNCTION as {level} of this MOTION"
        raise one.refusal(
            f"{calls[0]} depends on the state, and a MOTION may depend on TIME only; {remedy}"
        )


def _check_call(call: Call, text: str) -> None:
    if call.name not in ADAMS:
        known = [*FUNCTIONS, *SIGNATURES, *LAWS, *READ]
        raise ExpressionError(not_known(call.name, known), text, call.position)
    function = FUNCTIONS.get(call.name) or LAWS.get(call.name) or READ.get(call.name)
    if call.name in SIGNATURES:
        function = Operation(SIGNATURES[call.name])
    if function is not None:
        check_count(text, function, len(call.arguments), call.position)
        numbers = [one if all(map(_is_number, walk(one))) else None for one in call.arguments]
        check_ends(text, function, numbers)
        check_signs(text, function, numbers)


def _is_number(part: Node) -> bool:
    """Whether a part is one of a number, of TIME, or an operator."""
    if isinstance(part, Number):
        return not isnan(part.value)
    return not isinstance(part, Call) or part.name in {*OPERATORS, *FUNCTIONS}


def _check_ids(call: Call, text: str, keyword: str, known: Iterable[int]) -> None:
    for id, argument in zip(trees.ids_of(call), call.arguments, strict=True):
        if id is not None and id not in known:
            raise ExpressionError(f"there is no {keyword}/{id}", text, argument.position)
