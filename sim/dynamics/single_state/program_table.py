"""Programs of expressions as arrays of numbers for the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from sim.dynamics.kernels.records import MarkerForces
from sim.dynamics.marker_force import MarkerForce
from sim.functions.operation import Operation
from sim.functions.program import OPCODES, Program, compile_expression
from sim.functions.spline import Spline
from sim.functions.state_functions import ANGLES, GROUND
from sim.functions.syntax import Call, Node, Reading, walk
from sim.kinematics.forward import marker_place
from sim.kinematics.state_reading import hinges_between
from sim.maths.arrays import Array
from sim.robots.marker import Angle, Marker
from sim.robots.names import Names
from sim.robots.robot import Robot

Row = tuple[int, ...]
"""An opcode, and up to four arguments."""


@dataclass
class ProgramTable:
    """Concatenated programs, with the numbers that they use."""

    code: list[Row] = field(default_factory=list)
    numbers: list[float] = field(default_factory=lambda: [np.inf])
    hinges: list[Array] = field(default_factory=list)

    def link(self, program: Program, read: Callable[[Reading], Row]) -> tuple[int, int]:
        """Append a program, with the rows that `read` gives for readings; return begin and end."""
        begin = len(self.code)
        for name, operand in program.instructions:
            match operand:
                case None:
                    row: Row = (OPCODES[name],)
                case float():
                    row = OPCODES[name], self.add_numbers([operand])
                case Reading():
                    row = read(operand)
                case Operation(curve=curve):
                    points = _numbers_of(*cast("tuple[Spline, int]", curve))
                    row = OPCODES[name], self.add_numbers(points)
            self.code.append((*row, 0, 0, 0, 0)[:5])
        return begin, len(self.code)

    def add_numbers(self, numbers: Sequence[float]) -> int:
        """Append numbers and return the index of the first."""
        self.numbers += numbers
        return len(self.numbers) - len(numbers)

    def add_hinges(self, at_zero: float, signs: Array) -> int:
        """Append an angle of hinges by its value at zero and joint senses; return its index."""
        self.hinges.append(np.array([at_zero, *signs]))
        return len(self.hinges) - 1


class MarkerPrograms(ProgramTable):
    """Programs of the forces between markers and of the motors of a robot.

    Parameters
    ----------
    robot : Robot
    states : sequence of str, Angle or None
        Content of each row of the machine's states: names in capitals, and counted angles.
    """

    def __init__(self, robot: Robot, states: Sequence[str | Angle | None] = ()) -> None:
        super().__init__()
        self.robot, self.states = robot, states
        self.markers, self.ends = list[Marker](), list[tuple[int, int]]()
        self.force_rows, self.variables = dict[MarkerForce, Row](), dict[tuple[Names, str], int]()
        self.acting = set[MarkerForce]()

    def add_force(self, force: MarkerForce) -> None:
        """Add an acting force that is not a Python function."""
        self.acting.add(force)
        self._add_force(force)

    def _add_force(self, force: MarkerForce) -> None:
        """Add a force that acts or is read, if it is new, after the forces that it reads."""
        law = force.law_on_i
        if force in self.force_rows or law is None:
            return
        along = -1 if law.along is None else self.marker(law.along)
        ends = self.marker(force.i), self.marker(force.j)
        turning = self.add_numbers(law.turning_stiffness) if any(law.turning_stiffness) else 0
        first = self.add(law.expressions, law.names)
        self.force_rows[force] = (*ends, along, int(force.has_reaction), first, turning)

    def add(self, trees: Sequence[Node], names: Names) -> int:
        """Append programs after all that they read; return the index of the first."""
        for force in _forces_read(trees, names):
            self._add_force(force)
        for label in _variables_read(trees, names):
            if (names, label) not in self.variables:
                self.variables[names, label] = len(self.ends)
                self._add(names.expressions[label].tree, names)
        first = len(self.ends)
        for tree in trees:
            self._add(tree, names)
        return first

    def _add(self, tree: Node, names: Names) -> None:
        program = compile_expression(tree)
        self.ends.append(self.link(program, lambda reading: self._read(reading, names)))

    def arrays(self, rated: Sequence[Angle] = ()) -> MarkerForces:
        """Return everything as a record for kernels, with the angles whose rates they compute."""
        counted = [("XYZ".index(name[1]), self.marker(i), self.marker(j)) for name, i, j in rated]
        places = [marker_place(self.robot, marker) for marker in self.markers]
        T = np.array([T for _, T in places]).reshape(-1, 4, 4)
        forces = [(*row, int(one in self.acting)) for one, row in self.force_rows.items()]
        return MarkerForces(
            body=np.array([body for body, _ in places]),
            origin=T[:, :3, 3],
            axes=T[:, :3, :3],
            code=np.array(self.code).reshape(-1, 5),
            constants=np.array(self.numbers),
            hinges=np.array(self.hinges).reshape(-1, 1 + len(self.robot.tree_coordinates)),
            forces=np.array(forces).reshape(-1, 7),
            programs=np.array(self.ends).reshape(-1, 2),
            counted=np.array(counted).reshape(-1, 3),
        )

    def marker(self, marker: Marker) -> int:
        """Return the index of a marker, which is added if it is new."""
        if marker not in self.markers:
            self.markers.append(marker)
        return self.markers.index(marker)

    def _read(self, node: Reading, names: Names) -> Row:
        """Return the instruction of a function of the state."""
        opcode, name = OPCODES[node.name], node.name
        if name == "VARVAL":
            return opcode, self.variables[names, node.labels[0]]
        if name == "DIF":
            return opcode, self.states.index(node.labels[0])
        if name == "SFORCE":
            force = list(self.force_rows).index(_force_of(node, names))
            axes = self.marker(names.marker((*node.labels, GROUND)[1]))
            return opcode, force, *map(int, node.numbers), axes
        i, j, k, observer = [names.marker(label) for label in (*node.labels, *3 * [GROUND])][:4]
        if name in (*ANGLES, "WX", "WY", "WZ") and (row := self._turn(name, i, j, k)) is not None:
            return row
        if name in ANGLES:
            angle = name, i, j
            which = self.states.index(angle) + 1 if angle in self.states else 0
            return opcode, self.marker(i), self.marker(j), which
        # VM names the observer third, because it has no axes.
        every = i, j, k, k if name == "VM" else observer
        return opcode, *map(self.marker, every)

    def _turn(self, name: str, i: Marker, j: Marker, k: Marker) -> Row | None:
        """Return the instruction of a hinge angle, or of its rate if k shares its axis; or None."""
        axis = "XYZ".index(name[1])
        hinges = hinges_between(self.robot, i, j, axis)
        if hinges is None:
            return None
        if name in ANGLES:
            return OPCODES["HINGES"], self.add_hinges(*hinges)
        if j != k and hinges_between(self.robot, j, k, axis) is None:
            return None
        return OPCODES["HINGE_RATE"], self.add_hinges(*hinges)


def python_function(force: MarkerForce) -> str:
    """Return the name of a Python function that a force is or calls; empty if there is none."""
    if (law := force.law_on_i) is None:
        return force.kind
    return python_function_of(law.expressions, law.names)


def python_function_of(trees: Sequence[Node], names: Names) -> str:
    """Return the name of a Python function that expressions call; empty if there is none.

    This includes SFORCE of a force that is one, or that is switched.
    """
    if any(force.switched or python_function(force) for force in _forces_read(trees, names)):
        return "SFORCE"
    parts = (part for tree in trees for part in walk(tree) if isinstance(part, Call))
    return next((one.name for one in parts if one.bound and one.bound.curve is None), "")


def _variables_read(trees: Sequence[Node], names: Names) -> tuple[str, ...]:
    """Return variables in expressions, each once and after those that it reads itself."""
    return tuple(dict.fromkeys(x for tree in trees for x in names.variables_read(tree)))


def _forces_read(trees: Sequence[Node], names: Names) -> Iterator[MarkerForce]:
    """Yield forces in expressions, directly or through their variables."""
    variables = (names.expressions[label].tree for label in _variables_read(trees, names))
    for tree in (*trees, *variables):
        for part in walk(tree):
            if isinstance(part, Reading) and part.name == "SFORCE":
                yield _force_of(part, names)


def _force_of(reading: Reading, names: Names) -> MarkerForce:
    return cast("MarkerForce", names.force_by_label[reading.labels[0]])


def _numbers_of(one: Spline, order: int) -> list[float]:
    """Return the numbers of a spline's derivative of some order, as CURVE takes them."""
    cubics = one.polynomial.derivative(order)
    rows = np.zeros((4, cubics.x.size - 1))
    rows[4 - cubics.c.shape[0] :] = cubics.c
    beyond = {"linear": 1.0, "none": 2.0}.get(one.extrapolate, 0.0)
    places = one.knots[[0, -1]]
    tangent = [one.polynomial(places), one.polynomial(places, 1), np.zeros(2), np.zeros(2)]
    ends = np.array(tangent[order : order + 2])
    parts = ([cubics.x.size, beyond], cubics.x, rows.T.ravel(), ends.T.ravel())
    return [float(x) for part in parts for x in part]
