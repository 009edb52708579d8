"""Grammar of ADAMS function expressions: text to a tree of tokens, or an error.

::

    sum: product (ADD product)*            NUMBER: 1, .5, 2e-3, 30d
    product: unary (MULTIPLY unary)*       NAME: TIME, .model.part, A$1; quoted names in QUOTED
    unary: ADD unary | power               ADD: + -
    power: atom (POWER unary)?             MULTIPLY: * /
    atom: NUMBER | NAME | call             POWER: **
        | "(" sum ")"                      SEPARATOR: , :
    call: NAME "(" [sum (SEPARATOR sum)*] ")"

Blanks, comments from ``!`` to the end of the line, and ``&`` before it count as nothing. A rule
with a single part is that part.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import takewhile
from typing import Self, cast

from msgspec import Struct

from sim.errors import ExpressionError
from sim.functions.operation import Operation
from sim.functions.syntax import POINTS

GRAMMAR = r"""
(?P<POWER>\*\*)
|(?P<ADD>[+-])
|(?P<MULTIPLY>[*/])
|(?P<SEPARATOR>[,:])
|(?P<LPAR>\()
|(?P<RPAR>\))
|(?P<NUMBER>([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?([dD](?!\w))?)
|(?P<NAME>\.?[A-Za-z_$][A-Za-z0-9_$.]*)
|(?P<NOTHING>\s+|![^\n]*|&[ \t]*(![^\n]*)?(?=\r?\n))
"""

QUOTED = GRAMMAR.replace("<NAME>", '<NAME>"[^"\\n]+"|')
"""The same with names in quotes, which may hold any other sign: ``"tau.joint-1"``."""

END = "$END"
LEVELS = {"power": 4, "unary": 3, "product": 2, "sum": 1}
"""Rules that end before a token that continues a rule of a lower level, or none."""

CONTINUED = {"POWER": "power", "MULTIPLY": "product", "ADD": "sum", "SEPARATOR": "call"}
"""The rule that a token continues after a part."""

NEAR = 0.5  # how alike, of 1, a name must be to be the one meant
LENGTH = 200_000
"""How many characters an expression may have, comments among them."""


class Token(str):
    """A piece of the text.

    Parameters
    ----------
    type : str
        ``NUMBER``, ``NAME`` … of `GRAMMAR`, or `END`.
    place : int
        Its position in the text.
    """

    __slots__ = ("place", "type")
    type: str
    place: int

    def __new__(cls, text: str, type: str, place: int) -> Self:
        """Return the token."""
        token = super().__new__(cls, text)
        token.type, token.place = type, place
        return token


class Tree(Struct, frozen=True, eq=False):
    """A part of a text: its rule, and the tokens and parts that it consists of."""

    rule: str
    parts: Sequence[Tree | Token]


_Begun = tuple[str, list[Tree | Token]]
_Following = tuple[Tree | Token, Token]


class _StrayCharacterError(Exception):
    """A character that begins no token, at a position."""


class _MisplacedTokenError(Exception):
    """A token that cannot follow the ones before it."""


def syntax_tree(text: str, grammar: str = GRAMMAR) -> Tree | Token:
    """Parse an expression by the grammar alone, without checking names and functions.

    Raises
    ------
    ExpressionError
        With the place of the mistake.
    """
    if len(text) > LENGTH:
        reason = f"an expression of {len(text)} characters; at most {LENGTH} are allowed: {POINTS}"
        raise ExpressionError(reason, text)
    try:
        return _parse_once(text, grammar)
    except _StrayCharacterError as error:
        raise _stray_character(text, error.args[0]) from None
    except _MisplacedTokenError as error:
        raise _misplaced_token_error(text, error.args[0], grammar) from None


def _tokens(text: str, grammar: str) -> Iterator[Token]:
    """Yield the tokens of a text, the last one `END`."""
    match, place = re.compile(grammar, re.VERBOSE).match, 0
    while place < len(text):
        token = match(text, place)
        if token is None:
            raise _StrayCharacterError(place)
        if token.lastgroup != "NOTHING":
            yield Token(token[0], str(token.lastgroup), place)
        place = token.end()
    yield Token("", END, place)


# A run parses its expressions again for each check; trees are only read.
@lru_cache(maxsize=64)
def _parse_once(text: str, grammar: str) -> Tree | Token:
    """Parse by precedence, with the rules begun in a list instead of nested calls."""
    tokens, begun = _tokens(text, grammar), list[_Begun]()
    token = next(tokens)
    while True:
        part, token = _operand(token, tokens, begun)
        part, token = _complete(part, token, tokens, begun)
        if token.type == END and not begun:
            return part
        rule = CONTINUED.get(token.type, "")
        if rule in ("", "call") and (not begun or begun[-1][0] != rule):
            raise _MisplacedTokenError(token)
        if rule == "power" or not begun or begun[-1][0] != rule:
            begun.append((rule, []))
        begun[-1][1].extend((part, token))
        token = next(tokens)


def _operand(token: Token, tokens: Iterator[Token], begun: list[_Begun]) -> _Following:
    """Read signs, parentheses and names of functions up to a number or a name."""
    while True:
        if token.type in ("ADD", "LPAR"):
            begun.append(("unary", [token]) if token.type == "ADD" else ("(", []))
            token = next(tokens)
            continue
        if token.type not in ("NUMBER", "NAME"):
            raise _MisplacedTokenError(token)
        atom, token = token, next(tokens)
        if atom.type == "NUMBER" or token.type != "LPAR":
            return atom, token
        begun.append(("call", [atom]))
        token = next(tokens)
        if token.type == "RPAR":
            return Tree(*begun.pop()), next(tokens)


def _complete(
    part: Tree | Token, token: Token, tokens: Iterator[Token], begun: list[_Begun]
) -> _Following:
    """End all rules that the token after a part ends, and read closing parentheses."""
    while token.type != "POWER":
        level = LEVELS.get(CONTINUED.get(token.type, ""), 0)
        while begun and LEVELS.get(begun[-1][0], 0) > level:
            rule, parts = begun.pop()
            part = Tree(rule, [*parts, part])
        if token.type != "RPAR":
            break
        if not begun:
            raise _MisplacedTokenError(token)
        rule, parts = begun.pop()
        part = part if rule == "(" else Tree(rule, [*parts, part])
        token = next(tokens)
    return part, token


def place_of(token: Token) -> int:
    """Return the position of a token in the text."""
    return token.place


def check_arguments(
    text: str, function: Operation, token: Token, parts: Sequence[Tree | Token]
) -> None:
    """Check the number of a call's arguments, and the separators between them.

    Raises
    ------
    ExpressionError
        With the place of the mistake.
    """
    check_separators(text, function, parts)
    check_count(text, function, len(parts[::2]), place_of(token))


def check_separators(text: str, function: Operation, parts: Sequence[Tree | Token]) -> None:
    """Check the separators of a call's arguments; raises ExpressionError with the position."""
    for index, separator in enumerate(cast("Sequence[Token]", parts[1::2])):
        expected = ":" if function.name == "IF" and index == 0 else ","
        if separator != expected:
            raise ExpressionError(
                f"{expected!r} is expected here, not {str(separator)!r}: {function.signature}",
                text,
                place_of(separator),
            )


def not_known(name: str, known: Sequence[str]) -> str:
    """Return the reason why a name is refused, with similar names."""
    near = get_close_matches(name.upper(), known, 3, NEAR) if len(name) > 1 else []
    hint = f" (did you mean {' or '.join(near)}?)" if near else "; docs/functions.md has all names"
    return f"{name!r} is not known{hint}"


def check_count(text: str, function: Operation, count: int, position: int) -> None:
    """Check the number of a call's arguments.

    Raises
    ------
    ExpressionError
        With the place of the call.
    """
    least, most = function.fewest_arguments, len(function.parameters)
    if not least <= count <= most:
        allowed = f"{least}" if least == most else f"{least} to {most}"
        plural = "" if allowed == "1" else "s"
        raise ExpressionError(
            f"{function.name} requires {allowed} argument{plural}, {function.signature}; "
            f"here it has {count}",
            text,
            position,
        )


def _stray_character(text: str, position: int) -> ExpressionError:
    character = text[position]
    plain = unicodedata.normalize("NFKC", character)
    digit = unicodedata.decimal(character, None)
    if character in "[]{}%":
        reason = f"{character!r} belongs to vectors and arrays; an expression is a single number"
    elif character == "&":
        reason = "'&' may be only at the end of a line that continues"
    elif character == "^":
        reason = "'^' is not an operator; a power is written a ** b"
    elif digit is not None:
        reason = f"{character!r} is not {digit}; type the plain digit"
    elif plain != character and plain in "()+-*/,:.":
        reason = f"{character!r} is not {plain!r}; type the plain character"
    else:
        reason = f"{character!r} has no meaning in an expression"
    return ExpressionError(reason, text, position)


def _misplaced_token_error(text: str, token: Token, grammar: str) -> ExpressionError:
    """Return the error for a token that cannot follow the ones before it."""
    at_end, place = token.type == END, place_of(token)
    before = list(takewhile(lambda t: place_of(t) < place, _tokens(text, grammar)))
    if not before and at_end:
        return ExpressionError("the expression is empty", text, 0)
    opened = _unclosed_parentheses(before)
    if at_end and opened:
        return ExpressionError("this parenthesis is not closed", text, place_of(opened[-1]))
    if at_end:
        return ExpressionError(f"nothing follows {str(before[-1])!r}", text, place_of(before[-1]))
    after_operand = bool(before) and before[-1].type in ("NUMBER", "NAME", "RPAR")
    if token.type == "RPAR" and not opened:
        reason = "this parenthesis was not opened"
    elif token.type == "SEPARATOR" and after_operand:
        reason = f"{str(token)!r} may be only between the arguments of a function"
    elif after_operand:
        is_power = before[-1].type == "NUMBER" and re.fullmatch(r"[dD]\d+", str(token))
        hint = "; D means degrees, and powers of ten have an E" if is_power else ""
        reason = f"an operator or a comma is missing before {str(token)!r}{hint}"
    else:
        reason = f"a number, a name or a parenthesis is missing before {str(token)!r}"
    return ExpressionError(reason, text, place)


def _unclosed_parentheses(tokens: Iterable[Token]) -> list[Token]:
    """Return the opening parentheses that are not closed, the innermost last."""
    opened: list[Token] = []
    for token in tokens:
        if token.type == "LPAR":
            opened.append(token)
        elif token.type == "RPAR":
            opened.pop()
    return opened
