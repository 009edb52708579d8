"""Expressions of motors and their states at one state, in machine code for frequent evaluation.

If a value is not finite, the actuation itself is evaluated, which raises the error.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.marker_forces import act_between_markers
from sim.dynamics.kernels.records import marker_work
from sim.dynamics.single_state.body_constants import body_constants
from sim.dynamics.single_state.program_table import MarkerPrograms
from sim.maths.arrays import Array
from sim.robots.actuation import WrittenActuation
from sim.robots.robot import Robot


class MotorLaws:
    """Torques of motors and rates of their states, by the laws of an actuation.

    Parameters
    ----------
    robot : Robot
    actuation : WrittenActuation
        Actuation whose laws call no Python function.
    """

    def __init__(self, robot: Robot, actuation: WrittenActuation) -> None:
        self.robot, self.actuation = robot, actuation
        states = *map(str.upper, actuation.state_names), *actuation.other_states
        programs = MarkerPrograms(robot, states)
        laws = *actuation.torque_laws, *actuation.rate_laws
        self.places = [programs.add([law.expression.tree], law.names) for law in laws]
        self.rows = np.array([law.row for law in actuation.torque_laws], dtype=np.intp)
        self.ratios = np.array([law.ratio for law in actuation.torque_laws])
        self.work = marker_work(body_constants(robot, (0.0, 0.0, 0.0)), programs.arrays())

    def at(self, time: float, q: Array, qd: Array, z: Array) -> tuple[Array, Array] | None:
        """Return torques (n,) [N·m or N] and dz/dt (states,) at one state; None if not finite.

        Parameters
        ----------
        time : float
            [s]
        q, qd : ndarray, shape (n,)
            States of the independent joints [rad or m], [rad/s or m/s].
        z : ndarray, shape (states,)
            States, including others that the laws read.
        """
        if not self.robot.is_plain:
            S, q_0 = self.robot.coupling
            q, qd = S @ q + q_0.ravel(), S @ qd
        q, qd, z = map(np.ascontiguousarray, (q, qd, z))
        if not act_between_markers(self.work, time, q, qd, z):
            return None
        outputs = self.work.values[self.places]
        if not np.isfinite(outputs).all():
            return None
        torque = np.array(self.actuation.over_time(np.array([time]))[:, 0])
        torque[self.rows] = outputs[: self.rows.size] / self.ratios
        return torque, outputs[self.rows.size :]
