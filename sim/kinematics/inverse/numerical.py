"""Inverse kinematics of any robot by damped least squares (Levenberg 1944, Marquardt 1963)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.inverse.pose_error import TOLERANCE, PoseError, pose_error
from sim.kinematics.inverse.travel import TAU, joint_limits, turns
from sim.kinematics.jacobian import chain_length, jacobian
from sim.kinematics.poe import screws_of
from sim.maths.arrays import Array
from sim.robots.robot import Robot

STARTS = 32  # starts tried at once
ROUNDS = 8
ITERATIONS = 80
_SEED = 20180701
_LEAST, _MOST = 1e-14, 1e8  # damping, relative to the mean squared column of J
_STALL = 1e-6  # relative improvement of a step below which the descent ends


@dataclass(frozen=True, eq=False)
class PoseFit:
    """Joint positions that reach their poses as closely as the iteration could.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    error : PoseError
    """

    q: Array
    error: PoseError


def search(
    robot: Robot, frame: str | None, T_0e: Array, near: Array, *, turns_freely: bool = False
) -> PoseFit:
    """Search joint positions inside the limits from many starts: `near`, then random ones.

    Stops after the first round of starts in which one reaches the pose; results are in the order of
    the starts. The random starts are the same in every call.

    Parameters
    ----------
    T_0e : ndarray, shape (4, 4)
    near : ndarray, shape (n,)
    turns_freely : bool
        Whether any orientation will do.
    """
    rng = np.random.default_rng(_SEED)
    lower, upper = joint_limits(robot)
    length = 0.0 if turns_freely else chain_length(robot, frame)
    # the full turn inside the limits that is nearest to `near`, or all that the limits leave of it
    low = np.clip(near - np.pi, lower, np.maximum(lower, upper - TAU))
    high = np.minimum(low + TAU, upper)
    moving = np.any(screws_of(robot, frame).coupling != 0, axis=0)[:, None]
    fits: list[PoseFit] = []
    for _ in range(ROUNDS):
        starts = rng.uniform(low[:, None], high[:, None], (len(near), STARTS))
        starts = np.where(moving, starts, near[:, None])
        if not fits:
            starts[:, 0] = np.clip(near, lower, upper)
        fits.append(descend(robot, frame, T_0e[:, :, None], starts, bounded=True, length=length))
        if (fits[-1].error.residual <= TOLERANCE).any():
            break
    q = np.concatenate([fit.q for fit in fits], axis=1)
    return PoseFit(q, _error(robot, frame, q, T_0e[:, :, None], length))


def descend(
    robot: Robot,
    frame: str | None,
    T_0e: Array,
    q: Array,
    *,
    bounded: bool,
    iterations: int = ITERATIONS,
    length: float = 1.0,
) -> PoseFit:
    """Minimise the pose error by least squares from each column of `q`.

    Parameters
    ----------
    T_0e : ndarray, shape (4, 4, N) or (4, 4, 1)
    q : ndarray, shape (n, N)
    bounded : bool
        Whether joints stay inside their limits.
    length : float
        Distance that counts as 1 rad of rotation; 0 if any orientation will do [m].
    """
    lower, upper = joint_limits(robot) if bounded else (-np.inf, np.inf)
    lower, upper = (np.broadcast_to(limit, len(q))[:, None] for limit in (lower, upper))
    q = np.clip(q, lower, upper)
    error = _error(robot, frame, q, T_0e, length)
    damping = np.full(q.shape[1], 1e-3)
    for _ in range(iterations):
        active = np.flatnonzero((error.residual > TOLERANCE / 100) & (damping < _MOST))
        if not active.size:
            break
        target = T_0e if T_0e.shape[2] == 1 else T_0e[:, :, active]
        start = q[:, active]
        e = _stack(error, length)[:, active]
        step = _step(robot, frame, start, e, damping[active], lower, upper, length)
        trial = np.clip(start + step, lower, upper)
        result = _error(robot, frame, trial, target, length)
        before, after = _square(error, length)[active], _square(result, length)
        better = after < before
        factor = np.where(better, 0.1, 10.0)
        factor[better & (after > (1 - _STALL) * before)] = np.inf  # a minimum out of reach
        damping[active] = np.maximum(damping[active] * factor, _LEAST)
        accepted = active[better]
        q[:, accepted] = trial[:, better]
        error.p[:, accepted], error.w[:, accepted] = result.p[:, better], result.w[:, better]
    return PoseFit(q, error)


def _step(
    robot: Robot,
    frame: str | None,
    q: Array,
    e: Array,
    damping: Array,
    lower: Array,
    upper: Array,
    length: float,
) -> Array:
    """Solve (JᵀJ + damping) Δq = Jᵀe; joints that would leave their limits are held."""
    J = jacobian(robot, q, frame)
    J[3:] *= length
    downhill = np.einsum("anN,aN->nN", J, e)
    held = ((q <= lower) & (downhill < 0)) | ((q >= upper) & (downhill > 0))
    J = np.where(held[None], 0.0, J)
    H = np.einsum("anN,amN->Nnm", J, J)
    n = len(q)
    size = np.trace(H, axis1=1, axis2=2) / n
    H[:, range(n), range(n)] += (damping * size + 1e-300)[:, None]
    solution: Array = np.linalg.solve(H, np.where(held, 0.0, downhill).T[..., None])
    step = solution[..., 0].T
    largest = np.where(turns(robot)[:, None], np.pi / 2, np.inf)
    return np.clip(step, -largest, largest)


def _error(robot: Robot, frame: str | None, q: Array, T_0e: Array, length: float) -> PoseError:
    error = pose_error(robot, frame, q, T_0e)
    return error if length else PoseError(error.p, np.zeros_like(error.w))


def _stack(error: PoseError, length: float) -> Array:
    return np.concatenate([error.p, length * error.w])


def _square(error: PoseError, length: float) -> Array:
    stacked = _stack(error, length)
    square: Array = np.sum(stacked * stacked, axis=0)
    return square
