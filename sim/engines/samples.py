"""Samples that a solution method reads from the engine, and their common checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim.errors import EngineError
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.dynamics.solved_motion import HybridMotion

# A prescribed joint that deviates further from its path has diverged [rad or m].
LOST = 1e-3


@dataclass(frozen=True, eq=False)
class Samples:
    """States and motor torques of all tree joints at the sample times.

    Parameters
    ----------
    q, qd, qdd, tau : ndarray, shape (n_tree, N)
        [rad], [rad/s], [rad/s²], [N·m] (prismatic: [m], [m/s], [m/s²], [N])
    tau_error : ndarray, shape (n_tree, N)
        Estimated error of `tau`, signed; zero where the method is exact.
    hybrid : HybridMotion, optional
        Further results of method `adaptive`: friction that holds joints, and works.
    inside : Samples, optional
        Samples between the sample times, at M times, if requested.
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array
    tau_error: Array
    hybrid: HybridMotion | None = None
    inside: Samples | None = None

    def during(self, part: slice) -> Samples:
        """Return the states and torques of some of the samples."""
        q, qd, qdd = (x[:, part] for x in (self.q, self.qd, self.qdd))
        return Samples(q, qd, qdd, self.tau[:, part], self.tau_error[:, part])


def require_sound(robot: Robot, t: Array, read: Array, target: Array, driven: Mask) -> None:
    """Raise at the first sample that is not finite or has left its prescribed path.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    read : ndarray, shape (n_tree, k, N)
        The engine's numbers, positions first.
    target : ndarray, shape (n_tree, N)
        Prescribed positions.
    driven : ndarray of bool, shape (n_tree,)

    Raises
    ------
    EngineError
        Names the joint and the time.
    """
    broken = np.logical_or.reduce(~np.isfinite(read), axis=1)
    away = np.abs(read[:, 0] - target)
    away[~driven] = 0.0
    with np.errstate(invalid="ignore"):
        unsound: Mask = broken | (away > LOST)
    if not unsound.any():
        return
    k = int(np.argmax(unsound.any(axis=0)))
    i = int(np.argmax(unsound[:, k]))
    row = robot.tree_coordinates[i]
    what = (
        "is not a number"
        if broken[i, k]
        else f"is {away[i, k]:.3g} {row.units.position} away from its prescribed place"
    )
    raise EngineError(
        f"The simulation of robot {robot.name!r} diverged: joint {row.name!r} {what} "
        f"at t = {t[k]:.6g} s; try a slower drive or a smaller step"
    )
