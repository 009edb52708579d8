"""Linear systems of a deck, LSE and TFSISO, as rates and outputs in its own units.

Source: MSC Adams Solver, statements ARRAY, LSE, MATRIX and TFSISO.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from msgspec import Struct

from sim.decks import trees
from sim.decks.deck import Deck
from sim.decks.statements import Statement
from sim.errors import SimError
from sim.functions.syntax import Node
from sim.functions.transfer_function import TransferFunction
from sim.maths.arrays import Array

ORDERS = ("RORDER", "CORDER")  # of the values of a full matrix


class StateSystem(Struct, frozen=True, eq=False):
    """States of a statement: rates and initial values by name, and the elements of its arrays."""

    statement: Statement
    rates: Mapping[str, Node]
    start: Mapping[str, float]
    arrays: Mapping[int, tuple[Node, ...]] = msgspec.field(default_factory=dict)


def linear_system(one: Statement, deck: Deck) -> StateSystem:
    """Return ``x' = A x + B u,  y = C x + D u``."""
    A = _matrix(one, "A", deck)
    if A is None or A.shape[0] != A.shape[1]:
        raise one.refusal("it needs A, a square MATRIX")
    n, u = A.shape[0], _inputs(one, deck)
    states = [f"lse_{one.id}.{k}" for k in range(1, n + 1)]
    x = [trees.call("DIF", name) for name in states]
    B, C, D = (_matrix(one, key, deck) for key in "BCD")
    outputs = next((matrix.shape[0] for matrix in (C, D) if matrix is not None), 0)
    fits = {"B": (B, (n, len(u))), "C": (C, (outputs, n)), "D": (D, (outputs, len(u)))}
    for key, (matrix, shape) in fits.items():
        if matrix is not None and matrix.shape != shape:
            raise one.refusal(
                f"{key} is {matrix.shape[0]} by {matrix.shape[1]}; with its states, inputs and "
                f"outputs it would be {shape[0]} by {shape[1]}"
            )
    rates = dict(zip(states, _rows(n, (A, x), (B, u)), strict=True))
    start = dict(zip(states, _start(one, deck, n), strict=True))
    arrays = dict[int, tuple[Node, ...]]()
    if (X := one.reference("X")) is not None:
        arrays[X] = tuple(x)
    if (Y := one.reference("Y")) is not None:
        arrays[Y] = _rows(outputs, (C, x), (D, u))
    return StateSystem(one, rates, start, arrays)


def _rows(count: int, *products: tuple[Array | None, Sequence[Node]]) -> tuple[Node, ...]:
    """Return the rows of a sum of matrix-vector products."""
    return tuple(
        trees.add(
            *(
                trees.multiply(trees.literal(factor), one)
                for matrix, vector in products
                if matrix is not None
                for factor, one in zip(matrix[row], vector, strict=True)
                if factor
            )
        )
        for row in range(count)
    )


def _start(one: Statement, deck: Deck, n: int) -> list[float]:
    id = one.reference("IC")
    if id is None:
        return [0.0] * n
    numbers = _find_statement(one, "IC", "ARRAY", deck).numbers("NUMBERS")
    if numbers is None or numbers.size != n:
        raise one.refusal(f"IC = {id}: it requires an ARRAY of {n} NUMBERS")
    return [float(value) for value in numbers]


def transfer_function(one: Statement, deck: Deck) -> StateSystem:
    """Return ``y = N(s)/D(s) u``, coefficients in ascending powers."""
    u = _inputs(one, deck)
    if len(u) != 1:
        raise one.refusal("it needs U, an ARRAY of one of VARIABLES")
    above, below = one.numbers("NUMERATOR"), one.numbers("DENOMINATOR")
    if above is None or below is None:
        raise one.refusal("it needs NUMERATOR and DENOMINATOR")
    name = f"tfsiso_{one.id}"
    try:
        arguments = trees.write(u[0]), above[::-1].tolist(), below[::-1].tolist()
        system = TransferFunction(name, *arguments)
    except SimError as error:
        raise one.refusal(str(error)) from None
    arrays = dict[int, tuple[Node, ...]]()
    if (X := one.reference("X")) is not None:
        arrays[X] = tuple(trees.call("DIF", state) for state in system.states)
    if (Y := one.reference("Y")) is not None:
        arrays[Y] = (trees.parse_text(system.variables[name]),)
    rates = {state: trees.parse_text(text) for state, text in system.states.items()}
    return StateSystem(one, rates, dict.fromkeys(rates, 0.0), arrays)


def _inputs(one: Statement, deck: Deck) -> list[Node]:
    """Return the expressions of the elements of U."""
    if one.reference("U") is None:
        return []
    array = _find_statement(one, "U", "ARRAY", deck)
    if "VARIABLES" not in array.values:
        raise one.refusal(f"U = {array.id}: it requires an ARRAY of VARIABLES")
    return [trees.call("VARVAL", id) for id in array.values["VARIABLES"]]


def _matrix(one: Statement, key: str, deck: Deck) -> Array | None:
    """Return a MATRIX given by rows, columns or entries; None if it is not referenced."""
    if one.reference(key) is None:
        return None
    source = _find_statement(one, key, "MATRIX", deck)
    rows = int(source.number("M", source.number("ROWS")))
    columns = int(source.number("N", source.number("COLUMNS")))
    values = source.numbers("VALUES")
    if "SPARSE" in source.flags and (data := source.numbers("DATA")) is not None:
        places = data.reshape(-1, 3) if data.size % 3 == 0 else np.full((1, 3), -1.0)
        matrix = np.zeros((rows, columns))
        for row, column, value in places.tolist():
            if not (1 <= row <= rows and 1 <= column <= columns):
                raise source.refusal("DATA: it requires row, column and value of each number")
            matrix[int(row) - 1, int(column) - 1] = value
        return matrix
    orders = {*source.flags, *source.words("FULL", ORDERS)} & {*ORDERS}
    if values is None or len(orders) != 1 or values.size != rows * columns or rows < 1:
        raise source.refusal(
            "only FULL, RORDER or CORDER, with M times N VALUES is supported, or SPARSE with DATA"
        )
    return values.reshape((rows, columns), order="C" if "RORDER" in orders else "F")


def _find_statement(one: Statement, key: str, keyword: str, deck: Deck) -> Statement:
    """Return the statement that an argument refers to."""
    id = one.reference(key)
    matches = [other for other in deck.of(keyword) if other.id == id]
    if not matches:
        raise one.refusal(f"{key} = {id}: there is no {keyword}/{id}")
    return matches[0]
