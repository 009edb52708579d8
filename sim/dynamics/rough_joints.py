"""Tree joints with dry friction in closed loops, and their friction in motion."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.caused_friction import CausedFriction, load_laws
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.drive_trains import DriveTrains
from sim.dynamics.friction import (
    dry_joints,
    dry_limit,
    friction_torque,
    needs_reaction,
    through_zero,
    viscous_torque,
)
from sim.dynamics.load_dependent_friction import surface_friction
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import friction_surfaces
from sim.robots.robot import Robot

# Joints that loops connect to one at rest have only rounding as speeds [rad/s or m/s].
AT_REST = 1e-10


class RoughJoints(Struct, frozen=True, eq=False):
    """Tree joints of a mechanism with dry friction, and the motions that determine its sense.

    Parameters
    ----------
    free : ndarray, shape (k,)
        Rows of q_tree of joints that friction may hold at rest.
    decided : ndarray, shape (m,)
        Rows of joints whose friction follows from their speed: joints moved by driven ones, and
        balls and sleeves, which do not stick.
    driven : ndarray, shape (d,)
        Rows of joints moved by drives; loops do not feel their friction.
    """

    free: NDArray[np.intp]
    decided: NDArray[np.intp]
    driven: NDArray[np.intp]

    @property
    def acting(self) -> NDArray[np.intp]:
        """Indices of the rough joints whose friction moves joints or loads loops."""
        return np.concatenate([self.free, self.decided])

    @classmethod
    def of(cls, dynamics: ConstrainedDynamics, held: Mask, trained: Mask | None) -> RoughJoints:
        """Return the rough joints of a mechanism whose joints `held` (n,) have a drive.

        `trained` (n,) are those with friction in their drive trains, which also makes them rough.
        """
        robot = dynamics.robot
        is_dry = dry_joints(robot)
        if trained is not None:
            is_dry[own_rows(robot)[trained]] = True
        follows = ~held
        follows[list(dynamics.decided)] = False
        S, _ = robot.coupling
        is_free = is_dry & (S != 0)[:, follows].any(axis=1)
        is_driven = np.zeros_like(is_dry)
        is_driven[own_rows(robot)[held]] = True
        is_smooth = np.zeros_like(is_dry)
        for surface in friction_surfaces(robot):
            is_smooth[list(surface.rows)] = True
        has_friction = is_dry | is_smooth
        rows = is_free, has_friction & ~is_free & ~is_driven, has_friction & is_driven
        return cls(*(np.flatnonzero(each) for each in rows))


def own_rows(robot: Robot) -> NDArray[np.intp]:
    """Return the row of each independent joint among the tree joints, shape (n,)."""
    names = robot.tree_row_names
    return np.array([names.index(name) for name in robot.row_names], dtype=np.intp)


class MovingJoints(Struct, frozen=True, eq=False, dict=True):
    """Friction of moving joints in closed loops: without load, and the load-dependent part.

    Parameters
    ----------
    dynamics : ConstrainedDynamics
    rough : RoughJoints
    slide : ndarray, shape (n,)
        Sense in which each joint slides on dry friction, 1 or -1; 0 for others.
    caused : CausedFriction
    """

    dynamics: ConstrainedDynamics
    rough: RoughJoints
    slide: Array
    caused: CausedFriction

    @classmethod
    def of(
        cls, dynamics: ConstrainedDynamics, held: Mask, slide: Array, trains: DriveTrains | None
    ) -> MovingJoints:
        """Return the friction while joints slide as given by `slide` and `held` (n,) are driven."""
        robot, gears = dynamics.robot, np.empty(0, dtype=np.intp)
        is_rough = None if trains is None else trains.is_dry & ~held
        rough, laws = RoughJoints.of(dynamics, held, is_rough), load_laws(robot)
        if trains is not None:
            gears = np.flatnonzero(trains.is_dry & ~held & trains.is_lossy)
        slides = np.isin(laws.rows, rough.free) & (robot.coupling[0][laws.rows] @ slide != 0)
        acts = slides | np.isin(laws.rows, rough.decided)
        caused = CausedFriction(robot, trains, gears, np.flatnonzero(acts))
        return cls(dynamics, rough, slide, caused)

    @property
    def is_steady(self) -> bool:
        """True if load-independent friction does not depend on the speed."""
        return not self.rough.decided.size and not self.dynamics.decided

    @cached_property
    def row_sense(self) -> Array:
        """Sense in which free rough joints slide, shape (n_tree,); 0 for all others."""
        S, _ = self.dynamics.robot.coupling
        sense = np.zeros(len(S))
        sense[self.rough.free] = np.sign(S[self.rough.free] @ self.slide)
        return sense

    def dry(self, qd_tree: Array, reaction: Array | None = None) -> Array:
        """Return dry friction under some reactions (default: none), (n_tree, N)."""
        robot, decided = self.dynamics.robot, self.rough.decided
        if reaction is None and needs_reaction(robot):
            reaction = np.zeros((len(qd_tree), 6, qd_tree.shape[1]))
        result = self.row_sense[:, None] * dry_limit(robot, qd_tree, reaction)
        if decided.size:
            steady = without_rounding(qd_tree)
            moving = friction_torque(robot, steady, reaction) - viscous_torque(robot, steady)
            result[decided] = moving[decided]
        return result

    def units(self, qd_tree: Array) -> Array:
        """Return tree joint torques per unit of each load-dependent friction, (n_tree, c, N)."""
        robot, caused, laws = self.dynamics.robot, self.caused, load_laws(self.dynamics.robot)
        gears, steady = caused.gears.size, without_rounding(qd_tree)
        units = np.zeros((len(qd_tree), caused.size, qd_tree.shape[1]))
        units[own_rows(robot)[caused.gears], np.arange(gears)] = 1.0
        for k, law in enumerate(caused.laws.tolist(), gears):
            row, surface, decided = laws.rows[law], laws.surfaces[law], self.rough.decided
            if surface is not None:
                of_surface = surface_friction(surface, steady, np.ones(qd_tree.shape[1]))
                units[decided, k] = of_surface[decided]
            elif row in self.rough.free:
                units[row, k] = self.row_sense[row]
            else:
                slip = laws.slip(np.array([law]), steady)[0]
                units[row, k] = through_zero(np.sign(steady[row]) * slip)
        return units

    def sense(self, qd: Array) -> Array:
        """Return the sense of dry friction of drive trains, (n, N), at velocities (n, N)."""
        return sense_of_motion(self.dynamics, self.slide, qd)


def sense_of_motion(dynamics: ConstrainedDynamics, slide: Array, qd: Array) -> Array:
    """Return the sense of dry friction of drive trains, (n, N), at velocities (n, N).

    For a joint moved by driven ones through loops it is the sense of its speed.
    """
    sense, decided = np.tile(slide[:, None], qd.shape[1]), list(dynamics.decided)
    sense[decided] = np.sign(without_rounding(qd))[decided]
    return sense


def without_rounding(qd: Array) -> Array:
    """Return velocities with those due to rounding set to zero."""
    return np.where(np.abs(qd) > AT_REST, qd, 0.0)
