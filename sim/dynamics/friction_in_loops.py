"""Dry friction in joints of closed loops: sliding and holding joints, and their loads.

Joints of a loop come to rest together, and what each of them then gives does not follow from the
balance alone. Let a be the accelerations of the tree joints at rest without their friction, P their
answers to unit efforts there. Friction within its limits leaves as little as it can,

    f = argmin ½ fᵀ P f - aᵀ f,    |f| ≤ limit

(`sim.dynamics.holding_friction`), and what is left, ``a - P f``, is how they break away: a joint
with less than its limit stays, one at its limit goes as it is pushed. Without drives in their loops
that is least by (a - P f)ᵀ P⁺ (a - P f). Of frictions that do the same the smallest are taken, each
by its limit. A limit that follows the load in its joint has the forces of the loops in it.

A joint whose motion the driven ones decide, through loops or as their follower, rubs as they do, by
the sense of its speed. That moves nothing but the forces of the loops and the drives. A ball, or a
sleeve that slides and turns, does not stick: what it rubs follows from its speed and its load too.

The drive train of a loose joint rubs with the joint: at rest it has bounds of its own, and in
motion its gear takes what `sim.dynamics.trains_in_loops` solves for.

References
----------
Gauss's principle of least constraint; Baraff 1994, Fast contact force computation, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from sim.dynamics import loop_forces
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.friction import (
    dry_joints,
    dry_limit,
    friction_torque,
    needs_reaction,
    viscous_torque,
)
from sim.dynamics.holding_friction import HELD, MOST_ROUNDS, SETTLED, holding
from sim.dynamics.load_dependent_friction import LoadedStates, WithFriction
from sim.dynamics.trains_in_loops import TrainsInLoops
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask
from sim.robots.friction_surface import friction_surfaces
from sim.robots.robot import Robot

TIED = 1e-4  # of the largest acceleration that is left; joints with less stay at rest

# Joints that loops tie to one that is at rest have speeds of rounding then [rad/s or m/s].
AT_REST = 1e-10


@dataclass(frozen=True, eq=False)
class RoughJoints:
    """Tree joints of a mechanism with dry friction, and the motions that decide its sense.

    Parameters
    ----------
    free : ndarray, shape (k,)
        Rows of q_tree, of joints that may come to rest by it and break away.
    decided : ndarray, shape (m,)
        Of those whose friction follows from their speed: that driven joints take along, and of
        balls and sleeves, which do not stick.
    driven : ndarray, shape (d,)
        Of those that drives move; no loop feels their friction.
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
        """Rough joints of a mechanism where the joints `held` (n,) have a drive.

        `trained` (n,) are those whose drive trains rub, and make them rough too.
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
        rubs = is_dry | is_smooth
        rows = is_free, rubs & ~is_free & ~is_driven, rubs & is_driven
        return cls(*(np.flatnonzero(each) for each in rows))


def own_rows(robot: Robot) -> NDArray[np.intp]:
    """The row of each independent joint among the tree joints, shape (n,)."""
    names = robot.tree_row_names
    return np.array([names.index(name) for name in robot.row_names], dtype=np.intp)


def friction_in_loops(
    dynamics: ConstrainedDynamics,
    states: LoadedStates,
    on_tree: Array,
    slide: Array,
    stuck: Mask,
    t: Array,
    trains: TrainsInLoops | None = None,
) -> tuple[WithFriction, Array, Array]:
    """Accelerations and efforts, what of accelerations friction cannot hold (n, N), and friction.

    Friction is also given at each tree joint, shape (n_tree, N). That of drive trains is in neither
    but for what `WithFriction.mesh` has: what gears of moving joints lose, and what holds the
    motors of joints at rest.

    Parameters
    ----------
    states : LoadedStates
        Held are the joints that drives hold; no stuck one is.
    on_tree : ndarray, shape (n_tree, N)
        What of the torques given acts at each tree joint [N·m or N].
    slide : ndarray, shape (n,)
        Sense in which a joint slides on dry friction, 1 or -1; 0 for others.
    stuck : ndarray of bool, shape (n,)
        Joints at rest that dry friction may hold.
    t : ndarray, shape (N,)
        For the message [s].
    trains : TrainsInLoops, optional
        Drive trains of joints that are not held.

    Raises
    ------
    ScenarioError
        If no dry limit fits the load that it causes, or no sense the losses of gears; names joint
        or time.
    """
    robot = dynamics.robot
    S, _ = robot.coupling
    rough = RoughJoints.of(dynamics, states.held, None if trains is None else trains.is_rough)
    answers = _Answers.of(dynamics, states, on_tree, rough)
    dry, limit, reaction, of_joints = _fitting(dynamics, answers, rough, slide, stuck, t, trains)
    friction = answers.viscous.copy()
    friction[rough.acting] += of_joints
    mesh = np.zeros_like(states.q)
    if trains is not None:
        of_trains = np.zeros_like(friction)
        of_trains[rough.acting] = dry - of_joints
        mesh = of_trains[own_rows(robot)]
    if rough.driven.size:
        friction[rough.driven] = friction_torque(robot, answers.qd, reaction)[rough.driven]
    qdd = _under(answers.qdd, dry)
    excess = np.where(stuck[:, None], qdd, 0.0)
    qdd = np.where(stuck[:, None], 0.0, qdd)
    effort = _under(answers.effort, dry)
    at_joints = WithFriction(qdd, effort, S.T @ friction, np.abs(S).T @ limit, mesh)
    return at_joints, excess, friction


@dataclass(frozen=True, eq=False)
class _Answers:
    """Values without dry friction (..., N), and their change per unit of each acting (..., k, N).

    Parameters
    ----------
    qd, viscous : ndarray, shape (n_tree, N)
    qdd, effort, reaction : pair of ndarray
        Of (n, N) and (n_tree, 6, N); no reaction where no friction follows one.
    """

    qd: Array
    viscous: Array
    qdd: tuple[Array, Array]
    effort: tuple[Array, Array]
    reaction: tuple[Array, Array] | None

    @classmethod
    def of(
        cls, dynamics: ConstrainedDynamics, states: LoadedStates, on_tree: Array, rough: RoughJoints
    ) -> _Answers:
        robot = dynamics.robot
        S, _ = robot.coupling
        qd, units = S @ states.qd, np.eye(S.shape[0])[rough.acting, :, None]
        viscous = viscous_torque(robot, qd)
        taken = [viscous, *(viscous + unit for unit in units)]
        efforts = [states.effort - S.T @ friction for friction in taken]
        motion = states.q, states.qd, states.qdd
        answers = dynamics.under_each(*motion, states.held, efforts, states.wrenches)
        qdds = [answer for answer, _ in answers]
        reaction = None
        if needs_reaction(robot):
            spent = [friction - on_tree for friction in taken]
            if robot.has_drives:
                rotors = robot.rotor_inertia[:, None]
                for each, qdd in zip(spent, qdds, strict=True):
                    each[own_rows(robot)] += rotors * qdd
            reaction = _linear(_reactions(dynamics, states, qdds, spent))
        return cls(qd, viscous, _linear(qdds), _linear([effort for _, effort in answers]), reaction)

    def reaction_under(self, dry: Array) -> Array | None:
        """True reactions of the tree joints under dry friction; None where none is followed."""
        return None if self.reaction is None else _under(self.reaction, dry)


def _fitting(
    dynamics: ConstrainedDynamics,
    answers: _Answers,
    rough: RoughJoints,
    slide: Array,
    stuck: Mask,
    t: Array,
    trains: TrainsInLoops | None,
) -> tuple[Array, Array, Array | None, Array]:
    """Dry friction of the acting joints, limits, reactions, and the friction of joints alone.

    The first has what holds the motors of drive trains at rest and what their gears lose in motion.
    """
    robot, (S, _) = dynamics.robot, dynamics.robot.coupling
    sense = np.sign(S[rough.free] @ slide)[:, None]
    resting = np.flatnonzero((S[rough.free] != 0)[:, stuck].any(axis=1))
    steady = np.where(np.abs(answers.qd) > AT_REST, answers.qd, 0.0)

    at_rest = rough.free[resting]

    def in_motion(limit: Array, reaction: Array | None) -> Array:
        dry = np.concatenate([sense * limit[rough.free], np.zeros((rough.decided.size, t.size))])
        if rough.decided.size:
            moving = friction_torque(robot, steady, reaction) - viscous_torque(robot, steady)
            dry[rough.free.size :] = moving[rough.decided]
        return dry

    def under(limit: Array, reaction: Array | None) -> Array:
        dry = in_motion(limit, reaction)
        if trains is not None:
            rest = resting, S[at_rest]
            return trains.fit(answers.qdd, dry, rough.acting, rest, limit[at_rest], t)
        if resting.size:
            P = -np.einsum("ij,jkN->ikN", S[at_rest], answers.qdd[1][:, resting])
            a = S[at_rest] @ _under(answers.qdd, dry)
            for k in range(t.size):
                dry[resting, k] = holding(P[..., k], a[:, k], -limit[at_rest, k], limit[at_rest, k])
        return dry

    def most(limit: Array, reaction: Array | None) -> Array:
        """The limits, and the most that balls and sleeves rub."""
        every = limit.copy()
        for surface in friction_surfaces(robot):
            every[list(surface.rows)] += surface.arms * surface.limit(answers.qd, reaction)
        return every

    reaction = answers.reaction_under(np.zeros((rough.acting.size, t.size)))
    limit = dry_limit(robot, answers.qd, reaction)
    every, off = most(limit, reaction), np.zeros_like(limit, dtype=bool)
    dry = under(limit, reaction)
    for _ in range(0 if reaction is None else MOST_ROUNDS):
        last, reaction = every, answers.reaction_under(dry)
        limit = dry_limit(robot, answers.qd, reaction)
        dry, every = under(limit, reaction), most(limit, reaction)
        off = np.abs(every - last) > SETTLED * np.max(every)
        if not off.any():
            break
    if off.any():
        _refuse(dynamics, t, off)
    if trains is None:
        return dry, limit, reaction, dry
    of_joints = in_motion(limit, reaction)
    of_joints[resting] = np.clip(dry[resting], -limit[at_rest], limit[at_rest])
    return dry, limit, reaction, of_joints


def breaks_away(excess: Array, free: Array) -> Array:
    """The sense in which joints at rest break away, 1, -1, or 0 where they stay, shape (n,).

    Parameters
    ----------
    excess : ndarray, shape (n,)
        Accelerations that friction cannot hold.
    free : ndarray, shape (n,)
        Accelerations without the friction.
    """
    largest = float(np.abs(excess).max(initial=0.0))
    if largest <= 0.5 * HELD * float(np.abs(free).max(initial=0.0)):
        return np.zeros_like(excess)
    return np.where(np.abs(excess) > TIED * largest, np.sign(excess), 0.0)


def _linear(cases: list[Array]) -> tuple[Array, Array]:
    """A quantity (..., N) without dry friction, and its change per unit of each, (..., k, N)."""
    rest = cases[0]
    changes = np.empty((*rest.shape[:-1], len(cases) - 1, rest.shape[-1]))
    for k, case in enumerate(cases[1:]):
        changes[..., k, :] = case - rest
    return rest, changes


def _under(quantity: tuple[Array, Array], dry: Array) -> Array:
    """A linear quantity (..., N) under dry friction (k, N)."""
    return np.asarray(quantity[0] + np.einsum("...kN,kN->...N", quantity[1], dry))


def _reactions(
    dynamics: ConstrainedDynamics, states: LoadedStates, qdds: list[Array], spent: list[Array]
) -> list[Array]:
    """True reactions of the tree joints (n_tree, 6, N) in each case.

    `spent` (n_tree, N) is what the joints take by themselves.
    """
    robot, cases = dynamics.robot, states.repeat(len(qdds))
    loose = ~states.held if passive_joints(robot).any() else None
    motion = cases.q, cases.qd, np.hstack(qdds)
    every = loop_forces.inverse_dynamics(
        robot, *motion, dynamics.gravity, np.hstack(spent), cases.wrenches, loose
    ).reaction
    return np.split(every, len(qdds), axis=-1)


def _refuse(dynamics: ConstrainedDynamics, t: Array, off: Mask) -> NoReturn:
    row, k = np.argwhere(off)[0]
    raise ScenarioError(
        f"Joint {dynamics.robot.tree_row_names[row]!r} jams at t = {t[k]:.6g} s: its dry friction "
        "grows without end with the load that it causes in its loop; lower its coefficient"
    )
