"""Where loops are closed by the least change of positions, or where they are least open."""

from __future__ import annotations

import numpy as np

from sim.kinematics.loop_equations import position_equations
from sim.maths.arrays import Array
from sim.robots.robot import Robot

SHORTEST, MOST_STEPS = 1e-12, 60  # [m], [rad]; where the steps to the nearest place end
LONGEST = 0.5  # [rad] that one step may turn a joint
REPEATED = 1e-9  # of the largest singular value; an equation below repeats others


def nearest_closed(robot: Robot, q: Array, reach: Array) -> Array:
    """Positions (n, 1) with closed loops, or as near as can be, by the least change of `q`.

    Of q + r y the sum y² is least: from y = 0 by steps y ← A⁺ (A y - e), A = ∂e/∂q r. Newton's,
    y - A⁺ e, end at closed positions too, but not at the nearest.

    Parameters
    ----------
    q : ndarray, shape (n, 1)
        [rad or m]
    reach : ndarray, shape (n,)
        r, the change of a coordinate that counts 1; by 0 it is held.
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
    """Positions (n, 1) where the loops are least open, near to `q`: the sum of e² is least.

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
