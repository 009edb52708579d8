"""One solution along a path, each pose solved from the previous ones."""

from __future__ import annotations

import numpy as np

from sim.kinematics.inverse.branches import SINGULAR, Branches, moving_joints
from sim.kinematics.inverse.numerical import descend, search
from sim.kinematics.inverse.pose_error import TOLERANCE
from sim.kinematics.inverse.recognition import NUMERICAL
from sim.kinematics.jacobian import distance_from_singularity, jacobian
from sim.maths.arrays import Array
from sim.robots.robot import Robot


def step_along(robot: Robot, frame: str | None, T: Array, start: Array) -> Branches:
    """Return a single branch over poses (4, 4, N), by least squares inside the limits."""
    N = T.shape[2]
    q = np.empty((1, len(start), N))
    reached = np.empty((1, N), dtype=bool)
    last = start
    for k in range(N):
        target = T[:, :, k : k + 1]
        guess = 2 * q[0, :, k - 1] - q[0, :, k - 2] if k > 1 else last  # linear extrapolation
        fit = descend(robot, frame, target, guess[:, None], bounded=True)
        if k == 0 and fit.error.residual[0] > TOLERANCE:
            fit = search(robot, frame, target[..., 0], start)
        best = int(np.argmin(fit.error.residual))
        last = q[0, :, k] = fit.q[:, best]
        reached[0, k] = fit.error.residual[best] <= TOLERANCE
    J = jacobian(robot, q[0], frame)[:, moving_joints(robot, frame)]
    singular = distance_from_singularity(J)[None] < SINGULAR
    return Branches((NUMERICAL,), q, reached, singular, np.zeros_like(singular))
