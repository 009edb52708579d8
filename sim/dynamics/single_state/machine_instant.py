"""One state whose M and C qd + g come from machine code."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sim.dynamics.gravity import Gravity
from sim.dynamics.single_state.body_constants import body_constants
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.switch import is_on
from sim.maths.arrays import Array
from sim.robots.robot import Robot


class MachineInstant(Instant, frozen=True, eq=False, dict=True):
    """`Instant` with M and bias from the kernels, and joint loads from NumPy."""

    @cached_property
    def M(self) -> Array:
        """Mass matrix including rotors, shape (n, n) [kg·m², kg·m, kg]."""
        return self._mass_and_bias[0]

    @cached_property
    def bias(self) -> Array:
        """C qd + g, shape (n,) [N·m or N]."""
        return self._mass_and_bias[1]

    @cached_property
    def _mass_and_bias(self) -> tuple[Array, Array]:
        from sim.dynamics.kernels.bodies import mass_and_bias

        robot, q, qd = self.robot, self.q, self.qd
        S, q_0 = robot.coupling
        if not robot.is_plain:
            q, qd = S @ q + q_0.ravel(), S @ qd
        bodies = body_constants(robot, self.gravity)
        lower, bias = mass_and_bias(bodies, np.ascontiguousarray(q), np.ascontiguousarray(qd))
        M = lower + lower.T
        M.flat[:: q.size + 1] *= 0.5
        if not robot.is_plain:
            M, bias = S.T @ M @ S, S.T @ bias
        if robot.has_drives:
            M.flat[:: len(M) + 1] += robot.rotor_inertia
        return M, bias


def instant_of(robot: Robot, gravity: Gravity, q: Array, qd: Array) -> Instant:
    """Return one state of a robot, by the kernels if machine code is used; see `Instant`."""
    return (MachineInstant if is_on() else Instant)(robot, gravity, q, qd)
