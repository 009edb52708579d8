"""Expressions of time and state as rows of numbers, for machine code.

An expression is written for a machine with a stack, which `kernels.expressions` runs: values first,
then the operation that takes them. Of an IF that switches right now it gives no
number: which side it takes follows from a rate, which is NumPy's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from sim.dynamics.components import Components
from sim.dynamics.kernels import expressions as ops
from sim.dynamics.kernels.records import MarkerForces
from sim.dynamics.marker_force import MarkerForce
from sim.functions.operations import OPERATIONS
from sim.functions.parser import written_out
from sim.functions.spline import Spline
from sim.functions.state_functions import ANGLES, GROUND
from sim.functions.syntax import Call, Node, Number, Reading, Time, constant
from sim.kinematics.forward import marker_place
from sim.kinematics.state_reading import hinges_between
from sim.maths.arrays import Array
from sim.robots.marker import Angle, Marker
from sim.robots.names import Names
from sim.robots.robot import Robot

MOST_VARIABLES = 50  # that one reads; each is written out where it is read
LONGEST = 20_000  # operations of an expression, beyond which no variable is written out


def instruction_of(name: str) -> int | None:
    """The machine's instruction for a function or an operator; None if it has none."""
    number: int | None = getattr(ops, OPERATIONS[name].opcode or name, None)
    return number


class UnsayableError(Exception):
    """A function is not in the machine's language; its text is the name of the function."""


@dataclass
class Writer:
    """Writes the expressions of a robot's forces.

    Parameters
    ----------
    robot : Robot
    counted : mapping of Angle to int or None
        Angles whose turns are counted, and by which of the machine's states; None: by none.
    """

    robot: Robot
    counted: Mapping[Angle, int | None] = field(default_factory=dict)
    markers: list[Marker] = field(default_factory=list)
    code: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    numbers: list[float] = field(default_factory=lambda: [np.inf])
    angles: list[Array] = field(default_factory=list)
    forces: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)
    begin: int = 0

    def add_force(self, force: MarkerForce, law: Components) -> None:
        """One more force."""
        along = -1 if law.along is None else self.marker(law.along)
        ends = self.marker(force.i), self.marker(force.j)
        turning = 0
        if any(law.turning_stiffness):
            turning = len(self.numbers)
            self.numbers += law.turning_stiffness
        row = (*ends, along, int(force.has_reaction), len(self.ends), turning)
        self.forces.append(row)
        for one in law.expressions:
            self.add_expression(one, law.names)

    def add_expression(self, tree: Node, names: Names) -> None:
        """One more expression."""
        self.begin = len(self.code)
        self._write(tree, names)
        self.ends.append((self.begin, len(self.code)))

    def arrays(self) -> MarkerForces:
        """What the kernels take."""
        counted = [
            ("XYZ".index(function[1]), self.marker(i), self.marker(j))
            for (function, i, j), row in self.counted.items()
            if row is not None
        ]
        places = [marker_place(self.robot, marker) for marker in self.markers]
        T = np.array([T for _, T in places]).reshape(-1, 4, 4)
        return MarkerForces(
            body=np.array([body for body, _ in places]),
            origin=T[:, :3, 3],
            axes=T[:, :3, :3],
            code=np.array(self.code).reshape(-1, 5),
            constants=np.array(self.numbers),
            hinges=np.array(self.angles).reshape(-1, 1 + len(self.robot.tree_coordinates)),
            forces=np.array(self.forces).reshape(-1, 6),
            programs=np.array(self.ends).reshape(-1, 2),
            counted=np.array(counted).reshape(-1, 3),
        )

    def marker(self, marker: Marker) -> int:
        """The number of a marker, which is added if it is new."""
        if marker not in self.markers:
            self.markers.append(marker)
        return self.markers.index(marker)

    def _write(self, node: Node, names: Names) -> None:
        match node:
            case Number():
                self.numbers.append(node.value)
                self._add(ops.NUMBER, len(self.numbers) - 1)
            case Time():
                self._add(ops.NOW)
            case Reading():
                self._read(node, names)
            case Call(name="+", arguments=(first, *rest)):
                self._write(first, names)
                for term in rest:
                    self._write(term, names)
                    self._add(ops.ADD)
            case Call(name="IMPACT", arguments=parts) if not (constant(parts[4]) or 0.0) > 0:
                raise UnsayableError("IMPACT")
            case Call() if node.function.text:
                self._write(written_out(node), names)
            case Call(arguments=(x,), bound=bound) if bound is not None and bound.curve is not None:
                self._write(x, names)
                self._add(ops.CURVE, len(self.numbers))
                self.numbers += _numbers_of(*bound.curve)
            case Call(bound=None) if (instruction := instruction_of(node.name)) is not None:
                for argument in node.arguments:
                    self._write(argument, names)
                self._add(instruction)
            case _:
                raise UnsayableError(node.name)

    def _read(self, node: Reading, names: Names) -> None:
        if node.name == "VARVAL":
            label = node.labels[0]
            if len(names.order_of(label)) > MOST_VARIABLES or len(self.code) > self.begin + LONGEST:
                raise UnsayableError(node.name)
            self._write(names.expressions[label].tree, names)
            return
        instruction = instruction_of(node.name)
        if instruction is None and node.name not in ANGLES:
            raise UnsayableError(node.name)
        markers = [names.marker(label) for label in (*node.labels, *3 * [GROUND])]
        if instruction is not None:
            i, j, third, fourth = map(self.marker, markers[:4])
            # VM names the observer third, as it has no axes
            seen = third if node.name == "VM" else fourth
            self._add(instruction, i, j, third, seen)
            return
        axis, one, other = "XYZ".index(node.name[1]), *markers[:2]
        hinges = hinges_between(self.robot, one, other, axis)
        if hinges is None:
            row = self.counted.get((node.name, one, other), -1)
            if row is None:
                raise UnsayableError(node.name)
            ends = self.marker(one), self.marker(other)
            self._add(ops.PROJECTED + axis, *ends, row + 1)
            return
        self.angles.append(np.array([hinges[0], *hinges[1]]))
        self._add(ops.ANGLE, len(self.angles) - 1)

    def _add(self, operation: int, *arguments: int) -> None:
        first, second, third, fourth = (*arguments, 0, 0, 0, 0)[:4]
        self.code.append((operation, first, second, third, fourth))


def _numbers_of(one: Spline, order: int) -> list[float]:
    """A spline's derivative of an order, as `ops.CURVE` takes it."""
    cubics = one.polynomial.derivative(order)
    rows = np.zeros((4, cubics.x.size - 1))
    rows[4 - cubics.c.shape[0] :] = cubics.c
    beyond = {"linear": 1.0, "none": 2.0}.get(one.extrapolate, 0.0)
    places = one.knots[[0, -1]]
    tangent = [one.polynomial(places), one.polynomial(places, 1), np.zeros(2), np.zeros(2)]
    ends = np.array(tangent[order : order + 2])
    parts = ([cubics.x.size, beyond], cubics.x, rows.T.ravel(), ends.T.ravel())
    return [float(x) for part in parts for x in part]
