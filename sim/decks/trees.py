"""Functions of a deck as trees whose names are not bound yet.

Every function is a `Call` with all its arguments, including functions of the state; a name that is
not a constant is a `Number` without a value, as is the number of a marker or a spline.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import nan
from types import MappingProxyType
from typing import TypeVar

from sim.decks.statements import Statement
from sim.errors import DeckError, ExpressionError
from sim.functions.grammar import Token, Tree, check_separators, place_of, syntax_tree
from sim.functions.operation import Operation
from sim.functions.operations import (
    CONSTANTS,
    FUNCTIONS,
    OPERATORS,
    READ,
    REQUESTED,
    STATE_FUNCTIONS,
)
from sim.functions.spline_functions import SIGNATURES
from sim.functions.syntax import Call, Node, Number, Reading, Time, rewrite, walk
from sim.functions.tree_builder import DEPTH, PARTS, TreeBuilder
from sim.functions.write_expression import write_expression
from sim.maths.dependencies import dependency_order

Key = TypeVar("Key", bound=Hashable)

OF_FORCES = MappingProxyType(
    {
        "SFORCE": "SFORCE",
        "VFORCE": "VFORCE",
        "VTORQ": "VTORQUE",
        "GFORCE": "GFORCE",
        "BUSH": "BUSHING",
        "SPDP": "SPRINGDAMPER",
        "FIELD": "FIELD",
        "BEAM": "BEAM",
        "CONTACT": "CONTACT",
    }
)
"""Functions (id, jflag, comp, rm) of a force, and the statement that they read."""

WITH_FLOATING_J = ("VFORCE", "VTORQ", "GFORCE")
"""Those whose J marker floats with I: force and torque on it are the opposite of those on I."""

READINGS = frozenset({*READ, *REQUESTED, *OF_FORCES, "JPRIM"})
"""Functions whose arguments are ids of statements, sides and components."""

_KNOWN = STATE_FUNCTIONS.union(FUNCTIONS, SIGNATURES)  # in capitals, others as typed


def parse(text: str, one: Statement) -> Node:
    """Return the tree of a function as typed.

    Raises
    ------
    DeckError
        If it is not an expression; names the statement and shows the position.
    """
    try:
        return parse_text(text)
    except ExpressionError as error:
        raise one.refusal(str(error)) from None


@lru_cache(maxsize=256)
def parse_text(text: str) -> Node:
    """Return the tree of a text; raises ExpressionError if it is not an expression."""
    return _DeckBuilder(text).node(syntax_tree(text))


class _DeckBuilder(TreeBuilder):
    """Builder of trees that does not interpret names."""

    def constant(self, token: Token) -> Node:
        name, place = token.upper(), place_of(token)
        if name == "TIME":
            return Time(place)
        return Number(name if name in CONSTANTS else str(token), CONSTANTS.get(name, nan), place)

    def call(self, token: Token, parts: Sequence[Tree | Token], depth: int) -> Node:
        name, place = token.upper(), place_of(token)
        name = name if name in _KNOWN else str(token)
        check_separators(self.text, FUNCTIONS.get(name) or Operation(name), parts)
        arguments = tuple(self.node(part, depth + 1) for part in parts[::2])
        return Call(name, arguments, place) if arguments else Reading(name, (), (), place)


def write(node: Node) -> str:
    """Return the text of a tree."""
    return write_expression(rewrite(node, _as_typed))


def _as_typed(part: Node) -> Node:
    """Return a DELAY as a reading of its arguments, since the writer handles it as expanded."""
    if isinstance(part, Call) and part.name == "DELAY":
        return Reading(part.name, tuple(map(write_expression, part.arguments)), (), part.position)
    return part


def calls(node: Node) -> Iterator[Call]:
    """Return the functions that a tree calls, in the order of the text."""
    return (part for part in walk(node) if isinstance(part, Call) and part.name not in OPERATORS)


def substitute(
    node: Node,
    key_of: Callable[[Node], Key | None],
    meaning: Callable[[Key], Node],
    refusal: Callable[[Key, str], DeckError],
    whole: dict[Key, Node],
) -> Node:
    """Replace each part that has a key by its meaning, recursively.

    `whole` has the complete replacements of earlier calls; new ones are added.

    Raises
    ------
    CircleError
        If a part refers to itself.
    DeckError
        From `refusal`, if one has too many parts for an expression.
    """

    def put(part: Node) -> Node:
        key = key_of(part)
        return part if key is None else whole[key]

    def keys(one: Node) -> list[Key]:
        return [key for part in walk(one) if (key := key_of(part)) is not None]

    def needs(key: Key) -> list[Key]:
        return [] if key in whole else keys(meaning(key))

    for key in dependency_order(keys(node), needs):
        if key in whole:
            continue
        whole[key] = rewrite(meaning(key), put)
        if sum(1 for _ in islice(walk(whole[key]), PARTS + 1)) > PARTS:
            raise refusal(key, f"more than {PARTS} numbers, names and operators")
        if _depth(whole[key]) > DEPTH:
            raise refusal(key, f"more than {DEPTH} nested parts")
    return rewrite(node, put)


def _depth(node: Node) -> int:
    parts = node.arguments if isinstance(node, Call) else ()
    return 1 + max(map(_depth, parts), default=0)


def call(name: str, *arguments: str) -> Call:
    """Return a function of markers, numbers or names."""
    return Call(name, labels(*arguments), 0)


def labels(*texts: str) -> tuple[Number, ...]:
    """Return arguments that are markers, numbers or names."""
    return tuple(Number(text, float(text) if is_id(text) else nan, 0) for text in texts)


def literal(value: float) -> Node:
    """Return a number, with its sign as an operator."""
    number = Number(repr(abs(float(value))), abs(float(value)), 0)
    return Call("-", (number,), 0) if value < 0 else number


def add(*terms: Node) -> Node:
    """Return the sum of trees, added from left to right; 0 for none."""
    match terms:
        case (Call("+", first), *others):
            terms = (*first, *others)
    return Call("+", terms, 0) if len(terms) > 1 else next(iter(terms), literal(0.0))


def negate(node: Node) -> Node:
    """Return a tree with the opposite sign."""
    return Call("-", (node,), node.position)


def multiply(node: Node, factor: Node) -> Node:
    """Return the product of two trees."""
    return Call("*", (node, factor), node.position)


def scale_by(node: Node, factor: float) -> Node:
    """Return a tree times a number; the tree itself for 1."""
    return node if factor == 1.0 else multiply(node, literal(factor))


def divide(node: Node, divisor: float) -> Node:
    """Return a tree divided by a number; the tree itself for 1."""
    return node if divisor == 1.0 else Call("/", (node, literal(divisor)), node.position)


def label_of(node: Node) -> str:
    """Return the label in an argument; a number without its leading zeros."""
    text = node.text if isinstance(node, Number) else write(node)
    return str(int(text)) if is_id(text) else text


def ids_of(one: Call) -> list[int | None]:
    """Return the arguments of a call that are statement ids; None in place of others."""
    labels = map(label_of, one.arguments)
    return [int(label) if is_id(label) else None for label in labels]


def is_id(label: str) -> bool:
    """Whether a label is the number of a statement."""
    return label.isascii() and label.isdigit()


def is_subroutine(text: str) -> bool:
    """Whether a function is ``USER(...)``."""
    name, bracket, _ = text.partition("(")
    return name.strip().upper() == "USER" and bool(bracket)
