"""Joint torques of a body at a frame, linear in the body's ten inertial parameters.

The torques of a rigid body that moves with a frame depend on ten numbers at its origin::

    theta = (m, h, S)      h = m c      S = ∫ r rᵀ dm = m c cᵀ + ½ tr(I) 1 − I

with the mass centre c and the inertia I about it (Atkeson, An and Hollerbach 1986, with S in place
of the inertia about the origin, Ī = tr(S) 1 − S). With the frame's twist (v, ω) and its rate along
its own axes, its origin accelerates with a = v̇ + ω × v − Rᵀ g, and::

    f = m a + α × h + ω × (ω × h)
    n = h × a + Ī α + ω × Ī ω
    tau = Jᵀ (f, n)
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.gravity import Gravity
from sim.kinematics.forward import frame_pose
from sim.kinematics.jacobian import jacobian_and_rate
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.robot import Robot

MOMENTS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # entries of S: xx xy xz yy yz zz


def body_numbers(mass: float, com: Array, inertia: Array | None = None) -> Array:
    """Return theta = (m, m c, S) of a body, shape (10,) [kg, kg·m, kg·m²].

    Parameters
    ----------
    mass : float
        [kg]
    com : ndarray, shape (3,)
        Mass centre in the frame [m].
    inertia : ndarray, shape (3, 3), optional
        Inertia about the mass centre, axes of the frame [kg·m²] (default: a point mass).
    """
    S = mass * np.outer(com, com)
    if inertia is not None:
        S = S + 0.5 * np.trace(inertia) * np.eye(3) - inertia
    return np.array([mass, *(mass * com), *(S[pair] for pair in MOMENTS)])


def payload_terms(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity, frame: str | None = None
) -> Array:
    """Return torque per unit of each of a body's ten parameters, (10, n, N); tau = Σ theta_k row_k.

    Parameters
    ----------
    q, qd, qdd : ndarray, shape (n, N)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²])
    gravity : tuple of float
        In the world [m/s²].
    frame : str, optional
        Link to which the body is attached (default: the tool frame).

    Raises
    ------
    ModelError
        If the robot has no such link.
    """
    J, Jd = jacobian_and_rate(robot, q, qd, frame, "body")
    V = np.einsum("anN,nN->aN", J, qd)
    A = np.einsum("anN,nN->aN", J, qdd) + np.einsum("anN,nN->aN", Jd, qd)
    R = frame_pose(robot, q, frame)[:3, :3]
    w, alpha = V[3:], A[3:]
    a = A[:3] + cross(w, V[:3]) - np.einsum("baN,b->aN", R, np.asarray(gravity, dtype=np.float64))
    wrenches = np.zeros((10, 6, q.shape[1]))
    wrenches[0, :3] = a
    for axis in range(3):
        h = np.zeros_like(a)
        h[axis] = 1.0
        wrenches[1 + axis, :3] = cross(alpha, h) + cross(w, cross(w, h))
        wrenches[1 + axis, 3:] = cross(h, a)
    for k, (i, j) in enumerate(MOMENTS):
        S = np.zeros((3, 3))
        S[i, j] = S[j, i] = 1.0
        about = np.trace(S) * np.eye(3) - S
        wrenches[4 + k, 3:] = about @ alpha + cross(w, about @ w)
    return np.einsum("kaN,anN->knN", wrenches, J)
