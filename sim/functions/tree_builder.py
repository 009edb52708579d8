"""TreeBuilder: builds syntax trees from parsed text, independent of the meaning of names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sim.errors import ExpressionError
from sim.functions.grammar import Token, Tree, place_of
from sim.functions.operations import CONSTANTS
from sim.functions.syntax import POINTS, Call, Node, Number

DEPTH = 100
"""How deep functions, signs and powers may be nested, and how many factors a product may have."""

PARTS = 10_000
"""How many numbers, names and operators an expression may have: 1600 STEP integrate in 15 s."""


@dataclass
class TreeBuilder(ABC):
    """Builds a syntax tree from the outside in, so that the outermost mistake is reported."""

    text: str

    def __post_init__(self) -> None:
        self.parts = 0

    @abstractmethod
    def constant(self, token: Token) -> Node:
        """Return the node of a name."""

    @abstractmethod
    def call(self, token: Token, parts: Sequence[Tree | Token], depth: int) -> Node:
        """Return the node of a name with arguments and the separators between them."""

    def node(self, tree: Tree | Token, depth: int = 0) -> Node:
        """Return the tree of a part of the text; raises ExpressionError with the position."""
        self.parts += 1
        if self.parts > PARTS:
            raise self.too_many()
        if isinstance(tree, str):
            return _number(tree) if tree.type == "NUMBER" else self.constant(tree)
        parts = tree.parts
        factors = len(parts) // 2 if tree.rule == "product" else 0
        if depth + factors > DEPTH:
            raise ExpressionError(f"more than {DEPTH} nested parts or factors", self.text)
        if tree.rule == "call":
            return self.call(cast("Token", parts[0]), parts[1:], depth)
        if tree.rule == "unary":
            return _with_sign(cast("Token", parts[0]), self.node(parts[1], depth + 1))
        if tree.rule == "sum":
            return self._sum(parts, depth)
        result = self.node(parts[0], depth + 1)  # a product, or a base with its exponent
        for operator, part in zip(parts[1::2], parts[2::2], strict=True):
            operand = self.node(part, depth + 1)
            result = Call(str(operator), (result, operand), result.position)
        return result

    def _sum(self, parts: Sequence[Tree | Token], depth: int) -> Node:
        first = self.node(parts[0], depth + 1)
        terms = [first]
        for sign, part in zip(parts[1::2], parts[2::2], strict=True):
            terms.append(_with_sign(cast("Token", sign), self.node(part, depth + 1)))
        return Call("+", tuple(terms), first.position)

    def too_many(self) -> ExpressionError:
        """Return the error for an expression with too many parts."""
        return ExpressionError(
            f"more than {PARTS} numbers, names and operators, delays written out: {POINTS}",
            self.text,
        )


def _number(token: Token) -> Node:
    in_degrees = token[-1] in "dD"
    value = float(token[:-1]) * CONSTANTS["DTOR"] if in_degrees else float(token)
    return Number(str(token), value, place_of(token))


def _with_sign(sign: Token, operand: Node) -> Node:
    return Call("-", (operand,), place_of(sign)) if sign == "-" else operand
