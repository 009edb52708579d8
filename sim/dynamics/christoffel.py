"""Christoffel symbols of one link's part of M, from the columns of its Jacobian."""

from __future__ import annotations

import numpy as np

from sim.kinematics.tree import Mass, Tree
from sim.maths.arrays import Array
from sim.maths.rotations import cross


def mass_matrix_gradient(
    tree: Tree, joints: tuple[int, ...], mass: Mass, Jv: Array, Jw: Array, L: Array
) -> Array:
    """Return ∂/∂q_k (m Jv_i·Jv_j + Jw_i·I Jw_j) of one link, shape (k, k, k, N), L = I Jw.

    With the joints counted from the root, ∂Jv_j/∂q_k = z_min × Jv_max, where min is the joint
    nearer to the root (zero if it is prismatic), and ∂Jw_j/∂q_k = z_k × Jw_j for k before j, else
    zero. In the rotational part only the terms with k behind i or behind j remain, because the
    inertia tensor and all axes behind joint k rotate together about z_k.
    """
    k_n, _, N = Jv.shape
    H = np.zeros((k_n, k_n, 3, N))  # H[j, k] = ∂Jv_j/∂q_k = ∂²p/∂q_j∂q_k
    for near in range(k_n):
        if tree.prismatic[joints[near]]:
            continue
        for far in range(near, k_n):
            H[near, far] = H[far, near] = cross(Jw[near], Jv[far])
    half = mass.mass * np.einsum("ikaN,jaN->ijkN", H, Jv)
    for k in range(k_n):
        if tree.prismatic[joints[k]]:
            continue
        for j in range(k_n):
            turned = cross(Jw[k], L[j])
            half[:k, j, k] += np.einsum("iaN,aN->iN", Jw[:k], turned)
    return np.asarray(half + np.swapaxes(half, 0, 1))


def christoffel(m: float, Jv: Array, Jw: Array, L: Array, qd: Array) -> Array:
    """Return C of one link, ½ (Ṁ + A - Aᵀ), A_ij = ∂(M qd)_i/∂q_j, shape (k, k, N); L = I Jw.

    The rules are those of `mass_matrix_gradient`, summed over joints before they are multiplied:
    with v, w the velocities of the link, w_<j and v_>j the parts due to joints before and behind j,

        ∂v/∂q_j = w_≤j × Jv_j + Jw_j × v_>j
        A_ij = m (H_ij·v + Jv_i·∂v/∂q_j) + [i ≤ j] Jw_i·(Jw_j × I w) - L_i·(Jw_j × w_<j)
        Ṁ_ij = m (∂v/∂q_i·Jv_j + Jv_i·∂v/∂q_j) - (w_>i × Jw_i)·L_j - L_i·(w_>j × Jw_j)

    The joints are counted from the root, and H_ij = Jw_min × Jv_max.
    """
    turns, moves = Jw * qd[:, None], Jv * qd[:, None]
    w_to, v_to = np.cumsum(turns, axis=0), np.cumsum(moves, axis=0)
    w, v = w_to[-1:], v_to[-1:]
    h = np.einsum("kaN,kN->aN", L, qd)[None]
    slope = cross(w_to, Jv, axis=1) + cross(Jw, v - v_to, axis=1)
    before = np.triu(np.ones(Jv.shape[:1] * 2))[:, :, None]  # [i ≤ j]
    # H_ij·v = Jv_max·(v × Jw_min)
    onto = before * _dots(cross(v, Jw, axis=1), Jv)
    onto += np.swapaxes(onto * (1.0 - np.eye(len(Jv)))[:, :, None], 0, 1)
    centripetal = _dots(Jv, m * slope)
    A = m * onto + centripetal + before * _dots(Jw, cross(Jw, h, axis=1))
    A -= _dots(L, cross(Jw, w_to - turns, axis=1))
    half = centripetal - _dots(L, cross(w - w_to, Jw, axis=1))
    return 0.5 * (half + np.swapaxes(half, 0, 1) + A - np.swapaxes(A, 0, 1))


def _dots(a: Array, b: Array) -> Array:
    """Return the products a_i·b_j of vectors stored as (k, 3, N), shape (k, k, N)."""
    return np.einsum("iaN,jaN->ijN", a, b)
