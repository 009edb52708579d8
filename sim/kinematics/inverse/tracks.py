"""Solutions of a six-joint chain along a path: where each appears, continues and vanishes.

All roots are found at every few poses, and the real ones are followed from there to the next such
pose by Newton's method. If they do not arrive one to one, or a complex root is nearly real, all
roots are found at every pose between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from sim.kinematics.inverse.arm_study import GeneralArm
from sim.kinematics.inverse.branches import SINGULAR, Branches
from sim.kinematics.inverse.general import solve_poses
from sim.kinematics.inverse.roots import newton
from sim.kinematics.inverse.six_joints import SixJoints
from sim.kinematics.jacobian import distance_from_singularity, jacobian
from sim.maths.arrays import Array
from sim.robots.robot import Robot

_STRIDE = 16  # poses
_CHUNK = 256  # poses solved at once
_ARRIVED = 1e-11  # relative residual
_SAME = 1e-4  # rad and arm sizes; a solution that arrives this close to another is the same
_LARGEST_STEP = 0.5  # rad and arm sizes, from a pose to the next; beyond is another solution
_NEARLY_REAL = 0.3  # imaginary part [rad] of a pair of roots that may become real in between


@dataclass
class SolutionTrack:
    """A continuous solution along a path.

    Parameters
    ----------
    start : int
        First pose.
    q : list of ndarray, shape (6,)
        Positions at that pose and the following ones.
    """

    start: int
    q: list[Array] = field(default_factory=list)

    def extend(self, n: int) -> Array:
        """Return positions at n poses, held outside the track, shape (n, 6)."""
        nearest = np.clip(np.arange(n) - self.start, 0, len(self.q) - 1)
        return np.array(self.q)[nearest]


def find_tracks(arm: GeneralArm, G: Array) -> list[SolutionTrack]:
    """Return all solutions along displacements G (N, 4, 4) in the arm's units."""
    N = len(G)
    poses = sorted({*range(0, N, _STRIDE), N - 1})
    solutions: dict[int, Array] = {}
    nearly_real: dict[int, bool] = {}
    _solve(arm, G, poses, solutions, nearly_real)
    steps = _lead(arm, G, solutions, list(pairwise(poses)))
    dense = {
        k
        for a, b in pairwise(poses)
        if nearly_real[a] or nearly_real[b] or not _is_one_to_one(arm, steps[a], solutions[b])
        for k in range(a, b)
    }
    _solve(arm, G, sorted(dense.difference(poses)), solutions, nearly_real)
    steps.update(_lead(arm, G, solutions, [(k, k + 1) for k in sorted(dense)]))
    return _join(arm, solutions, steps, sorted({*poses, *dense}))


def _solve(
    arm: GeneralArm,
    G: Array,
    poses: list[int],
    solutions: dict[int, Array],
    nearly_real: dict[int, bool],
) -> None:
    for k in range(0, len(poses), _CHUNK):
        part = poses[k : k + _CHUNK]
        roots, answers = solve_poses(arm, G[part])
        imag = np.abs(roots.q.imag).max(-1)
        near = ((roots.times > 0) & (imag > 1e-7) & (imag < _NEARLY_REAL)).any(axis=1)
        for pose, answer, flag in zip(part, answers, near.tolist(), strict=True):
            solutions[pose], nearly_real[pose] = answer.q, flag


def _lead(
    arm: GeneralArm, G: Array, solutions: dict[int, Array], spans: list[tuple[int, int]]
) -> dict[int, Array]:
    """Step from the solutions at the first pose of each span to its last; nan where one is lost.

    Each step must be reversible, so that none switches to another solution near a fold.

    Returns
    -------
    dict of int to ndarray, shape (m, steps, 6)
        Steps by first pose.
    """
    counts = [len(solutions[a]) for a, _ in spans]
    owner, until = (np.repeat(np.array(spans, int).reshape(-1, 2)[:, k], counts) for k in (0, 1))
    q = np.concatenate([np.zeros((0, 6)), *(solutions[a] for a, _ in spans)])
    led = np.full((len(q), max((b - a for a, b in spans), default=0), 6), np.nan)
    before = q
    for step in range(led.shape[1]):
        live = np.flatnonzero((owner + step < until) & np.isfinite(q).all(axis=1))
        guess = q[live] + (q[live] - before[live])
        new, miss = newton(arm.axes, G[owner[live] + step + 1], guess)
        back, missed = newton(arm.axes, G[owner[live] + step], new.real)
        returned = (missed < _ARRIVED) & (arm.axes.distance(back.real, q[live]) < _SAME)
        near = arm.axes.distance(new.real, q[live]) < _LARGEST_STEP
        is_continued = (miss < _ARRIVED) & near & returned
        before, q = q, np.full_like(q, np.nan)
        q[live[is_continued]] = new.real[is_continued]
        led[:, step] = q
    bounds = np.concatenate([[0], np.cumsum(counts, dtype=int)])
    return {a: led[i:j, : b - a] for (a, b), (i, j) in zip(spans, pairwise(bounds), strict=True)}


def _is_one_to_one(arm: GeneralArm, led: Array, ends: Array) -> bool:
    return len(led) == len(ends) and -1 not in _match(arm, led[:, -1], ends)


def _match(arm: GeneralArm, arrived: Array, ends: Array) -> list[int]:
    """Return the index of the solution at which each one arrives, each once; -1 for none."""
    indices: list[int] = []
    for q in arrived:
        away = arm.axes.distance(ends, q)
        best = int(np.argmin(away)) if len(away) and np.isfinite(q).all() else -1
        is_met = best >= 0 and away[best] < _SAME and best not in indices
        indices.append(best if is_met else -1)
    return indices


def _join(
    arm: GeneralArm, solutions: dict[int, Array], steps: dict[int, Array], poses: list[int]
) -> list[SolutionTrack]:
    """Join steps between poses to tracks: those without a matching solution end, others begin."""
    current = [SolutionTrack(poses[0], [q]) for q in solutions[poses[0]]]
    tracks = list(current)
    for a, b in pairwise(poses):
        following: dict[int, SolutionTrack] = {}
        matches = _match(arm, steps[a][:, -1], solutions[b])
        for track, path, match in zip(current, steps[a], matches, strict=True):
            if match >= 0:
                track.q += list(path)
                following[match] = track
        for k, q in enumerate(solutions[b]):
            if k not in following:
                following[k] = SolutionTrack(b, [q])
                tracks.append(following[k])
        current = [following[k] for k in range(len(solutions[b]))]
    return tracks


def track_branches(
    robot: Robot, chain: SixJoints, frame: str | None, T: Array, near: Array
) -> Branches:
    """Return the tracks along poses (4, 4, N), N > 0, as branches that end and begin."""
    N = T.shape[2]
    tracks = find_tracks(chain.arm, chain.displacements(T))
    q = np.empty((len(tracks), len(near), N))
    reached, singular = (np.zeros((len(tracks), N), dtype=bool) for _ in range(2))
    for row, track in enumerate(tracks):
        q[row] = chain.positions(track.extend(N), near)
        reached[row, track.start : track.start + len(track.q)] = True
        J = jacobian(robot, q[row], frame)[:, chain.moving]
        singular[row] = distance_from_singularity(J) < SINGULAR
    labels = tuple(f"general {k + 1}" for k in range(len(tracks)))
    return Branches(labels, q, reached, singular, np.zeros_like(reached))
