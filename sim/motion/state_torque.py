"""Torques of motors as strings of the state, such as ``-30*AZ(arm, base)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.errors import ModelError, ScenarioError
from sim.functions.state_expression import StateExpression
from sim.kinematics.forward import Kinematics, marker_place
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.names import Names
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class StateTorque:
    """The torque of one motor as a function of time and state.

    Parameters
    ----------
    expression : StateExpression
    names : Names
        What it names.
    """

    expression: StateExpression
    names: Names

    @property
    def text(self) -> str:
        """As typed."""
        return self.expression.text

    def breaks(self, t0: float, t1: float) -> Array:
        """Times in [t0, t1] where it may jump by time alone [s]."""
        times = self.expression.breaks(t1)
        return times[times >= t0]

    def at(self, t: Array, kinematics: Kinematics) -> Array:
        """Its values at N times and states, (N,) [N·m or N]."""
        return self.expression.value(t, StateReading(t, kinematics, self.names))


@dataclass(frozen=True, eq=False)
class TorqueOfState:
    """Torques of motors, an `Actuation`; some of them functions of the state.

    Parameters
    ----------
    robot : Robot
    over_time : callable
        Times (N,) [s] -> torques (n, N) of the motors that follow time alone [N·m or N].
    laws : sequence of (int, StateTorque, float)
        Row and law of each other motor, and the ratio by which its torque is divided.

    Raises
    ------
    ModelError
        If a marker is on no link of the robot.
    """

    robot: Robot
    over_time: Callable[[Array], Array]
    laws: Sequence[tuple[int, StateTorque, float]]
    states: ClassVar[int] = 0
    start: ClassVar[Array] = np.empty(0)
    hold: ClassVar[float | None] = None

    def __post_init__(self) -> None:
        for row, law, _ in self.laws:
            for marker in law.names.markers_read(law.expression):
                try:
                    marker_place(self.robot, marker)
                except ModelError as error:
                    raise ModelError(f"{self._title(row)}: {error}") from None

    def _title(self, row: int) -> str:
        return f"Torque of joint {self.robot.row_names[row]!r}"

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Torques of the motors, shape (n, N) [N·m or N].

        Raises
        ------
        ScenarioError
            If one is not finite; names joint and time.
        """
        torque = np.array(self.over_time(t))
        kinematics = Kinematics(self.robot, q, qd)
        for row, law, ratio in self.laws:
            torque[row] = law.at(t, kinematics) / ratio
            if not np.isfinite(torque[row]).all():
                time = float(t[~np.isfinite(torque[row])][0])
                raise ScenarioError(f"{self._title(row)}: it is not finite at t = {time:.6g} s")
        return torque

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Nothing, shape (0, N)."""
        return np.empty((0, t.size))

    def sample(self, t: float, q: Array, qd: Array, z: Array) -> Array:
        """Nothing, shape (0,)."""
        return z
