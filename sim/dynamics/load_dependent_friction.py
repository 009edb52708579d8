"""Hybrid dynamics with friction, including friction that depends on the load that it causes.

A sliding free joint has its dry limit against its motion; driven joints have the friction of their
prescribed speed. If a limit depends on the joint's reaction, or a gear loses a part of its torque,
friction depends on the accelerations, which depend on the friction of all sliding joints:
`sim.dynamics.caused_friction` solves for all at once.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sim.dynamics import newton_euler
from sim.dynamics.caused_friction import CausedFriction, load_laws, under
from sim.dynamics.drive_trains import DriveTrains
from sim.dynamics.friction import dry_limit, friction_torque, needs_reaction, viscous_torque
from sim.dynamics.hybrid import HoldingDynamics, HybridDynamics
from sim.dynamics.single_state.machine_instant import MachineInstant, instant_of
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.wrench import Acting, AppliedWrench
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import FrictionSurface, friction_surfaces
from sim.robots.robot import Robot

FEW = 32  # number of states up to which machine code, one by one, is faster than NumPy


class LoadedStates(Struct, frozen=True, eq=False):
    """N states and all loads except friction; see `HybridDynamics` for the arguments.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        Accelerations are those of held joints only.
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

    def complete(self, dynamics: HybridDynamics, friction: Array) -> tuple[Array, Array, Acting]:
        """Return qdd and effort (n, N) of all joints under some friction, and all wrenches."""
        effort, robot = self.effort - friction, dynamics.robot
        is_one_by_one = is_on() and len(robot.tree_coordinates) > 1 and self.q.shape[1] <= FEW
        state = self.q, self.qd, self.qdd, self.held
        if isinstance(dynamics, HoldingDynamics):
            qdd, effort, more = dynamics.complete(*state, effort, self.wrenches)
            return qdd, effort, (*self.wrenches, *more)
        if self.wrenches or not is_one_by_one:
            return *dynamics.hybrid_dynamics(*state, effort, self.wrenches), self.wrenches
        solutions = [
            dynamics.at_instant(
                MachineInstant(robot, dynamics.gravity, q, qd), qdd, self.held, one[:, None], ()
            )
            for q, qd, qdd, one in zip(self.q.T, self.qd.T, self.qdd.T, effort.T, strict=True)
        ]
        qdd, effort = (np.concatenate(rows, axis=1) for rows in zip(*solutions, strict=True))
        return qdd, effort, ()

    def complete_each(
        self, dynamics: HybridDynamics, frictions: Array
    ) -> tuple[Array, Array, Acting]:
        """Return qdd and effort (n, C, N) under C frictions (n, C, N), and all wrenches.

        The wrenches are those of all cases, as in `repeat`.
        """
        shape = frictions.shape
        if self.q.shape[1] == 1 and isinstance(dynamics, HoldingDynamics):
            at = instant_of(dynamics.robot, dynamics.gravity, self.q[:, 0], self.qd[:, 0])
            effort = self.effort - frictions[:, :, 0]
            qdd, effort, more = dynamics.complete_at(
                at, self.qdd[:, 0], self.held, effort, self.wrenches
            )
            return qdd[..., None], effort[..., None], (*self.wrenches, *more)
        cases = self.repeat(shape[1])
        qdd, effort, wrenches = cases.complete(dynamics, frictions.reshape(cases.q.shape))
        return qdd.reshape(shape), effort.reshape(shape), wrenches

    def repeat(self, times: int) -> LoadedStates:
        """Return several copies of the states, concatenated."""
        q, qd, qdd, effort = (np.tile(x, times) for x in (self.q, self.qd, self.qdd, self.effort))
        wrenches = tuple(wrench.repeat(times) for wrench in self.wrenches)
        return LoadedStates(q, qd, qdd, self.held, effort, wrenches)


class WithFriction(Struct, frozen=True, eq=False):
    """Solution with friction, each (n, N).

    Parameters
    ----------
    qdd, effort : ndarray
        As in `HybridDynamics`.
    friction : ndarray
        Friction torque; for a stuck joint only the viscous part, which is zero.
    limit : ndarray
        Available dry friction.
    mesh : ndarray
        Losses of the gears of sliding joints, in addition to `friction`.
    """

    qdd: Array
    effort: Array
    friction: Array
    limit: Array
    mesh: Array


class SlidingJoints(Struct, frozen=True, eq=False):
    """Friction of a tree's joints: without load, and the load-dependent part.

    Parameters
    ----------
    robot : Robot
    slide : ndarray, shape (n,)
        Sense in which a free joint slides on dry friction, 1 or -1; 0 for others.
    caused : CausedFriction
    """

    robot: Robot
    slide: Array
    caused: CausedFriction

    @classmethod
    def of(cls, robot: Robot, trains: DriveTrains | None, slide: Array) -> SlidingJoints:
        """Return the friction of joints that slide as given by `slide`."""
        laws, (S, _) = load_laws(robot), robot.coupling
        acts = laws.is_surface | (S[laws.rows] != 0)[:, slide != 0].any(axis=1)
        is_lossy = np.zeros(slide.size, dtype=bool) if trains is None else trains.is_lossy
        gears = np.flatnonzero(is_lossy & (slide != 0))
        return cls(robot, slide, CausedFriction(robot, trains, gears, np.flatnonzero(acts)))

    @property
    def is_steady(self) -> bool:
        """True if load-independent friction does not depend on the speed."""
        return not friction_surfaces(self.robot)

    def dry(self, qd_tree: Array, reaction: Array | None = None) -> Array:
        """Return dry friction under some reactions (default: none), (n, N)."""
        robot, (S, _) = self.robot, self.robot.coupling
        if reaction is None and needs_reaction(robot):
            reaction = np.zeros((len(qd_tree), 6, qd_tree.shape[1]))
        result = self.slide[:, None] * joint_limit(robot, qd_tree, reaction)
        for surface in friction_surfaces(robot):
            result += S.T @ surface_friction(surface, qd_tree, surface.limit(qd_tree, reaction))
        return np.asarray(result)

    def units(self, qd_tree: Array) -> Array:
        """Return the torque at the joints per unit of each load-dependent friction, (n, c, N)."""
        caused, laws, (S, _) = self.caused, load_laws(self.robot), self.robot.coupling
        of_laws = (np.abs(S[laws.rows[caused.laws]]) * self.slide).T
        of_gears = np.eye(self.slide.size)[:, caused.gears]
        units = np.concatenate([of_gears, of_laws], axis=1)
        result = np.repeat(units[..., None], qd_tree.shape[1], axis=2)
        for k, law in enumerate(caused.laws.tolist(), caused.gears.size):
            if (surface := laws.surfaces[law]) is not None:
                result[:, k] = S.T @ surface_friction(surface, qd_tree, np.ones(qd_tree.shape[1]))
        return result

    def sense(self, qd: Array) -> Array:
        """Return the sense of dry friction of drive trains, (n, N), at velocities (n, N)."""
        return np.tile(self.slide[:, None], qd.shape[1])


def with_friction(
    dynamics: HybridDynamics,
    states: LoadedStates,
    driven: Mask,
    slide: Array,
    t: Array,
    trains: DriveTrains | None = None,
    motor: Array | None = None,
) -> WithFriction:
    """Solve for accelerations, efforts and friction.

    Parameters
    ----------
    states : LoadedStates
        States with all loads except friction in joints and in meshes.
    driven : ndarray of bool, shape (n,)
    slide : ndarray, shape (n,)
        Sense in which a free joint slides on dry friction, 1 or -1; 0 for others.
    t : ndarray, shape (N,)
        Times for the message [s].
    trains : DriveTrains, optional
    motor : ndarray, shape (n, N), optional
        Motor torques less friction at the rotors [N·m or N], for trains that lose torque.

    Raises
    ------
    ScenarioError
        If no dry limit is consistent with the load that it causes; names joint and time.
    """
    robot = dynamics.robot
    S, _ = robot.coupling
    qd_tree = S @ states.qd
    moving = SlidingJoints.of(robot, trains, slide)
    caused, follows = moving.caused, needs_reaction(robot)
    viscous = S.T @ viscous_torque(robot, qd_tree)
    friction = viscous + moving.dry(qd_tree)
    count, shape = 1 + caused.size, (*friction.shape[:1], 1 + caused.size, t.size)
    cases = states.repeat(count)
    every = np.concatenate([friction[:, None], friction[:, None] + moving.units(qd_tree)], axis=1)
    qdd, effort, wrenches = states.complete_each(dynamics, every)
    reactions: Array | None = None
    if follows:
        motion = cases.q, cases.qd, qdd.reshape(cases.q.shape)
        reactions = newton_euler.wrenches(
            robot, *motion, dynamics.gravity, wrenches
        ).reaction.reshape(len(qd_tree), 6, *shape[1:])
    reaction, mesh, dry = None, np.zeros_like(friction), np.zeros((caused.size, t.size))
    if caused.size:
        torque, loads = mesh if motor is None else motor, caused.along_axes(reactions)
        dry = caused.fit(qdd, loads, qd_tree, torque, slide[:, None], t)
        mesh[caused.gears] = dry[: caused.gears.size]
    if reactions is not None:
        reaction = under(reactions, dry)
        friction = viscous + moving.dry(qd_tree, reaction)
    if driven.any():
        friction[driven] = (S.T @ friction_torque(robot, qd_tree, reaction))[driven]
    limit = joint_limit(robot, qd_tree, reaction)
    return WithFriction(under(qdd, dry), under(effort, dry), friction, limit, mesh)


def joint_limit(robot: Robot, qd_tree: Array, reaction: Array | None) -> Array:
    """Return dry friction of each independent joint with its mimics, by their ratios, (n, N)."""
    S, _ = robot.coupling
    return np.asarray(np.abs(S).T @ dry_limit(robot, qd_tree, reaction))


def surface_friction(surface: FrictionSurface, qd_tree: Array, limit: Array) -> Array:
    """Return friction of a ball or a sleeve at the tree joints, for a limit D (N,), (n_tree, N)."""
    on_tree = np.zeros_like(qd_tree)
    on_tree[list(surface.rows)] = limit * surface.per_limit(qd_tree)
    return on_tree
