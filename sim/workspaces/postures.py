"""All joint positions within the limits that bring the tool to poses or points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.branches import branches
from sim.kinematics.inverse.travel import inside_limits, nearest_copy
from sim.kinematics.jacobian import jacobian
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot
from sim.workspaces.joint_samples import sample_range

STARTS = 6  # nearest samples from which a point is tried
MET = 1e-9  # m; tolerance of a numerical posture at its point
_ITERATIONS = 60
_DAMPING = 1e-9  # of the mean squared column of J


@dataclass(frozen=True, eq=False)
class Postures:
    """Several joint positions for each of N targets.

    Parameters
    ----------
    q : ndarray, shape (B, n, N)
        [rad or m]
    ok : ndarray of bool, shape (B, N)
        Where one reaches its target, within the limits.
    free : ndarray of bool, shape (N,)
        Where a singularity leaves a joint arbitrary; one position was tried.
    """

    q: Array
    ok: Mask
    free: Mask


def postures_at_poses(robot: Robot, T: Array) -> Postures:
    """Return each branch of the closed form, with the full turns nearest to zero.

    Parameters
    ----------
    T : ndarray, shape (4, 4, N)

    Raises
    ------
    ModelError
        If the robot has no closed form.
    """
    solutions = branches(robot, T)
    q = np.stack([nearest_copy(robot, one, np.zeros(len(one))) for one in solutions.q])
    inside = np.stack([inside_limits(robot, one) for one in q])
    free: Mask = np.any(solutions.free, axis=0)
    return Postures(q, solutions.reached & inside, free)


def postures_at_points(robot: Robot, points: Array, samples: Array) -> Postures:
    """Return joint positions that bring the tool to points in any direction, from samples.

    The search is numerical: a point may be within reach even if no start reaches it.

    Parameters
    ----------
    points : ndarray, shape (3, N)
        [m]
    samples : ndarray, shape (n, M)
        Joint positions to start from.
    """
    from scipy.spatial import KDTree

    places = KDTree(frame_pose(robot, samples)[:3, 3].T)
    _, nearest = places.query(points.T, min(STARTS, samples.shape[1]))
    nearest = nearest.reshape(points.shape[1], -1).T  # (B, N)
    descents = [_descend(robot, points, samples[:, starts]) for starts in nearest]
    ok = np.stack([ok for _, ok in descents])
    return Postures(np.stack([q for q, _ in descents]), ok, np.zeros(ok.shape[1], dtype=np.bool_))


def _descend(robot: Robot, points: Array, q: Array) -> tuple[Array, Mask]:
    """Take least-norm Newton steps towards points, within limits; return q and convergence."""
    lower, upper = (end[:, None] for end in sample_range(robot))
    q = np.clip(q, lower, upper)
    met = np.zeros(q.shape[1], dtype=bool)
    active, last = np.arange(q.shape[1]), np.full(q.shape[1], np.inf)
    for _ in range(_ITERATIONS):
        e = points[:, active] - frame_pose(robot, q[:, active])[:3, 3]
        size = np.linalg.norm(e, axis=0)
        met[active] = size <= MET
        going = (size > MET) & (size < 0.999 * last[active])  # otherwise out of reach
        last[active] = size
        active, e = active[going], e[:, going]
        if not active.size:
            break
        q[:, active] = np.clip(q[:, active] + _step(robot, q[:, active], e), lower, upper)
    return q, met


def _step(robot: Robot, q: Array, e: Array) -> Array:
    lower, upper = (end[:, None] for end in sample_range(robot))
    J = jacobian(robot, q)[:3]
    downhill = np.einsum("anN,aN->nN", J, e)
    held = ((q <= lower) & (downhill < 0)) | ((q >= upper) & (downhill > 0))
    J = np.where(held[None], 0.0, J)
    H = np.einsum("anN,bnN->Nab", J, J)
    size = np.trace(H, axis1=1, axis2=2) / 3 + 1e-300
    H[:, range(3), range(3)] += (_DAMPING * size)[:, None]
    weights: Array = np.linalg.solve(H, e.T[..., None])[..., 0]
    return np.clip(np.einsum("anN,Na->nN", J, weights), -0.5, 0.5)
