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
LARGEST = 1000  # rows or columns of a matrix given by its entries


class StateSystem(Struct, frozen=True, eq=False):
    """States of a statement: rates and initial values by name, and the elements of its arrays."""

    statement: Statement
    rates: Mapping[str, Node]
    start: Mapping[str, float]
    arrays: Mapping[int, tuple[Node, ...]] = msgspec.field(default_factory=dict)


def linear_system(one: Statement, deck: Deck) -> StateSystem:
    """Return ``x' = A x + B u,  y = C x + D u``."""
    typed, u = {key: _matrix(one, key, deck) for key in "ABCD"}, _inputs(one, deck)
    if typed["A"] is None:
        raise one.refusal("it needs A, a MATRIX")
    sizes = {key: (0, 0) if matrix is None else matrix.shape for key, matrix in typed.items()}
    outputs, n = max(sizes["C"][0], sizes["D"][0]), max(sizes["A"])
    if _is_sparse(one, "A", deck):
        n = max(n, sizes["B"][0], sizes["C"][1])
    shapes = {"A": (n, n), "B": (n, len(u)), "C": (outputs, n), "D": (outputs, len(u))}
    A, B, C, D = (_resize(one, key, typed[key], shape, deck) for key, shape in shapes.items())
    states = [f"lse_{one.id}.{k}" for k in range(1, n + 1)]
    x = [trees.call("DIF", name) for name in states]
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
    """Return a MATRIX given by rows, columns or nonzero entries; None if it is not referenced.

    One given by entries is as large as they require.
    """
    if one.reference(key) is None:
        return None
    source = _find_statement(one, key, "MATRIX", deck)
    if outside := [word for word in ("FILE", "FUNCTION") if word in source.values]:
        raise source.refusal(f"{outside[0]} is not read; give VALUES")
    values, shape = source.numbers("VALUES"), (int(source.number("M")), int(source.number("N")))
    if "SPARSE" in source.flags:
        return _from_entries(source, values, shape)
    orders = {*source.flags, *source.words("FULL", ORDERS)} & {*ORDERS}
    if values is None or len(orders) != 1 or values.size != shape[0] * shape[1] or shape[0] < 1:
        raise source.refusal(
            "it needs FULL = RORDER or CORDER, with M times N VALUES, or SPARSE with ROWS, COLUMNS "
            "and VALUES of its nonzero entries"
        )
    return values.reshape(shape, order="C" if "RORDER" in orders else "F")


def _is_sparse(one: Statement, key: str, deck: Deck) -> bool:
    return "SPARSE" in _find_statement(one, key, "MATRIX", deck).flags


def _from_entries(source: Statement, values: Array | None, shape: tuple[int, int]) -> Array:
    """Return a SPARSE matrix."""
    rows, columns = (source.numbers(key) for key in ("ROWS", "COLUMNS"))
    if values is None or rows is None or columns is None:
        raise source.refusal("SPARSE needs ROWS, COLUMNS and VALUES of its nonzero entries")
    if not rows.size == columns.size == values.size:
        raise source.refusal(
            f"ROWS has {rows.size} numbers, COLUMNS {columns.size} and VALUES {values.size}; each "
            "takes one for each entry"
        )
    if not all(0 <= size <= LARGEST for size in shape):
        raise source.refusal(
            f"it is {shape[0]} by {shape[1]}; 1 to {LARGEST} rows and columns are supported"
        )
    places = np.column_stack([rows, columns])
    if (places < 1).any() or (places % 1).any() or places.max() > LARGEST:
        raise source.refusal(f"ROWS and COLUMNS take integers from 1 to {LARGEST}")
    places = places.astype(int)
    largest = places.max(axis=0)
    if 0 < shape[0] < largest[0] or 0 < shape[1] < largest[1]:
        raise source.refusal(f"it is {shape[0]} by {shape[1]}; ROWS or COLUMNS exceed them")
    matrix = np.zeros(np.maximum(shape, largest))
    if len({*map(tuple, places.tolist())}) < len(places):
        raise source.refusal("two VALUES have the same row and column")
    matrix[tuple(places.T - 1)] = values
    return matrix


def _resize(
    one: Statement, key: str, matrix: Array | None, shape: tuple[int, int], deck: Deck
) -> Array | None:
    """Return a matrix in the shape that its system needs; zeros complete a SPARSE one."""
    if matrix is None or matrix.shape == shape:
        return matrix
    if _is_sparse(one, key, deck) and all(np.less_equal(matrix.shape, shape)):
        return np.pad(
            matrix, [(0, full - size) for size, full in zip(matrix.shape, shape, strict=True)]
        )
    raise one.refusal(
        f"{key} is {matrix.shape[0]} by {matrix.shape[1]}; with its states, inputs and outputs it "
        f"would be {shape[0]} by {shape[1]}"
    )


def _find_statement(one: Statement, key: str, keyword: str, deck: Deck) -> Statement:
    """Return the statement that an argument refers to."""
    id = one.reference(key)
    matches = [other for other in deck.of(keyword) if other.id == id]
    if not matches:
        raise one.refusal(f"{key} = {id}: there is no {keyword}/{id}")
    return matches[0]
