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

# Tree joints up to which ∂M/∂q is formed, of n³ numbers a sample: 40 MB a pass. Beyond that C comes
# from the same derivatives, multiplied by qd before they are summed: n² numbers a sample.
FEW = 19

# Numbers of M in one pass of a longer tree: 8 MB.
WIDE = 1_000_000


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
    M, C, g, ke, pe = batched(lambda q, qd: _terms(robot, q, qd, gravity), _pass(robot), q, qd)
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
    q, qd, qdd = columns(len(robot.joint_names), q=q, qd=qd, qdd=qdd)

    def kernel(q: Array, qd: Array, qdd: Array) -> tuple[Array]:
        # not `terms` of all: M and C of a long run would take ten times what is asked for
        return (Terms(*_terms(robot, q, qd, gravity), ()).torque(qd, qdd),)

    return batched(kernel, _pass(robot), q, qd, qdd)[0]


def energies(
    robot: Robot, q: Array, qd: Array, gravity: Gravity = GRAVITY
) -> tuple[tuple[str, ...], Array, Array]:
    """Names of the links that move and have mass; kinetic and potential energies (links, N) [J].

    Parameters
    ----------
    q, qd : ndarray, shape (n, N)

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    q, qd = columns(len(robot.joint_names), q=q, qd=qd)

    def kernel(q: Array, qd: Array) -> tuple[Array, ...]:
        return _terms(robot, q, qd, gravity, with_C=False)[3:]

    ke, pe = batched(kernel, _pass(robot), q, qd)
    return tuple(mass.link for mass in tree_of(robot).masses), ke, pe


def _pass(robot: Robot) -> int:
    """Samples in one pass, so that its memory does not grow with the robot."""
    n = len(robot.tree_joints)
    return CHUNK if n <= FEW else max(1, WIDE // n**2)


def _terms(
    robot: Robot, q: Array, qd: Array, gravity: Gravity, *, with_C: bool = True
) -> tuple[Array, Array, Array, Array, Array]:
    """M, C, g, ke and pe; C is zero where it is not asked for."""
    tree = tree_of(robot)
    S, _ = robot.coupling
    q_tree, qd_tree = robot.on_tree(q, qd)
    poses = body_poses(tree, q_tree)
    n, N = q_tree.shape
    g_0 = np.asarray(gravity, dtype=np.float64)
    M, g = np.zeros((n, n, N)), np.zeros((n, N))
    few = with_C and n <= FEW
    dM = np.zeros((n, n, n, N) if few else (0, 0, 0, 0))  # dM[i, j, k] = ∂M_ij/∂q_k
    C = np.zeros((n, n, N))
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
        rates = qd_tree[list(joints)]
        if few:
            dM_c = _mass_matrix_gradient(tree, joints, mass, Jv, Jw, L)
            dM[np.ix_(joints, joints, joints)] += dM_c
        elif with_C:
            C[block] += _christoffel(mass.mass, Jv, Jw, L, rates)
        g[list(joints)] -= mass.mass * np.einsum("a,kaN->kN", g_0, Jv)
        ke[row] = 0.5 * np.einsum("iN,ijN,jN->N", rates, M_c, rates)
    if few:  # C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) qd_k
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


def _christoffel(m: float, Jv: Array, Jw: Array, L: Array, qd: Array) -> Array:
    """C of one link, ½ (Ṁ + A - Aᵀ) with A_ij = ∂(M qd)_i/∂q_j, shape (k, k, N); L = I Jw.

    The rules of `_mass_matrix_gradient`, summed over the joints before they meet: with v, w the
    velocities of the link, w_<j what the joints before j turn it and v_>j what those behind move,

        ∂v/∂q_j = w_≤j × Jv_j + Jw_j × v_>j
        A_ij = m (H_ij·v + Jv_i·∂v/∂q_j) + [i ≤ j] Jw_i·(Jw_j × I w) - L_i·(Jw_j × w_<j)
        Ṁ_ij = m (∂v/∂q_i·Jv_j + Jv_i·∂v/∂q_j) - (w_>i × Jw_i)·L_j - L_i·(w_>j × Jw_j)

    The joints are counted from the root, and H_ij = Jw_min × Jv_max.
    """
    turns, moves = Jw * qd[:, None], Jv * qd[:, None]
    w_to, v_to = np.cumsum(turns, axis=0), np.cumsum(moves, axis=0)
    w, v = w_to[-1:], v_to[-1:]
    h = np.einsum("kaN,kN->aN", L, qd)[None]
    slope = _cross(w_to, Jv) + _cross(Jw, v - v_to)
    before = np.triu(np.ones(Jv.shape[:1] * 2))[:, :, None]  # [i ≤ j]
    # H_ij·v = Jv_max·(v × Jw_min)
    onto = before * _dots(_cross(v, Jw), Jv)
    onto += np.swapaxes(onto * (1.0 - np.eye(len(Jv)))[:, :, None], 0, 1)
    moved = _dots(Jv, m * slope)
    A = m * onto + moved + before * _dots(Jw, _cross(Jw, h))
    A -= _dots(L, _cross(Jw, w_to - turns))
    half = moved - _dots(L, _cross(w - w_to, Jw))
    return 0.5 * (half + np.swapaxes(half, 0, 1) + A - np.swapaxes(A, 0, 1))


def _cross(a: Array, b: Array) -> Array:
    """a × b of vectors stored as (k, 3, N)."""
    return np.moveaxis(cross(np.moveaxis(a, 1, 0), np.moveaxis(b, 1, 0)), 0, 1)


def _dots(a: Array, b: Array) -> Array:
    """The products a_i·b_j of vectors stored as (k, 3, N), shape (k, k, N)."""
    return np.einsum("iaN,jaN->ijN", a, b)
