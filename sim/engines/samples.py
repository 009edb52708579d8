"""Samples that a solution method reads from the engine, and their common checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.solved_motion import MotionSamples
from sim.errors import EngineError
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

# A prescribed joint that the engine leaves by more than this has diverged [rad or m].
LOST = 1e-3


@dataclass(frozen=True, eq=False)
class Samples(Trajectory):
    """States and motor torques of all tree joints at N times.

    Parameters
    ----------
    tau : ndarray, shape (n_tree, N)
        [N·m] (prismatic: [N])
    tau_error : ndarray, shape (n_tree, N)
        Estimated error of `tau`, with its sign; zero where the method is exact.
    solved : MotionSamples, optional
        What method `adaptive` gives in addition: friction that holds joints, and works.
    """

    tau: Array
    tau_error: Array
    solved: MotionSamples | None = None


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
