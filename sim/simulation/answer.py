"""Answer: results of the engine, or of the model, at the sample times of a problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from math import comb

import numpy as np

from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.solved_motion import Drives, HybridMotion, Works
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.maths.quadrature import cumulative, cumulative_with
from sim.maths.sampling import SAME_TIME
from sim.motion.joint_path import Trajectory
from sim.robots.robot import Robot
from sim.simulation.problem import Problem

EXTRAPOLATION_POINTS = 5  # samples from which a power is run on to a jump


@dataclass(frozen=True, eq=False)
class LinkEnergies:
    """Energies of links, as if every payload were carried at all times.

    Parameters
    ----------
    links : tuple of str
    ke, pe : ndarray, shape (links, N)
        [J]
    """

    links: tuple[str, ...]
    ke: Array
    pe: Array

    def where_carried(self, problem: Problem, t: Array) -> LinkEnergies:
        """The same with nothing of a payload while it is not carried; `t` (N,) are their times."""
        masks = np.stack([problem.payloads.is_carried(link, t) for link in self.links])
        return LinkEnergies(self.links, self.ke * masks, self.pe * masks)


@dataclass(frozen=True, eq=False)
class Efforts:
    """What drives the independent joints, and what of that friction takes [N·m or N].

    Parameters
    ----------
    tau, friction : ndarray, shape (n, N)
        Effort of the drives, and what of it friction takes.
    train : ndarray, shape (n, N), or (0, N) where no joint has a drive train
        What motor and gear lose of the motor's torque before it is `tau`.
    """

    tau: Array
    friction: Array
    train: Array

    def powers(self, problem: Problem, motion: Trajectory, loads: Array) -> Array:
        """Power of each motor, lost in each joint, and of all force elements, (2 n + 1, N) [W].

        `loads` (n, N) are the joint torques of the force elements, `Problem.load_torque`.
        """
        motor, lost, qd = self.tau, self.friction, motion.qd
        if self.train.size:
            motor = at_motors(problem.robot, motion, self.tau, self.train)
            lost = self.friction + self.train
        external = np.sum(loads * qd, axis=0)
        return np.concatenate([motor * qd, lost * qd, external[None]])


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer(Drives):
    """Motion, efforts and energies at the samples of a piece of the run, in order.

    Parameters
    ----------
    motion : Trajectory
        Of the independent joints.
    q_tree, qd_tree, qdd_tree : ndarray, shape (n_tree, N)
        Of all tree joints.
    tau_error : ndarray, shape (n, N)
        Estimated error of `tau` [N·m or N].
    reaction : ndarray, shape (n_tree, 6, N)
        By Newton-Euler on this motion.
    loop_force : ndarray, shape (loops, 6, N)
        Force and moment by link a on link b of each closed loop, at point b, world axes [N, N·m].
    energies : Energies
    tool : ndarray, shape (13, N) or None
        x y z [m], qx qy qz qw, vx vy vz [m/s], wx wy wz [rad/s] of the tool frame in the world.
    """

    motion: Trajectory
    q_tree: Array
    qd_tree: Array
    qdd_tree: Array
    tau_error: Array
    reaction: Array
    loop_force: Array
    energies: LinkEnergies
    tool: Array | None


def at_motors(robot: Robot, motion: Trajectory, tau: Array, train: Array) -> Array:
    """N tau_m: what gears give the links, what trains lose and the rotors take, (n, N)."""
    return tau + train + robot.rotor_inertia[:, None] * motion.qdd


def taken_by_trains(
    problem: Problem, motion: Trajectory, tau: Array, prescribed: Array | None = None
) -> Array:
    """What drive trains lose on a motion, (n, N); (0, N) where there are none.

    By the sense of the `prescribed` velocities (n, N), which are exactly zero at rest; default:
    those of the motion.
    """
    trains = drive_trains_of(problem.robot)
    if trains is None:
        return np.empty((0, motion.t.size))
    return trains.lost_torque(tau, motion.qd, None if prescribed is None else np.sign(prescribed))


def stored_energy(
    problem: Problem, motion: Callable[[slice], Trajectory], element_states: Array
) -> Array | None:
    """Energy in the force elements at all samples, (N,) [J]; None where none stores any."""

    def of_piece(part: slice) -> Array | None:
        return problem.stored_energy(motion(part), element_states[:, part])

    if of_piece(slice(0, 1)) is None:
        return None
    return by_pieces(problem.t.size, lambda part: np.asarray(of_piece(part)))


def drives_of(problem: Problem, motion: Trajectory, solved: HybridMotion, tau: Array) -> Drives:
    """The drives of a motion that was solved for; `tau` (n, N) is what they give."""
    rows, z = {one.name: getattr(solved, one.name) for one in fields(Drives)}, solved.element_states
    stored = stored_energy(problem, motion.during, z)
    rows["friction_tree"] = problem.friction_in_loops(motion, z, solved)
    return Drives(**rows | {"tau": tau, "works": solved.works.with_stored(stored)})


def prescribed_drives(
    problem: Problem,
    motion: Callable[[slice], Trajectory],
    efforts: Efforts,
    friction_tree: Array | None,
    works: Works,
) -> Drives:
    """The drives of a motion that is prescribed; the `works` are all that the elements do."""
    z, none = problem.prescribed_states(problem.t), np.empty((0, problem.t.size))
    works = works.with_stored(stored_energy(problem, motion, z))
    known = {**vars(efforts), "friction_tree": friction_tree, "works": works}
    return Drives(**known, element_states=z, actuator_states=none)


def exact_works(problem: Problem, powers: Array, at_nodes: Array | None) -> Works:
    """Works as running integrals of powers that are known at the samples and at `Problem.nodes`.

    Both (2 n + 1, N) are those of `Efforts`; `at_nodes` is None where there are no nodes. The works
    take the place of `powers`, which are long.
    """
    inside = np.zeros((len(powers), 0)) if at_nodes is None else at_nodes
    for k, row in enumerate(powers):
        powers[k] = cumulative_with(problem.nodes, inside[k], row, problem.t)
    return _split_works(powers)


def work_from_differences(problem: Problem, powers: Array) -> Works:
    """Works as running integrals of powers from differences, which reach across breaks.

    Such a power is the mean of both sides at a break. A break with enough samples on both sides is
    a jump. Where breaks follow closer than that the mean is the better guess: the trapezoid with it
    is the one with both sides. The works take the place of `powers`, which are long.
    """
    t = problem.t
    at = _samples_at(problem.breaks, t)
    gaps = np.diff([-np.inf, *at, np.inf])
    jumps = [
        k for k, sides in zip(at, pairwise(gaps), strict=True) if min(sides) > EXTRAPOLATION_POINTS
    ]
    after, before = _sides(powers, jumps)
    for k, right in enumerate(powers):
        right[jumps] = after[k]
        powers[k] = cumulative(right, t, jumps, before[k])
    return _split_works(powers)


def _split_works(energy: Array) -> Works:
    """Works from the integrals of `Efforts.powers`."""
    n = len(energy) // 2
    return Works(energy[:n], energy[n : 2 * n], energy[-1])


def _samples_at(times: Array, t: Array) -> list[int]:
    """Numbers of the samples at some times; a time between two samples has none."""
    nearest = [int(np.argmin(np.abs(t - time))) for time in times]
    return sorted(
        {k for k, time in zip(nearest, times, strict=True) if abs(t[k] - time) < SAME_TIME}
    )


def _sides(powers: Array, jumps: Sequence[int]) -> tuple[Array, Array]:
    """Powers from the right and from the left of each jump, run on from the samples there."""
    after, before = powers[:, jumps].copy(), powers[:, jumps].copy()
    ends = [0, *jumps, powers.shape[1] - 1]
    for place, k in enumerate(jumps):
        left, right = ends[place], ends[place + 2]
        if k > left:
            before[:, place] = _extrapolate(powers[:, left:k][:, ::-1])
        if right > k:
            after[:, place] = _extrapolate(powers[:, k + 1 : right + 1])
    return after, before


def _extrapolate(beside: Array) -> Array:
    """Value one step before evenly spaced ones, by a polynomial through `EXTRAPOLATION_POINTS`."""
    count = min(beside.shape[1], EXTRAPOLATION_POINTS)
    weights = [(-1) ** k * comb(count, k + 1) for k in range(count)]
    return np.asarray(beside[:, :count] @ weights)
