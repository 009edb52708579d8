"""States of a deck besides those of its parts: DIFF, LSE, TFSISO, and their ARRAYs.

All of it is in the deck's units; rates are per unit of its time. ARYVAL and DIF1 are replaced by
the expressions they stand for, so that ``DIF(name)`` is the only reading.

Source: MSC Adams Solver, statements ARRAY and DIFF.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import cast

import numpy as np
from msgspec import Struct

from sim.decks import trees
from sim.decks.deck import Deck
from sim.decks.linear_systems import StateSystem, linear_system, transfer_function
from sim.decks.statements import Statement
from sim.errors import DeckError, SimError
from sim.functions.expression import expression
from sim.functions.syntax import Call, Node, Time, rewrite
from sim.maths.dependencies import CircleError

SYSTEMS = ("DIFF", "LSE", "TFSISO")

_ARGUMENTS = {"ARYVAL": 2, "DIF1": 1}
_READ = trees.READINGS.union(_ARGUMENTS)

Output = tuple[str, tuple[int, ...]]
"""A call that another expression stands for: ``("DIF1", (3,))``, ``("ARYVAL", (9, 1))``."""


class DeckStates(Struct, frozen=True, eq=False, dict=True):
    """All states of a deck.

    Parameters
    ----------
    systems : tuple of StateSystem
    arrays : mapping of int to tuple of Node
        Expressions of ARYVAL(id, k), k from 1.
    failed : mapping of str to DeckError
        Errors of unsupported statements, keyed by ``DIFF/1``, raised when these are read.
    """

    systems: tuple[StateSystem, ...]
    arrays: Mapping[int, tuple[Node, ...]]
    failed: Mapping[str, DeckError]

    @cached_property
    def _expansions(self) -> dict[Output, Node]:
        """Cache of the expansions of ARYVAL and DIF1."""
        return {}

    def system_of(self, name: str) -> StateSystem | None:
        """Return the system that has a state of this name, regardless of case."""
        name = name.lower()
        return next((one for one in self.systems if name in one.rates), None)

    def expand(self, node: Node, one: Statement) -> Node:
        """Return a function with ARYVAL and DIF1 replaced by their expressions.

        Raises
        ------
        DeckError
            If one refers to a missing object or to itself, or is too long.
        """

        def meaning(output: Output) -> Node:
            return self._meaning(output, one)

        def refusal(output: Output, reason: str) -> DeckError:
            return one.refusal(f"{_call_of(output)} written out has {reason}")

        def name_state(part: Node) -> Node:
            """Return DIF of a state without leading zeros in its number."""
            if not isinstance(part, Call) or part.name != "DIF" or len(part.arguments) != 1:
                return part
            name = trees.label_of(part.arguments[0])
            if self.system_of(name) is None:
                raise self._missing_error(f"DIFF/{name}", f"DIF({name})", one)
            return trees.call("DIF", name)

        try:
            whole = trees.substitute(node, _output_of, meaning, refusal, self._expansions)
        except CircleError as error:
            output = cast("Output", error.circle[0])
            raise one.refusal(f"{_call_of(output)} depends on itself") from None
        return rewrite(whole, name_state)

    def _meaning(self, output: Output, one: Statement) -> Node:
        """Return the expression that a call of ARYVAL or DIF1 stands for."""
        kind, (id, *places) = output
        if kind == "DIF1":
            system = self.system_of(str(id))
            if system is None:
                raise self._missing_error(f"DIFF/{id}", _call_of(output), one)
            return system.rates[str(id)]
        if id not in self.arrays:
            raise self._missing_error(f"ARRAY/{id}", _call_of(output), one)
        if not 1 <= places[0] <= len(self.arrays[id]):
            raise one.refusal(f"{_call_of(output)}: ARRAY/{id} has {len(self.arrays[id])}")
        return self.arrays[id][places[0] - 1]

    def _missing_error(self, label: str, call: str, one: Statement) -> DeckError:
        if label in self.failed:
            return self.failed[label]
        known = (
            " with values that are known here: of U, IC, an LSE or a TFSISO, not of a "
            "GSE, which is a subroutine"
        )
        return one.refusal(f"{call}: there is no {label}{known * label.startswith('ARRAY')}")


def _output_of(part: Node) -> Output | None:
    """Return the call of ARYVAL or DIF1 in a part, if it is one."""
    if isinstance(part, Call) and part.name in _ARGUMENTS:
        ids = tuple(id for id in trees.ids_of(part) if id is not None)
        if len(ids) == len(part.arguments) == _ARGUMENTS[part.name]:
            return part.name, ids
    return None


def _call_of(output: Output) -> str:
    kind, ids = output
    return f"{kind}({', '.join(map(str, ids))})"


def read_states(deck: Deck) -> DeckStates:
    """Read the states of a deck; errors of unsupported ones are stored for their readers."""
    systems, failed = list[StateSystem](), dict[str, DeckError]()
    arrays = _given_arrays(deck, failed)
    for one in deck.of(*SYSTEMS):
        try:
            system = _MAKERS[one.keyword](one, deck)
        except DeckError as error:
            failed[f"{one.keyword}/{one.id}"] = error
            outputs = (one.values.get(key, ("",))[0] for key in "XY")
            failed |= {f"ARRAY/{int(id)}": error for id in outputs if id.isdigit()}
            continue
        systems.append(system)
        arrays |= system.arrays
    return DeckStates(tuple(systems), arrays, failed)


def _given_arrays(deck: Deck, failed: dict[str, DeckError]) -> dict[int, tuple[Node, ...]]:
    """Return the arrays of numbers and of VARIABLEs, by id."""
    arrays: dict[int, tuple[Node, ...]] = {}
    variables = deck.by_id("VARIABLE")
    for one in deck.of("ARRAY"):
        try:
            if "VARIABLES" in one.values:
                if missing := [id for id in one.values["VARIABLES"] if int(id) not in variables]:
                    raise one.refusal(f"VARIABLES: there is no VARIABLE/{missing[0]}")
                arrays[one.id] = tuple(trees.call("VARVAL", id) for id in one.values["VARIABLES"])
            elif (numbers := one.numbers("NUMBERS")) is not None:
                arrays[one.id] = tuple(map(trees.literal, numbers.tolist()))
        except DeckError as error:
            failed[f"ARRAY/{one.id}"] = error
    return arrays


def _diff(one: Statement, deck: Deck) -> StateSystem:
    """Return ``x' = f``, or ``f(x, x') = 0`` where f is linear in x'."""
    text = one.text("FUNCTION")
    if text is None or "ROUTINE" in one.values or trees.is_subroutine(text):
        raise one.refusal("a subroutine cannot be called here; give FUNCTION = an expression")
    start = one.numbers("IC")
    name, typed = str(one.id), trees.parse(text, one)
    rate = _solve_linear(typed, one) if "IMPLICIT" in one.flags else typed
    return StateSystem(one, {name: rate}, {name: 0.0 if start is None else float(start[0])})


def _solve_linear(node: Node, one: Statement) -> Node:
    """Return ``x' = -f(0) / (f(1) - f(0))``, the solution of f(x') = 0."""
    derivative = ("DIF1", (one.id,))

    def with_rate(node: Node, value: Node) -> Node:
        return rewrite(node, lambda part: value if _output_of(part) == derivative else part)

    def without_state(part: Node) -> Node:
        is_read = isinstance(part, Call) and part.name in _READ and _output_of(part) != derivative
        return trees.literal(1) if is_read or isinstance(part, Time) else part

    plain = with_rate(rewrite(node, without_state), Time(0))
    try:
        degree = _degree(expression(trees.write(plain)).tree)
    except SimError as error:
        raise one.refusal(f"IMPLICIT: its FUNCTION cannot be solved for DIF1: {error}") from None
    if degree != 1:
        raise one.refusal(
            f"IMPLICIT: its FUNCTION must have DIF1({one.id}) in the first power, so that it can "
            "be solved for it"
        )
    at_0, at_1 = with_rate(node, trees.literal(0)), with_rate(node, trees.literal(1))
    return Call("/", (trees.negate(at_0), trees.add(at_1, trees.negate(at_0))), 0)


def _degree(node: Node) -> float:
    """Return the power of time in an expression; infinite if it is not a polynomial of it."""
    if isinstance(node, Time):
        return 1
    if not isinstance(node, Call):
        return 0
    each = [_degree(part) for part in node.arguments]
    match node.name, each:
        case "+" | "-", _:
            return max(each)
        case "*", _:
            return sum(each)
        case "/", [above, 0]:
            return above
    return np.inf if any(each) else 0


_MAKERS: Mapping[str, Callable[[Statement, Deck], StateSystem]] = {
    "DIFF": _diff,
    "LSE": linear_system,
    "TFSISO": transfer_function,
}
