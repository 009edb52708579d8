"""Hybrid dynamics with friction, also where friction depends on the load that it causes.

A free joint that slides meets its dry limit against its motion; driven joints meet the friction of
their prescribed speed. Where a limit follows the reaction in the joint, or a gear loses a part of
what passes it, that depends on the accelerations, and they on the friction of all joints that
slide: `sim.dynamics.caused_friction` solves for all of it at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics import newton_euler
from sim.dynamics.caused_friction import CausedFriction, load_laws, under
from sim.dynamics.drive_trains import DriveTrains
from sim.dynamics.friction import dry_limit, friction_torque, needs_reaction, viscous_torque
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.single_state.machine_instant import MachineInstant
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.wrench import AppliedWrench
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import FrictionSurface, friction_surfaces
from sim.robots.robot import Robot

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


@dataclass(frozen=True, eq=False)
class SlidingJoints:
    """Friction of a tree's joints: as if nothing were loaded, and what follows loads.

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
        """Friction while joints slide as `slide` says."""
        laws, (S, _) = load_laws(robot), robot.coupling
        acts = laws.is_surface | (S[laws.rows] != 0)[:, slide != 0].any(axis=1)
        is_lossy = np.zeros(slide.size, dtype=bool) if trains is None else trains.is_lossy
        gears = np.flatnonzero(is_lossy & (slide != 0))
        return cls(robot, slide, CausedFriction(robot, trains, gears, np.flatnonzero(acts)))

    @property
    def is_steady(self) -> bool:
        """True if what follows no load does not depend on the speed."""
        return not friction_surfaces(self.robot)

    def dry(self, qd_tree: Array, reaction: Array | None = None) -> Array:
        """Dry friction under some reactions, without any if they are not given, (n, N)."""
        robot, (S, _) = self.robot, self.robot.coupling
        if reaction is None and needs_reaction(robot):
            reaction = np.zeros((len(qd_tree), 6, qd_tree.shape[1]))
        result = self.slide[:, None] * joint_limit(robot, qd_tree, reaction)
        for surface in friction_surfaces(robot):
            result += S.T @ surface_friction(surface, qd_tree, surface.limit(qd_tree, reaction))
        return np.asarray(result)

    def units(self, qd_tree: Array) -> Array:
        """What a unit of each friction that is caused takes at the joints, (n, c, N)."""
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
        """Sense in which dry friction of drive trains acts, (n, N), at velocities (n, N)."""
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
    trains : DriveTrains, optional
    motor : ndarray, shape (n, N), optional
        The motors' torques less friction at the rotors [N·m or N], of trains that lose torque.

    Raises
    ------
    ScenarioError
        If no dry limit fits the load that it causes; names joint and time.
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
    qdd, effort = cases.hybrid_dynamics(dynamics, every.reshape(cases.q.shape))
    reactions: Array | None = None
    if follows:
        motion = cases.q, cases.qd, qdd
        reactions = newton_euler.wrenches(
            robot, *motion, dynamics.gravity, cases.wrenches
        ).reaction.reshape(len(qd_tree), 6, *shape[1:])
    qdd, effort = qdd.reshape(shape), effort.reshape(shape)
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
    """Dry friction of each independent joint, (n, N); its own and its mimics' add up, geared."""
    S, _ = robot.coupling
    return np.asarray(np.abs(S).T @ dry_limit(robot, qd_tree, reaction))


def surface_friction(surface: FrictionSurface, qd_tree: Array, limit: Array) -> Array:
    """Friction of a ball or a sleeve at the tree joints under its limit D (N,), (n_tree, N)."""
    on_tree = np.zeros_like(qd_tree)
    on_tree[list(surface.rows)] = limit * surface.per_limit(qd_tree)
    return on_tree
