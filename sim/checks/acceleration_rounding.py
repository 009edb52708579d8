"""Rounding of accelerations balanced by motors, of the resulting torques, and of equations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.checks.limits import EPS
from sim.dynamics.gravity import Gravity
from sim.dynamics.lagrange import link_torque, mass_matrix
from sim.kinematics.forward import poses_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, distinct
from sim.robots.robot import Robot

# Rounding errors per joint, relative to the acceleration by weight and centrifugal forces: up to
# 230 were observed in random robots of five to eight joints, from 0.03 mm to 6 km and from a
# microgram to 1e8 kg.
ROUNDINGS = 512

OPERATIONS = 8  # rounded products per joint in an equation of motion

SAMPLES = 64  # of a run, at which it is evaluated


def acceleration_rounding(robot: Robot, gravity: Gravity, q: Array, qd: Array) -> dict[bool, float]:
    """Return `ROUNDINGS` EPS |M⁻¹| |C qd + g|, the largest of angles (True) and lengths (False).

    A stepping engine computes each velocity as that of the robot without motors plus the
    contribution of the motors. A robot of 0.1 mm falls with 1e5 rad/s², whose rounding is 1e-11
    rad/s², and more where light links carry heavy ones.

    Parameters
    ----------
    q, qd : ndarray, shape (n, N)
        Independent joints [rad or m], [rad/s or m/s].

    Returns
    -------
    dict of bool to float
        [rad/s²], [m/s²]
    """
    q, qd = some_samples(q, qd)
    pushed = np.abs(link_torque(robot, q, qd, np.zeros_like(q), gravity))
    M = np.moveaxis(mass_matrix(robot, q), -1, 0)
    falls = np.einsum("kij,jk->ik", np.abs(np.linalg.pinv(M)), pushed).max(axis=1)
    rows = list(zip(robot.coordinates, falls.tolist(), strict=True))
    return {
        is_angle: ROUNDINGS
        * EPS
        * max((a for row, a in rows if row.is_angle is is_angle), default=0.0)
        for is_angle in (True, False)
    }


def torque_rounding(robot: Robot, q: Array, noise: Array) -> Array:
    """Return the largest |M| δqdd, (n,), at positions q (n, N), for errors δqdd (n,)."""
    (q,) = some_samples(q)
    return np.einsum("ijk,j->ik", np.abs(mass_matrix(robot, q)), noise).max(axis=1)


def equation_rounding(
    robot: Robot, q: Array, qd: Array, qdd: Array
) -> tuple[Array, dict[str, float]]:
    """Return the rounding of the equation of motion for a motion of n joints, (n, N) each.

    Its terms are at most ``√P_i Σ_j √P_j (|qdd_j| + |qd_j| Σ_k |w_k|)`` with the rates w of hinges
    and the inertia P_j of what joint j moves, about a point of its axis and in all directions, as
    it is computed. The solution for accelerations by Cholesky's method has terms of this size too.
    A light wrist at 1e4 rad/s makes them large in all joints, even where they cancel. Each sum over
    the joints has `OPERATIONS` rounded products per joint; a tenth of this was observed.

    Returns
    -------
    torques : ndarray, shape (n,)
        Of each joint [N·m or N].
    reactions : dict of str to float
        Of a force "f" [N], with all moving mass in place of P_i, and of a moment "m" [N·m].

    References
    ----------
    Higham 2002, Accuracy and Stability of Numerical Algorithms, theorem 10.4.
    """
    q, qd, qdd = some_samples(q, qd, qdd)
    tree, S, poses = tree_of(robot), np.abs(robot.coupling[0]), poses_of(robot, q)
    P, turns = np.zeros((tree.n, q.shape[1])), [row.is_angle for row in robot.tree_coordinates]
    for mass in tree.masses:
        com = poses.p[mass.body] + np.einsum("abN,b->aN", poses.R[mass.body], mass.com)
        for row in tree.ancestors(mass.body):
            way = np.sum(np.square(com - poses.p[row]), axis=0)
            inertia = way + np.trace(mass.tensor) / mass.mass if turns[row] else 1.0
            P[row] += mass.mass * inertia
    speed = S @ np.abs(qd)
    spun = np.sum(speed[turns], axis=0)
    sums = np.sum(np.sqrt(P) * (S @ np.abs(qdd) + speed * spun), axis=0)
    sums *= OPERATIONS * tree.n * EPS
    torques = np.max(np.sqrt(P) * sums, axis=1, initial=0.0)
    force = float(np.max(sums, initial=0.0)) * sum(mass.mass for mass in tree.masses) ** 0.5
    return S.T @ torques, {"f": force, "m": float(np.max(torques, initial=0.0))}


def rounding_samples(count: int) -> NDArray[np.intp]:
    """Indices of at most `SAMPLES` of `count` samples, evenly spread."""
    return distinct(np.linspace(0, count - 1, SAMPLES, dtype=np.intp))


def some_samples(*rows: Array) -> list[Array]:
    """Return at most `SAMPLES` samples of each; non-finite ones, which fail anyway, become zero."""
    some = rounding_samples(rows[0].shape[1])
    return [np.nan_to_num(each[:, some], posinf=0.0, neginf=0.0) for each in rows]
