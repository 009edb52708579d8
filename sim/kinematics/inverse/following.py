"""Inverse kinematics along a path, on one branch from sample to sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.kinematics.inverse.branches import (
    CLOSE,
    ROUNDED,
    SINGULAR,
    Branches,
    moving_joints,
    polish,
    solve,
)
from sim.kinematics.inverse.family import Family
from sim.kinematics.inverse.numerical import descend, search
from sim.kinematics.inverse.path_error import path_error
from sim.kinematics.inverse.pose_error import TOLERANCE, check_poses, pose_error
from sim.kinematics.inverse.recognition import NUMERICAL, family_of
from sim.kinematics.inverse.solution import FollowedPath
from sim.kinematics.inverse.travel import (
    SLACK,
    TAU,
    check_position,
    check_weights,
    inside_limits,
    joint_limits,
    nearest_copy,
    turns,
)
from sim.kinematics.jacobian import distance_from_singularity, jacobian
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

WINDOW = 2048  # samples whose next branch is determined at once
_PROBES = 8  # samples of a window that select the joint by which branches differ
_TIE = 1e-9  # rad and m; a branch is only left for one closer by more than this
_ASTRAY = 0.1  # rad and m; positions farther from the extrapolation belong to another solution
_THERE = 1e-6  # rad and m; a path closer than this to the start begins there


def follow(
    robot: Robot,
    T_0e: ArrayLike,
    *,
    near: ArrayLike | None = None,
    frame: str | None = None,
    weights: ArrayLike | None = None,
) -> FollowedPath:
    """Return joint positions along a path.

    If `near` reaches the first pose, the path starts there. Otherwise it starts with the solution
    closest to `near` among those from which the whole path can be followed inside the limits or, if
    there is none, with the closest of all. From sample to sample the branch that continues straight
    is chosen, so that a path through a singularity crosses it; a joint that is free there moves
    uniformly between its values before and after. For six joints without a closed form, all
    solutions are tracked from where they appear to where they vanish; any other chain is followed
    from sample to sample.

    Parameters
    ----------
    T_0e : array_like, shape (4, 4, N)
        Poses of the frame in the world [m].
    near, frame, weights
        As for `inverse_kinematics`.

    Raises
    ------
    ModelError
        If the robot has no such link.
    ScenarioError
        If a pose, `near` or `weights` cannot be used.
    """
    T = check_poses(T_0e, 3)
    start = check_position(robot, near)
    weight = check_weights(robot, weights, frame)
    family = family_of(robot, frame)
    if family is not None and family.deviation <= ROUNDED:
        solved = solve(robot, family, T, start[:, None], frame)
        return _first_feasible(robot, family, frame, T, solved, start, weight)

    from sim.kinematics.inverse.six_joints import six_joints_of
    from sim.kinematics.inverse.tracks import track_branches

    paths: list[FollowedPath] = []
    chain = six_joints_of(robot, frame) if T.shape[2] else None
    if chain is not None:
        solved = track_branches(robot, chain, frame, T, start)
        if solved.labels:
            paths.append(_first_feasible(robot, None, frame, T, solved, start, weight))
            if paths[0].is_possible:
                return paths[0]
    if family is not None:
        solved = solve(robot, family, T, start[:, None], frame)
        paths.append(_first_feasible(robot, family, frame, T, solved, start, weight))
    else:
        solved = step_along(robot, frame, T, start)  # also through poses that leave joints free
        paths.append(_path(robot, frame, T, solved, np.zeros(T.shape[2], dtype=int), start))
    return next((path for path in paths if path.is_possible), paths[0])


def _first_feasible(
    robot: Robot,
    family: Family | None,
    frame: str | None,
    T: Array,
    solved: Branches,
    start: Array,
    weight: Array,
) -> FollowedPath:
    """Return the first feasible path in the order of its start's travel; without one, the first."""
    if not T.shape[2]:
        return _path(robot, frame, T, solved, np.zeros(0, dtype=int), start)
    paths: list[FollowedPath] = []
    order = _by_travel(robot, solved.q[:, :, 0], solved.reached[:, 0], start, weight)
    if _is_there(robot, solved.q[order[0], :, 0], start):
        order = order[:1]
    for branch in order:
        path = _from(robot, family, frame, T, solved, branch, start, weight)
        if path.is_possible:
            return path
        paths.append(path)
    return paths[0]


def _is_there(robot: Robot, q: Array, start: Array) -> bool:
    return bool(np.abs(nearest_copy(robot, q, start) - start).max() < _THERE)


def _by_travel(robot: Robot, q: Array, reached: Mask, start: Array, weight: Array) -> list[int]:
    """Return branches at the first pose by travel, those reaching it inside the limits first."""
    copies = nearest_copy(robot, q.T, start)
    travel = weight @ np.abs(copies - start[:, None])
    rank = np.where(reached, np.where(inside_limits(robot, copies), 0, 1), 2)
    order = np.lexsort((np.round(travel / _TIE), rank))
    return [int(branch) for branch in order if reached[branch] or not reached.any()]


def _from(
    robot: Robot,
    family: Family | None,
    frame: str | None,
    T: Array,
    solved: Branches,
    first: int,
    start: Array,
    weight: Array,
) -> FollowedPath:
    turning = turns(robot)
    samples = np.arange(T.shape[2])
    free = solved.free.any(axis=0)
    known: Mask = np.logical_not(free)
    known[0] = True  # the start determines the free joints
    branch = _choose_branches(solved, samples[known], first, weight, turning)
    if (
        family is not None and not known.all()
    ):  # free joints bridge the gap, and the branches are chosen again
        along = _smooth(solved.q[branch, :, samples[known]].T, turning)
        held = np.stack([np.interp(samples, samples[known], row) for row in along])
        again = solve(robot, family, T[:, :, free], held[:, free], frame)
        q, reached = solved.q.copy(), solved.reached.copy()
        q[:, :, free], reached[:, free] = again.q, again.reached
        solved = replace(solved, q=q, reached=reached)
        branch = _choose_branches(solved, samples, first, weight, turning)
    return _path(robot, frame, T, solved, branch, start)


def _choose_branches(
    solved: Branches, samples: NDArray[np.int64], first: int, weight: Array, turning: Mask
) -> NDArray[np.int64]:
    """Return the index of the branch at each of the `samples`, starting with `first`."""
    q, reached = solved.q, solved.reached
    if len(samples) < q.shape[2]:
        q, reached = q[:, :, samples], reached[:, samples]
    gap = np.diff(samples).astype(np.float64)
    whole = np.where(turning, TAU, 0.0)[:, None]
    chosen = np.full(len(samples), first)
    rate = np.zeros((q.shape[1], 1))  # rad and m per sample
    k = 0
    while k < len(samples) - 1:
        branch = chosen[k]
        stop = min(k + WINDOW, len(samples) - 1)
        then = slice(k + 1, stop + 1)
        rates = _wrap_steps(np.diff(q[branch, :, k : stop + 1]), whole) / gap[k:stop]
        straight_on = q[branch, :, k:stop] + np.hstack([rate, rates[:, :-1]]) * gap[k:stop]
        at = _doubtful_samples(q[..., then], reached[:, then], branch, straight_on, weight, whole)
        astray = _wrap_steps(q[:, :, k + 1 + at] - straight_on[:, at], whole)
        cost = np.einsum("bnN,n->bN", np.abs(astray), weight)
        met = reached[:, k + 1 + at]
        cost[~met] = np.inf
        least = cost.min(axis=0)
        # Where a branch ends, another takes over only if it continues the path; else out of reach.
        waits = ~met[branch] & (least > _ASTRAY)
        leaving = np.flatnonzero((cost[branch] > least + _TIE) & ~waits)
        until = stop if not leaving.size else k + 1 + int(at[leaving[0]])
        chosen[k + 1 : until + 1] = branch
        if leaving.size:
            chosen[until] = np.argmin(cost[:, leaving[0]])
        last = q[chosen[until], :, until] - q[chosen[until - 1], :, until - 1]
        rate = _wrap_steps(last[:, None], whole) / gap[until - 1]
        k = until
    return chosen


def _doubtful_samples(
    q: Array, reached: Mask, branch: int, straight_on: Array, weight: Array, whole: Array
) -> NDArray[np.intp]:
    """Return samples where a branch may be nearer to `straight_on` than `branch`, or this one ends.

    Elsewhere a single joint of every other branch is farther away than all of `branch` together.
    That joint is chosen by a few samples; a poor choice only costs time.
    """
    cost = weight @ np.abs(_wrap_steps(q[branch] - straight_on, whole))
    others = np.delete(np.arange(len(q)), branch)
    probes = np.linspace(0, q.shape[2] - 1, _PROBES).astype(int)
    separation = (
        np.abs(_wrap_steps(q[:, :, probes] - q[branch][:, probes], whole)) * weight[:, None]
    )
    tells = separation.min(axis=2).argmax(axis=1)
    doubtful = ~reached[branch]
    for other in others:
        joint = tells[other]
        away = _wrap_steps(q[other, joint] - straight_on[joint], whole[joint])
        doubtful |= reached[other] & ~(weight[joint] * np.abs(away) >= cost)
    return np.flatnonzero(doubtful)


def _wrap_steps(step: Array, whole: Array) -> Array:
    """Return the steps without whole turns of the joints for which `whole` is not zero."""
    return step - whole * np.rint(step / TAU)


def _smooth(q: Array, turning: Mask) -> Array:
    """Return the samples (n, N) without jumps by whole turns."""
    turned = np.rint(np.diff(q, axis=1) / TAU)
    if not turned.any():
        return q
    jumps = np.cumsum(turned, axis=1)
    return q - TAU * np.where(turning[:, None], np.pad(jumps, ((0, 0), (1, 0))), 0.0)


def _without_turns(robot: Robot, q: Array, start: Array) -> Array:
    """Return the path without jumps by whole turns, all of it inside the limits, near its start."""
    turning = turns(robot)
    smooth = _smooth(q, turning)
    lower, upper = joint_limits(robot)
    wished = np.ceil((start - smooth[:, 0]) / TAU - 0.5 - _TIE)
    least = np.ceil((lower - SLACK - smooth.min(axis=1)) / TAU)
    most = np.floor((upper + SLACK - smooth.max(axis=1)) / TAU)
    shiftable = (least <= most) & (not _is_there(robot, q[:, 0], start))
    shift = np.where(shiftable, np.clip(wished, least, most), wished)
    return smooth + TAU * np.where(turning, shift, 0.0)[:, None]


def _path(
    robot: Robot,
    frame: str | None,
    T: Array,
    solved: Branches,
    branch: NDArray[np.int64],
    start: Array,
) -> FollowedPath:
    samples = np.arange(T.shape[2])
    q = np.empty((solved.q.shape[1], T.shape[2]))
    ends = [*(np.flatnonzero(np.diff(branch)) + 1).tolist(), T.shape[2]]
    for first, end in zip([0, *ends], ends, strict=False):  # a fancy index would change the layout
        q[:, first:end] = solved.q[branch[first], :, first:end] if end else 0.0
    if samples.size:
        q = _without_turns(robot, q, start)
    distance, angle = path_error(robot, frame, q, T)
    residual = np.maximum(distance, angle)
    close = (residual > TOLERANCE) & (residual < CLOSE)
    if close.any():
        mended = q[None, :, close]
        polish(robot, frame, T[:, :, close], mended)
        q[:, close] = mended[0]
        error = pose_error(robot, frame, mended[0], T[:, :, close])
        distance[close], angle[close] = error.distance, error.angle
    singular = solved.singular[branch, samples]
    inside = inside_limits(robot, q)
    return FollowedPath(q, branch, solved.labels, distance, angle, singular, inside)


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
