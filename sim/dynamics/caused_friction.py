"""Friction that depends on the loads it causes: load laws of joints, and losses of gears.

The whole mechanism is linear in these frictions. `sim.dynamics.kernels.dry_friction` has their law
and solves for all at once: for trees and closed loops, joints with followers and with drive trains,
in the model and in engines.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.drive_trains import DriveTrains
from sim.errors import ScenarioError
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import FrictionSurface, friction_surfaces
from sim.robots.joint import Joint
from sim.robots.joint_friction import JointFriction
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.kernels.records import Friction

Indices = NDArray[np.intp]
AT_ONCE = 4  # rounds in which all gears with a wrong sense change it; later only the last one


class LoadLaws(Struct, frozen=True, eq=False):
    """The k friction laws of a robot that depend on the load of a joint.

    Parameters
    ----------
    joints : tuple of Joint
    surfaces : tuple of FrictionSurface or None
        Surfaces of balls and sleeves; None for other joints.
    rows : ndarray of int, shape (k,)
        Tree joints that carry the loads.
    to_axes : ndarray, shape (k, 3, 3)
        From the frame of the joint to one with z along its axis.
    factors : ndarray, shape (k, 5)
        Factors of the load: for the magnitudes of force across and along the axis, of moment across
        and along it, and of the whole force.
    slips : ndarray, shape (k, n_tree)
        Surface speeds per unit of joint speed, in stiction velocities.
    preload, most : ndarray, shape (k,)
        Friction without load, and its upper bound [N·m or N].
    mu : ndarray, shape (2, k)
        Coefficients, static and dynamic.
    """

    joints: tuple[Joint, ...]
    surfaces: tuple[FrictionSurface | None, ...]
    rows: Indices
    to_axes: Array
    factors: Array
    slips: Array
    preload: Array
    most: Array
    mu: Array

    @property
    def is_surface(self) -> Mask:
        """Mask of the laws of balls and sleeves, shape (k,)."""
        return np.array([one is not None for one in self.surfaces], dtype=bool)

    def slip(self, laws: Indices, qd_tree: Array) -> Array:
        """Return the surface speeds of some laws in stiction velocities, (laws, N)."""
        return np.asarray(np.sqrt(self.slips[laws] ** 2 @ qd_tree**2))


def law_constants(joint: Joint, law: JointFriction) -> tuple[float, ...]:
    """Return the constants of a joint's law: factors (5,), preload, bound, and both coefficients.

    See `LoadLaws`; the factors are zero where the friction does not depend on the load.
    """
    factors = (0.0,) * 5
    if joint.is_ball:
        factors = *factors[:4], law.pin_radius * ("reaction_force" in law.inputs)
    elif joint.has_load_friction:
        factors = *law.load_factors(is_prismatic=joint.is_prismatic), 0.0
    preload = law.preload if "preload" in law.inputs else 0.0
    return *factors, preload, law.max_torque, law.mu_static, law.mu_dynamic


@lru_cache(maxsize=64)
def load_laws(robot: Robot) -> LoadLaws:
    """Return the load-dependent laws of joints, balls and sleeves."""
    by_joint = {one.joint.name: one for one in friction_surfaces(robot)}
    joints, surfaces, rows, slips, constants = [], [], [], [], []
    for joint, row in zip(robot.tree_joints, robot.first_tree_rows, strict=True):
        law = joint.friction_law
        if law is None or not joint.has_load_friction:
            continue
        surface, slip = by_joint.get(joint.name), np.zeros(len(robot.tree_coordinates))
        if surface is None:
            slip[row] = law.slip(np.ones(1), is_prismatic=joint.is_prismatic)[0]
        else:
            slip[list(surface.rows)] = surface.radii[:, 0] / law.stiction_velocity
        constants.append(law_constants(joint, law))
        joints.append(joint)
        surfaces.append(surface)
        rows.append(row)
        slips.append(slip)
    where, table = np.array(rows, dtype=np.intp), np.reshape(constants, (-1, 9))
    return LoadLaws(
        tuple(joints),
        tuple(surfaces),
        where,
        tree_of(robot).R_ji[where].swapaxes(1, 2),
        table[:, :5],
        np.reshape(slips, (len(rows), len(robot.tree_coordinates))),
        table[:, 5],
        table[:, 6],
        table[:, 7:].T,
    )


class CausedFriction(Struct, frozen=True, eq=False, dict=True):
    """Frictions of g lossy gears and of k load laws, c = g + k.

    Parameters
    ----------
    robot : Robot
    trains : DriveTrains or None
    gears : ndarray of int, shape (g,)
        Joints whose rigid gears lose a part of their torque.
    laws : ndarray of int, shape (k,)
        Indices into `load_laws`.
    known : int
        Number r of further frictions with known values.
    """

    robot: Robot
    trains: DriveTrains | None
    gears: Indices
    laws: Indices
    known: int = 0

    @property
    def size(self) -> int:
        """Number c of the frictions."""
        return int(self.gears.size + self.laws.size)

    def record(
        self, units: Array | None = None, slide: Array | None = None, constant: Array | None = None
    ) -> Friction:
        """Return the record for the kernels.

        `units` (n, c), `slide` (n,) and `constant` (n,), the other friction in this sense of
        motion, are needed where the kernels also compute the joints.
        """
        from sim.dynamics.kernels.records import Friction, friction_work

        every, at, (tree, n) = load_laws(self.robot), self.laws, self.robot.coupling[0].shape
        nothing, trains, gears = np.zeros(n), self.trains, self.gears
        units = np.zeros((n, self.size)) if units is None else units
        slide, constant = (nothing if x is None else x for x in (slide, constant))
        elastic, rotors, efficiency = np.zeros(0, dtype=np.intp), np.zeros((3, n)), np.ones((2, n))
        if trains is not None:
            coulomb, efficiency = trains.coulomb(slide[:, None])[:, 0], trains.efficiency
            rotors = np.stack([trains.inertia, trains.viscous, coulomb])
            elastic = np.flatnonzero(trains.has_losses & trains.is_elastic & (slide != 0))
        joints = np.flatnonzero(slide)
        return Friction(
            joints, slide[joints], constant, units.T,
            every.rows[at], every.factors[at], every.slips[at],
            every.preload[at], every.most[at], every.mu[0, at], every.mu[1, at],
            gears, slide[gears], rotors[0, gears], rotors[1, gears], rotors[2, gears],
            efficiency[:, gears],
            AT_ONCE,
            elastic, slide[elastic], efficiency[:, elastic],
            friction_work(gears.size, at.size, self.known, tree, n),
        )  # fmt: skip

    def fit(
        self, qdd: Array, loads: Array, qd_tree: Array, motor: Array, sense: Array, t: Array
    ) -> Array:
        """Solve for the frictions (c, N), those of gears first; positive along their units.

        Parameters
        ----------
        qdd, loads : ndarray, shape (n, 1 + c, N), (k, 6, 1 + c, N)
            Accelerations, and loads in the axes of `along_axes`: without these frictions, then
            under a unit of each.
        qd_tree : ndarray, shape (n_tree, N)
        motor : ndarray, shape (n, N)
            Torques of the motors less the friction at their rotors [N·m or N].
        sense : ndarray, shape (n, N) or (n, 1)
            Sense of the gears' motion, 1 or -1; 0 at rest.
        t : ndarray, shape (N,)
            Times for the message [s].

        Raises
        ------
        ScenarioError
            If there is no solution; names joint and time.
        """
        dry, failed = self.solve(qdd, loads, qd_tree, motor, sense)
        if failed < 0:
            return dry
        worst = int(np.argmax(np.abs(self._by_kernels.work.lacking))) - self.gears.size
        late = float(t[failed])
        if worst < 0:
            raise ScenarioError(f"No sense of the gears' losses fits at t = {late:.6g} s")
        joint = load_laws(self.robot).joints[self.laws[worst]]
        raise ScenarioError(
            f"Joint {joint.name!r} jams at t = {late:.6g} s: its dry friction grows without "
            "bound with the load that it causes; lower its coefficient"
        )

    def solve(
        self, qdd: Array, loads: Array, qd_tree: Array, motor: Array, sense: Array,
        known: Array | None = None
    ) -> tuple[Array, int]:  # fmt: skip
        """Return frictions (c, N) as in `fit`, and the first state without a solution, or -1.

        `known` holds further frictions (r, N), whose units come last in `qdd` and `loads`; they are
        appended to the result, (c + r, N).
        """
        from sim.dynamics.kernels.dry_friction import fit_states

        if not self.size:
            return np.empty((0, motor.shape[1])) if known is None else known, -1
        of_gears, slip = qdd[self.gears], load_laws(self.robot).slip(self.laws, qd_tree)
        inertia = np.empty((0, 1)) if self.trains is None else self.trains.inertia[self.gears, None]
        y_0 = motor[self.gears] - inertia * of_gears[:, 0]
        carried = inertia[:, None] * (of_gears[:, 1:] - of_gears[:, :1])
        more = loads[:, :, 1:] - loads[:, :, :1]
        arrays = (
            loads[:, :, 0].transpose(2, 0, 1), more.transpose(3, 0, 2, 1), y_0.T,
            carried.transpose(2, 0, 1), np.broadcast_to(sense[self.gears], y_0.shape).T, slip.T,
        )  # fmt: skip
        dry = np.zeros((motor.shape[1], self.size + self.known))
        if known is not None:
            dry[:, self.size :] = known.T
        rest, more, y_0, carried, senses, slip = map(np.ascontiguousarray, arrays)
        friction = self._by_kernels
        failed = fit_states(friction, rest, more, y_0, carried, senses, slip, dry)
        return dry.T, failed

    def along_axes(self, reaction: Array | None) -> Array:
        """Return loads of the laws (k, 6, …) z along the joints, of reactions (n_tree, 6, …).

        Reactions are along the axes of joint frames; None is allowed if there are no laws.
        """
        if reaction is None:
            return np.empty((0, 6, 1 + self.size + self.known, 1))
        laws = load_laws(self.robot)
        parts = reaction[laws.rows[self.laws]]
        halves = parts.reshape(len(parts), 2, 3, *parts.shape[2:])
        return np.einsum("kab,khb...->kha...", laws.to_axes[self.laws], halves).reshape(parts.shape)

    def gears_by_known(self) -> Array:
        """Return the change of gear losses per known friction, (g, r), at `solve`'s last state."""
        A, g = self._by_kernels.work.A, self.gears.size
        return np.asarray(-np.linalg.solve(A[:g, :g], A[:g, self.size :]))

    @cached_property
    def _by_kernels(self) -> Friction:
        return self.record()


def under(cases: Array, dry: Array) -> Array:
    """Return a linear quantity (..., N) under frictions (c, N), from its cases (..., 1 + c, N)."""
    rest = cases[..., :1, :]
    return np.asarray(rest[..., 0, :] + np.einsum("...cN,cN->...N", cases[..., 1:, :] - rest, dry))
