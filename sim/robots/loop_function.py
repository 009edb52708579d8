"""The string of a loop of kind "function": what it may read of the loop's two frames."""

from __future__ import annotations

from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.functions.state_expression import StateExpression, state_expression
from sim.functions.state_functions import OF_LOOPS, Scope
from sim.functions.syntax import Time, walk

FRAMES = ("a", "b")
READINGS = {
    ("DM", ("A", "B")),
    *((name, ("B", "A", "A") if name in ("DX", "DY", "DZ") else ("B", "A")) for name in OF_LOOPS),
}
"""Functions of the state, with the frames that they are of: those of b as seen from a."""


def loop_function(title: str, text: str) -> StateExpression:
    """The parsed string of a loop, ``DM(b,a) - 0.5``.

    Raises
    ------
    ModelError
        If it cannot be read, depends on time, or reads anything but where b is as seen from a.
    """
    try:
        expression = state_expression(text, Scope(markers=FRAMES))
    except (ExpressionError, ScenarioError) as error:
        raise ModelError(f"{title}: function {text!r}: {error}") from None
    if any(isinstance(part, Time) for part in walk(expression.tree)):
        raise ModelError(f"{title}: function {text!r} depends on TIME; a loop may not")
    for reading in expression.readings:
        if (reading.name, reading.labels) not in READINGS:
            labels = ", ".join(label.lower() for label in reading.labels)
            raise ModelError(
                f"{title}: function {text!r} reads {reading.name}({labels}); a loop may read where "
                "b is as seen from a: DM(b,a), DX(b,a,a), DY(b,a,a), DZ(b,a,a), AX(b,a), AY(b,a), "
                "AZ(b,a)"
            )
    if not expression.readings:
        raise ModelError(f"{title}: function {text!r} reads neither frame; nothing is closed by it")
    return expression
