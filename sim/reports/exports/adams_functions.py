"""Expressions of the state as functions of an ADAMS model, with numbers of markers and splines.

They give SI units: readings of a model in millimetres are divided by 1000.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sim.errors import RecordingError
from sim.functions.expression import Expression, StateExpression
from sim.functions.operations import OPERATIONS
from sim.functions.spline import Spline
from sim.functions.spline_functions import ID, typed_arguments
from sim.functions.state_functions import GROUND
from sim.functions.syntax import Call, Node, Number, Reading, Time, rewrite
from sim.functions.write_expression import number, write_expression
from sim.reports.exports.adams_statements import number_list, statement

LENGTHS = frozenset({"m", "m/s", "m/s²", "N·m"})  # units that change with the unit of length
OF_JOINTS = ("JOINT", "MOTION")


@dataclass(frozen=True)
class AdamsNames:
    """Numbers of the objects that a string names, by name in capitals.

    Parameters
    ----------
    markers, variables, splines, forces, states : mapping of str to int
    world : callable
        Number of a marker in the world frame.
    length : float
        Model's units of length per metre.
    joints : mapping of str to (int, bool)
        Of requests: the joint's number, and whether marker I of the request is on the child, as I
            of a JOINT is.
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
        """Return an expression with numbers in place of names."""

        def number_names(part: Node) -> Node:
            if isinstance(part, Reading):
                return self._reading(part)
            if isinstance(part, Call) and part.bound is not None:
                return self._spline_call(part, expression.text)
            return part

        return write_expression(rewrite(expression.tree, number_names))

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
        if OPERATIONS[one.name].unit in ("N", "N·m"):
            raise RecordingError("FX … TM sum statements, each of which has markers of its own")
        if one.name in OF_JOINTS:
            return self._of_joint(one)
        if one.name == "SFORCE":
            force, *others = one.labels
            labels = (str(self.forces[force]), *map(self._marker, others))
        else:
            labels = tuple(map(self._marker, one.labels))
        return self._in_si(Reading(one.name, labels, one.numbers, one.position))

    def _in_si(self, one: Reading) -> Node:
        """Return a reading of the model in SI units; its forces are in N, its moments in N·mm."""
        unit = OPERATIONS[one.name].unit_of(one.numbers)
        return _multiply(one, 1.0 / self.length if unit in LENGTHS else 1.0)

    def _of_joint(self, one: Reading) -> Node:
        joint, *others = one.labels
        if joint not in self.joints:
            raise RecordingError(
                f"{one.name} of {joint.lower()} is not a single JOINT of the model"
            )
        number, is_on_child = self.joints[joint]
        side, component = one.numbers
        labels = (str(number), *map(self._marker, others))
        numbers = (side if is_on_child else 1 - side, component)
        return self._in_si(Reading(one.name, labels, numbers, one.position))

    def _marker(self, label: str) -> str:
        return str(self.world() if label == GROUND else self.markers[label])

    def _spline_call(self, call: Call, text: str) -> Node:
        """Return the call with the number of its points; other constants stay in the text only."""
        arguments = typed_arguments(text, call.position)
        place = ID[call.name]
        arguments[place] = str(self.splines[arguments[place].upper()])
        first = write_expression(call.arguments[0])
        return Reading(call.name, (first, *arguments[1:]), (), call.position)


def _multiply(node: Node, factor: float) -> Node:
    """Return the product of a node and a factor; the node alone where the factor is 1."""
    if factor == 1.0:
        return node
    return Call("*", (Number(repr(factor), factor, node.position), node), node.position)


def in_place_of_time(node: Node, text: str) -> str:
    """Return an expression with a text in place of its variable."""

    def put(one: Node) -> Node:
        return Number(text, 0.0, one.position) if isinstance(one, Time) else one

    return write_expression(rewrite(node, put))


def spline_statement(id: int, one: Spline) -> str:
    """Return a SPLINE through the points of a curve."""
    rows = (number_list(key, y.tolist()) for key, y in (("X", one.knots), ("Y", one.values)))
    ends = ["LINEAR_EXTRAPOLATE"] if one.extrapolate in ("linear", "line") else []
    return statement(f"SPLINE/{id}", *ends, *rows)


def times(text: str, factor: float) -> str:
    """Return a text times a factor."""
    return text if factor == 1.0 else f"{number(factor)} * ({text})"


def parenthesise(value: float) -> str:
    """Return a number as text, in parentheses where its sign would follow another sign."""
    return f"({number(value)})" if value < 0 else number(value)
