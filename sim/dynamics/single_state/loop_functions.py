"""Functions of two frames that loops keep at zero, for machine code: their jets on a stack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from sim.dynamics.kernels import expressions as ops
from sim.dynamics.kernels.loop_equations import FUNCTION
from sim.dynamics.single_state.expression_code import UnsayableError, Writer, instruction_of
from sim.functions.state_functions import ANGLES, OF_LOOPS
from sim.functions.syntax import Call, Node, Number, Reading, constant
from sim.kinematics.loop_function_row import FunctionRow
from sim.maths.arrays import Array
from sim.robots.names import Names

Hinges = Iterable[tuple[int, float, Array]]
"""About an axis: the angle at zero, and by how much each joint turns it."""


def _has_jets(name: str) -> bool:
    """Whether the machine knows the jets of a function: of operators and of one value."""
    instruction = instruction_of(name)
    return name != "**" and instruction is not None and instruction < ops.MIN


@dataclass
class LoopWriter(Writer):
    """Writes the functions of a robot's loops."""

    turning: dict[int, Array] = field(default_factory=dict)

    def write(self, row: FunctionRow, hinges: Hinges) -> tuple[int, Array] | None:
        """Kind and vector (1, 6) of its equation; None if machine code cannot evaluate it."""
        vector, begin = np.zeros((1, 6)), len(self.code)
        self.turning = {axis: np.array([at_zero, *signs]) for axis, at_zero, signs in hinges}
        try:
            self._write(row.expression.tree, Names(()))
        except UnsayableError:
            return None
        angles = {x.name for x in row.expression.readings if x.name in ANGLES}
        uncounted = [name for name in angles if "XYZ".index(name[1]) not in self.turning]
        if len(uncounted) > 1:
            return None
        vector[0, :3] = begin, len(self.code), len(uncounted)
        return FUNCTION, vector

    def _write(self, node: Node, names: Names) -> None:
        match node:
            case Call(name="**", arguments=(base, power)) if constant(power) is not None:
                exponent = Number("", constant(power) or 0.0, 0)
                node = Call("**", (base, exponent), 0)
            case Call() if not (node.function.text or _has_jets(node.name)):
                raise UnsayableError
        super()._write(node, names)

    def _read(self, node: Reading, names: Names) -> None:
        which, hinges = OF_LOOPS.index(node.name), -1
        axis = which - OF_LOOPS.index("AX")
        if axis in self.turning:
            hinges = len(self.angles)
            self.angles.append(self.turning[axis])
        self._add(ops.SEEN + which, hinges)
