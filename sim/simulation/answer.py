"""Answer: results of the engine, or of the model, at the sample times of a problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb

import numpy as np

from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.solved_motion import Drives, Efforts, EnergySamples, MotionSamples, Works
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.maths.quadrature import cumulative, cumulative_with
from sim.maths.sampling import SAME_TIME
from sim.simulation.problem import Problem

EXTRAPOLATION_POINTS = 5  # samples from which a power is extrapolated to a jump


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(MotionSamples):
    """Motion, efforts and energies at the samples of a piece of the run, in order.

    Parameters
    ----------
    on_tree : Trajectory
        Motion of all tree joints.
    tau_error : ndarray, shape (n, N)
        Estimated error of `tau` [N·m or N].
    reaction : ndarray, shape (n_tree, 6, N)
        Computed by Newton-Euler for this motion.
    loop_force : ndarray, shape (loops, 6, N)
        Force and moment by link a on link b of each closed loop, at point b, world axes [N, N·m].
    energies : EnergySamples
        As if every payload were carried at all times.
    """

    on_tree: Trajectory
    tau_error: Array
    reaction: Array
    loop_force: Array
    energies: EnergySamples


def taken_by_trains(
    problem: Problem, motion: Trajectory, tau: Array, prescribed: Array | None = None
) -> Array:
    """Return the losses of drive trains on a motion, (n, N); (0, N) without any.

    Their sense is that of the `prescribed` velocities (n, N), which are exactly zero at rest
    (default: those of the motion).
    """
    trains = drive_trains_of(problem.robot)
    if trains is None:
        return np.empty((0, motion.t.size))
    return trains.lost_torque(tau, motion.qd, None if prescribed is None else np.sign(prescribed))


def stored_energy(
    problem: Problem, motion: Callable[[slice], Trajectory], element_states: Array
) -> Array | None:
    """Return the energy in the force elements at all samples, (N,) [J]; None if none stores any."""

    def of_piece(part: slice) -> Array | None:
        return problem.stored_energy(motion(part), element_states[:, part])

    if of_piece(slice(0, 1)) is None:
        return None
    return by_pieces(problem.t.size, lambda part: np.asarray(of_piece(part)))


def solved_drives(problem: Problem, solved: MotionSamples, tau: Array) -> MotionSamples:
    """A motion that was solved for, with what its drives give, `tau` (n, N), and stored energy."""
    stored = stored_energy(problem, solved.during, solved.element_states)
    friction_tree = problem.friction_in_loops(solved)
    works = solved.works.with_stored(stored)
    return replace(solved, tau=tau, friction_tree=friction_tree, works=works)


def prescribed_drives(
    problem: Problem,
    motion: Callable[[slice], Trajectory],
    efforts: Efforts,
    friction_tree: Array | None,
    works: Works,
) -> Drives:
    """Return the drives of a prescribed motion; `works` include all work of the elements."""
    z, none = problem.prescribed_states(problem.t), np.empty((0, problem.t.size))
    works = works.with_stored(stored_energy(problem, motion, z))
    known = {**vars(efforts), "friction_tree": friction_tree, "works": works}
    return Drives(**known, element_states=z, actuator_states=none)


def exact_works(problem: Problem, powers: Array, at_nodes: Array | None) -> Works:
    """Return works as running integrals of powers known at the samples and at `Problem.nodes`.

    Both arrays (2 n + 1, N) come from `Efforts`; `at_nodes` is None without nodes. The works
    overwrite `powers`, to save memory.
    """
    inside = np.zeros((len(powers), 0)) if at_nodes is None else at_nodes
    for k, row in enumerate(powers):
        powers[k] = cumulative_with(problem.nodes, inside[k], row, problem.t)
    return _split_works(powers)


def work_from_differences(problem: Problem, powers: Array) -> Works:
    """Return works as running integrals of powers from differences across breaks.

    Such a power is the mean of both sides at a corner of a drive. A break with enough samples on
    both sides is treated as a jump. For closer breaks the mean is the better estimate: the
    trapezoidal rule with it equals the one with both sides. The works overwrite `powers`, to save
    memory.
    """
    t = problem.t
    at = _samples_at(problem.breaks, t)
    gaps = np.diff([-np.inf, *at, np.inf])
    jumps = [
        k for k, sides in zip(at, pairwise(gaps), strict=True) if min(sides) > EXTRAPOLATION_POINTS
    ]
    after, before = _sides(powers, jumps, _samples_at(problem.load_breaks, t))
    for k, right in enumerate(powers):
        right[jumps] = after[k]
        powers[k] = cumulative(right, t, jumps, before[k])
    return _split_works(powers)


def _split_works(energy: Array) -> Works:
    """Return the works from the integrals of `Efforts.powers`."""
    n = len(energy) // 2
    return Works(energy[:n], energy[n : 2 * n], energy[-1])


def _samples_at(times: Array, t: Array) -> list[int]:
    """Return indices of the samples at some times; a time between two samples has none."""
    nearest = [int(np.argmin(np.abs(t - time))) for time in times]
    return sorted(
        {k for k, time in zip(nearest, times, strict=True) if abs(t[k] - time) < SAME_TIME}
    )


def _sides(powers: Array, jumps: Sequence[int], of_loads: Sequence[int]) -> tuple[Array, Array]:
    """Return powers to the right and left of each jump, extrapolated from the samples there.

    Their mean is the power of the sample, or the one to the right in `of_loads`. If it is not, or
    if one sample less gives other values, within a quarter of the jump, the power has a kink on one
    side, as where friction reverses, which a polynomial amplifies: then both are the power of the
    sample.
    """
    here = powers[:, jumps]
    after, before, doubt = here.copy(), here.copy(), np.zeros((2, *here.shape))
    ends = [0, *jumps, powers.shape[1] - 1]
    for place, k in enumerate(jumps):
        before_jump, after_jump = ends[place], ends[place + 2]
        if k > before_jump:
            before[:, place], doubt[0, :, place] = _extrapolate(powers[:, before_jump:k][:, ::-1])
        if after_jump > k:
            rows = powers[:, k + 1 : after_jump + 1]
            after[:, place], doubt[1, :, place] = _extrapolate(rows)
    expected = np.where(np.isin(jumps, of_loads), after, 0.5 * (after + before))
    off = np.abs(expected - here) + np.sum(doubt, axis=0)
    is_jump = off <= 0.25 * np.abs(after - before)
    return np.where(is_jump, after, here), np.where(is_jump, before, here)


def _extrapolate(values: Array) -> tuple[Array, Array]:
    """Extrapolate one step before evenly spaced values, by `EXTRAPOLATION_POINTS` of them.

    Returns also the difference from the extrapolation by one less.
    """
    count = min(values.shape[1], EXTRAPOLATION_POINTS)
    weights = [(-1) ** k * comb(count, k + 1) for k in range(count)]
    last = np.diff(values[:, :count], count - 1)[:, 0]
    return np.asarray(values[:, :count] @ weights), np.abs(last)
