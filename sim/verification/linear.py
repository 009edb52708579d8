"""Small oscillations about a pose, computed from the efforts of a method alone."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.maths.differences import differentiate
from sim.robots.robot import Robot
from sim.verification.solving import EARTH, SolvingMethod

STEP = 0.01  # [rad or m]; step of the differences


def squared_frequencies(
    method: SolvingMethod, robot: Robot, q: Array, gravity: tuple[float, float, float] = EARTH
) -> Array:
    """Return squared angular frequencies of ``M x'' + K x = 0`` about rest at q (n,) [1/s²].

    M is from unit accelerations, K from central differences of sixth order; ascending.
    """
    K = stiffness(method, robot, q, gravity)
    return np.sort(np.linalg.eigvals(np.linalg.solve(method.mass_matrix(robot, q), K)).real)


def stiffness(
    method: SolvingMethod, robot: Robot, q: Array, gravity: tuple[float, float, float] = EARTH
) -> Array:
    """Return ∂g/∂q at a pose (n,), (n, n) [N·m/rad, N, N/m]."""

    def efforts(beside: Array) -> Array:
        states = q[:, None] + beside
        return method.inverse_dynamics(robot, states, 0 * states, 0 * states, gravity)

    return differentiate(efforts, len(q), STEP)
