"""Positions that satisfy prescribed components, from many starts, and why a path is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.functions.time_function import TimeFunction
from sim.kinematics.inverse.travel import inside_limits, joint_limits, nearest_copy
from sim.maths.arrays import Array
from sim.motion.target import POSITION, Constraint, target
from sim.robots.robot import Robot

STARTS = 24
ITERATIONS = 60
BENT = 0.3  # [rad, m]; distance of the first starts from the given one, off a singular pose
SAME = 1e-3  # [rad, m]; solutions closer to each other are one
_SEED = 20261122
CLOSE = 1e-6  # [m, rad]; with less, Newton's method reaches a pose that meets them
AHEAD = 11  # times from the loss of the path at which its error is evaluated


@dataclass(frozen=True, eq=False)
class NearestStarts:
    """Results of the searches from all starts at some times.

    Parameters
    ----------
    q : ndarray, shape (n, starts, times)
        Within the joint limits [rad or m].
    distance, angle : ndarray, shape (starts, times)
        Errors of the prescribed positions [m] and angles [rad].
    """

    q: Array
    distance: Array
    angle: Array

    @property
    def miss(self) -> Array:
        """Larger of distance and angle, shape (starts, times)."""
        return np.maximum(self.distance, self.angle)


def nearest(
    constraint: Constraint, functions: Mapping[str, TimeFunction], near: Array, times: Array
) -> NearestStarts:
    """Search by damped least squares (Levenberg, Marquardt) from the same starts at all `times`.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the components cannot be set up at a start.
    """
    starts = _starts(constraint, near)
    lower, upper = (limit[:, None] for limit in joint_limits(constraint.robot))
    q = np.repeat(starts[:, :, None], times.size, axis=2).reshape(len(near), -1)
    goal = target(functions, np.tile(times, starts.shape[1]))
    first = constraint.equations(goal, q)
    A, gap = first.A, first.gap
    damping = np.full(q.shape[1], 1e-3)
    for _ in range(ITERATIONS):
        rows = np.moveaxis(A, -1, 0)
        H = np.swapaxes(rows, 1, 2) @ rows
        H += (damping[:, None] * (1e-9 + np.trace(H, axis1=1, axis2=2)[:, None]))[
            ..., None
        ] * np.eye(len(near))
        step = np.linalg.solve(H, np.swapaxes(rows, 1, 2) @ gap.T[..., None])[..., 0].T
        trial = np.clip(q + np.clip(step, -1.0, 1.0), lower, upper)
        then = constraint.equations(goal, trial)
        better = np.sum(then.gap**2, axis=0) < np.sum(gap**2, axis=0)
        q = np.where(better, trial, q)
        A, gap = np.where(better, then.A, A), np.where(better, then.gap, gap)
        damping = np.clip(damping * np.where(better, 0.1, 10.0), 1e-14, 1e8)
    places = sum(name in POSITION for name in functions)
    shape = (starts.shape[1], times.size)
    distance = np.linalg.norm(gap[:places], axis=0).reshape(shape)
    angle = np.linalg.norm(gap[places:], axis=0).reshape(shape)
    return NearestStarts(q.reshape(len(near), *shape), distance, angle)


def other_starts(
    constraint: Constraint, functions: Mapping[str, TimeFunction], near: Array, met: float
) -> list[Array]:
    """Return joint positions that satisfy the components at t = 0, the nearest to `near` first."""
    try:
        descents = nearest(constraint, functions, near, np.zeros(1))
    except np.linalg.LinAlgError:
        return []
    robot = constraint.robot
    good = nearest_copy(robot, descents.q[:, descents.miss[:, 0] <= met, 0], near)
    good = good[:, inside_limits(robot, good)]
    distinct: list[Array] = []
    for k in np.argsort(np.abs(good - near[:, None]).sum(axis=0), kind="stable"):
        if all(np.abs(good[:, k] - one).max() > SAME for one in distinct):
            distinct.append(good[:, k])
    return distinct


def _starts(constraint: Constraint, near: Array) -> Array:
    """Return the given start, neighbours, and others within half a turn; (n, STARTS)."""
    rng = np.random.default_rng(_SEED)
    lower, upper = joint_limits(constraint.robot)
    low, high = np.maximum(lower, near - np.pi), np.minimum(upper, near + np.pi)
    low, high = np.where(low > high, lower, low), np.where(low > high, upper, high)
    around = near[:, None] + rng.uniform(-BENT, BENT, (len(near), STARTS // 3))
    anywhere = rng.uniform(low[:, None], high[:, None], (len(near), STARTS - STARTS // 3 - 1))
    starts = np.hstack([near[:, None], around, anywhere])
    return np.clip(starts, lower[:, None], upper[:, None])


def describe_error(
    constraint: Constraint,
    functions: Mapping[str, TimeFunction],
    near: Array,
    time: float,
    duration: float,
) -> str:
    """Describe the error of the components at a time [s] or later, or else the remedy."""
    times = np.linspace(min(time, duration), duration, AHEAD)
    remedy = (
        "a singular pose (an arm that is stretched or folded) is in the way; pass as `start` a "
        "bent pose, such as one that `sim ik` lists for the pose at t = 0, or choose a path "
        "around it"
    )
    try:
        descents = nearest(constraint, functions, near, times)
    except np.linalg.LinAlgError:
        return remedy
    best = np.argmin(descents.miss, axis=0), np.arange(times.size)
    missed = descents.miss[best]
    k = 0 if missed[0] > CLOSE else int(np.argmax(missed))
    if missed[k] <= CLOSE:
        return remedy
    when = "there" if k == 0 else f"at t = {times[k]:.4g} s"
    return (
        f"the nearest joint positions inside the limits are "
        f"{descents.distance[best][k]:.3g} m and {np.degrees(descents.angle[best][k]):.3g}° away "
        f"{when}; bring the path nearer or leave a component free"
    )


def describe_excess(robot: Robot, q: Array) -> str:
    """Describe the joint that would leave its range at positions (n,), and the excess."""
    lower, upper = joint_limits(robot)
    excess = np.maximum(lower - q, q - upper)
    i = int(np.argmax(excess))
    scale, unit = robot.coordinates[i].degrees_or_metres
    return (
        f"joint {robot.row_names[i]!r} would have to be at {q[i] / scale:.6g} {unit}, outside "
        f"its range of {lower[i] / scale:.6g} to {upper[i] / scale:.6g} {unit}"
    )


def jump(robot: Robot, before: Array, after: Array) -> str:
    """Describe the joint that would have to jump from positions (n,) to others."""
    i = int(np.argmax(np.abs(after - before)))
    scale, unit = robot.coordinates[i].degrees_or_metres
    there = ", ".join(f"{value:.9g}" for value in after + 0.0)
    return (
        f"the pose is singular there, and joint {robot.row_names[i]!r} would have to jump from "
        f"{before[i] / scale:.6g} {unit} to {after[i] / scale:.6g} {unit}; use a `start` from "
        f"which the path continues, such as ({there}), or choose a path around the singular pose"
    )
