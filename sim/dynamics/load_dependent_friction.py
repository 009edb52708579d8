"""Hybrid dynamics with friction, also where friction depends on the load that it causes.

A free joint that slides meets its dry limit against its motion; driven joints meet the friction of
their prescribed speed. Where a limit follows the reaction in the joint, that depends on the
accelerations, and they on the friction of all joints that slide: a limit is then found that fits
the load that it causes. What lossy gears of sliding joints take (`sim.dynamics.gear_mesh`) follows
accelerations too, and is solved for under each such limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from sim.dynamics import newton_euler
from sim.dynamics.friction import dry_limit, friction_torque, needs_reaction, viscous_torque
from sim.dynamics.gear_mesh import SlidingMeshes
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.single_state.machine_instant import MachineInstant
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import friction_surfaces
from sim.robots.robot import Robot

# A limit fits its load to this part of itself, and as well as the load is known.
SETTLED, ROUNDING = 1e-13, 1e-15
SLOPE = 1e-6  # of the friction; the step that shows how a limit grows with friction
MOST_ROUNDS = 50
FEW = 32  # states that take less time one by one in machine code than at once by NumPy


@dataclass(frozen=True, eq=False)
class LoadedStates:
    """N states and everything that acts but friction; see `HybridDynamics` for the arguments.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        The accelerations of held joints only.
    held : ndarray of bool, shape (n,)
    effort : ndarray, shape (n, N)
        Torques of motors and loads on joints that are not held [N·m or N].
    wrenches : tuple of AppliedWrench
    """

    q: Array
    qd: Array
    qdd: Array
    held: Mask
    effort: Array
    wrenches: tuple[AppliedWrench, ...]

    def hybrid_dynamics(self, dynamics: HybridDynamics, friction: Array) -> tuple[Array, Array]:
        """qdd and effort of all joints under some friction, (n, N) each."""
        effort, robot = self.effort - friction, dynamics.robot
        is_one_by_one = is_on() and len(robot.tree_coordinates) > 1 and self.q.shape[1] <= FEW
        if self.wrenches or not is_one_by_one:
            state = self.q, self.qd, self.qdd, self.held
            return dynamics.hybrid_dynamics(*state, effort, self.wrenches)
        solutions = [
            dynamics.at_instant(
                MachineInstant(robot, dynamics.gravity, q, qd), qdd, self.held, one[:, None], ()
            )
            for q, qd, qdd, one in zip(self.q.T, self.qd.T, self.qdd.T, effort.T, strict=True)
        ]
        qdd, effort = (np.concatenate(rows, axis=1) for rows in zip(*solutions, strict=True))
        return qdd, effort

    def repeat(self, times: int) -> LoadedStates:
        """Several copies of the states, one after the other."""
        q, qd, qdd, effort = (np.tile(x, times) for x in (self.q, self.qd, self.qdd, self.effort))
        wrenches = tuple(wrench.repeat(times) for wrench in self.wrenches)
        return LoadedStates(q, qd, qdd, self.held, effort, wrenches)


@dataclass(frozen=True, eq=False)
class WithFriction:
    """The answer under friction, each (n, N).

    Parameters
    ----------
    qdd, effort : ndarray
        As of a `HybridDynamics`.
    friction : ndarray
        What friction takes; of a joint that sticks the viscous part only, which is zero.
    limit : ndarray
        Dry friction that there is.
    mesh : ndarray
        What lossy gears of sliding joints take, next to `friction`.
    """

    qdd: Array
    effort: Array
    friction: Array
    limit: Array
    mesh: Array


def with_friction(
    dynamics: HybridDynamics,
    states: LoadedStates,
    driven: Mask,
    slide: Array,
    t: Array,
    meshes: SlidingMeshes | None = None,
) -> WithFriction:
    """Accelerations, efforts and friction.

    Parameters
    ----------
    states : LoadedStates
        Under everything but friction in joints and in meshes.
    driven : ndarray of bool, shape (n,)
    slide : ndarray, shape (n,)
        Sense in which a free joint slides on dry friction, 1 or -1; 0 for others.
    t : ndarray, shape (N,)
        For the message [s].
    meshes : SlidingMeshes, optional
        Lossy gears of joints that slide.

    Raises
    ------
    ScenarioError
        If no dry limit fits the load that it causes; names joint and time.
    """
    robot = dynamics.robot
    S, _ = robot.coupling
    qd_tree = S @ states.qd
    viscous = S.T @ viscous_torque(robot, qd_tree)
    reaction: Array | None = None
    if needs_reaction(robot):
        qdd, effort, limit, reaction, mesh = _under_load(
            dynamics, states, viscous, slide, t, meshes
        )
        friction = viscous + slide[:, None] * limit + _of_surfaces(robot, qd_tree, reaction)
    else:
        limit = joint_limit(robot, qd_tree, None)
        friction = viscous + slide[:, None] * limit + _of_surfaces(robot, qd_tree, None)
        qdd, effort, mesh = _under_meshes(dynamics, states, friction, meshes)
    if driven.any():
        friction[driven] = (S.T @ friction_torque(robot, qd_tree, reaction))[driven]
    return WithFriction(qdd, effort, friction, limit, mesh)


def _under_meshes(
    dynamics: HybridDynamics, states: LoadedStates, friction: Array, meshes: SlidingMeshes | None
) -> tuple[Array, Array, Array]:
    """qdd and effort under known friction, and what lossy gears take, (n, N) each."""
    mesh = np.zeros_like(friction)
    if meshes is None:
        return *states.hybrid_dynamics(dynamics, friction), mesh
    (n, N), rows = states.q.shape, meshes.rows
    count = 1 + rows.size
    units = np.zeros((n, count, 1))
    units[rows, 1 + np.arange(rows.size)] = 1.0
    cases = states.repeat(count)
    cases = replace(cases, effort=(cases.effort.reshape(n, count, N) + units).reshape(n, -1))
    answers = cases.hybrid_dynamics(dynamics, np.tile(friction, count))
    qdd, effort = (x.reshape(n, count, N) for x in answers)
    mesh[rows] = meshes.losses(qdd[rows, 0], (qdd[:, 1:] - qdd[:, :1])[rows])
    qdd, effort = (
        x[:, 0] - np.einsum("ikN,kN->iN", x[:, 1:] - x[:, :1], mesh[rows]) for x in (qdd, effort)
    )
    return qdd, effort, mesh


def joint_limit(robot: Robot, qd_tree: Array, reaction: Array | None) -> Array:
    """Dry friction of each independent joint, (n, N); its own and its mimics' add up, geared."""
    S, _ = robot.coupling
    return np.asarray(np.abs(S).T @ dry_limit(robot, qd_tree, reaction))


def _per_limit(robot: Robot, qd_tree: Array) -> Array:
    """Effort of each ball or sleeve at the joints per unit of its limit D, (n, surfaces, N)."""
    surfaces = friction_surfaces(robot)
    on_tree = np.zeros((len(qd_tree), len(surfaces), qd_tree.shape[1]))
    for k, surface in enumerate(surfaces):
        on_tree[list(surface.rows), k] = surface.per_limit(qd_tree)
    return np.einsum("tn,tkN->nkN", robot.coupling[0], on_tree)


def _of_surfaces(robot: Robot, qd_tree: Array, reaction: Array | None) -> Array:
    """Effort of balls and sleeves at the joints, (n, N); zero without any."""
    surfaces = friction_surfaces(robot)
    if not surfaces:
        return np.zeros((robot.coupling[0].shape[1], 1))
    limits = np.stack([surface.limit(qd_tree, reaction) for surface in surfaces])
    return np.asarray(np.einsum("nkN,kN->nN", _per_limit(robot, qd_tree), limits))


def _under_load(
    dynamics: HybridDynamics,
    states: LoadedStates,
    viscous: Array,
    slide: Array,
    t: Array,
    meshes: SlidingMeshes | None,
) -> tuple[Array, Array, Array, Array, Array]:
    """qdd, effort, dry limit, reactions and losses of gears, all of which depend on each other.

    But for the limits themselves everything is linear in those of the joints that slide, and of
    balls and sleeves, and in the losses. So the answers to none of it and to a unit of each are
    sufficient.
    """
    robot = dynamics.robot
    S, _ = robot.coupling
    sliding, surfaces = np.flatnonzero(slide), friction_surfaces(robot)
    lossy = np.empty(0, dtype=np.intp) if meshes is None else meshes.rows
    k = sliding.size + len(surfaces)
    count, N = 1 + k + lossy.size, t.size
    units = np.zeros((slide.size, count, N))
    units[sliding, 1 + np.arange(sliding.size)] = slide[sliding, None]
    units[:, 1 + sliding.size : 1 + k] = _per_limit(robot, S @ states.qd)
    units[lossy, 1 + k + np.arange(lossy.size)] = 1.0
    cases = states.repeat(count)
    qdd, effort = cases.hybrid_dynamics(dynamics, (viscous[:, None] + units).reshape(cases.q.shape))
    reaction = newton_euler.wrenches(
        robot, cases.q, cases.qd, qdd, dynamics.gravity, cases.wrenches
    ).reaction
    parts = [x.reshape(*x.shape[:-1], count, N) for x in (qdd, effort, reaction)]
    tries = 1 + k
    qd_tree = np.tile(S @ states.qd, tries)
    dry = np.zeros((k, N))
    for _ in range(MOST_ROUNDS):
        step = SLOPE * np.max(dry, axis=0, initial=0.0)
        tried = dry[:, None] + step * np.eye(k, tries, 1)[:, :, None]
        taken = tried if meshes is None else _with_losses(parts[0][lossy], tried, meshes)
        load = _under(parts[2], taken)
        carried = load.reshape(*load.shape[:2], -1)
        limits = joint_limit(robot, qd_tree, carried).reshape(-1, tries, N)
        of_surfaces = [s.limit(qd_tree, carried).reshape(1, tries, N) for s in surfaces]
        followed = np.concatenate([limits[sliding], *of_surfaces])
        lacking = followed[:, 0] - dry
        largest = np.max(np.abs(load[:, :, 0]), axis=(0, 1))
        most = np.max(np.concatenate([limits, *of_surfaces])[:, 0], axis=0)
        fits = np.abs(lacking) <= SETTLED * most + ROUNDING * largest
        if fits.all():
            qdd, effort, reaction = (_under(part, taken[:, :1])[..., 0, :] for part in parts)
            mesh = np.zeros_like(qdd)
            mesh[lossy] = taken[k:, 0]
            return qdd, effort, limits[:, 0], reaction, mesh
        dry = dry + _correction(lacking, followed, step)
    names = [robot.row_names[row] for row in sliding] + [one.joint.name for one in surfaces]
    _refuse(names, t, ~fits)


def _with_losses(qdd: Array, dry: Array, meshes: SlidingMeshes) -> Array:
    """Dry frictions (k, count, N) with what lossy gears take under them, (k + gears, count, N).

    `qdd` (gears, 1 + k + gears, N) are the cases of the geared joints' accelerations.
    """
    k, count = dry.shape[:2]
    units = qdd[:, 1 + k :] - qdd[:, :1]  # of friction, which acts against effort
    under = _under(qdd[:, : 1 + k], dry)
    losses = [meshes.losses(under[:, case], -units) for case in range(count)]
    return np.concatenate([dry, np.stack(losses, axis=1)])


def _under(cases: Array, dry: Array) -> Array:
    """A linear quantity (..., N) under dry frictions (k, count, N), from its cases (..., 1 + k, N).

    Shape (..., count, N).
    """
    rest = cases[..., :1, :]
    return np.asarray(rest + np.einsum("...kN,kcN->...cN", cases[..., 1:, :] - rest, dry))


def _correction(lacking: Array, limits: Array, step: Array) -> Array:
    """Newton's step towards dry frictions that fit, (k, N).

    Where friction feeds itself so much that there is no such step, as much as is lacking: that
    leads to the law's largest friction, or nowhere.
    """
    slopes = (limits[:, 1:] - limits[:, :1]) / np.maximum(step, np.finfo(float).tiny)
    A = np.moveaxis(np.eye(len(limits))[:, :, None] - slopes, -1, 0)
    sound = (np.linalg.det(A) > SLOPE) & (step > 0)
    correction = lacking.T.copy()
    correction[sound] = np.linalg.solve(A[sound], correction[sound][:, :, None])[:, :, 0]
    return np.asarray(correction.T)


def _refuse(names: Sequence[str], t: Array, unsettled: Mask) -> NoReturn:
    row, k = np.argwhere(unsettled)[0]
    raise ScenarioError(
        f"Joint {names[row]!r} jams at t = {t[k]:.6g} s: its dry friction "
        "grows without end with the load that it causes; lower its coefficient"
    )
