"""Columns of the linear model tau = Y theta + friction + rotors, and their names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.regressor import regressor
from sim.identification.signals import LogSamples
from sim.maths.arrays import Array
from sim.robots.robot import Robot

FRICTION = ("coulomb", "viscous", "offset")


@dataclass(frozen=True, eq=False)
class TorqueTerms:
    """Columns (n, p, N) of a part of the model.

    Parameters
    ----------
    names, units : tuple of str, length p
    columns : ndarray, shape (n, p, N)
        Torque per unit of each [N·m or N].
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    columns: Array


def rigid_columns(robot: Robot, samples: LogSamples) -> Array:
    """Return torques per unit of each inertial parameter, (n, 10 n_tree, N)."""
    return regressor(robot, samples.q, samples.qd, samples.qdd)


def friction_terms(robot: Robot, samples: LogSamples) -> TorqueTerms:
    """Return f sign(qd) + d qd + offset of each joint at its drive; 0 for a joint at rest."""
    N = samples.t.size
    columns = np.zeros((len(samples.q), len(FRICTION) * len(samples.q), N))
    names, units = [], []
    for row, (qd, moves) in enumerate(zip(samples.qd, samples.is_moving, strict=True)):
        if moves:
            columns[row, 3 * row : 3 * row + 3] = np.sign(qd), qd, np.ones(N)
        coordinate = robot.coordinates[row]
        names += [f"{coordinate.name}.{kind}" for kind in FRICTION]
        units += ["N·m", "N·m·s/rad", "N·m"] if coordinate.is_angle else ["N", "N·s/m", "N"]
    return TorqueTerms(tuple(names), tuple(units), columns)


def rotor_terms(robot: Robot, samples: LogSamples) -> TorqueTerms:
    """Return columns of each drive's rotor inertia reflected to its joint, I ratio²: I qdd."""
    n = len(samples.q)
    columns = np.zeros((n, n, samples.t.size))
    columns[range(n), range(n)] = samples.qdd
    names = tuple(f"{row.name}.rotor" for row in robot.coordinates)
    units = tuple("kg·m²" if row.is_angle else "kg" for row in robot.coordinates)
    return TorqueTerms(names, units, columns)
