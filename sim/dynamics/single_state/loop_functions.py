"""Functions of two frames that loops keep at zero, for machine code: their jets on a stack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from sim.dynamics.single_state import kernels
from sim.functions.state_functions import ANGLES
from sim.functions.syntax import Call, Node, Number, Reading, constant
from sim.kinematics.loop_function_row import FunctionRow
from sim.maths.arrays import Array
from sim.robots.robot import Robot

READINGS = ("DM", "DX", "DY", "DZ", *ANGLES)
COMBINING = {"*": kernels.TIMES, "/": kernels.DIVIDE}
SMOOTH = ("ABS", "ACOS", "ASIN", "ATAN", "COS", "EXP", "SIN", "SQRT", "TAN")
UNARY = {name: kernels.ABS + kernels.UNARY.index(name) for name in SMOOTH}
ALONE = {"-": kernels.NEGATE, **UNARY}

Hinges = Iterable[tuple[int, float, Array]]
"""About an axis: the angle at zero, and by how much each joint turns it."""


class _UnsayableError(Exception):
    """Something is not in the machine's language."""


@dataclass
class LoopWriter:
    """Writes the functions of a robot's loops."""

    robot: Robot
    code: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    angles: list[Array] = field(default_factory=list)

    def write(self, row: FunctionRow, hinges: Hinges) -> tuple[int, Array] | None:
        """Kind and vector (1, 6) of its equation; None if machine code cannot evaluate it."""
        own, begin = np.zeros((1, 6)), len(self.code)
        turning = {axis: np.array([at_zero, *signs]) for axis, at_zero, signs in hinges}
        try:
            self._write(row.expression.tree, turning)
        except _UnsayableError:
            return None
        angles = {x.name for x in row.expression.readings if x.name in ANGLES}
        uncounted = [name for name in angles if "XYZ".index(name[1]) not in turning]
        if len(uncounted) > 1:
            return None
        own[0, :3] = begin, len(self.code), len(uncounted)
        return kernels.FUNCTION, own

    @property
    def programs(self) -> tuple[kernels.Numbers, Array, Array]:
        """What the kernels take."""
        n_tree = len(self.robot.tree_coordinates)
        return (
            np.array(self.code, dtype=np.intp).reshape(-1, 5),
            np.array(self.constants, dtype=float),
            np.array(self.angles, dtype=float).reshape(-1, 1 + n_tree),
        )

    def _write(self, node: Node, turning: dict[int, Array]) -> None:
        match node:
            case Number():
                self.constants.append(node.value)
                self._add(kernels.NUMBER, len(self.constants) - 1)
            case Reading():
                self._read(node, turning)
            case Call(name="+", arguments=(first, *rest)):
                self._write(first, turning)
                for term in rest:
                    self._write(term, turning)
                    self._add(kernels.ADD)
            case Call(name="**", arguments=(base, power)) if constant(power) is not None:
                self._write(base, turning)
                self._write(Number("", constant(power) or 0.0, 0), turning)
                self._add(kernels.POWER)
            case Call() if node.name in COMBINING or node.name in ALONE:
                for argument in node.arguments:
                    self._write(argument, turning)
                self._add({**COMBINING, **ALONE}[node.name])
            case _:
                raise _UnsayableError

    def _read(self, node: Reading, turning: dict[int, Array]) -> None:
        which, hinges = READINGS.index(node.name), -1
        axis = which - READINGS.index("AX")
        if axis in turning:
            hinges = len(self.angles)
            self.angles.append(turning[axis])
        self._add(kernels.SEEN + which, hinges)

    def _add(self, operation: int, argument: int = 0) -> None:
        self.code.append((operation, argument, 0, 0, 0))
