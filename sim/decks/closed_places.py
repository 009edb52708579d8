"""Positions with closed loops by minimal change, or with minimal loop gaps."""

from __future__ import annotations

import numpy as np

from sim.kinematics.loop_equations import position_equations
from sim.maths.arrays import Array
from sim.robots.robot import Robot

SHORTEST, MOST_STEPS = 1e-12, 60  # [m], [rad] end of the iteration
LONGEST = 0.5  # [rad] rotation of a joint per step
REPEATED = 1e-9  # relative to the largest singular value; smaller equations are redundant


def nearest_closed(robot: Robot, q: Array, reach: Array) -> Array:
    """Return positions (n, 1) that close the loops, or nearly do, by the least change of `q`.

    Of q + r y the sum y² is minimal: iterate y ← A⁺ (A y - e), A = ∂e/∂q r, from y = 0. Newton
    steps, y - A⁺ e, end at closed positions too, but not at the closest.

    Parameters
    ----------
    q : ndarray, shape (n, 1)
        [rad or m]
    reach : ndarray, shape (n,)
        r, the change of each coordinate with weight 1; 0 locks it.
    """
    y, is_angle = np.zeros(reach.size), [row.is_angle for row in robot.coordinates]
    for _ in range(MOST_STEPS):
        at = q + (reach * y)[:, None]
        e, J = position_equations(robot, at)
        A = J[..., 0] * reach
        b = A @ y - e[:, 0]
        if not (np.isfinite(A).all() and np.isfinite(b).all()):
            break
        step = np.linalg.lstsq(A, b, rcond=REPEATED)[0] - y
        step *= LONGEST / np.abs(reach * step)[is_angle].max(initial=LONGEST)
        y += step
        if np.abs(reach * step).max(initial=0.0) <= SHORTEST:
            break
    return q + (reach * y)[:, None]


def least_open(robot: Robot, q: Array, reach: Array) -> Array:
    """Return positions (n, 1) near `q` with the smallest loop gaps: the sum of e² is minimal.

    The arguments are those of `nearest_closed`.
    """
    from scipy.optimize import least_squares

    def error(y: Array) -> Array:
        return position_equations(robot, q + (reach * y)[:, None])[0][:, 0]

    def gradient(y: Array) -> Array:
        return position_equations(robot, q + (reach * y)[:, None])[1][..., 0] * reach

    start = np.zeros(reach.size)
    solution = least_squares(error, start, gradient, x_scale="jac", max_nfev=MOST_STEPS)
    return q + (reach * np.asarray(solution.x))[:, None]
