"""Text of a syntax tree in ADAMS's own syntax, whatever was typed.

The parser accepts more than ADAMS's: ``2*-3`` and ``1e1d``. The text written here has parentheses
where two operators would be adjacent, capitals, and no number with both an exponent and the suffix
for degrees.
"""

from __future__ import annotations

from sim.errors import ExpressionError
from sim.functions.operations import OPERATORS
from sim.functions.syntax import Call, Node, Number, Reading, Time

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)  # precedence of the outermost operator

NUMBERS_FIRST = ("ORIENT",)

LONGEST = 25
"""Characters of a literal that are kept as typed; a longer one has digits that do not count."""


def write_expression(node: Node) -> str:
    """Return the expression as a text for ADAMS, with a space wherever a line may end.

    Reading it again gives the same values to the last bit, except for DELAY, which is written as an
    IF, and for literals that are too long to type.

    Raises
    ------
    ExpressionError
        If a function in it reads data points, which are not in the tree.
    """
    match node:
        case Time():
            return "TIME"
        case Number():
            return _literal(node) if node.is_literal else node.text
        case Reading():
            numbers = (f"{value:g}" for value in node.numbers)
            first = node.labels[: node.name not in NUMBERS_FIRST]
            return f"{node.name}({', '.join((*first, *numbers, *node.labels[len(first) :]))})"
        case Call():
            return _write_operation(node) if node.name in OPERATORS else _write_call(node)


def number(value: float) -> str:
    """Return a number in ADAMS's format, with all significant digits: ``1.0E-05``."""
    return _with_point(repr(float(value)))


def _write_operation(node: Call) -> str:
    """Return the text of an operator and its operands."""
    match node.name:
        case "+":
            return _sum(node.arguments)
        case "-":
            return f"-{_operand(node.arguments[0], _POWER)}"
        case "**":
            base, exponent = node.arguments
            return f"{_operand(base, _ATOM)}**{_operand(exponent, _ATOM)}"
        case _:
            left, right = node.arguments
            return f"{_operand(left, _PRODUCT)} {node.name} {_operand(right, _POWER)}"


def _write_call(node: Call) -> str:
    if node.bound is not None:
        raise ExpressionError(f"{node.name} reads data points, which are not in its text", "")
    if node.name == "DELAY":  # the parser has replaced the delay by the age
        body, age, history = (write_expression(part) for part in node.arguments[:3])
        return f"IF({age}: {history}, {body}, {body})"
    first, *others = (write_expression(part) for part in node.arguments)
    if node.name == "IF":
        return f"IF({first}: {', '.join(others)})"
    return f"{node.name}({', '.join((first, *others))})"


def _sum(terms: tuple[Node, ...]) -> str:
    text = _operand(terms[0], _PRODUCT)
    for term in terms[1:]:
        if isinstance(term, Call) and term.name == "-":
            text += f" - {_operand(term.arguments[0], _PRODUCT, signs=False)}"
        else:
            text += f" + {_operand(term, _PRODUCT, signs=False)}"
    return text


def _operand(node: Node, binding: int, *, signs: bool = True) -> str:
    """Return an operand, in parentheses if it binds less strongly, or begins with a sign."""
    text = write_expression(node)
    bare = _binding(node) >= binding and (signs or not text.startswith("-"))
    return text if bare else f"({text})"


def _binding(node: Node) -> int:
    if not isinstance(node, Call):
        return _ATOM
    levels = {"+": _SUM, "*": _PRODUCT, "/": _PRODUCT, "-": _SIGN, "**": _POWER}
    return levels.get(node.name, _ATOM)


def _literal(node: Number) -> str:
    text = node.text.upper()
    too_rich = node.in_degrees and "E" in text
    return number(node.value) if too_rich or len(text) > LONGEST else _with_point(text)


def _with_point(text: str) -> str:
    """Return a number whose mantissa has a decimal point, as in Fortran."""
    mantissa, e, exponent = text.upper().partition("E")
    return f"{mantissa}.0E{exponent}" if e and "." not in mantissa else mantissa + e + exponent
