"""A law of sampled controllers that is strings of time and of what is sensed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from sim.dynamics.control_axes import ControlAxes, both_sides
from sim.dynamics.control_loop import Sensed
from sim.errors import ScenarioError
from sim.functions.state_expression import StateExpression
from sim.kinematics.forward import Kinematics
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.names import Names
from sim.robots.robot import Robot


class StringLaw:
    """Torques by joint, such as ``-30*AZ(arm, base)``, of the positions and rates as sensed.

    Parameters
    ----------
    robot : Robot
        Of which the functions are evaluated.
    strings : mapping of str to str
        By joint [N·m or N].
    names : Names
        What they may read.

    Raises
    ------
    ScenarioError
        If a joint is unknown.
    ExpressionError
        If a string cannot be read; the message shows the place.
    """

    def __init__(self, robot: Robot, strings: Mapping[str, str], names: Names) -> None:
        self.robot, self.strings, self.names = robot, strings, names
        for name in strings:
            if name not in (joints := ControlAxes.of(robot).names):
                raise ScenarioError(
                    f"Controller of joint {name!r}: it is not in robot {robot.name!r}; joints: "
                    f"{', '.join(joints)}"
                )
        _ = self._rows

    @cached_property
    def _rows(self) -> tuple[tuple[int, StateExpression], ...]:
        names = ControlAxes.of(self.robot).names
        return tuple(
            (names.index(joint), self.names.parse(f"Controller of joint {joint!r}", text))
            for joint, text in self.strings.items()
        )

    def __call__(self, sensed: Sensed, state: Any) -> tuple[Array, Any]:
        """Torques (n,) [N·m or N]; strings have no state."""
        t, torque = np.array([sensed.t]), np.zeros(sensed.q.size)
        q, qd = (both_sides(self.robot, values)[:, None] for values in (sensed.q, sensed.qd))
        kinematics = Kinematics(self.robot, q, qd)
        reading = StateReading(t, kinematics, self.names)
        for row, expression in self._rows:
            torque[row] = np.broadcast_to(expression.value(t, reading), t.shape)[0]
        return torque, state
