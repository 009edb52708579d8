"""Small motions about a state: mass, damping and stiffness of the compliant joints.

    M δqdd + D δqd + K δq = δτ,      K = k + ∂g/∂q - ∂e/∂q,      D = d + viscous friction - ∂e/∂qd

with stiffness k and damping d of the drives that hold the joints, efforts e of springs and other
force elements, and the gravity slopes ∂g/∂q of `gravity_stiffness`. A small rotation of
a ball is about the axes of its child.

Joints in closed loops move together, δq = Z x with J Z = 0, and the loop forces λ rotate with them.
Along the columns of Z, for which Zᵀ M Z = 1,

    K = Zᵀ (k + ∂g/∂q - ∂e/∂q - ∂(Jᵀ λ)/∂q) Z,      D = Zᵀ (d + …) Z

with λ such that the passive joints rest without torque; the drives supply the rest.

About a motion the torques ``M qdd + C qd`` have slopes too, and `MotionChanges` adds changes of
velocities and accelerations besides x, ẋ and ẍ:

    K = Zᵀ (K_q Z + D_q W + M Y),      D = Zᵀ (D_q Z + M V)

Gravity stiffness ∂g/∂q is the second derivative of the potential energy,

    ∂g_i/∂q_j = -Σ m g_0 · (ω_i × v_j),     joint i nearer to the root than j

with the columns ω_i and v_j of the Jacobians of a mass centre: a prismatic joint has no ω, and
joints farther out rotate with it. The axes of a ball rotate with it: its rows are differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.element_slopes import ElementStates, slopes_along
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.lagrange import gravity as gravity_torque
from sim.dynamics.lagrange import inverse_dynamics, mass_matrix
from sim.dynamics.small_motions import (
    allowed_motions,
    differences_along,
    displace,
    leading_joints,
    loop_forces_at_rest,
    motion_changes,
)
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, columns, evaluate_in_batches
from sim.maths.newton import pseudo_inverse
from sim.robots.robot import Robot

CHUNK = 2000  # samples per pass

WEIGHTLESS = (0.0, 0.0, 0.0)


def gravity_stiffness(robot: Robot, q: Array, gravity: Gravity = GRAVITY) -> Array:
    """Return ∂g/∂q, the second derivative of the potential energy, (n, n, N) [N·m/rad].

    It is symmetric, except for balls away from an equilibrium: their rotations do not commute.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    gravity : tuple of float
        In the world [m/s²].

    Raises
    ------
    ValueError
        If the shape is not (n, N).
    """
    (q,) = columns(len(robot.coordinates), q=q)
    if robot.balls:
        return _by_differences(robot, q, gravity)
    tree, (S, _) = tree_of(robot), robot.coupling
    g_0 = np.asarray(gravity, dtype=np.float64)

    def kernel(q: Array) -> tuple[Array]:
        q_tree = robot.q_tree(q)
        poses = body_poses(tree, q_tree)
        H = np.zeros((tree.n, tree.n, q.shape[1]))
        for mass in tree.masses:
            joints, Jv, Jw = point_jacobian(
                tree, poses, mass.body, poses.point(mass.body, mass.com)
            )
            # g_0 · (ω_i × v_j) = (g_0 × ω_i) · v_j
            weight = -mass.mass * np.cross(g_0, Jw, axisb=1, axisc=1)
            inner = np.einsum("iaN,jaN->ijN", weight, Jv)
            upper = np.triu(np.ones(inner.shape[:2]))[:, :, None] * inner
            strict = np.triu(np.ones(inner.shape[:2]), 1)[:, :, None] * inner
            H[np.ix_(joints, joints)] += upper + np.swapaxes(strict, 0, 1)
        return (np.einsum("ai,abN,bj->ijN", S, H, S),)

    return evaluate_in_batches(kernel, CHUNK, q)[0]


def _by_differences(robot: Robot, q: Array, gravity: Gravity) -> Array:
    n, N = q.shape

    def torque(small: Array, q: Array) -> Array:
        return gravity_torque(robot, displace(robot, q, small), gravity)

    every = np.broadcast_to(np.eye(n)[..., None], (n, n, N))
    return differences_along(torque, every, q)


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """M ẍ + D ẋ + K x = Zᵀ δτ at N poses, δq = Z x of the compliant joints.

    Parameters
    ----------
    joints : tuple of str, length j
        Compliant joints, including passive ones of closed loops.
    M, D, K : ndarray, shape (m, m, N)
        [kg·m²], [N·m·s/rad], [N·m/rad]; for prismatic joints in metres and newtons.
    Z : ndarray, shape (j, m, N)
        Motions that closed loops allow; single joints without loops. NaN at singular poses, where
        the loops allow more motions than nearby; then M, D and K are NaN too.
    chart : ndarray, shape (m, j, N)
        ``x = chart δq``.
    """

    joints: tuple[str, ...]
    M: Array
    D: Array
    K: Array
    Z: Array
    chart: Array


def linearise(
    elements: ElementSum,
    q: Array,
    loose: Mask,
    stiffness: Array,
    damping: Array,
    gravity: Gravity = GRAVITY,
    t: Array | None = None,
    speeds: tuple[Array, Array] | None = None,
    z: Array | None = None,
) -> LinearSystem:
    """Return the linear system about poses at rest, held by the torque that each pose requires.

    With `speeds` it is the system about the instantaneous motion, with Coriolis and centrifugal
    terms: K and D include ∂(M qdd + C qd)/∂q and ∂(C qd)/∂qd.

    All force elements are included, by the exact slopes of their laws; at a corner of a law by the
    mean of both sides. Dry friction of joints is omitted: it could hold any pose.

    Parameters
    ----------
    elements : ElementSum
        The force elements, with their robot.
    q : ndarray, shape (n, N)
        Positions with closed loops [rad or m].
    loose : ndarray of bool, shape (n,)
        Compliant joints, including all passive ones; the others are rigid.
    stiffness, damping : ndarray, shape (n,)
        Values of the drives.
    gravity : tuple of float
        In the world [m/s²].
    t : ndarray, shape (N,), optional
        Time, for forces that depend on it [s] (default: the start).
    speeds : tuple of ndarray, shape (n, N), optional
        qd and qdd of all joints, with closed loops (default: at rest). If given, x are positions of
        joints that no loop determines.
    z : ndarray, shape (states, N), optional
        Own states of the elements: counted angles (default: those of the start).

    Raises
    ------
    ScenarioError
        If there are speeds and closed loops are at a dead point; if a force reads a state with a
        rate of its own.
    """
    robot = elements.robot
    (q,) = columns(len(robot.coordinates), q=q)
    t = np.zeros(q.shape[1]) if t is None else t
    z = np.repeat(elements.start[:, None], t.size, axis=1) if z is None else z
    qd, qdd = np.zeros((2, *q.shape)) if speeds is None else speeds
    M = mass_matrix(robot, q)[np.ix_(loose, loose)]
    Z, chart = _coordinates(robot, loose, allowed_motions(robot, q, loose, M), speeds is not None)
    whole = np.zeros((loose.size, *Z.shape[1:]))
    whole[loose] = Z
    weight = np.diag(stiffness)[..., None] + gravity_stiffness(robot, q, gravity)
    rubbing = (np.diag(damping) + viscous_matrix(robot))[..., None]
    at = _At(t, q, qd, z, elements, qdd)
    K = _along(weight, whole) - at.slopes(whole) - _turning_loop_forces(at, whole, gravity)
    D = _along(rubbing, whole) - at.slopes_of_speeds(whole)
    K, D = K[loose], D[loose]
    if speeds is not None:
        K += at.inertial_slopes(whole)[loose]
        D += at.inertial_slopes_of_speeds(whole)[loose]
        more = motion_changes(robot, q, qd, qdd, loose, whole, chart)
        change = _along(rubbing, more.W) - at.slopes_of_speeds(more.W)
        change += at.inertial_slopes_of_speeds(more.W)
        K += change[loose] + _along(M, more.Y[loose])
        D += _along(M, more.V[loose])
    names = tuple(name for name, is_loose in zip(robot.row_names, loose, strict=True) if is_loose)
    M, D, K = (_across(Z, part) for part in (_along(M, Z), D, K))
    return LinearSystem(names, M, D, K, Z, chart)


def _coordinates(robot: Robot, loose: Mask, Z: Array, moves: bool) -> tuple[Array, Array]:
    """Return Z, for a motion so that x are positions of joints, and the chart ``x = chart δq``."""
    if not passive_joints(robot).any():
        return Z, Z
    if not moves or np.isnan(Z).any():
        whole = np.where(np.isnan(Z), 0.0, Z)
        return Z, np.moveaxis(np.linalg.pinv(np.moveaxis(whole, -1, 0)), 0, -1)
    leading = leading_joints(robot, loose, Z)
    Z = np.einsum("jmN,mkN->jkN", Z, pseudo_inverse(Z[leading]))
    chart = np.eye(len(Z))[leading]
    return Z, np.broadcast_to(chart[..., None], (*chart.shape, Z.shape[-1]))


def torque_needed(
    elements: ElementSum,
    t: Array,
    q: Array,
    gravity: Gravity = GRAVITY,
    speeds: tuple[Array, Array] | None = None,
) -> Array:
    """Return the torque that keeps each joint at rest, g(q) - e - Jᵀ λ, (n, N); 0 at passive ones.

    With `speeds` it is the torque of their motion, M qdd + C qd + g - e [N·m or N].

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q : ndarray, shape (n, N)
        Positions with closed loops [rad or m].
    speeds : tuple of ndarray, shape (n, N), optional
        qd and qdd (default: at rest).
    """
    robot = elements.robot
    qd, qdd = np.zeros((2, *q.shape)) if speeds is None else speeds
    z = np.repeat(elements.start[:, None], t.size, axis=1)
    torque = _needed_by_tree(_At(t, q, qd, z, elements, qdd), gravity)
    if not passive_joints(robot).any():
        return torque
    multipliers = loop_forces_at_rest(robot, q, torque)
    return torque - np.einsum("rnN,rN->nN", joint_equations(robot, q)[1], multipliers)


def _needed_by_tree(at: _At, gravity: Gravity) -> Array:
    """Return joint torques with open loops, M qdd + C qd + g + viscous friction - e, (n, N)."""
    needed = inverse_dynamics(at.elements.robot, at.q, at.qd, at.qdd, gravity)
    return np.asarray(needed - torque_given(at.elements, at.t, at.q, at.qd, at.z))


def torque_given(elements: ElementSum, t: Array, q: Array, qd: Array, z: Array) -> Array:
    """Return torques of force elements at each joint, less viscous friction, (n, N) [N·m or N]."""
    torque = elements.torque(elements.at(t, q, qd, z))
    return np.asarray(torque - viscous_matrix(elements.robot) @ qd)


def _along(matrix: Array, Z: Array) -> Array:
    return np.asarray(np.einsum("ijN,jmN->imN", matrix, Z))


def _across(Z: Array, part: Array) -> Array:
    return np.asarray(np.einsum("jaN,jmN->amN", Z, part))


@dataclass(frozen=True, eq=False)
class _At(ElementStates):
    """A motion at N instants, and slopes of torques there along columns Z (n, m, N)."""

    elements: ElementSum
    qdd: Array

    def slopes(self, Z: Array) -> Array:
        """Return ∂e/∂q of the force elements, (n, m, N).

        A constant force has slopes too: its lever arm rotates with the joints.
        """
        return slopes_along(self.elements, self, Z, "q")

    def slopes_of_speeds(self, Z: Array) -> Array:
        """Return ∂e/∂qd of the force elements, (n, m, N)."""
        return slopes_along(self.elements, self, Z, "qd")

    def inertial_slopes(self, Z: Array) -> Array:
        """Return ∂(M qdd + C qd)/∂q, (n, m, N)."""
        robot = self.elements.robot

        def torque(small: Array, q: Array, qd: Array, qdd: Array) -> Array:
            return inverse_dynamics(robot, displace(robot, q, small), qd, qdd, WEIGHTLESS)

        return differences_along(torque, Z, self.q, self.qd, self.qdd)

    def inertial_slopes_of_speeds(self, Z: Array) -> Array:
        """Return ∂(C qd)/∂qd, (n, m, N)."""
        robot = self.elements.robot

        def torque(small: Array, q: Array, qd: Array) -> Array:
            return inverse_dynamics(robot, q, qd + small, np.zeros_like(q), WEIGHTLESS)

        return differences_along(torque, Z, self.q, self.qd)


def _turning_loop_forces(at: _At, Z: Array, gravity: Gravity) -> Array:
    """Return ∂(Jᵀ λ)/∂q along Z's columns at constant λ, (n, m, N); 0 without passive joints."""
    robot = at.elements.robot
    if not passive_joints(robot).any():
        return np.zeros_like(Z)
    needed = _needed_by_tree(at, gravity)

    def torque(small: Array, q: Array, multipliers: Array) -> Array:
        J = joint_equations(robot, displace(robot, q, small))[1]
        return np.asarray(np.einsum("rnK,rK->nK", J, multipliers))

    return differences_along(torque, Z, at.q, loop_forces_at_rest(robot, at.q, needed))
