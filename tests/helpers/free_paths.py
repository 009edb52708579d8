"""Paths of joints that nothing prescribes, and what energy says of a motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sim.dynamics import MotionSamples, lagrange
from sim.maths import Array
from sim.motion import JointPath
from sim.robots import Robot
from sim.robots.actuation import TorqueOverTime


def loose(
    q0: Sequence[float],
    qd0: Sequence[float] | None = None,
    torque: Callable[[Array], Array] | None = None,
    corners: Sequence[float] = (),
) -> JointPath:
    """All joints free from `q0` and `qd0` on, with motors on some of them."""
    n = len(q0)
    rest = np.zeros(n) if qd0 is None else np.array(qd0, dtype=float)
    return JointPath(
        lambda t: tuple(np.zeros((3, n, t.size))),
        np.ones(n, dtype=bool),
        np.array(q0, dtype=float),
        rest,
        np.array(corners, dtype=float),
        1.0,
        TorqueOverTime(torque) if torque else None,
    )


def beside(
    free: Sequence[bool],
    motion: Callable[[Array], tuple[Array, Array, Array]],
    q0: Sequence[float],
    qd0: Sequence[float],
    corners: Sequence[float] = (),
) -> JointPath:
    """Some joints free beside prescribed ones; whoever uses the prescribed rows of free ones sees
    numbers that are none.
    """
    loose_rows = np.array(free)[:, None]

    def spoilt(t: Array) -> tuple[Array, Array, Array]:
        q, qd, qdd = (np.where(loose_rows, np.nan, rows) for rows in motion(t))
        return q, qd, qdd

    start, rate = np.array(q0, dtype=float), np.array(qd0, dtype=float)
    return JointPath(spoilt, np.array(free), start, rate, np.array(corners, dtype=float), 1.0)


def imbalance(robot: Robot, gravity: tuple[float, float, float], found: MotionSamples) -> float:
    """Largest error of the energy balance, as a part of the energy moved (of 1 mJ at least)."""
    model = lagrange.terms(robot, found.q, found.qd, gravity)
    energy = model.ke.sum(axis=0) + model.pe.sum(axis=0)
    moved = (found.works.work.sum(axis=0), found.works.loss.sum(axis=0), found.works.external)
    residual = energy - energy[0] - moved[0] + moved[1] - moved[2]
    size = max(sum(np.ptp(x) for x in (energy, *moved)), 1e-3)
    return float(np.abs(residual).max() / size)
