"""Whole turns, joint limits, and the shortest way to a solution."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.kinematics.jacobian import chain_length
from sim.maths.arrays import Array, Mask, frozen
from sim.robots.robot import Robot

TAU = 2 * np.pi
SLACK = 1e-9  # rad and m; allows for limits with fewer digits than a solution
_TIE = 1e-9  # rad and m; travels that differ by less are equal


@lru_cache(maxsize=64)
def joint_limits(robot: Robot) -> tuple[Array, Array]:
    """Return lower and upper limits of the independent joints, including their mimics', (n,)."""
    S, q_0 = robot.coupling
    lower = np.full(S.shape[1], -np.inf)
    upper = np.full(S.shape[1], np.inf)
    for one, row, offset in zip(robot.tree_coordinates, S, q_0, strict=True):
        leader = int(np.argmax(np.abs(row)))
        if not row[leader]:
            continue
        ends = [(end - offset) / row[leader] for end in (one.limits.lower, one.limits.upper)]
        lower[leader] = max(lower[leader], min(ends))
        upper[leader] = min(upper[leader], max(ends))
    return frozen(lower), frozen(upper)


@lru_cache(maxsize=64)
def turns(robot: Robot) -> Mask:
    """Return the mask of independent joints that may rotate by whole turns, shape (n,)."""
    S, _ = robot.coupling
    rotary = np.array([row.is_angle and row.name == row.joint for row in robot.tree_coordinates])
    whole = np.all((S == 0) | (rotary[:, None] & (np.rint(S) == S)), axis=0)
    whole.setflags(write=False)
    return whole


def inside_limits(robot: Robot, q: Array) -> Mask:
    """Whether all joints are inside their limits, for `q` of shape (n, ...)."""
    lower, upper = (limit.reshape(-1, *([1] * (q.ndim - 1))) for limit in joint_limits(robot))
    inside: Mask = np.all((q >= lower - SLACK) & (q <= upper + SLACK), axis=0)
    return inside


def nearest_copy(robot: Robot, q: Array, near: Array) -> Array:
    """Return the copy of `q` by whole turns nearest to `near`, joint by joint, inside the limits.

    Joints that no whole turn brings inside their limits take the copy nearest to `near`. Of two
    equally distant copies the lower one is taken.

    Parameters
    ----------
    q : ndarray, shape (n, ...)
        [rad or m]
    near : ndarray, shape (n,) or as `q`
    """
    column = (-1, *([1] * (q.ndim - 1)))
    lower, upper = (limit.reshape(column) for limit in joint_limits(robot))
    near = near.reshape(column) if near.ndim == 1 else near
    turning = turns(robot).reshape(column)
    wished = np.ceil((near - q) / TAU - 0.5 - _TIE)
    least = np.ceil((lower - SLACK - q) / TAU)
    most = np.floor((upper + SLACK - q) / TAU)
    allowed = np.where(least <= most, np.clip(wished, least, most), wished)
    return q + TAU * np.where(turning, allowed + 0.0, 0.0)  # avoids negative zeros


def shortest_index(candidates: Array, near: Array, weights: Array) -> int:
    """Return the index of the candidate with the least weighted travel Σ wᵢ |qᵢ - nearᵢ|.

    Candidates within 1e-9 are tied: of those the one with the smallest largest weighted move is
    chosen, and then the first.

    Parameters
    ----------
    candidates : ndarray, shape (m, n)
        [rad or m]
    near, weights : ndarray, shape (n,)
    """
    moves = weights * np.abs(candidates - near)
    travel, largest = moves.sum(axis=1), moves.max(axis=1)
    tied = np.flatnonzero(travel <= travel.min() + _TIE)
    return int(tied[np.argmax(largest[tied] <= largest[tied].min() + _TIE)])


def check_weights(robot: Robot, weights: ArrayLike | None, frame: str | None = None) -> Array:
    """Return the joint weights of a travel, shape (n,) [1/rad or 1/m].

    By default 1 rad of a hinge counts as much as a slide's way of `chain_length`.

    Raises
    ------
    ScenarioError
        If they are not one finite number above zero per joint.
    """
    n = len(robot.coordinates)
    if weights is None:
        turning = np.array([row.is_angle for row in robot.coordinates])
        if turning.all():
            return np.ones(n)
        return np.where(turning, 1.0, 1.0 / chain_length(robot, frame))
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n,) or not (np.isfinite(values) & (values > 0)).all():
        raise ScenarioError(
            f"weights of robot {robot.name!r} must be {n} finite numbers above 0, one per joint: "
            f"{', '.join(robot.joint_names)}; got {weights}"
        )
    return values


def check_position(robot: Robot, q: ArrayLike | None) -> Array:
    """Return joint positions, shape (n,) [rad or m] (default: zero, moved into the limits).

    Raises
    ------
    ScenarioError
        If they are not one finite number per joint.
    """
    n = len(robot.coordinates)
    if q is None:
        lower, upper = joint_limits(robot)
        return np.clip(np.zeros(n), lower, upper)
    values = np.asarray(q, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ScenarioError(
            f"A position of robot {robot.name!r} must be {n} finite numbers, one per joint: "
            f"{', '.join(robot.joint_names)}; got {q}"
        )
    return values
