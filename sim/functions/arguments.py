"""The arguments of a call, as its text has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from sim.errors import ExpressionError
from sim.functions.grammar import place_of
from sim.functions.operation import Operation

if TYPE_CHECKING:
    from lark import Token, Tree


def check_arguments(
    text: str, function: Operation, token: Token, parts: Sequence[Tree[Token] | Token]
) -> None:
    """Check the number of a call's arguments, and what stands between them.

    Raises
    ------
    ExpressionError
        With the place of the mistake.
    """
    for index, separator in enumerate(cast("Sequence[Token]", parts[1::2])):
        wanted = ":" if function.name == "IF" and index == 0 else ","
        if separator != wanted:
            raise ExpressionError(
                f"{wanted!r} is expected here, not {str(separator)!r}: {function.signature}",
                text,
                place_of(separator),
            )
    check_count(text, function, len(parts[::2]), token)


def check_count(text: str, function: Operation, count: int, token: Token) -> None:
    """Check the number of a call's arguments.

    Raises
    ------
    ExpressionError
        With the place of the call.
    """
    least, most = function.required, len(function.parameters)
    if not least <= count <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        plural = "" if wanted == "1" else "s"
        raise ExpressionError(
            f"{function.name} requires {wanted} argument{plural}, {function.signature}; "
            f"here it has {count}",
            text,
            place_of(token),
        )
