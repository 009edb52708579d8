"""Dry friction in joints of closed loops: sliding and holding joints, and their loads.

The joints of a loop come to rest together, and their individual frictions do not follow from the
balance alone. Let a be the accelerations of the tree joints at rest without their friction, and P
the response to unit efforts there. Friction within its limits minimises the remaining motion,

    f = argmin ½ fᵀ P f - aᵀ f,    |f| ≤ limit

(`sim.dynamics.holding_friction`), and the remainder ``a - P f`` gives the direction of breakaway: a
joint below its limit stays, one at its limit moves as it is pushed. Without drives in the loops
this minimises (a - P f)ᵀ P⁺ (a - P f). Of equivalent frictions the smallest are taken, relative to
their limits. A limit that depends on the joint's load includes the loop forces.

A joint whose motion follows from the driven ones, through loops or as a follower, has friction as
they do, by the sense of its speed. This changes only the forces of the loops and the drives. A
ball, or a sleeve that slides and turns, does not stick: its friction depends on speed and load.

The drive train of a loose joint adds friction to the joint: at rest it has bounds of its own, and
in motion `sim.dynamics.trains_in_loops` solves for the losses of its gear.

References
----------
Gauss's principle of least constraint; Baraff 1994, Fast contact force computation, section 4.
"""

from __future__ import annotations

from functools import cached_property
from typing import NoReturn

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sim.dynamics import loop_forces
from sim.dynamics.caused_friction import CausedFriction, under
from sim.dynamics.constrained_dynamics import ConstrainedDynamics, loops_of
from sim.dynamics.friction import dry_limit, friction_torque, needs_reaction, viscous_torque
from sim.dynamics.holding_friction import HELD, MOST_ROUNDS, SETTLED, holding_friction
from sim.dynamics.hybrid import HoldingDynamics, HybridDynamics
from sim.dynamics.load_dependent_friction import LoadedStates, WithFriction
from sim.dynamics.rough_joints import MovingJoints, own_rows
from sim.dynamics.trains_in_loops import TrainsInLoops
from sim.errors import ScenarioError
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array, Mask

KEPT = 1e-10  # of what contacts leave of accelerations, relative to those without contacts
TIED = 1e-4  # relative to the largest remaining acceleration; joints below stay at rest


def friction_in_loops(
    dynamics: HybridDynamics,
    states: LoadedStates,
    on_tree: Array,
    slide: Array,
    stuck: Mask,
    t: Array,
    trains: TrainsInLoops | None = None,
) -> tuple[WithFriction, Array, Array]:
    """Solve for motion and friction; also return accelerations that friction cannot hold (n, N).

    Friction at the tree joints, (n_tree, N), comes last. It and the solution exclude drive trains,
    except for `WithFriction.mesh`: losses of the gears of moving joints, and the friction that
    holds the motors of joints at rest.

    Parameters
    ----------
    dynamics : HybridDynamics
        Those of closed loops, also where contacts stick in them; see `loops_of`.
    states : LoadedStates
        States whose held joints are those held by drives; no stuck joint is held.
    on_tree : ndarray, shape (n_tree, N)
        Part of the given torques that acts at each tree joint [N·m or N].
    slide : ndarray, shape (n,)
        Sense in which a joint slides on dry friction, 1 or -1; 0 for others.
    stuck : ndarray of bool, shape (n,)
        Joints at rest that dry friction may hold.
    t : ndarray, shape (N,)
        Times for the message [s].
    trains : TrainsInLoops, optional
        Drive trains of joints that are not held.

    Raises
    ------
    ScenarioError
        If dry friction has no solution with the load that it causes, or the losses of gears have no
        consistent sense; names joint or time.
    """
    robot, (S, _), loops = dynamics.robot, dynamics.robot.coupling, loops_of(dynamics)
    assert loops is not None
    of_motors = None if trains is None else trains.trains
    moving = MovingJoints.of(loops, states.held, slide, of_motors)
    rough = moving.rough
    resting = np.flatnonzero((S[rough.free] != 0)[:, stuck].any(axis=1))
    contacts = dynamics if isinstance(dynamics, HoldingDynamics) else None
    question = _Question(loops, contacts, states, on_tree, moving, t, trains)
    solved = question.at_rest(resting) if resting.size else question.in_motion()
    friction, mesh, qd = solved.friction, np.zeros_like(states.q), question.qd
    if trains is not None:
        mesh = solved.of_trains[own_rows(robot)]
    if rough.driven.size:
        friction[rough.driven] = friction_torque(robot, qd, solved.reaction)[rough.driven]
    excess = np.where(stuck[:, None], solved.qdd, 0.0)
    qdd = np.where(stuck[:, None], 0.0, solved.qdd)
    limit = np.abs(S).T @ dry_limit(robot, qd, solved.reaction)
    return WithFriction(qdd, solved.effort, S.T @ friction, limit, mesh), excess, friction


class _Solved(Struct, frozen=True, eq=False):
    """Accelerations and efforts (n, N), reactions, and friction at tree joints (n_tree, N)."""

    qdd: Array
    effort: Array
    reaction: Array | None
    friction: Array
    of_trains: Array


class _Answers(Struct, frozen=True, eq=False):
    """Values of a first case, and with one unit more of each of k frictions.

    Parameters
    ----------
    qdd, effort, reaction : ndarray, shape (n, 1 + k, N), (n, 1 + k, N), (n_tree, 6, 1 + k, N)
        Reactions are omitted if no friction depends on them.
    """

    qdd: Array
    effort: Array
    reaction: Array | None

    def at(self, k: int) -> _Answers:
        """Return the values at one state."""
        reaction = None if self.reaction is None else self.reaction[..., [k]]
        return _Answers(self.qdd[..., [k]], self.effort[..., [k]], reaction)

    def combine(self, dry: Array, friction: Array, of_trains: Array) -> _Solved:
        """Return the values under frictions (k, N)."""
        reaction = None if self.reaction is None else under(self.reaction, dry)
        return _Solved(under(self.qdd, dry), under(self.effort, dry), reaction, friction, of_trains)


class _Question(Struct, frozen=True, eq=False, dict=True):
    """Arguments of `friction_in_loops`; see there."""

    dynamics: ConstrainedDynamics
    contacts: HybridDynamics | None
    states: LoadedStates
    on_tree: Array
    moving: MovingJoints
    t: Array
    trains: TrainsInLoops | None

    @cached_property
    def qd(self) -> Array:
        """Velocities of the tree joints, shape (n_tree, N)."""
        return np.asarray(self.dynamics.robot.coupling[0] @ self.states.qd)

    @cached_property
    def viscous(self) -> Array:
        """Viscous friction of the tree joints, shape (n_tree, N)."""
        return viscous_torque(self.dynamics.robot, self.qd)

    @cached_property
    def rotors(self) -> tuple[Array, Array]:
        """Motor torques less rotor friction, and senses of the gears, (n, N) each."""
        if self.trains is None:
            return np.zeros_like(self.states.q), np.zeros_like(self.states.q)
        return self.trains.motor - self.trains.rotor, self.trains.sense

    def in_motion(self) -> _Solved:
        """Solve for friction if no rough joint is at rest."""
        moving, caused, (motor, sense) = self.moving, self.moving.caused, self.rotors
        first, units = self.viscous + moving.dry(self.qd), moving.units(self.qd)
        frictions = [first, *(first + units[:, k] for k in range(caused.size))]
        answers, dry = self._answers(frictions), np.empty((0, self.t.size))
        if caused.size:
            loads = caused.along_axes(answers.reaction)
            dry = caused.fit(answers.qdd, loads, self.qd, motor, sense, self.t)
        of_trains, friction = np.zeros_like(self.qd), first
        of_trains[own_rows(self.dynamics.robot)[caused.gears]] = dry[: caused.gears.size]
        if answers.reaction is not None:
            friction = self.viscous + moving.dry(self.qd, under(answers.reaction, dry))
        return answers.combine(dry, friction, of_trains)

    def _answers(self, frictions: list[Array]) -> _Answers:
        """Solve the dynamics under friction at the tree joints, (n_tree, N) for each case."""
        dynamics, states = self.dynamics, self.states
        robot, (S, _) = dynamics.robot, dynamics.robot.coupling
        efforts = [states.effort - S.T @ friction for friction in frictions]
        motion = states.q, states.qd, states.qdd
        answers = dynamics.under_each(*motion, states.held, efforts, states.wrenches)
        cases, of_held = states.repeat(len(frictions)), [effort for _, effort in answers]
        qdds = [answer for answer, _ in answers]
        if self.contacts is not None:
            qdds, of_held, cases = self._with_contacts(self.contacts, cases, qdds, frictions)
        reaction = None
        if needs_reaction(robot):
            spent = [friction - self.on_tree for friction in frictions]
            if robot.has_drives:
                rotors = robot.rotor_inertia[:, None]
                for each, qdd in zip(spent, qdds, strict=True):
                    each[own_rows(robot)] += rotors * qdd
            reaction = reactions_in_loops(dynamics, cases, qdds, spent)
        return _Answers(np.stack(qdds, axis=-2), np.stack(of_held, axis=-2), reaction)

    def _with_contacts(
        self,
        contacts: HybridDynamics,
        cases: LoadedStates,
        qdds: list[Array],
        frictions: list[Array],
    ) -> tuple[list[Array], list[Array], LoadedStates]:
        """Return accelerations, efforts and loads of all cases where contacts stick.

        `qdds` are those without the contacts' friction. Joints that contacts keep at rest have
        accelerations of zero, not of its rounding.
        """
        S = self.dynamics.robot.coupling[0]
        every = np.stack([S.T @ friction for friction in frictions], axis=1)
        qdd, effort, wrenches = self.states.complete_each(contacts, every)
        first, held = qdds[0], list[Array]()
        for without, under_them in zip(qdds, qdd.swapaxes(0, 1), strict=True):
            size = np.abs(without if without is first else without - first).max(axis=0)
            change = under_them - held[0] if held else under_them
            change = np.where(np.abs(change) > KEPT * size, change, 0.0)
            held.append(held[0] + change if held else change)
        return held, [*effort.swapaxes(0, 1)], replace(cases, wrenches=tuple(wrenches))

    def at_rest(self, resting: NDArray[np.intp]) -> _Solved:
        """Solve for friction with some free rough joints at rest, shape (r,) of indices."""
        moving, rows = self.moving, self.moving.rough.free[resting]
        caused = replace(moving.caused, known=resting.size)
        dry, units = moving.dry(self.qd), moving.units(self.qd)
        dry[rows] = 0.0
        first = self.viscous + dry
        of_rest = [unit[:, None] for unit in np.eye(len(self.qd))[rows]]
        of_laws = [first + units[:, k] for k in range(caused.size)]
        answers = self._answers([first, *of_laws, *(first + unit for unit in of_rest)])
        every = np.zeros((caused.size + resting.size, self.t.size))
        limit = np.empty_like(self.qd)
        for k in range(self.t.size):
            every[:, k], limit[:, k] = self._frictions_at(caused, answers.at(k), rows, k)
        friction, of_trains = first.copy(), np.zeros_like(self.qd)
        of_trains[own_rows(self.dynamics.robot)[caused.gears]] = every[: caused.gears.size]
        if answers.reaction is not None:
            friction = self.viscous + moving.dry(self.qd, under(answers.reaction, every))
        of_held = every[caused.size :]
        friction[rows] = self.viscous[rows] + np.clip(of_held, -limit[rows], limit[rows])
        of_trains[rows] += of_held - np.clip(of_held, -limit[rows], limit[rows])
        return answers.combine(every, friction, of_trains)

    def _frictions_at(
        self, caused: CausedFriction, answers: _Answers, rows: NDArray[np.intp], k: int
    ) -> tuple[Array, Array]:
        """Return frictions at the k-th state, those of joints at rest last, and limits (n_tree,).

        Gear losses of moving joints are eliminated exactly; load-dependent friction is iterated.
        """
        c, g, S = caused.size, caused.gears.size, self.dynamics.robot.coupling[0][rows]
        motor, sense, qd = (x[:, [k]] for x in (*self.rotors, self.qd))
        units = (answers.qdd[:, 1:] - answers.qdd[:, :1])[..., 0]
        loads, held = caused.along_axes(answers.reaction), np.zeros((rows.size, 1))
        is_constant = c == 0 and answers.reaction is None
        for _ in range(MOST_ROUNDS):
            dry, failed = caused.solve(answers.qdd, loads, qd, motor, sense, held)
            reaction = None if answers.reaction is None else under(answers.reaction, dry)
            limit = dry_limit(self.dynamics.robot, qd, reaction)[:, 0]
            least, most = -limit[rows], limit[rows]
            if self.trains is not None:
                least, most = self.trains.with_bounds(rows, least, most, k)
            losses = units[:, :g] @ caused.gears_by_known() if g else 0.0
            P = -S @ (units[:, c:] + losses)
            a = S @ under(answers.qdd, dry)[:, 0] + P @ held[:, 0]
            last, held = held, holding_friction(P, a, least, most)[:, None]
            change = 0.0 if is_constant else np.abs(held - last).max()
            if failed < 0 and change <= SETTLED * max(most.max(), -least.min()):
                return np.concatenate([dry[:c, 0], held[:, 0]]), limit
        _refuse(self.dynamics, float(self.t[k]), rows[np.argmax(np.abs(held - last))])


def breaks_away(excess: Array, free: Array) -> Array:
    """Return the sense in which joints at rest break away, 1, -1, or 0 if they stay, shape (n,).

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


def reactions_in_loops(
    dynamics: ConstrainedDynamics, cases: LoadedStates, qdds: list[Array], spent: list[Array]
) -> Array:
    """Return the true reactions of the tree joints (n_tree, 6, cases, N).

    `cases` holds the states of all cases, one after the other, and `spent` (n_tree, N) the passive
    torques of the joints in each case.
    """
    robot = dynamics.robot
    loose = ~cases.held if passive_joints(robot).any() else None
    motion = cases.q, cases.qd, np.hstack(qdds)
    every = loop_forces.inverse_dynamics(
        robot, *motion, dynamics.gravity, np.hstack(spent), cases.wrenches, loose
    ).reaction
    return every.reshape(*every.shape[:2], len(qdds), -1)


def _refuse(dynamics: ConstrainedDynamics, t: float, row: np.intp) -> NoReturn:
    raise ScenarioError(
        f"Joint {dynamics.robot.tree_row_names[row]!r} jams at t = {t:.6g} s: its dry friction "
        "grows without bound with the load that it causes in its loop; lower its coefficient"
    )
