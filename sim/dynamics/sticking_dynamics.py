"""Hybrid dynamics with contacts that stick, around those of a tree or of closed loops.

While a contact sticks its slip s = J qd is zero (`sim.dynamics.slips`), and friction is the
multiplier that keeps it so,

    J qdd + Jd qd = 0,    M qdd + C qd + g = effort + Jᵀ f,    |f| <= mu_static N

with the push N of the law at the state. With the mobility P of the joints, which is M⁻¹ of the
loose ones of a tree and what loops leave of it, W = J P Jᵀ are the slips' rates by unit forces.
Contacts that share what they hold share it by N, as the least norm of f/N has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.dynamics.closed_positions import LoopModes
from sim.dynamics.constrained_dynamics import loops_of
from sim.dynamics.hybrid import HoldingDynamics, HybridDynamics, LagrangianDynamics
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.slips import Rows, rows_of
from sim.dynamics.wrench import Acting, AppliedWrench
from sim.kinematics.forward import Kinematics
from sim.kinematics.loop_equations import joint_equations
from sim.maths.arrays import Array, Mask

LEFT = 1e-8  # of the accelerations, and of 1 m/s², which is rounding of them
REPEATED = 1e-10  # singular values by the largest, below which rows of J repeat others
ROUNDING = 1e-14  # of mobilities that loops leave, relative to those without loops
ITERATIONS, SETTLED = 20000, 1e-13  # of the search for limited forces, and its least change
TINY = 1e-100  # instead of zero where a number divides


class StickingDynamics(HoldingDynamics, frozen=True, eq=False):
    """Hybrid dynamics with contacts that stick, around other `HybridDynamics`.

    Parameters
    ----------
    tree : HybridDynamics
        Those without these contacts' friction.
    contacts : sequence of Contact
    """

    contacts: Sequence[Contact]

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts; see `HybridDynamics`."""
        return self.complete(q, qd, qdd, held, effort, wrenches)[:2]

    def complete(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting
    ) -> tuple[Array, Array, tuple[AppliedWrench, ...]]:
        """Return `hybrid_dynamics`, and the wrenches of friction that hold the contacts."""
        without, _ = self.tree.hybrid_dynamics(q, qd, qdd, held, effort, wrenches)
        rows = rows_of(self.contacts, self.robot, q, qd)
        f, _ = forces(rows, mobility(self.tree, q, held), without.T)
        more = rows.wrenches(self.contacts, f, Kinematics(self.robot, q, qd))
        acting = (*wrenches, *more)
        return *self.tree.hybrid_dynamics(q, qd, qdd, held, effort, acting), more

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts at one state; see `HybridDynamics`."""
        return self.complete_at(at, qdd, held, effort, wrenches)[:2]

    def complete_at(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array, tuple[AppliedWrench, ...]]:
        """Return `at_instant`, and the wrenches of friction in each of its cases."""
        q, qd = at.q[:, None], at.qd[:, None]
        without, efforts = self.tree.at_instant(at, qdd, held, effort, wrenches)
        rows = rows_of(self.contacts, self.robot, q, qd)
        P = mobility(self.tree, q, held, np.asarray(at.M)[None])
        every, _ = forces(rows, P, without.T)
        more = rows.wrenches(self.contacts, every, Kinematics(self.robot, q, qd))
        if type(self.tree) is LagrangianDynamics:  # which has all of it in M and J
            pull = rows.J[0].T @ every.T
            change = P[0] @ pull
            efforts = efforts + np.where(held[:, None], at.M @ change - pull, 0.0)
            return without + change, efforts, more
        answers = []
        for k in range(len(every)):
            acting = (*wrenches, *(one.during(slice(k, k + 1)) for one in more))
            answers.append(self.tree.at_instant(at, qdd, held, effort[:, k : k + 1], acting))
        qdds, efforts = (np.concatenate(x, axis=1) for x in zip(*answers, strict=True))
        return qdds, efforts, more


def mobility(dynamics: HybridDynamics, q: Array, held: Mask, M: Array | None = None) -> Array:
    """Return the accelerations of all joints by unit efforts at N positions, (N, n, n).

    They are zero in the rows and columns of held joints, and keep loops closed. The mass matrices
    M (N, n, n) are computed unless given.
    """
    loose, (n, N) = ~held, q.shape
    if M is None:
        M = np.moveaxis(mass_matrix(dynamics.robot, q), -1, 0)
    M = M[:, loose][:, :, loose]
    P, loops = np.zeros((N, n, n)), loops_of(dynamics)
    if loops is None:
        at = np.flatnonzero(loose)
        P[:, at[:, None], at] = np.linalg.inv(M)
        return P
    G = np.swapaxes(np.linalg.inv(np.linalg.cholesky(M)), 1, 2)
    A = np.moveaxis(joint_equations(dynamics.robot, q)[1], -1, 0)[:, :, loose] @ G
    for k in range(N):
        modes = LoopModes.of(A[k], loops.rank)
        tied = modes.Vt[modes.inverse > 0.0]
        loose_freedoms = G[k] - G[k] @ tied.T @ tied
        P_k, free = loose_freedoms @ loose_freedoms.T, G[k] @ G[k].T
        P[k][np.ix_(loose, loose)] = np.where(np.abs(P_k) > ROUNDING * np.abs(free).max(), P_k, 0.0)
    return P


def forces(rows: Rows, P: Array, qdd: Array) -> tuple[Array, Array]:
    """Return the friction forces that keep all slips zero, and the remaining slip rates (N, m).

    The accelerations (N, n) are those without these forces, `P` (N, n, n) is `mobility`. A slip
    rate [m/s²] remains where drives alone move a contact.
    """
    W, b = responses(rows, P, qdd)
    shares = np.repeat(rows.push, 3, axis=1)
    shared_W = W * shares[:, None]
    shared = np.linalg.pinv(shared_W, cutoffs(shared_W, rows, P, rows.push))
    f = -shares * np.einsum("Nab,Nb->Na", shared, b)
    residual = np.einsum("Nab,Nb->Na", W, f) + b
    residual[np.abs(residual) <= LEFT * (1.0 + np.abs(b).max(axis=1, initial=0.0))[:, None]] = 0.0
    return f, residual


def cutoffs(W: Array, rows: Rows, P: Array, shares: Array) -> Array:
    """Return relative sizes of singular values of W (N, m, m) that are rounding, (N,).

    In a dead point of loops, contacts may have no motion but that of a drive, and W is rounding.
    `shares` (N, C) are factors of the forces in W.
    """
    most = np.abs(rows.J).max(axis=(1, 2)) ** 2 * np.abs(P).max(axis=(1, 2)) * shares.max(axis=1)
    largest = np.maximum(np.linalg.norm(W, 2, axis=(1, 2)), TINY * np.maximum(most, TINY))
    return np.asarray(REPEATED * np.maximum(1.0, most / largest))


def responses(rows: Rows, P: Array, qdd: Array) -> tuple[Array, Array]:
    """Return slip rates by unit friction forces (N, m, m), and without friction (N, m)."""
    W = rows.J @ P @ rows.J.swapaxes(1, 2)
    return W, np.einsum("Nmn,Nn->Nm", rows.J, qdd) + rows.Jd_qd


def limited_forces(W: Array, b: Array, most: Array) -> Array:
    """Return the forces f (3 C,), |f_k| <= most_k, with the least f W f/2 + b f.

    They are found by accelerated gradients.
    """
    f = ahead = np.zeros_like(b)
    # where no force changes a slip, as in dead points of loops, steps are still finite
    least = 1e-6 * float(np.abs(b).max()) / max(float(np.abs(most).max()), 1e-300)
    rate, weight = 1.0 / max(float(np.linalg.eigvalsh(W)[-1]), least, 1e-300), 1.0
    for _ in range(ITERATIONS):
        new = (ahead - rate * (W @ ahead + b)).reshape(-1, 3)
        size = np.linalg.norm(new, axis=1)
        new = (new * np.minimum(1.0, most / np.maximum(size, 1e-300))[:, None]).ravel()
        if (ahead - new) @ (new - f) > 0.0:  # it has gone too far
            weight = 1.0
        next_weight = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * weight * weight))
        ahead = new + (weight - 1.0) / next_weight * (new - f)
        done = np.abs(new - f).max() <= SETTLED * np.abs(most).max()
        f, weight = new, next_weight
        if done:
            break
    return f
