"""Motion of joints that nothing drives, from the Lagrangian model by an error-controlled solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.dynamics.friction import friction_torque
from sim.dynamics.lagrange import terms
from sim.errors import ScenarioError
from sim.robots.model import Robot
from sim.spatial import Array, Mask

# t -> q, qd, qdd of all independent joints, each (n, N)
Path = Callable[[Array], tuple[Array, Array, Array]]

RTOL, ATOL = 1e-11, 1e-12


def free_motion(
    robot: Robot,
    path: Path,
    free: Mask,
    q0: Array,
    qd0: Array,
    t: Array,
    corners: Array,
    gravity: tuple[float, float, float],
) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations of all joints when those in `free` are not driven.

    With f the free and p the prescribed joints,
    ``M_ff qdd_f = -(M_fp qdd_p + (C qd + g + friction)_f)``.

    Parameters
    ----------
    path : callable
        The prescribed motion; its rows of free joints are not used.
    free : ndarray of bool, shape (n,)
    q0, qd0 : ndarray, shape (n,)
        Start of the free joints.
    t : ndarray, shape (N,)
        Ascending times [s].
    corners : ndarray
        Times at which the integration starts anew, because a drive is not smooth there [s].

    Returns
    -------
    q, qd, qdd : ndarray, shape (n, N)

    Raises
    ------
    ScenarioError
        If a free joint has Coulomb friction, which can hold it still and has no smooth solution;
        or if the solver fails, then the message gives the time.
    """
    from scipy.integrate import solve_ivp

    n_free = int(np.count_nonzero(free))
    S, _ = robot.coupling
    _require_smooth_friction(robot, free)

    def full(times: Array, states: Array) -> tuple[Array, Array, Array]:
        q, qd, qdd = (x.copy() for x in path(times))
        q[free], qd[free], qdd[free] = states[:n_free], states[n_free:], 0.0
        lagrange = terms(robot, q, qd, gravity)
        rest = lagrange.torque(qd, qdd) + S.T @ friction_torque(robot, S @ qd)
        M_ff = np.moveaxis(lagrange.M[np.ix_(free, free)], -1, 0)
        qdd[free] = np.linalg.solve(M_ff, -rest[free].T[:, :, None])[:, :, 0].T
        return q, qd, qdd

    def rate(time: float, y: Array) -> Array:
        _, _, qdd = full(np.array([time]), y[:, None])
        return np.concatenate([y[n_free:], qdd[free, 0]])

    y = np.concatenate([q0[free], qd0[free]])
    states = np.empty((2 * n_free, t.size))
    states[:, 0] = y
    inner = corners[(corners > t[0]) & (corners < t[-1])]
    for begin, end in zip([t[0], *inner], [*inner, t[-1]], strict=True):
        here = (t > begin) & (t <= end)
        asked = np.unique([*t[here], end])
        solved = solve_ivp(
            rate, (begin, end), y, method="DOP853", t_eval=asked, rtol=RTOL, atol=ATOL
        )
        if not solved.success:
            raise ScenarioError(
                f"The free joints could not be integrated beyond t = {solved.t[-1]:.6g} s: "
                f"{solved.message}"
            )
        states[:, here] = solved.y[:, : np.count_nonzero(here)]
        y = solved.y[:, -1]
    return full(t, states)


def _require_smooth_friction(robot: Robot, free: Mask) -> None:
    S, _ = robot.coupling
    for joint, moved_by in zip(robot.tree_joints, S, strict=True):
        if joint.friction and moved_by[free].any():
            unit = "N" if joint.is_prismatic else "N·m"
            raise ScenarioError(
                f"Joint {joint.name!r} is free and has Coulomb friction {joint.friction:g} {unit}; "
                "a free joint may have damping only: drive it, or take the friction out of the URDF"
            )
