"""Strings of the state as functions of an ADAMS model, which calls markers and splines by number.

They give SI units: what they read of a model in millimetres is divided by 1000.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sim.errors import RecordingError
from sim.functions.expression import Expression
from sim.functions.spline import Spline
from sim.functions.spline_functions import ID, typed_arguments
from sim.functions.state_expression import StateExpression
from sim.functions.state_functions import GROUND
from sim.functions.syntax import Call, Node, Number, Reading, Time
from sim.functions.write_expression import number, write_expression
from sim.reports.exports.adams_statements import number_list, statement

LENGTHS = frozenset("DM DX DY DZ VR VM VX VY VZ ACCM ACCX ACCY ACCZ".split())  # and by seconds
TORQUES = range(5, 9)  # components of SFORCE, JOINT and MOTION
OF_JOINTS = ("JOINT", "MOTION")
SUMS = frozenset("FM FX FY FZ TM TX TY TZ".split())


@dataclass(frozen=True)
class AdamsNames:
    """The numbers of what a string names, by the name in capitals.

    Parameters
    ----------
    markers, variables, splines, forces, states : mapping of str to int
    world : callable
        Number of a marker in the world's frame.
    length : float
        How many of the model's unit of length are a metre.
    joints : mapping of str to (int, bool)
        Of requests: numbers, and whether I of the name is on the child, as I of a JOINT is.
    """

    markers: Mapping[str, int]
    variables: Mapping[str, int]
    splines: Mapping[str, int]
    forces: Mapping[str, int]
    states: Mapping[str, int]
    world: Callable[[], int]
    length: float
    joints: Mapping[str, tuple[int, bool]] = field(default_factory=dict)

    def text(self, expression: StateExpression | Expression) -> str:
        """An expression with numbers in the place of names."""
        return write_expression(self._with_numbers(expression.tree, expression.text))

    def _with_numbers(self, node: Node, text: str) -> Node:
        match node:
            case Reading():
                return self._reading(node)
            case Call() if node.bound is not None:
                return self._spline_call(node, text)
            case Call():
                parts = tuple(self._with_numbers(one, text) for one in node.arguments)
                return Call(node.name, parts, node.position)
        return node

    def _reading(self, one: Reading) -> Node:
        if one.name == "VARVAL":
            return Reading(one.name, (str(self.variables[one.labels[0]]),), (), one.position)
        if one.name == "DIF" and one.labels[0] in self.states:
            return Reading(one.name, (str(self.states[one.labels[0]]),), (), one.position)
        if one.name == "DIF":
            raise RecordingError(
                f"DIF({one.labels[0].lower()}) is a state of a motor's law, which is not written "
                "as a DIFF of ADAMS; export the curves instead"
            )
        if one.name in SUMS:
            raise RecordingError("FX … TM sum statements, each of which has markers of its own")
        if one.name in OF_JOINTS:
            return self._of_joint(one)
        if one.name == "SFORCE":
            force, *others = one.labels
            labels = (str(self.forces[force]), *map(self._marker, others))
            # the force is in N; a moment of the model in N·mm
            scale = 1.0 / self.length if one.numbers[1] in TORQUES else 1.0
        else:
            labels = tuple(map(self._marker, one.labels))
            scale = 1.0 / self.length if one.name in LENGTHS else 1.0
        return _multiply(Reading(one.name, labels, one.numbers, one.position), scale)

    def _of_joint(self, one: Reading) -> Node:
        joint, *others = one.labels
        if joint not in self.joints:
            raise RecordingError(f"{one.name} of {joint.lower()} is no single JOINT of the model")
        number, is_on_child = self.joints[joint]
        side, component = one.numbers
        labels = (str(number), *map(self._marker, others))
        numbers = (side if is_on_child else 1 - side, component)
        scale = 1.0 / self.length if component in TORQUES else 1.0
        return _multiply(Reading(one.name, labels, numbers, one.position), scale)

    def _marker(self, label: str) -> str:
        return str(self.world() if label == GROUND else self.markers[label])

    def _spline_call(self, call: Call, text: str) -> Node:
        """The call with the number of its points; its other constants stand in the text only."""
        arguments = typed_arguments(text, call.position)
        place = ID[call.name]
        arguments[place] = str(self.splines[arguments[place].upper()])
        first = write_expression(self._with_numbers(call.arguments[0], text))
        return Reading(call.name, (first, *arguments[1:]), (), call.position)


def _multiply(node: Node, factor: float) -> Node:
    """The product of a node and a factor; the node alone where that is 1."""
    if factor == 1.0:
        return node
    return Call("*", (Number(repr(factor), factor, node.position), node), node.position)


def in_place_of_time(node: Node, text: str) -> str:
    """An expression with a text in the place of its variable."""

    def put(one: Node) -> Node:
        match one:
            case Time():
                return Number(text, 0.0, one.position)
            case Call():
                parts = tuple(map(put, one.arguments))
                return Call(one.name, parts, one.position, one.bound)
        return one

    return write_expression(put(node))


def spline_statement(id: int, one: Spline) -> str:
    """A SPLINE through the points of a curve."""
    rows = (number_list(key, y.tolist()) for key, y in (("X", one.knots), ("Y", one.values)))
    ends = ["LINEAR_EXTRAPOLATE"] if one.extrapolate in ("linear", "line") else []
    return statement(f"SPLINE/{id}", *ends, *rows)


def times(text: str, factor: float) -> str:
    """A text times a factor."""
    return text if factor == 1.0 else f"{number(factor)} * ({text})"


def parted(value: float) -> str:
    """A number, in parentheses where it has a sign that another would meet."""
    return f"({number(value)})" if value < 0 else number(value)
