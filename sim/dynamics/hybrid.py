"""Hybrid dynamics: accelerations of loose joints and efforts of held ones."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from msgspec import Struct

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.lagrange import inverse_dynamics, mass_matrix
from sim.dynamics.light_motion import INERTIA
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.wrench import Acting, AppliedWrench, joint_torque
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

# Relative accuracy of an engine's accelerations: a correction by the model's M, which is right to
# 1e-9 or better, leaves only rounding of such a small step, relative to the largest of them.
CORRECTED, MOST_QUESTIONS = 1e-7, 3


class HybridDynamics(Protocol):
    """Hybrid dynamics of a robot, by the Lagrangian model or by an engine."""

    @property
    def robot(self) -> Robot:
        """Robot of the model, with its joints' coupling."""
        ...

    @property
    def gravity(self) -> Gravity:
        """Gravity in the world [m/s²]."""
        ...

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting
    ) -> tuple[Array, Array]:
        """Return complete qdd and effort with ``M qdd + C qd + g = effort + Jᵀ F`` at N states.

        Parameters
        ----------
        q, qd : ndarray, shape (n, N)
            Independent joints [rad or m], [rad/s or m/s].
        qdd : ndarray, shape (n, N)
            Rows of held joints are given [rad/s² or m/s²]; the others are not used.
        held : ndarray of bool, shape (n,)
            Joints whose acceleration is given.
        effort : ndarray, shape (n, N)
            For the other joints, all torques except inertia, gravity and the wrenches [N·m or N];
            rows of held joints are not used.
        wrenches : sequence of AppliedWrench
            The wrenches F, over the N states.

        Returns
        -------
        qdd, effort : ndarray, shape (n, N)
            Values for all joints.
        """
        ...

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting
    ) -> tuple[Array, Array]:
        """Return hybrid dynamics at one state, under several efforts.

        Parameters
        ----------
        at : Instant
            The state.
        qdd : ndarray, shape (n,)
            Given for held joints.
        held : ndarray of bool, shape (n,)
        effort : ndarray, shape (n, cases)
            Given for the other joints.
        wrenches : sequence of AppliedWrench
            Wrenches at the state.

        Returns
        -------
        qdd, effort : ndarray, shape (n, cases)
        """
        ...


class ExtendedDynamics(Struct, frozen=True, eq=False):
    """Base of hybrid dynamics that add equations to others.

    Parameters
    ----------
    tree : HybridDynamics
        Those without these equations.
    """

    tree: HybridDynamics

    @property
    def robot(self) -> Robot:
        """Robot of the model."""
        return self.tree.robot

    @property
    def gravity(self) -> Gravity:
        """Gravity in the world [m/s²]."""
        return self.tree.gravity


class HoldingDynamics(ExtendedDynamics, frozen=True, eq=False):
    """Base of dynamics in which contacts that stick are held, around others."""

    @abstractmethod
    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts; see `HybridDynamics`."""

    @abstractmethod
    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts at one state; see `HybridDynamics`."""

    @abstractmethod
    def complete(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting
    ) -> tuple[Array, Array, tuple[AppliedWrench, ...]]:
        """Return `hybrid_dynamics`, and the wrenches that hold the contacts."""

    @abstractmethod
    def complete_at(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting
    ) -> tuple[Array, Array, tuple[AppliedWrench, ...]]:
        """Return `at_instant`, and those wrenches in each of its cases."""


@dataclass(frozen=True, eq=False)
class LagrangianDynamics:
    """Hybrid dynamics by the Lagrangian model.

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        In the world [m/s²].
    """

    robot: Robot
    gravity: Gravity = GRAVITY

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Return complete accelerations and efforts; see `HybridDynamics`.

        With f the loose and h the held joints,
        ``M_ff qdd_f = effort_f + (Jᵀ F)_f - (M_fh qdd_h + C qd + g)_f``.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the loose joints have no inertia.
        """
        qdd = np.where(held[:, None], qdd, 0.0)
        needed = inverse_dynamics(self.robot, q, qd, qdd, self.gravity)
        if wrenches:
            needed -= joint_torque(self.robot, q, wrenches)
        loose = ~held
        if loose.any():
            M = mass_matrix(self.robot, q)
            M_ff = np.moveaxis(M[np.ix_(loose, loose)], -1, 0)
            lacking = (effort - needed)[loose].T[:, :, None]
            qdd[loose] = np.linalg.solve(M_ff, lacking)[:, :, 0].T
            needed += np.einsum("ijN,jN->iN", M[:, loose], qdd[loose])
        return qdd, np.where(held[:, None], needed, effort)

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Return complete accelerations and efforts at one state; see `HybridDynamics`.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the loose joints have no inertia.
        """
        needed = at.bias[:, None]
        if wrenches:
            needed = needed - joint_torque(self.robot, at.q[:, None], wrenches)
        if not held.any():
            return np.asarray(np.linalg.solve(at.M, effort - needed)), effort
        loose = ~held
        qdds = np.repeat(np.where(held, qdd, 0.0)[:, None], effort.shape[1], axis=1)
        needed = needed + at.M @ qdds
        if loose.any():
            M_ff = at.M[np.ix_(loose, loose)]
            qdds[loose] = np.linalg.solve(M_ff, (effort - needed)[loose])
            needed += at.M[:, loose] @ qdds[loose]
        return qdds, np.where(held[:, None], needed, effort)


def require_inertia(dynamics: HybridDynamics, free: Mask, t: float, q: Array) -> None:
    """Check that every motion of the free joints has inertia.

    Parameters
    ----------
    free : ndarray of bool, shape (n,)
    t : float
        Time for the message [s].
    q : ndarray, shape (n, 1)

    Raises
    ------
    ScenarioError
        If a motion has none; names the joint.
    """
    if not free.any():
        return
    robot = dynamics.robot
    at = Instant(robot, dynamics.gravity, q[:, 0], np.zeros(len(q)))
    M = at.M[np.ix_(free, free)]
    size = np.sqrt(np.diag(M))
    lightest = int(np.argmin(size))
    if size[lightest] > 0:
        values, vectors = np.linalg.eigh(M / np.outer(size, size))
        if values[0] > INERTIA:
            return
        lightest = int(np.argmax(np.abs(vectors[:, 0])))
    row = robot.coordinates[int(np.flatnonzero(free)[lightest])]
    joint = robot.joint(row.joint)
    raise ScenarioError(
        f"Joint {row.name!r} is free and has no inertia along it at t = {t:.6g} s, so that no "
        f"torque determines its motion; give link {joint.child!r} inertia, or drive the joint"
    )
