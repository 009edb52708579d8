"""Small motions about a robot at rest: mass, damping and stiffness of the joints that give way.

    M δqdd + D δqd + K δq = δτ,      K = k + ∂g/∂q - ∂e/∂q,      D = d + viscous friction - ∂e/∂qd

with stiffness k and damping d of the drives that hold the joints, and efforts e of springs and
other force elements. The gradient of the gravity torque is the second derivative of the potential,

    ∂g_i/∂q_j = -Σ m g_0 · (ω_i × v_j),     joint i nearer to the root than j

with the columns ω_i and v_j of the Jacobians of a mass centre: a slide turns nothing, and what is
farther out turns with the axis before it.

Joints in closed loops move together, δq = Z x with J Z = 0, and the forces λ in the loops turn with
them. Along the columns of Z, for which Zᵀ M Z = 1,

    K = Zᵀ (k + ∂g/∂q - ∂e/∂q - ∂(Jᵀ λ)/∂q) Z,      D = Zᵀ (d + …) Z

with λ such that the passive joints rest without a torque; the drives give what else the pose needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sim.dynamics.force_element import ElementSum
from sim.dynamics.friction import viscous_matrix
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import JointElements
from sim.dynamics.lagrange import inverse_dynamics, mass_matrix
from sim.dynamics.small_motions import (
    allowed_motions,
    differences_along,
    displaced,
    loop_forces_at_rest,
)
from sim.errors import ScenarioError
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.loop_equations import joint_equations, passive_joints
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, columns, evaluate_in_batches
from sim.robots.robot import Robot

CHUNK = 2000  # samples a pass


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """M ẍ + D ẋ + K x = Zᵀ δτ at N poses, δq = Z x of the joints that give way.

    Parameters
    ----------
    joints : tuple of str, length j
        The joints that give way, passive ones of closed loops among them.
    M, D, K : ndarray, shape (m, m, N)
        [kg·m²], [N·m·s/rad], [N·m/rad]; of slides in metres and newtons.
    Z : ndarray, shape (j, m, N)
        The motions that closed loops allow; the joints themselves without loops. Not a number at
        singular poses, where the loops allow more of them than beside, and so are M, D and K.
    """

    joints: tuple[str, ...]
    M: Array
    D: Array
    K: Array
    Z: Array


def gravity_stiffness(robot: Robot, q: Array, gravity: Gravity = GRAVITY) -> Array:
    """∂g/∂q, the symmetric second derivative of the potential energy, (n, n, N) [N·m/rad].

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
    robot.require_no_balls("linearised equations are of hinges and slides only")
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


def linearise(
    elements: ElementSum,
    q: Array,
    loose: Mask,
    stiffness: Array,
    damping: Array,
    gravity: Gravity = GRAVITY,
    t: Array | None = None,
    speeds: tuple[Array, Array] | None = None,
) -> LinearSystem:
    """The linear system about poses at rest, held by what torque each pose needs.

    With speeds it is that about the motion as it is at each instant, with Coriolis' and
    centrifugal terms: K and D have what ∂(M qdd + C qd)/∂q and ∂(C qd)/∂qd add.

    Stops count in poses where they act. Contacts with the ground are left out, and so is dry
    friction, which would hold a joint anywhere.

    Parameters
    ----------
    elements : ElementSum
        The force elements, with their robot.
    q : ndarray, shape (n, N)
        With closed loops [rad or m].
    loose : ndarray of bool, shape (n,)
        Joints that give way, all passive ones among them; the others are rigid.
    stiffness, damping : ndarray, shape (n,)
        Of the drives.
    gravity : tuple of float
        In the world [m/s²].
    t : ndarray, shape (N,), optional
        When, for forces that depend on time [s]; the start without it.
    speeds : tuple of ndarray, shape (n, N), optional
        qd and qdd of all joints; at rest without them. Of robots without passive joints.

    Raises
    ------
    ScenarioError
        If there are speeds and closed loops position joints.
    """
    robot = elements.robot
    (q,) = columns(len(robot.coordinates), q=q)
    t = np.zeros(q.shape[1]) if t is None else t
    qd = np.zeros_like(q) if speeds is None else speeds[0]
    M = mass_matrix(robot, q)[np.ix_(loose, loose)]
    Z = allowed_motions(robot, q, loose, M)
    whole = np.zeros((loose.size, *Z.shape[1:]))
    whole[loose] = Z
    rubbing = viscous_matrix(robot)
    of_q, of_qd = _slopes(elements, t, q, qd, whole)
    if speeds is not None:
        inertial = _inertial_slopes(robot, q, *speeds, whole)
        of_q, of_qd = of_q - inertial[0], of_qd - inertial[1]
    weight = gravity_stiffness(robot, q, gravity)
    of_q -= _along(np.diag(stiffness)[..., None] + weight, whole)
    of_q += _turning_loop_forces(elements, t, q, whole, gravity)
    of_qd -= _along((np.diag(damping) + rubbing)[..., None], whole)
    names = tuple(name for name, is_loose in zip(robot.row_names, loose, strict=True) if is_loose)
    M, D, K = (_across(Z, part) for part in (_along(M, Z), -of_qd[loose], -of_q[loose]))
    return LinearSystem(names, M, D, K, Z)


def torque_needed(
    elements: ElementSum,
    t: Array,
    q: Array,
    gravity: Gravity = GRAVITY,
    speeds: tuple[Array, Array] | None = None,
) -> Array:
    """What each joint needs to stay at rest, g(q) - e - Jᵀ λ, (n, N); nothing at passive ones.

    With speeds it is what their motion needs, M qdd + C qd + g - e [N·m or N].

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    q : ndarray, shape (n, N)
        With closed loops [rad or m].
    speeds : tuple of ndarray, shape (n, N), optional
        qd and qdd; at rest without them.
    """
    robot = elements.robot
    qd, qdd = np.zeros((2, *q.shape)) if speeds is None else speeds
    torque = inverse_dynamics(robot, q, qd, qdd, gravity) - _torque(elements, q, qd, t)
    torque += viscous_matrix(robot) @ qd
    if not passive_joints(robot).any():
        return torque
    multipliers = loop_forces_at_rest(robot, q, torque)
    return torque - np.einsum("rnN,rN->nN", joint_equations(robot, q)[1], multipliers)


def _along(matrix: Array, Z: Array) -> Array:
    return np.asarray(np.einsum("ijN,jmN->imN", matrix, Z))


def _across(Z: Array, part: Array) -> Array:
    return np.asarray(np.einsum("jaN,jmN->amN", Z, part))


def _inertial_slopes(
    robot: Robot, q: Array, qd: Array, qdd: Array, Z: Array
) -> tuple[Array, Array]:
    """∂(M qdd + C qd)/∂q and ∂(C qd)/∂qd along the columns of Z, (n, m, N) each."""
    passive = passive_joints(robot)
    if passive.any():
        names = ", ".join(np.array(robot.row_names)[passive])
        raise ScenarioError(
            f"Closed loops position joints {names} of robot {robot.name!r}; what speeds add to "
            "modes is found for trees only: leave them out"
        )
    nothing = (0.0, 0.0, 0.0)

    def displaced_by(small: Array, q: Array, qd: Array, qdd: Array) -> Array:
        return inverse_dynamics(robot, displaced(robot, q, small), qd, qdd, nothing)

    def faster_by(small: Array, q: Array, qd: Array, qdd: Array) -> Array:
        return inverse_dynamics(robot, q, qd + small, qdd, nothing)

    at = (q, qd, qdd)
    return differences_along(displaced_by, Z, *at), differences_along(faster_by, Z, *at)


def _slopes(elements: ElementSum, t: Array, q: Array, qd: Array, Z: Array) -> tuple[Array, Array]:
    """Slopes of the joint torques along the columns of Z (n, m, N), (n, m, N) each.

    A force that is constant by its law has slopes too: its lever turns with the joints.
    """
    robot = elements.robot
    of_q, of_qd = np.zeros((2, *Z.shape))
    for one in elements.elements:
        alone = ElementSum(robot, (one,))
        if isinstance(one, JointElements):
            slopes = one.slopes(alone.at(t, q, qd))
            of_q, of_qd = of_q + _along(slopes.q, Z), of_qd + _along(slopes.qd, Z)
        elif not one.is_sudden:
            of_q += differences_along(partial(_torque_displaced, alone), Z, q, qd, t)
            of_qd += differences_along(partial(_torque_moving, alone), Z, q, qd, t)
    return of_q, of_qd


def _torque_displaced(elements: ElementSum, small: Array, q: Array, qd: Array, t: Array) -> Array:
    """Joint torques after a small motion, (n, K)."""
    return _torque(elements, displaced(elements.robot, q, small), qd, t)


def _torque_moving(elements: ElementSum, small: Array, q: Array, qd: Array, t: Array) -> Array:
    """Joint torques at a small speed more, (n, K)."""
    return _torque(elements, q, qd + small, t)


def _torque(elements: ElementSum, q: Array, qd: Array, t: Array) -> Array:
    z = np.repeat(elements.start[:, None], t.size, axis=1)
    return elements.torque(elements.at(t, q, qd, z))


def _turning_loop_forces(
    elements: ElementSum, t: Array, q: Array, Z: Array, gravity: Gravity
) -> Array:
    """∂(Jᵀ λ)/∂q along the columns of Z at constant λ, (n, m, N); zero without passive joints."""
    robot, still = elements.robot, np.zeros_like(q)
    if not passive_joints(robot).any():
        return np.zeros_like(Z)
    needed = inverse_dynamics(robot, q, still, still, gravity) - _torque(elements, q, still, t)

    def torque(small: Array, q: Array, multipliers: Array) -> Array:
        J = joint_equations(robot, displaced(robot, q, small))[1]
        return np.asarray(np.einsum("rnK,rK->nK", J, multipliers))

    return differences_along(torque, Z, q, loop_forces_at_rest(robot, q, needed))
