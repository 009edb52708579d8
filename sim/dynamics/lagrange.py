"""The Lagrangian model: energies, M(q), C(q, qd), g(q) from the Jacobians of the mass centres.

    d/dt ∂T/∂qd - ∂T/∂q + ∂V/∂q = tau     ⇔     M(q) qdd + C(q, qd) qd + g(q) = tau

References
----------
Ma et al. 2017, section 2 (Lagrange's equation of the UR10): kinetic energy of each link from the
Jacobian of its mass centre, potential energy from its height, Christoffel symbols from M.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.tree import Mass, Tree, tree_of
from sim.maths.arrays import Array, batched, columns
from sim.maths.rotations import cross
from sim.robots.robot import Robot

# Samples a pass; keeps ∂M/∂q of a 6-axis arm in the cache (a power of two would collide there).
CHUNK = 700


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of Lagrange's equation at N states of n joints.

    Parameters
    ----------
    M : ndarray, shape (n, n, N)
        Mass matrix [kg·m², kg·m, kg].
    C : ndarray, shape (n, n, N)
        Christoffel matrix; ``Ṁ - 2 C`` is skew-symmetric.
    g : ndarray, shape (n, N)
        Gravity torque, the gradient of the potential energy [N·m or N].
    ke, pe : ndarray, shape (links, N)
        Kinetic and potential energy of each link in `links` [J]; the potential is zero at the
        world's origin.
    links : tuple of str
    """

    M: Array
    C: Array
    g: Array
    ke: Array
    pe: Array
    links: tuple[str, ...]

    def torque(self, qd: Array, qdd: Array) -> Array:
        """Joint torques M qdd + C qd + g, shape (n, N) [N·m or N]."""
        inertial = np.einsum("ijN,jN->iN", self.M, qdd) + np.einsum("ijN,jN->iN", self.C, qd)
        return np.asarray(inertial + self.g)


def terms(robot: Robot, q: Array, qd: Array, gravity: Gravity = GRAVITY) -> Terms:
    """All terms of Lagrange's equation.

    Parameters
    ----------
    q, qd : ndarray, shape (n, N)
        [rad], [rad/s] (prismatic: [m], [m/s])
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    n = len(robot.joint_names)
    q, qd = columns(n, q=q, qd=qd)
    links = tuple(mass.link for mass in tree_of(robot).masses)
    M, C, g, ke, pe = batched(lambda q, qd: _terms(robot, q, qd, gravity), CHUNK, q, qd)
    return Terms(M, C, g, ke, pe, links)


def inverse_dynamics(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY
) -> Array:
    """Joint torques M(q) qdd + C(q, qd) qd + g(q), shape (n, N) [N·m or N].

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    return terms(robot, q, qd, gravity).torque(qd, qdd)


def _terms(robot: Robot, q: Array, qd: Array, gravity: Gravity) -> tuple[Array, ...]:
    tree = tree_of(robot)
    S, _ = robot.coupling
    q_tree, qd_tree = robot.on_tree(q, qd)
    poses = body_poses(tree, q_tree)
    n, N = q_tree.shape
    g_0 = np.asarray(gravity, dtype=np.float64)
    M, g = np.zeros((n, n, N)), np.zeros((n, N))
    dM = np.zeros((n, n, n, N))  # dM[i, j, k] = ∂M_ij/∂q_k
    ke, pe = np.zeros((len(tree.masses), N)), np.empty((len(tree.masses), N))
    for row, mass in enumerate(tree.masses):
        com = poses.point(mass.body, mass.com)
        pe[row] = -mass.mass * (g_0 @ com)
        joints, Jv, Jw = point_jacobian(tree, poses, mass.body, com)
        I_0 = _rotated(mass, poses.R[mass.body])
        L = np.einsum("abN,kbN->kaN", I_0, Jw)
        block = np.ix_(joints, joints)
        M_c = mass.mass * np.einsum("iaN,jaN->ijN", Jv, Jv) + np.einsum("iaN,jaN->ijN", Jw, L)
        M[block] += M_c
        dM[np.ix_(joints, joints, joints)] += _mass_matrix_gradient(tree, joints, mass, Jv, Jw, L)
        g[list(joints)] -= mass.mass * np.einsum("a,kaN->kN", g_0, Jv)
        rates = qd_tree[list(joints)]
        ke[row] = 0.5 * np.einsum("iN,ijN,jN->N", rates, M_c, rates)
    # C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) qd_k
    C = 0.5 * (
        np.einsum("ijkN,kN->ijN", dM, qd_tree)
        + np.einsum("ikjN,kN->ijN", dM, qd_tree)
        - np.einsum("jkiN,kN->ijN", dM, qd_tree)
    )
    if len(robot.tree_joints) == len(robot.joint_names):
        return M, C, g, ke, pe
    reduce = "ai,abN,bj->ijN"
    return np.einsum(reduce, S, M, S), np.einsum(reduce, S, C, S), S.T @ g, ke, pe


def _rotated(mass: Mass, R_0b: Array) -> Array:
    """Inertia tensor of a link in world axes, R I Rᵀ, shape (3, 3, N)."""
    RI = np.einsum("abN,bc->acN", R_0b, mass.tensor)
    return np.einsum("acN,dcN->adN", RI, R_0b)


def _mass_matrix_gradient(
    tree: Tree, joints: tuple[int, ...], mass: Mass, Jv: Array, Jw: Array, L: Array
) -> Array:
    """∂/∂q_k (m Jv_i·Jv_j + Jw_i·I Jw_j) of one link, shape (k, k, k, N), L = I Jw.

    With the joints counted from the root, ∂Jv_j/∂q_k = z_min × Jv_max for the one nearer to the
    root (zero if that one is prismatic), and ∂Jw_j/∂q_k = z_k × Jw_j for k before j, else zero.
    Of the rotational part only the terms with k behind i or behind j remain, because the inertia
    tensor and all axes behind joint k turn together about z_k.
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
