"""Inlining of a deck's VARIABLEs in place of VARVAL."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain

from sim.decks import trees
from sim.decks.deck_functions import DeckFunctions
from sim.errors import DeckError, SimError
from sim.functions.expression import expression
from sim.functions.syntax import Call, Node, constant, rewrite

MOST_WRITTEN = 20  # VARIABLEs in a function, beyond which constant ones are written as numbers


def without_variables(node: Node, functions: DeckFunctions) -> Node:
    """Return a function in SI units with each VARVAL replaced by its VARIABLE's function.

    A VARIABLE that is constant through many others becomes a number.

    Raises
    ------
    DeckError
        If one depends on itself, or the result is too long.
    """
    order = functions.variables_read([node])
    numbers = _numbers(order, functions) if len(order) > MOST_WRITTEN else {}

    def meaning(id: int) -> Node:
        return trees.literal(numbers[id]) if id in numbers else functions.variable(id)

    def refusal(id: int, reason: str) -> DeckError:
        text = f"written out, the variables in it are {reason}"
        return functions.deck.by_id("VARIABLE")[id].refusal(text)

    return trees.substitute(node, functions.variable_id, meaning, refusal, {})


def _numbers(order: Iterable[int], functions: DeckFunctions) -> dict[int, float]:
    """Return the values of constant VARIABLEs, given in order of dependence."""
    numbers: dict[int, float] = {}

    def put(part: Node) -> Node:
        id = functions.variable_id(part)
        return part if id is None else trees.literal(numbers[id])

    for id in order:
        tree = functions.variable(id)
        if numbers.keys() >= {*functions.variables_in(tree)}:
            value = _number(rewrite(tree, put))
            numbers |= {} if value is None else {id: value}
    return numbers


def _number(node: Node) -> float | None:
    """Return the value of a constant function; None for any other."""
    try:
        value = constant(expression(trees.write(node)).tree)
    except SimError:
        return None
    return value if value is not None and math.isfinite(value) else None


def calls_read(node: Node, functions: DeckFunctions) -> list[Call]:
    """Return calls in a function and in all VARIABLEs that it reads, in the deck's units.

    Raises
    ------
    DeckError
        If one depends on itself.
    """
    ids = functions.variables_read([node], functions.typed)
    return [*trees.calls(node), *chain.from_iterable(map(functions.typed_calls, ids))]
