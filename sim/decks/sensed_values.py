"""SENVAL of a deck as a function of time, once the evaluations of its SENSOR are known."""

from __future__ import annotations

from sim.decks import trees
from sim.decks.statements import Statement
from sim.functions.syntax import Node
from sim.scenario.events import Steps


def sensed_value(steps: Steps, second: float, statement: Statement) -> Node:
    """Return a step function, initially 0; TIME is in a unit of `second` [s]."""
    text, before = "0", 0.0
    for t, value in steps:
        change = f"{value - before!r}"
        text += f"+IF(TIME-{t / second!r}: 0, {change}, {change})"
        before = value
    return trees.parse(text, statement)
