"""Grammar of ADAMS function expressions: text to a tree of tokens, or an error."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, cast

from sim.errors import ExpressionError
from sim.functions.operation import Operation
from sim.functions.syntax import POINTS

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

GRAMMAR = r"""
?start: sum
?sum: product (ADD product)*
?product: unary (MULTIPLY unary)*
?unary: ADD unary | power
?power: atom (POWER unary)?
?atom: NUMBER | NAME | call | "(" sum ")"
call: NAME "(" (sum (SEPARATOR sum)*)? ")"

ADD: "+" | "-"
MULTIPLY: "*" | "/"
POWER.1: "**"
SEPARATOR: "," | ":"
NUMBER: /([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?([dD](?!\w))?/
NAME: /\.?[A-Za-z_$][A-Za-z0-9_$.]*/

COMMENT: /![^\n]*/
CONTINUATION: /&[ \t]*(![^\n]*)?(?=\r?\n)/
%ignore /\s+/
%ignore COMMENT
%ignore CONTINUATION
"""

QUOTED = GRAMMAR.replace("NAME: /", 'NAME: /"[^"\\n]+"|')
"""The same with names in quotes, which may hold any other sign: ``"tau.joint-1"``."""

NEAR = 0.5  # how alike, of 1, a name must be to be the one meant
LENGTH = 200_000
"""How many characters an expression may have, comments among them."""


def syntax_tree(text: str, grammar: str = GRAMMAR) -> Tree[Token] | Token:
    """Parse an expression by the grammar alone, without checking names and functions.

    Raises
    ------
    ExpressionError
        With the place of the mistake.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > LENGTH:
        reason = f"an expression of {len(text)} characters; at most {LENGTH} are allowed: {POINTS}"
        raise ExpressionError(reason, text)
    try:
        return _parse_once(text, grammar)
    except UnexpectedCharacters as error:
        raise _stray_character(text, error.pos_in_stream or 0) from None
    except UnexpectedToken as error:
        raise _misplaced_token_error(text, error.token, grammar) from None


# A run parses its expressions again for each check; trees are only read.
@lru_cache(maxsize=64)
def _parse_once(text: str, grammar: str) -> Tree[Token] | Token:
    return _lark(grammar).parse(text)


@cache
def _lark(grammar: str) -> Lark:
    from lark import Lark

    return Lark(grammar, parser="lalr", lexer="basic")


def place_of(token: Token) -> int:
    """Return the position of a token in the text."""
    return token.start_pos or 0


def check_arguments(
    text: str, function: Operation, token: Token, parts: Sequence[Tree[Token] | Token]
) -> None:
    """Check the number of a call's arguments, and the separators between them.

    Raises
    ------
    ExpressionError
        With the place of the mistake.
    """
    check_separators(text, function, parts)
    check_count(text, function, len(parts[::2]), place_of(token))


def check_separators(text: str, function: Operation, parts: Sequence[Tree[Token] | Token]) -> None:
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
    """Why a name is refused, with those that are like it."""
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
    at_end = token.type == "$END"
    place = len(text) if at_end else place_of(token)
    before = list(takewhile(lambda t: place_of(t) < place, _lark(grammar).lex(text)))
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
