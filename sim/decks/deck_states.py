"""The states that a deck has besides those of its parts: DIFF, LSE, TFSISO, and their ARRAYs.

All of it is text in the deck's own language and units; rates are for its unit of time. ARYVAL and
DIF1 are written out by what they stand for, so that what is left to read is ``DIF(name)``.

Source: MSC Adams Solver, statements ARRAY and DIFF.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sim.decks.deck import Deck
from sim.decks.deck_calls import CALL, plain_label
from sim.decks.linear_systems import System, linear_system, transfer_function
from sim.decks.statements import Statement
from sim.errors import DeckError, SimError
from sim.functions.expression import expression
from sim.functions.syntax import Call, Node, Time

SYSTEMS = ("DIFF", "LSE", "TFSISO")
DEEPEST = 100  # ARYVAL and DIF1 that read one another
LONGEST = 50_000  # characters of a function whose rates and outputs are written out

DIF = re.compile(r"\bDIF\s*+\(\s*+([\w.]++)\s*+\)", re.IGNORECASE)
_RATE = re.compile(r"\bDIF1\s*+\(\s*+(\d++)\s*+\)", re.IGNORECASE)
_WRITTEN = re.compile(
    r"\bARYVAL\s*+\(\s*+(\d++)\s*+,\s*+(\d++)\s*+\)|\bDIF1\s*+\(\s*+(\d++)\s*+\)", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class DeckStates:
    """All states of a deck.

    Parameters
    ----------
    systems : tuple of System
    arrays : mapping of int to tuple of str
        What ARYVAL(id, k) is, k from 1.
    failed : mapping of str to DeckError
        Why a statement cannot be had, by ``DIFF/1``; nothing may read it.
    """

    systems: tuple[System, ...]
    arrays: Mapping[int, tuple[str, ...]]
    failed: Mapping[str, DeckError]

    def system_of(self, name: str) -> System | None:
        """The system that has a state of this name, in any case."""
        name = name.lower()
        return next((one for one in self.systems if name in one.rates), None)

    def written_out(self, text: str, one: Statement, path: tuple[str, ...] = ()) -> str:
        """A function with what ARYVAL and DIF1 stand for in their places.

        Raises
        ------
        DeckError
            If one reads what is not there, or itself.
        """

        def put(match: re.Match[str]) -> str:
            call = re.sub(r"\s", "", match[0]).upper()
            if call in path:
                raise one.refusal(f"{call} depends on itself")
            if len(path) > DEEPEST:
                raise one.refusal(
                    f"{path[0]} reads more than {DEEPEST} ARYVAL and DIF1 that read one another"
                )
            whole = f"({self.written_out(self._meant(match, one), one, (*path, call))})"
            if len(whole) > LONGEST:
                raise one.refusal(f"{call} written out is more than {LONGEST} characters")
            return whole

        text = DIF.sub(lambda match: f"DIF({plain_label(match[1])})", _WRITTEN.sub(put, text))
        for match in DIF.finditer(text):
            if self.system_of(match[1]) is None:
                raise self._missing(f"DIFF/{match[1]}", f"DIF({match[1]})", one)
        return text

    def _meant(self, match: re.Match[str], one: Statement) -> str:
        """What one call of ARYVAL or DIF1 stands for."""
        if match[3]:
            name = str(int(match[3]))
            system = self.system_of(name)
            if system is None:
                raise self._missing(f"DIFF/{name}", f"DIF1({name})", one)
            return system.rates[name]
        id, place = int(match[1]), int(match[2])
        if id not in self.arrays:
            raise self._missing(f"ARRAY/{id}", f"ARYVAL({id}, {place})", one)
        if not 1 <= place <= len(self.arrays[id]):
            raise one.refusal(f"ARYVAL({id}, {place}): ARRAY/{id} has {len(self.arrays[id])}")
        return self.arrays[id][place - 1]

    def _missing(self, label: str, call: str, one: Statement) -> DeckError:
        if label in self.failed:
            return self.failed[label]
        known = (
            " with values that are known here: of U, IC, an LSE or a TFSISO, not of a "
            "GSE, which is a subroutine"
        )
        return one.refusal(f"{call}: there is no {label}{known * label.startswith('ARRAY')}")


def read_states(deck: Deck) -> DeckStates:
    """The states of a deck; what cannot be had is kept as an error for who reads it."""
    systems, failed = list[System](), dict[str, DeckError]()
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


def _given_arrays(deck: Deck, failed: dict[str, DeckError]) -> dict[int, tuple[str, ...]]:
    """Those of numbers and of VARIABLEs."""
    found: dict[int, tuple[str, ...]] = {}
    for one in deck.of("ARRAY"):
        try:
            if "VARIABLES" in one.values:
                found[one.id] = tuple(f"VARVAL({id})" for id in one.values["VARIABLES"])
            elif (numbers := one.numbers("NUMBERS")) is not None:
                found[one.id] = tuple(repr(value) for value in numbers.tolist())
        except DeckError as error:
            failed[f"ARRAY/{one.id}"] = error
    return found


def _diff(one: Statement, deck: Deck) -> System:
    """``x' = f``, or ``f(x, x') = 0`` where f is linear in x'."""
    text = one.text("FUNCTION")
    if text is None or "ROUTINE" in one.values or re.match(r"USER\s*\(", text, re.IGNORECASE):
        raise one.refusal("a subroutine cannot be called here; give FUNCTION = an expression")
    given = one.numbers("IC")
    name = str(one.id)
    rate = _solve_linear(text, one) if "IMPLICIT" in one.flags else text
    return System(one, {name: rate}, {name: 0.0 if given is None else float(given[0])})


def _solve_linear(text: str, one: Statement) -> str:
    """``x' = -f(0) / (f(1) - f(0))`` of f(x') = 0."""

    def put(value: str) -> str:
        """The function with a value for its own rate."""
        return _RATE.sub(lambda match: value if int(match[1]) == one.id else match[0], text)

    plain = _WRITTEN.sub("1", DIF.sub("1", CALL.sub("1", put("\0")))).replace("\0", "TIME")
    try:
        degree = _degree(expression(plain).tree)
    except SimError as error:
        raise one.refusal(f"IMPLICIT: its FUNCTION cannot be solved for DIF1: {error}") from None
    if degree != 1:
        raise one.refusal(
            f"IMPLICIT: its FUNCTION must have DIF1({one.id}) in the first power, so that it can "
            "be solved for it"
        )
    at_0, at_1 = (f"({put(value)})" for value in "01")
    return f"-{at_0}/({at_1}-{at_0})"


def _degree(node: Node) -> float:
    """Power of time in an expression; infinite of what is no polynomial of it."""
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


_MAKERS: Mapping[str, Callable[[Statement, Deck], System]] = {
    "DIFF": _diff,
    "LSE": linear_system,
    "TFSISO": transfer_function,
}
