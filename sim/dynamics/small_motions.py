"""Small motions about poses: which closed loops allow, and derivatives along them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.dynamics.closed_positions import INDEPENDENT, loop_rank
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.maths.arrays import Array, Mask, evaluate_in_batches
from sim.maths.differences import OFFSETS, WEIGHTS
from sim.maths.newton import pseudo_inverse
from sim.robots.robot import Robot

POSES = 100  # a pass, where each is displaced along every motion
STEP = 1e-3  # rad, m and per second: step⁶ of truncation, rounding over the step


def displaced(robot: Robot, q: Array, small: Array) -> Array:
    """Positions of all joints after a small motion from `q`, (n, K); all perturbations go by here.

    Parameters
    ----------
    q, small : ndarray, shape (n, K)
        [rad or m]; `small` is what a velocity does in a unit of time.
    """
    return q + small


def allowed_motions(robot: Robot, q: Array, loose: Mask, M: Array) -> Array:
    """Z, a basis of the motions of loose joints that closed loops allow, (loose, m, N).

    With loops its columns are orthonormal in the measure of the mass, `M` (loose, loose, N).
    """
    j, N = int(np.count_nonzero(loose)), q.shape[1]
    if not passive_joints(robot).any():
        return np.broadcast_to(np.eye(j)[..., None], (j, j, N))
    rank = loop_rank(robot, q[:, 0], ~loose)
    J = joint_equations(robot, q)[1][:, loose]
    G = np.linalg.inv(np.linalg.cholesky(np.moveaxis(M, -1, 0)))  # M⁻¹ = Gᵀ G
    _, sizes, Vt = np.linalg.svd(np.einsum("rjN,Nij->Nri", J, G))
    Z = np.einsum("Nij,Nmi->jmN", G, Vt[:, rank:])
    if rank:
        Z[..., ~(sizes[:, rank - 1] > INDEPENDENT * sizes[:, 0])] = np.nan
    return Z


def loop_forces_at_rest(robot: Robot, q: Array, torque: Array) -> Array:
    """λ with which the passive joints rest, (rows, N) [N]; the shortest where equations repeat.

    Parameters
    ----------
    torque : ndarray, shape (n, N)
        What each joint would need at rest with its loops open [N·m or N].
    """
    passive = passive_joints(robot)
    J = joint_equations(robot, q)[1][:, passive]
    inverse = pseudo_inverse(np.swapaxes(J, 0, 1))
    return np.asarray(np.einsum("rpN,pN->rN", inverse, torque[passive]))


def differences_along(torque: Callable[..., Array], Z: Array, *at: Array) -> Array:
    """Derivatives of a torque along the columns of Z by six points, (n, m, N).

    Parameters
    ----------
    torque : callable
        Small motions (n, K) and what it depends on (…, K) -> torques (n, K).
    Z : ndarray, shape (n, m, N)
    *at : ndarray, shape (…, N)
        What it depends on at each pose.
    """
    scale = np.abs(Z).max(axis=0, initial=0.0)  # (m, N): a column moves its joints by a step
    scale = np.where(scale > 0.0, scale, 1.0)

    def kernel(Z: Array, *at: Array) -> tuple[Array]:
        n, m, N = Z.shape
        small = (STEP * OFFSETS * Z[..., None]).reshape(n, -1)
        full = (m, N, OFFSETS.size)
        many = (
            np.broadcast_to(x[..., None, :, None], (*x.shape[:-1], *full)).reshape(
                *x.shape[:-1], -1
            )
            for x in at
        )
        return (torque(small, *many).reshape(n, *full) @ WEIGHTS / STEP,)

    (found,) = evaluate_in_batches(kernel, POSES, Z / scale, *at)
    return found * scale
