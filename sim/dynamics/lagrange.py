"""The Lagrangian model: energies, M(q), C(q, qd), g(q) from the Jacobians of the mass centres.

    d/dt ∂T/∂qd - ∂T/∂q + ∂V/∂q = tau     ⇔     M(q) qdd + C(q, qd) qd + g(q) = tau

For many samples, torques are computed by `sim.dynamics.virtual_work`, the same equation without M
and C, and energies by `sim.dynamics.link_energies`; `terms` forms M and C with Christoffel symbols,
and serves as the reference in the tests.

The rotor of a drive train spins N times as fast as its joint: M has N² J more on its diagonal and T
has ½ N² J qd². That the links before it carry a rotor around is neglected, a part 1/N of its own
torque.

References
----------
Ma et al. 2017, section 2 (Lagrange's equation of the UR10): kinetic energy of each link from the
Jacobian of its mass centre, potential energy from its height, Christoffel symbols from M.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sim.dynamics import link_energies, virtual_work
from sim.dynamics.christoffel import christoffel, mass_matrix_gradient
from sim.dynamics.drive_trains import rotor_energies, rotor_names
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.errors import ModelError
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.state_arrays import of_states
from sim.kinematics.tree import Mass, tree_of
from sim.maths.arrays import Array, columns, evaluate_in_batches
from sim.robots.robot import Robot

# Samples per pass; keeps ∂M/∂q of a 6-axis arm in the cache (a power of two would cause conflicts).
CHUNK = 700

# Number of tree joints up to which ∂M/∂q is formed, n³ numbers a sample: 40 MB per pass. Above it C
# comes from the same derivatives, multiplied by qd before they are summed: n² numbers a sample.
FEW = 19

# Numbers of M in one pass for a longer tree: 8 MB.
WIDE = 1_000_000


class LagrangianTerms(Struct, frozen=True, eq=False):
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
        world's origin. Rotors are not included.
    links : tuple of str
    """

    M: Array
    C: Array
    g: Array
    ke: Array
    pe: Array
    links: tuple[str, ...]

    def torque(self, qd: Array, qdd: Array) -> Array:
        """Return joint torques M qdd + C qd + g, shape (n, N) [N·m or N]."""
        inertial = np.einsum("ijN,jN->iN", self.M, qdd) + np.einsum("ijN,jN->iN", self.C, qd)
        return np.asarray(inertial + self.g)


def terms(robot: Robot, q: Array, qd: Array, gravity: Gravity = GRAVITY) -> LagrangianTerms:
    """Return all terms of Lagrange's equation.

    Parameters
    ----------
    q, qd : ndarray, shape (n, N)
        [rad], [rad/s] (prismatic: [m], [m/s])
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ModelError
        If a joint is a ball.
    ValueError
        If a shape is not (n, N).
    """
    n = len(robot.coordinates)
    q, qd = columns(n, q=q, qd=qd)
    robot.require_no_balls(
        "its velocity is the derivative of no coordinate, so that Christoffel's symbols do not hold"
    )
    links = tuple(mass.link for mass in tree_of(robot).masses)
    M, C, g, ke, pe = evaluate_in_batches(
        lambda q, qd: _terms(robot, q, qd, gravity), _pass(robot), q, qd
    )
    return LagrangianTerms(M, C, g, ke, pe, links)


@of_states("q")
def mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """Return the mass matrix M(q), shape (n, n, N) [kg·m², kg·m, kg].

    Parameters
    ----------
    q : array_like, shape (n, N), (n,) or (N, n)
        [rad or m]; the result has its time axis where `q` has, see `of_states`.

    Raises
    ------
    ValueError
        If `q` has another shape.
    """
    (q,) = columns(len(robot.coordinates), q=q)

    def kernel(q: Array) -> tuple[Array]:
        return (_terms(robot, q, np.zeros_like(q), GRAVITY, with_C=False)[0],)

    return evaluate_in_batches(kernel, _pass(robot), q)[0]


@of_states("q", "qd")
def coriolis(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Array:
    """Return the Christoffel matrix C(q, qd), (n, n, N): C qd are centrifugal and Coriolis torques.

    ``Ṁ - 2 C`` is skew-symmetric.

    Parameters
    ----------
    q, qd : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s] (prismatic: [m], [m/s]); see `of_states`.

    Raises
    ------
    ValueError
        If an array has another shape.
    """
    q, qd = columns(len(robot.coordinates), q=q, qd=qd)
    return terms(robot, q, qd).C


@of_states("q")
def gravity(robot: Robot, q: ArrayLike, gravity: Gravity = GRAVITY) -> Array:
    """Return the gravity torque g(q), the potential energy's gradient, shape (n, N) [N·m or N].

    Parameters
    ----------
    q : array_like, shape (n, N), (n,) or (N, n)
        [rad or m]; see `of_states`.
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ValueError
        If `q` has another shape.
    """
    (q,) = columns(len(robot.coordinates), q=q)
    still = np.zeros_like(q)
    return inverse_dynamics(robot, q, still, still, gravity)


@of_states("q", "qd", "tau")
def forward_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, gravity: Gravity = GRAVITY
) -> Array:
    """Return joint accelerations M(q)⁻¹ (tau - C(q, qd) qd - g(q)), (n, N) [rad/s² or m/s²].

    Parameters
    ----------
    q, qd, tau : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [N·m] (prismatic: [m], [m/s], [N]); see `of_states`.
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ModelError
        If a joint moves no inertia; names it.
    ValueError
        If an array has another shape.
    """
    q, qd, tau = columns(len(robot.coordinates), q=q, qd=qd, tau=tau)
    M = mass_matrix(robot, q)
    for name, inertia in zip(robot.row_names, np.einsum("iiN->iN", M), strict=True):
        if not np.all(inertia > 0):
            raise ModelError(
                f"Joint {name!r} of robot {robot.name!r} moves no inertia: its acceleration is "
                "undetermined; give the links that it moves a mass"
            )
    residual = tau - inverse_dynamics(robot, q, qd, np.zeros_like(q), gravity)
    solved = np.linalg.solve(np.moveaxis(M, -1, 0), residual.T[:, :, None])
    return np.ascontiguousarray(solved[:, :, 0].T)


def inverse_dynamics(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY
) -> Array:
    """Return joint torques M(q) qdd + C(q, qd) qd + g(q), (n, N) [N·m or N], including rotors.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    tau = link_torque(robot, q, qd, qdd, gravity)
    return tau + robot.rotor_inertia[:, None] * qdd if robot.has_drives else tau


def link_torque(robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY) -> Array:
    """Return the torque of the links without rotors, shape (n, N) [N·m or N].

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    tree = tree_of(robot)
    S, _ = robot.coupling

    def kernel(q: Array, qd: Array, qdd: Array) -> tuple[Array]:
        q_tree, qd_tree, qdd_tree = robot.on_tree(q, qd, qdd)
        tau = virtual_work.torques(tree, q_tree, qd_tree, qdd_tree, gravity)
        return (np.asarray(S.T @ tau),)

    return evaluate_in_batches(kernel, virtual_work.samples_a_pass(tree), q, qd, qdd)[0]


def energies(
    robot: Robot, q: Array, qd: Array, gravity: Gravity = GRAVITY
) -> tuple[tuple[str, ...], Array, Array]:
    """Return names of moving links with mass, their kinetic and potential energies (links, N) [J].

    The rotors of drive trains follow the links; their potential energy is part of the links'.

    Parameters
    ----------
    q, qd : ndarray, shape (n, N)

    Raises
    ------
    ValueError
        If a shape is not (n, N).
    """
    q, qd = columns(len(robot.coordinates), q=q, qd=qd)
    ke, pe = link_energies.energies(robot, q, qd, gravity)
    links = tuple(mass.link for mass in tree_of(robot).masses)
    if not robot.has_drives:
        return links, ke, pe
    spin = rotor_energies(robot, qd)
    ke, pe = np.concatenate([ke, spin]), np.concatenate([pe, np.zeros_like(spin)])
    return (*links, *rotor_names(robot)), ke, pe


def _pass(robot: Robot) -> int:
    """Return the samples per pass, which limit its memory for any robot."""
    n = len(robot.tree_coordinates)
    return CHUNK if n <= FEW else max(1, WIDE // n**2)


def _terms(
    robot: Robot, q: Array, qd: Array, gravity: Gravity, *, with_C: bool = True
) -> tuple[Array, Array, Array, Array, Array]:
    """Return M, C, g, ke and pe; C is zero if it is not requested."""
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
        I_0 = _rotate_tensor(mass, poses.R[mass.body])
        L = np.einsum("abN,kbN->kaN", I_0, Jw)
        block = np.ix_(joints, joints)
        M_c = mass.mass * np.einsum("iaN,jaN->ijN", Jv, Jv) + np.einsum("iaN,jaN->ijN", Jw, L)
        M[block] += M_c
        rates = qd_tree[list(joints)]
        if few:
            dM_c = mass_matrix_gradient(tree, joints, mass, Jv, Jw, L)
            dM[np.ix_(joints, joints, joints)] += dM_c
        elif with_C:
            C[block] += christoffel(mass.mass, Jv, Jw, L, rates)
        g[list(joints)] -= mass.mass * np.einsum("a,kaN->kN", g_0, Jv)
        ke[row] = 0.5 * np.einsum("iN,ijN,jN->N", rates, M_c, rates)
    if few:  # C_ij = ½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) qd_k
        C = 0.5 * (
            np.einsum("ijkN,kN->ijN", dM, qd_tree)
            + np.einsum("ikjN,kN->ijN", dM, qd_tree)
            - np.einsum("jkiN,kN->ijN", dM, qd_tree)
        )
    if not robot.is_plain:
        reduce = "ai,abN,bj->ijN"
        M, C, g = np.einsum(reduce, S, M, S), np.einsum(reduce, S, C, S), S.T @ g
    if robot.has_drives:
        M += np.diag(robot.rotor_inertia)[:, :, None]
    return M, C, g, ke, pe


def _rotate_tensor(mass: Mass, R_0b: Array) -> Array:
    """Return the inertia tensor of a link in world axes, R I Rᵀ, shape (3, 3, N)."""
    RI = np.einsum("abN,bc->acN", R_0b, mass.tensor)
    return np.einsum("acN,dcN->adN", RI, R_0b)
