"""Gravity stiffness ∂g/∂q: the second derivative of the potential energy.

    ∂g_i/∂q_j = -Σ m g_0 · (ω_i × v_j),     joint i nearer to the root than j

with the columns ω_i and v_j of the Jacobians of a mass centre: a prismatic joint has no ω, and
joints farther out rotate with it. The axes of a ball rotate with it: its rows are differences.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.lagrange import gravity as gravity_torque
from sim.dynamics.small_motions import differences_along, displace
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, columns, evaluate_in_batches
from sim.robots.robot import Robot

CHUNK = 2000  # samples per pass


def gravity_stiffness(robot: Robot, q: Array, gravity: Gravity = GRAVITY) -> Array:
    """Return ∂g/∂q, the second derivative of the potential energy, (n, n, N) [N·m/rad].

    It is symmetric, except for balls away from an equilibrium: their rotations do not commute.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ValueError
        If the shape is not (n, N).
    """
    (q,) = columns(len(robot.coordinates), q=q)
    if robot.balls:
        return _by_differences(robot, q, gravity)
    tree, (S, _) = tree_of(robot), robot.coupling
    g_0 = np.asarray(gravity, dtype=np.float64)

    def kernel(q: Array) -> tuple[Array]:
        q_tree = robot.q_tree(q)
        poses = body_poses(tree, q_tree)
        H = np.zeros((tree.n, tree.n, q.shape[1]))
        for mass in tree.masses:
            joints, Jv, Jw = point_jacobian(
                tree, poses, mass.body, poses.point(mass.body, mass.com)
            )
            # g_0 · (ω_i × v_j) = (g_0 × ω_i) · v_j
            weight = -mass.mass * np.cross(g_0, Jw, axisb=1, axisc=1)
            inner = np.einsum("iaN,jaN->ijN", weight, Jv)
            upper = np.triu(np.ones(inner.shape[:2]))[:, :, None] * inner
            strict = np.triu(np.ones(inner.shape[:2]), 1)[:, :, None] * inner
            H[np.ix_(joints, joints)] += upper + np.swapaxes(strict, 0, 1)
        return (np.einsum("ai,abN,bj->ijN", S, H, S),)

    return evaluate_in_batches(kernel, CHUNK, q)[0]


def _by_differences(robot: Robot, q: Array, gravity: Gravity) -> Array:
    n, N = q.shape

    def torque(small: Array, q: Array) -> Array:
        return gravity_torque(robot, displace(robot, q, small), gravity)

    every = np.broadcast_to(np.eye(n)[..., None], (n, n, N))
    return differences_along(torque, every, q)
