"""Rounding of accelerations balanced by motors, and of the resulting torques."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.checks.limits import EPS
from sim.dynamics.gravity import Gravity
from sim.dynamics.lagrange import link_torque, mass_matrix
from sim.maths.arrays import Array, distinct
from sim.robots.robot import Robot

# Rounding errors per joint, relative to the acceleration by weight and centrifugal forces: up to
# 230 were observed in random robots of five to eight joints, from 0.03 mm to 6 km and from a
# microgram to 1e8 kg.
ROUNDINGS = 512

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


def rounding_samples(count: int) -> NDArray[np.intp]:
    """Indices of at most `SAMPLES` of `count` samples, evenly spread."""
    return distinct(np.linspace(0, count - 1, SAMPLES, dtype=np.intp))


def some_samples(*rows: Array) -> list[Array]:
    """Return at most `SAMPLES` samples of each; non-finite ones, which fail anyway, become zero."""
    some = rounding_samples(rows[0].shape[1])
    return [np.nan_to_num(each[:, some], posinf=0.0, neginf=0.0) for each in rows]
