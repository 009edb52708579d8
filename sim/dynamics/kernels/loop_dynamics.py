"""Dynamics with closed loops at one state, and projection onto the loop equations."""

from __future__ import annotations

import numpy as np

from sim.dynamics.kernels.bodies import add_gradient
from sim.dynamics.kernels.compiling import inner, kernel
from sim.dynamics.kernels.joint_rates import project_on_joints
from sim.dynamics.kernels.loop_equations import gradients_of_loops
from sim.dynamics.kernels.records import Bodies, Indices, Joints, Loops
from sim.dynamics.kernels.vectors import ball_rate, factor, substitute, substitute_back
from sim.maths.arrays import Array

# U, inverse singular values, zero where dropped, Vᵀ, and all singular values
LoopModes = tuple[Array, Array, Array, Array]


@inner
def _modes_of(A: Array, rank: int, noise: float) -> LoopModes:
    """Return the modes as `sim.dynamics.closed_positions.LoopModes.of` does."""
    U, sizes, Vt = np.linalg.svd(A, False)
    inverse = np.zeros(sizes.size)
    for k in range(min(rank, sizes.size)):
        if sizes[k] > noise * sizes[0]:
            inverse[k] = 1.0 / sizes[k]
    return U, inverse, Vt, sizes


@inner
def _solve_modes(modes: LoopModes, b: Array, y: Array) -> None:
    """Compute the shortest y that minimises |A y - b|."""
    U, inverse, Vt, _ = modes
    y[:] = 0.0
    for k in range(inverse.size):
        part = 0.0
        for r in range(b.size):
            part += U[r, k] * b[r]
        for a in range(y.size):
            y[a] += inverse[k] * part * Vt[k, a]


@inner
def _pull_by_modes(modes: LoopModes, y: Array, J: Array, pushed: Array) -> None:
    """Compute Jᵀ λ with the shortest λ that minimises |Aᵀ λ - y|."""
    U, inverse, Vt, _ = modes
    pushed[:] = 0.0
    for k in range(inverse.size):
        part = 0.0
        for a in range(y.size):
            part += Vt[k, a] * y[a]
        for r in range(len(J)):
            multiplier = U[r, k] * inverse[k] * part
            for i in range(pushed.size):
                pushed[i] += J[r, i] * multiplier


@inner
def _over_transposed(L: Array, J: Array, loose: Indices) -> Array:
    """Return J_f L⁻ᵀ."""
    A = np.empty((len(J), loose.size))
    for r in range(len(J)):
        for a in range(loose.size):
            x = J[r, loose[a]]
            for k in range(a):
                x -= A[r, k] * L[a, k]
            A[r, a] = x / L[a, a]
    return A


@inner
def _inverse_transposed(L: Array) -> Array:
    """Return L⁻ᵀ."""
    G = np.eye(len(L))
    for a in range(len(L)):
        substitute_back(L, G[:, a])
    return G


@inner
def _take_off_wrenches(
    bodies: Bodies, S: Array, pushing: Indices, wrenches: Array, bias: Array
) -> None:
    """Subtract the generalised forces of wrenches at the independent joints from the bias."""
    pushed = np.zeros(len(S))
    for k in range(len(pushing)):
        force = wrenches[k, 0], wrenches[k, 1], wrenches[k, 2]
        torque = wrenches[k, 3], wrenches[k, 4], wrenches[k, 5]
        place = wrenches[k, 6], wrenches[k, 7], wrenches[k, 8]
        add_gradient(bodies, pushing[k], place, force, torque, 1.0, pushed)
    for r in range(len(S)):
        for i in range(bias.size):
            bias[i] -= S[r, i] * pushed[r]


@kernel
def accelerate_on_loops(
    bodies: Bodies, joints: Joints, loops: Loops, rank: int, noise: float, q: Array, qd: Array,
    pushed: Indices, wrenches: Array, qdd: Array, effort: Array, pull: Array
) -> tuple[bool, Array, Array, Array, LoopModes]:  # fmt: skip
    """Fill in accelerations of loose joints, efforts of held ones, and Jᵀ λ, all (n, cases).

    The model is that of `sim.dynamics.constrained_dynamics`. `wrenches` (k, 9) are force, torque
    and point of each on a body, `pushed` (k,), in the world. Return whether all results are finite,
    G of M⁻¹ = G Gᵀ of the loose joints, J, γ and the modes.
    """
    held, loose, rows, n = joints.held, joints.loose, len(loops.kinds), q.size
    project_on_joints(bodies, joints, q, qd)
    M, bias = joints.work.M, joints.work.bias
    _take_off_wrenches(bodies, joints.S, pushed, wrenches, bias)
    e, gamma, b = np.empty(rows), np.empty(rows), np.empty(rows)
    x, y = np.empty(loose.size), np.empty(loose.size)
    J = gradients_of_loops(bodies, joints, loops, q, qd, e, gamma)
    L = joints.work.L
    factor(M, loose, L)
    A = _over_transposed(L, J, loose)
    is_sound = bool(np.isfinite(A).all() and np.isfinite(gamma).all())
    if not is_sound:
        A[:] = 0.0
    modes = _modes_of(A, rank, noise)
    for case in range(effort.shape[1]):
        for a in range(loose.size):
            i = loose[a]
            x[a] = effort[i, case] - bias[i]
            for j in range(n):
                if held[j]:
                    x[a] -= M[max(i, j), min(i, j)] * qdd[j, case]
        substitute(L, x)
        for a in range(loose.size):
            qdd[loose[a], case] = x[a]
        for r in range(rows):
            b[r] = -gamma[r]
            for i in range(n):
                b[r] -= J[r, i] * qdd[i, case]
        _solve_modes(modes, b, y)
        _pull_by_modes(modes, y, J, pull[:, case])
        substitute_back(L, y)
        for a in range(loose.size):
            qdd[loose[a], case] += y[a]
        for i in range(n):
            if held[i]:
                effort[i, case] = bias[i] - pull[i, case]
                for j in range(n):
                    effort[i, case] += M[max(i, j), min(i, j)] * qdd[j, case]
    is_sound = is_sound and bool(np.isfinite(qdd).all() and np.isfinite(effort).all())
    return is_sound, _inverse_transposed(L), J, gamma, modes


@kernel
def approach_loops(
    bodies: Bodies, joints: Joints, loops: Loops, rank: int, noise: float, closed: float, most: int,
    q: Array
) -> tuple[float, LoopModes, Array, Array]:  # fmt: skip
    """Project q (n,) onto the loop equations: `sim.dynamics.closed_positions.close_positions`.

    Return the gap before the last correction, infinite without convergence; and the modes, G and J.
    """
    loose, rows, ball = joints.loose, len(loops.kinds), bodies.ball
    e, gamma, still, y = np.empty(rows), np.empty(rows), np.zeros(q.size), np.empty(loose.size)
    gap, step, L = np.inf, np.zeros(q.size), joints.work.L
    for _ in range(most):
        project_on_joints(bodies, joints, q, still)
        J = gradients_of_loops(bodies, joints, loops, q, still, e, gamma)
        factor(joints.work.M, loose, L)
        A = _over_transposed(L, J, loose)
        if not (np.isfinite(A).all() and np.isfinite(e).all()):
            A[:], e[:] = 0.0, np.nan
        modes = _modes_of(A, rank, noise)
        _solve_modes(modes, e, y)
        substitute_back(L, y)
        for a in range(loose.size):
            step[loose[a]] = y[a]
        for i in range(q.size):
            if ball.size == q.size and ball[i] == 3:
                rate = ball_rate(q, step, i)
                for k in range(3):
                    q[i - 2 + k] -= rate[k]
            elif ball.size != q.size or ball[i] == 0:
                q[i] -= step[i]
        if np.abs(y).max() <= closed:
            gap = np.abs(e).max()
            break
    return gap, modes, _inverse_transposed(L), J
