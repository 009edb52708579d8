"""States at which programs are compared: random, bounded, reproducible."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array
from sim.robots.coordinate import Coordinate
from sim.robots.robot import Robot

SEED, COUNT = 20, 20
SPEED, ACCELERATION = 1.0, 2.0  # [rad/s, rad/s²; m/s, m/s²], at most
TURNING, SLIDING = math.pi, 1.0  # [rad] [m], if limits allow more


class StateSamples(Struct, frozen=True, eq=False):
    """Positions, velocities and accelerations of the independent joints, shape (n, N) each."""

    q: Array
    qd: Array
    qdd: Array


def states_of(robot: Robot, count: int = COUNT) -> StateSamples:
    """Return states within the limits of each joint; equal at every call."""
    random = np.random.default_rng(SEED)
    ends = np.array(list(map(_ends, robot.coordinates)))
    low, high = ends.reshape(-1, 2).T[:, :, None]
    shape = (len(robot.coordinates), count)
    q = low + (high - low) * random.random(shape)
    qd, qdd = (random.uniform(-most, most, shape) for most in (SPEED, ACCELERATION))
    return StateSamples(q, qd, qdd)


def _ends(row: Coordinate) -> tuple[float, float]:
    lower, most = row.limits.lower, TURNING if row.is_angle else SLIDING
    low, high = max(lower, -most), min(row.limits.upper, most)
    return (low, high) if low <= high else (lower, lower)
