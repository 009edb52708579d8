"""Dry friction in joints of closed loops: what slides, what holds, and the loads that they cause.

Joints of a loop come to rest together, and what each of them then gives does not follow from the
balance alone. Let a be the accelerations of the joints at rest without their friction, P their
answers to unit efforts there. Friction within its limits leaves as little as it can,

    f = argmin (a - P f)ᵀ P⁺ (a - P f),    |f| ≤ limit

and what is left, ``a - P f``, is how they break away. Of frictions that do the same the smallest
are taken, each by its limit. A limit that follows the load in its joint has the forces of the loops
in it.

References
----------
Gauss's principle of least constraint; Baraff 1994, Fast contact force computation, section 4.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from sim.dynamics import loop_forces
from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.friction import friction_torque, needs_reaction, viscous_torque
from sim.dynamics.load_dependent_friction import States, WithFriction, joint_limit
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask

SETTLED = 1e-13  # of the largest limit, between two rounds
MOST_ROUNDS = 200
IMMOBILE = 1e-12  # of the largest answer; less is none
AT_LIMIT = 1e-9  # of a limit
HELD = 1e-9  # of what friction holds; joints that are left with more break away
TIED = 1e-4  # of the largest acceleration that is left; joints with less stay at rest


def friction_in_loops(
    dynamics: ConstrainedDynamics, states: States, slide: Array, stuck: Mask, t: Array
) -> tuple[WithFriction, Array]:
    """Accelerations, efforts and friction, and what of accelerations friction cannot hold (n, N).

    Parameters
    ----------
    states : States
        Held are the joints that drives hold; no stuck one is.
    slide : ndarray, shape (n,)
        Sense in which a joint slides on dry friction, 1 or -1; 0 for others.
    stuck : ndarray of bool, shape (n,)
        Joints at rest that dry friction may hold.
    t : ndarray, shape (N,)
        For the message [s].

    Raises
    ------
    ScenarioError
        If no dry limit fits the load that it causes; names joint and time.
    """
    robot, (n, N) = dynamics.robot, states.q.shape
    S, _ = robot.coupling
    qd_tree = S @ states.qd
    viscous = S.T @ viscous_torque(robot, qd_tree)
    rough = np.flatnonzero(stuck | (slide != 0))
    cases = [viscous, *(viscous + unit[:, None] for unit in np.eye(n)[rough])]
    efforts = [states.given - friction for friction in cases]
    motion = states.q, states.qd, states.qdd
    answers = dynamics.under_each(*motion, states.held, efforts, states.wrenches)
    qdd_0, B = _linear([qdd for qdd, _ in answers])
    follows = needs_reaction(robot)
    given = [_reaction(dynamics, states, *answer) for answer in answers] if follows else []
    load, by_friction = (
        _linear(given) if given else (np.empty((0, N)), np.empty((0, rough.size, N)))
    )
    at_rest = stuck[rough]

    def under(limit: Array) -> Array:
        """Dry friction of the rough joints (k, N) whose limits are these."""
        dry = slide[rough, None] * limit[rough]
        if at_rest.any():
            P = -B[rough[at_rest]]
            a = qdd_0[rough[at_rest]] - np.einsum("ikN,kN->iN", P, dry)
            for k in range(N):
                dry[at_rest, k] = holding(P[:, at_rest, k], a[:, k], limit[rough[at_rest], k])
        return dry

    limit = joint_limit(robot, qd_tree, load if follows else None)
    dry, off = under(limit), np.zeros((n, N), dtype=bool)
    for _ in range(MOST_ROUNDS if follows else 0):
        last, limit = limit, joint_limit(robot, qd_tree, load + _times(by_friction, dry))
        dry, off = under(limit), np.abs(limit - last) > SETTLED * np.max(limit)
        if not off.any():
            break
    if off.any():
        _refuse(dynamics, t, off)
    qdd, effort = qdd_0 + _times(B, dry), _effort(answers, dry)
    left = np.where(stuck[:, None], qdd, 0.0)
    friction = viscous.copy()
    friction[rough] += dry
    if states.held.any():
        reaction = load + _times(by_friction, dry) if follows else None
        friction[states.held] = (S.T @ friction_torque(robot, qd_tree, reaction))[states.held]
    qdd = np.where(stuck[:, None], 0.0, qdd)
    return WithFriction(qdd, effort, friction, limit), left


def holding(P: Array, a: Array, limit: Array) -> Array:
    """Friction f (k,) within its limits that leaves least of accelerations a, as above.

    Parameters
    ----------
    P : ndarray, shape (k, k)
        What a unit of friction at each joint takes of the accelerations of all.
    a, limit : ndarray, shape (k,)
    """
    from scipy.optimize import lsq_linear

    sizes, V = np.linalg.eigh(0.5 * (P + P.T))
    moves = sizes > IMMOBILE * max(float(sizes[-1]), np.finfo(float).tiny)
    if not moves.any():
        return np.zeros_like(a)
    root = np.sqrt(sizes[moves])[:, None]
    A, wanted = root * V[:, moves].T * limit, (V[:, moves].T @ a) / root[:, 0]
    share = np.linalg.lstsq(A, wanted, rcond=None)[0]  # of each limit
    if np.abs(share).max() > 1.0:
        share = lsq_linear(A, wanted, (-1.0, 1.0), method="bvls", tol=1e-15).x
        inside = np.abs(share) < 1.0 - AT_LIMIT
        share = np.where(inside, share, np.sign(share))
        rest = np.linalg.lstsq(A[:, inside], wanted - A[:, ~inside] @ share[~inside], rcond=None)[0]
        if rest.size and np.abs(rest).max() <= 1.0:
            share[inside] = rest
    return np.asarray(share * limit)


def breaks_away(left: Array, free: Array) -> Array:
    """The sense in which joints at rest break away, 1, -1, or 0 where they stay, shape (n,).

    Parameters
    ----------
    left : ndarray, shape (n,)
        Accelerations that friction cannot hold.
    free : ndarray, shape (n,)
        Those that there would be without it.
    """
    largest = float(np.abs(left).max(initial=0.0))
    if largest <= 0.5 * HELD * float(np.abs(free).max(initial=0.0)):
        return np.zeros_like(left)
    return np.where(np.abs(left) > TIED * largest, np.sign(left), 0.0)


def _linear(cases: list[Array]) -> tuple[Array, Array]:
    """A quantity (..., N) without dry friction, and its change per unit of each, (..., k, N)."""
    rest = cases[0]
    changes = np.empty((*rest.shape[:-1], len(cases) - 1, rest.shape[-1]))
    for k, case in enumerate(cases[1:]):
        changes[..., k, :] = case - rest
    return rest, changes


def _times(by_friction: Array, dry: Array) -> Array:
    return np.asarray(np.einsum("...kN,kN->...N", by_friction, dry))


def _effort(answers: list[tuple[Array, Array]], dry: Array) -> Array:
    effort, by_friction = _linear([effort for _, effort in answers])
    return effort + _times(by_friction, dry)


def _reaction(dynamics: ConstrainedDynamics, states: States, qdd: Array, effort: Array) -> Array:
    """True reactions of the tree joints, (n_tree, 6, N)."""
    robot, loose = dynamics.robot, ~states.held
    spent = np.zeros((len(robot.tree_row_names), qdd.shape[1]))
    for row in np.flatnonzero(loose):
        spent[robot.tree_row_names.index(robot.row_names[row])] = -effort[row]
    motion = states.q, states.qd, qdd
    return loop_forces.inverse_dynamics(
        robot, *motion, dynamics.gravity, spent, states.wrenches, loose
    ).reaction


def _refuse(dynamics: ConstrainedDynamics, t: Array, off: Mask) -> NoReturn:
    row, k = np.argwhere(off)[0]
    raise ScenarioError(
        f"Joint {dynamics.robot.row_names[row]!r} jams at t = {t[k]:.6g} s: its dry friction grows "
        "without end with the load that it causes in its loop; lower its coefficient"
    )
