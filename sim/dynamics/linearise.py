"""Small motions about a robot at rest: mass, damping and stiffness of the joints that give way.

    M δqdd + D δqd + K δq = δτ,      K = k + ∂g/∂q - ∂e/∂q,      D = d + viscous friction - ∂e/∂qd

with stiffness k and damping d of the drives that hold the joints, and efforts e of springs and
other force elements. The gradient of the gravity torque is the second derivative of the potential,

    ∂g_i/∂q_j = -Σ m g_0 · (ω_i × v_j),     joint i nearer to the root than j

with the columns ω_i and v_j of the Jacobians of a mass centre: a slide turns nothing, and what is
farther out turns with the axis before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.force_element import ElementSum, Slopes, slopes_by_differences
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.lagrange import mass_matrix
from sim.kinematics.forward import body_poses, point_jacobian
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, columns, evaluate_in_batches
from sim.robots.robot import Robot

CHUNK = 2000  # samples a pass


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """M δqdd + D δqd + K δq = δτ at N poses, of the m joints that give way.

    Parameters
    ----------
    joints : tuple of str, length m
    M, D, K : ndarray, shape (m, m, N)
        [kg·m²], [N·m·s/rad], [N·m/rad]; of slides in metres and newtons.
    """

    joints: tuple[str, ...]
    M: Array
    D: Array
    K: Array


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
) -> LinearSystem:
    """The linear system about poses at rest, held by what torque each pose needs.

    Elements that act in a part of their range only, stops and contacts, are left out, and so is
    dry friction, which would hold a joint anywhere.

    Parameters
    ----------
    elements : ElementSum
        The force elements, with their robot.
    q : ndarray, shape (n, N)
        [rad or m]
    loose : ndarray of bool, shape (n,)
        Joints that give way; the others are rigid.
    stiffness, damping : ndarray, shape (n,)
        Of the drives.
    gravity : tuple of float
        In the world [m/s²].
    t : ndarray, shape (N,), optional
        When, for forces that depend on time [s]; the start without it.
    """
    robot = elements.robot
    (q,) = columns(len(robot.coordinates), q=q)
    t = np.zeros(q.shape[1]) if t is None else t
    slopes = _slopes(elements, t, q)
    S, _ = robot.coupling
    rubbing = S.T @ (np.array([joint.damping for joint in robot.tree_row_joints])[:, None] * S)
    K = np.diag(stiffness)[..., None] + gravity_stiffness(robot, q, gravity) - slopes.q
    D = (np.diag(damping) + rubbing)[..., None] - slopes.qd
    own = np.ix_(loose, loose)
    names = tuple(name for name, is_loose in zip(robot.row_names, loose, strict=True) if is_loose)
    return LinearSystem(names, mass_matrix(robot, q)[own], D[own], K[own])


def _slopes(elements: ElementSum, t: Array, q: Array) -> Slopes:
    """Slopes of the joint torques of the steady elements, at rest.

    A force that is constant by its law has slopes too: its lever turns with the joints.
    """
    n, N = q.shape
    of_q, of_qd = np.zeros((2, n, n, N))
    for one in elements.elements:
        if one.is_sudden:
            continue
        alone = ElementSum(elements.robot, (one,))
        z = np.repeat(alone.start[:, None], N, axis=1)
        at = alone.at(t, q, 0.0 * q, z)
        found = one.slopes(at) or slopes_by_differences(one, at)
        of_q, of_qd = of_q + found.q, of_qd + found.qd
    return Slopes(of_q, of_qd)
