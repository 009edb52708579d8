"""VARIABLEs of a deck in the place of the VARVAL that read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain

from sim.decks import trees
from sim.decks.deck_functions import DeckFunctions
from sim.errors import DeckError, SimError
from sim.functions.expression import expression
from sim.functions.syntax import Call, Node, constant, rewrite

MOST_WRITTEN = 20  # VARIABLEs in a function, beyond which those that are numbers are written so


def without_variables(node: Node, functions: DeckFunctions) -> Node:
    """A function in SI units with that of each VARIABLE in the place of its VARVAL.

    A VARIABLE that is a number through many others is that number.

    Raises
    ------
    DeckError
        If one depends on itself, or all of them together are too long.
    """
    order = functions.variables_read([node])
    numbers = _numbers(order, functions) if len(order) > MOST_WRITTEN else {}

    def meaning(id: int) -> Node:
        return trees.literal(numbers[id]) if id in numbers else functions.variable(id)

    def refusal(id: int, reason: str) -> DeckError:
        text = f"written out, the variables in it are {reason}"
        return functions.variables[id].refusal(text)

    return trees.substitute(node, functions.variable_id, meaning, refusal, {})


def _numbers(order: Iterable[int], functions: DeckFunctions) -> dict[int, float]:
    """Of VARIABLEs, each after those that it reads, the values of those that are numbers."""
    numbers: dict[int, float] = {}

    def put(part: Node) -> Node:
        id = functions.variable_id(part)
        return part if id is None else trees.literal(numbers[id])

    for id in order:
        own = functions.variable(id)
        if numbers.keys() >= {*functions.variables_in(own)}:
            value = _number(rewrite(own, put))
            numbers |= {} if value is None else {id: value}
    return numbers


def _number(node: Node) -> float | None:
    """The value of a function of numbers alone; None of any other."""
    try:
        value = constant(expression(trees.write(node)).tree)
    except SimError:
        return None
    return value if value is not None and math.isfinite(value) else None


def calls_read(node: Node, functions: DeckFunctions) -> list[Call]:
    """Calls in a function and in all VARIABLEs that it reads, in the deck's units.

    Raises
    ------
    DeckError
        If one depends on itself.
    """
    ids = functions.variables_read([node], functions.typed)
    return [*trees.calls(node), *chain.from_iterable(map(functions.typed_calls, ids))]
