"""M and C qd + g of one state: in machine code where it is, else by NumPy."""

from __future__ import annotations

import numpy as np

from sim.dynamics.single_state.body_constants import body_constants
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.switch import is_on
from sim.maths.arrays import Array


def mass_and_bias(at: Instant) -> tuple[Array, Array]:
    """M (n, n) with the rotors, and C qd + g (n,), of the independent joints."""
    if not is_on():
        return at.M, at.bias
    from sim.dynamics.single_state import kernels

    robot = at.robot
    bodies = body_constants(robot, at.gravity)
    work = kernels.workspace_for(bodies[0].size)
    q, qd = np.ascontiguousarray(at.q), np.ascontiguousarray(at.qd)
    if not robot.is_plain:
        S, q_0 = robot.coupling
        q, qd = S @ q + q_0.ravel(), S @ qd
    kernels.move_bodies(bodies, q, qd, work)
    lower, bias = work[0], work[1]
    M = lower + np.tril(lower, -1).T
    if not robot.is_plain:
        M, bias = S.T @ M @ S, S.T @ bias
    if robot.has_drives:
        M[np.diag_indices_from(M)] += robot.rotor_inertia
    return M, bias
