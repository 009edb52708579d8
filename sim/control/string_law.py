"""Control law for sampled controllers, given by expressions of time and sensed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sim.dynamics.control_axes import ControlAxes, both_sides
from sim.dynamics.control_loop import Sensed
from sim.dynamics.counted_angle import CountedAngle, counted_angles
from sim.errors import ScenarioError
from sim.functions.expression import StateExpression
from sim.kinematics.forward import Kinematics
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.marker import Angle
from sim.robots.names import Names
from sim.robots.robot import Robot


class StringLaw:
    """Torques by joint, such as ``-30*AZ(arm, base)``, at the sensed positions and rates.

    Parameters
    ----------
    robot : Robot
        Robot on which the expressions are evaluated.
    strings : mapping of str to str
        Expressions by joint [N·m or N].
    names : Names
        Names for the expressions.

    Raises
    ------
    ScenarioError
        If a joint is unknown.
    ExpressionError
        If an expression cannot be read; the message shows the place.
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

    @cached_property
    def _angles(self) -> tuple[Angle, ...]:
        """AX, AY and AZ in the expressions."""
        return tuple(angle for _, one in self._rows for angle in self.names.angles_read(one.tree))

    def __call__(self, sensed: Sensed, state: _Turned | None) -> tuple[Array, _Turned | None]:
        """Return torques (n,) [N·m or N], and the counted angles."""
        t, torque = np.array([sensed.t]), np.zeros(sensed.q.size)
        q, qd = (both_sides(self.robot, values)[:, None] for values in (sensed.q, sensed.qd))
        if self._angles:
            state = self._turn(t, q, qd, state)
        turned = {} if state is None else state.angles
        reading = StateReading(t, Kinematics(self.robot, q, qd, turned), self.names)
        for row, expression in self._rows:
            torque[row] = np.broadcast_to(expression.value(t, reading), t.shape)[0]
        return torque, state

    def _turn(self, t: Array, q: Array, qd: Array, before: _Turned | None) -> _Turned:
        """Return the angles that are not counted by hinges, at this sample."""
        if before is None:
            return _Turned(t, q, qd, counted_angles(self._angles, self.robot, q))
        times = np.append(before.t, t)
        kinematics = Kinematics(self.robot, np.hstack([before.q, q]), np.hstack([before.qd, qd]))
        counted = [
            replace(one, at_start=float(one.along(times, kinematics)[0][1]))
            for one in before.counted
        ]
        return _Turned(t, q, qd, tuple(counted))


class _Turned(NamedTuple):
    """Counted angles at a sample, with the time and the sensed state."""

    t: Array
    q: Array
    qd: Array
    counted: tuple[CountedAngle, ...]

    @property
    def angles(self) -> dict[str | Angle, Array]:
        """Angles, (1,) each [rad]."""
        return {one.angle: np.array([one.at_start]) for one in self.counted}
