"""End stops and ground contact: one-sided springs with a damper that sets in smoothly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.step import step
from sim.dynamics.wrench import AppliedWrench
from sim.kinematics.arrays import columns
from sim.kinematics.forward import cross, frame_motion
from sim.robots.contact import GroundContact
from sim.robots.model import Robot
from sim.spatial import Array


def impact(
    x: ArrayLike, xd: ArrayLike, x1: float, k: float, e: float, cmax: float, d: float
) -> Array:
    """Force of a one-sided stop, max(0, k p^e - cmax xd STEP(p, 0, 0, d, 1)) where x < x1.

    p = x1 - x is the penetration; the force pushes x up, never pulls, and is zero where x >= x1.

    Parameters
    ----------
    x, xd : array_like
        Distance and its rate [m, m/s or rad, rad/s].
    x1 : float
        Distance at first touch.
    k, e : float
        Stiffness and its exponent.
    cmax : float
        Damping at full depth.
    d : float
        Penetration at which the damping is full, above 0.

    References
    ----------
    MSC Adams Solver, function IMPACT.
    """
    p = np.maximum(x1 - np.asarray(x, dtype=np.float64), 0.0)
    force = k * p**e - cmax * np.asarray(xd, dtype=np.float64) * step(p, 0.0, 0.0, d, 1.0)
    return np.where(p > 0.0, np.maximum(force, 0.0), 0.0)


def bistop(
    x: ArrayLike, xd: ArrayLike, x1: float, x2: float, k: float, e: float, cmax: float, d: float
) -> Array:
    """Force of two stops: `impact` below x1, its mirror image above x2, zero between.

    Positive at the lower stop, negative at the upper one. An infinite x1 or x2 is no stop.

    References
    ----------
    MSC Adams Solver, function BISTOP.
    """
    x, xd = np.asarray(x, dtype=np.float64), np.asarray(xd, dtype=np.float64)
    return impact(x, xd, x1, k, e, cmax, d) - impact(-x, -xd, -x2, k, e, cmax, d)


def stop_torque(robot: Robot, q: Array, qd: Array) -> Array:
    """Torque by which the end stops push each tree joint back, shape (n_tree, N) [N·m or N].

    It acts with the drive, ``M qdd + C qd + g = tau + stop``; zero for a joint without a stop.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
        Of all tree joints [rad or m], [rad/s or m/s].

    Raises
    ------
    ValueError
        If a shape is not (n_tree, N).
    """
    q, qd = columns(len(robot.tree_joints), q=q, qd=qd)
    torque = np.zeros_like(q)
    for row, joint in enumerate(robot.tree_joints):
        if (stop := joint.stop) is not None:
            lower, upper = stop.ends(joint.limits)
            law = (stop.stiffness, stop.exponent, stop.damping, stop.depth)
            torque[row] = bistop(q[row], qd[row], lower, upper, *law)
    return torque


def contact_wrenches(
    robot: Robot, contacts: Iterable[GroundContact], q: Array, qd: Array
) -> tuple[AppliedWrench, ...]:
    """What the ground does to the robot: an upward force at the centre of each sphere.

    The force at the lowest point of a sphere passes through its centre, so that its moment is the
    same there.

    Parameters
    ----------
    contacts : iterable of GroundContact
    q, qd : ndarray, shape (n, N)
        Of the independent joints [rad or m], [rad/s or m/s].

    Raises
    ------
    ModelError
        If a frame is not in the robot; the message lists the frames.
    """
    return tuple(_ground_wrench(robot, contact, q, qd) for contact in contacts)


def _ground_wrench(robot: Robot, contact: GroundContact, q: Array, qd: Array) -> AppliedWrench:
    frame = frame_motion(robot, contact.frame, q, qd)
    at = np.asarray(contact.at)
    arm = np.einsum("abN,b->aN", frame.R, at)
    gap = frame.p[2] + arm[2] - contact.radius - contact.height
    rate = frame.v[2] + cross(frame.w, arm)[2]
    law = (contact.stiffness, contact.exponent, contact.damping, contact.depth)
    force = np.zeros_like(frame.p)
    force[2] = impact(gap, rate, 0.0, *law)
    return AppliedWrench(contact.frame, at, force, np.zeros_like(force))
