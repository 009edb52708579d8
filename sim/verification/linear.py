"""Small oscillations about a pose, computed from the efforts of a method alone."""

from __future__ import annotations

import numpy as np

from sim.maths.arrays import Array
from sim.maths.differences import differentiate
from sim.robots.robot import Robot
from sim.verification.solving import EARTH, SolvingMethod

STEP = 0.01  # [rad or m]; step of the differences


def squared_frequencies(method: SolvingMethod, robot: Robot, q: Array) -> Array:
    """Return squared angular frequencies of ``M x'' + K x = 0`` about rest at q (n,) [1/s²].

    M is from unit accelerations, K = ∂g/∂q from central differences of sixth order; ascending.
    """

    def efforts(offsets: Array) -> Array:
        states = q[:, None] + offsets
        return method.inverse_dynamics(robot, states, 0 * states, 0 * states, EARTH)

    K = differentiate(efforts, len(q), STEP)
    return np.sort(np.linalg.eigvals(np.linalg.solve(method.mass_matrix(robot, q), K)).real)
