"""Strings of motors and their states at one state in machine code, for frequent evaluation.

Variables come first, each once, then torques and rates. What the machine cannot say, a spline, an
angle that is none of hinges or a force, is evaluated by NumPy before it runs. Where a value is not
finite the actuation itself is asked, which says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sim.dynamics.kernels import expressions as ops
from sim.dynamics.kernels.marker_forces import evaluate_laws
from sim.dynamics.kernels.records import marker_work
from sim.dynamics.single_state.body_constants import body_constants
from sim.dynamics.single_state.expression_code import UnsayableError, Writer
from sim.functions.one_value import value_at_one_state
from sim.functions.state_functions import GROUND
from sim.functions.syntax import Node, Reading
from sim.kinematics.forward import Kinematics
from sim.kinematics.state_reading import StateReading, hinges_between
from sim.maths.arrays import Array
from sim.robots.actuation import WrittenActuation
from sim.robots.marker import Angle
from sim.robots.names import Names
from sim.robots.robot import Robot


@dataclass
class _LawWriter(Writer):
    """Writes laws, with what the expressions of forces have not."""

    states: tuple[str | Angle, ...] = ()
    variables: dict[tuple[int, str], int] = field(default_factory=dict)
    left: list[tuple[Node, Names]] = field(default_factory=list)

    def _write(self, node: Node, names: Names) -> None:
        before = len(self.code), len(self.numbers), len(self.angles), len(self.markers)
        try:
            super()._write(node, names)
        except UnsayableError:
            for rows, length in zip(
                (self.code, self.numbers, self.angles, self.markers), before, strict=True
            ):
                del rows[length:]  # type: ignore[attr-defined]
            self.left.append((node, names))
            self._add(ops.OWN, len(self.states) + len(self.left) - 1)

    def _read(self, node: Reading, names: Names) -> None:
        if node.name == "DIF":
            self._add(ops.OWN, self.states.index(node.labels[0]))
        elif node.name == "VARVAL":
            self._add(ops.EARLIER, self.variables[id(names), node.labels[0]])
        elif not (node.name in ("WX", "WY", "WZ") and self._turns_by_hinges(node, names)):
            super()._read(node, names)

    def _turns_by_hinges(self, node: Reading, names: Names) -> bool:
        """Whether the rate is one of hinges along that axis, which is written then."""
        i, j, k = (names.marker(label) for label in (*node.labels, GROUND, GROUND)[:3])
        axis = "XYZ".index(node.name[1])
        hinges = hinges_between(self.robot, i, j, axis)
        if hinges is None or (j != k and hinges_between(self.robot, j, k, axis) is None):
            return False
        self.angles.append(np.array([hinges[0], *hinges[1]]))
        self._add(ops.HINGE_RATE, len(self.angles) - 1)
        return True

    def add_variables(self, names: Names) -> None:
        """Add one expression per variable, after those that it reads."""
        for label in names.ordered_variables:
            self.add_expression(names.expressions[label].tree, names)
            self.variables[id(names), label] = len(self.ends) - 1


class MotorLaws:
    """Torques of motors and rates of their states, by the laws of an actuation.

    Parameters
    ----------
    robot : Robot
    actuation : WrittenActuation

    Attributes
    ----------
    left : tuple of (Node, Names)
        What is left to NumPy.
    """

    def __init__(self, robot: Robot, actuation: WrittenActuation) -> None:
        self.robot, self.actuation = robot, actuation
        own_names = [name.upper() for name in actuation.state_names]
        names = (*own_names, *actuation.other_states)
        counted = {name: row for row, name in enumerate(names) if not isinstance(name, str)}
        writer = _LawWriter(robot, counted, states=names)
        laws = (*actuation.torque_laws, *actuation.rate_laws)
        for one in {id(law.names): law.names for law in laws}.values():
            writer.add_variables(one)
        self.first = len(writer.ends)
        for law in laws:
            writer.add_expression(law.expression.tree, law.names)
        self.values = np.empty(len(writer.ends))
        self.rows = np.array([law.row for law in actuation.torque_laws], dtype=np.intp)
        self.ratios = np.array([law.ratio for law in actuation.torque_laws])
        self.left = tuple(writer.left)
        self._left = [(value_at_one_state(node), names) for node, names in self.left]
        self.work = marker_work(body_constants(robot, (0.0, 0.0, 0.0)), writer.arrays())

    def at(self, time: float, q: Array, qd: Array, z: Array) -> tuple[Array, Array] | None:
        """Torques (n,) [N·m or N] and dz/dt (states,) at one state; None if one is not finite.

        Parameters
        ----------
        time : float
            [s]
        q, qd : ndarray, shape (n,)
            Of the independent joints [rad or m], [rad/s or m/s].
        z : ndarray, shape (states,)
            With what the laws read beside their own.
        """
        states = np.ascontiguousarray(z)
        if self.left:
            states = np.append(states, self._values_left(time, q, qd, z))
        if not self.robot.is_plain:
            S, q_0 = self.robot.coupling
            q, qd = S @ q + q_0.ravel(), S @ qd
        q, qd = np.ascontiguousarray(q), np.ascontiguousarray(qd)
        evaluate_laws(self.work, time, q, qd, states, self.values)
        outputs = self.values[self.first :]
        if not np.isfinite(outputs).all():
            return None
        torque = np.array(self.actuation.over_time(np.array([time]))[:, 0])
        torque[self.rows] = outputs[: self.rows.size] / self.ratios
        return torque, outputs[self.rows.size :].copy()

    def _values_left(self, time: float, q: Array, qd: Array, z: Array) -> list[float]:
        """The values that NumPy finds."""
        t, readings = np.array([time]), dict[int, StateReading]()
        own_names = [name.upper() for name in self.actuation.state_names]
        others = dict(zip(self.actuation.other_states, z[len(own_names) :, None], strict=True))
        of_robot = Kinematics(self.robot, q[:, None], qd[:, None], others)
        by_name = dict(zip(own_names, z[: len(own_names), None], strict=True))
        values = []
        for value, names in self._left:
            read = readings.setdefault(id(names), StateReading(t, of_robot, names, by_name))
            with np.errstate(all="ignore"):
                values.append(value(time, read))
        return values
