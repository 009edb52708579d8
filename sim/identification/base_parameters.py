"""Base parameters: the combinations of inertial parameters that motion can identify."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.inertial_parameters import NAMES, UNITS
from sim.dynamics.regressor import regressor
from sim.maths.arrays import Array
from sim.robots.robot import Robot

Places = NDArray[np.intp]

TOLERANCE = 1e-9  # relative to a column's length: smaller independent parts are rounding
STATES = 50  # random states; two for each parameter of a body of six joints
LENGTH = 0.1  # [m]; size of a link whose mass centre is its origin in the file


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters, x_base = x[independent] + fold @ x[dependent].

    Parameters
    ----------
    names : tuple of str, length k
        Combinations, such as ``forearm_link.mx + 0.57 wrist_1_link.m``.
    independent, dependent, absent : ndarray of int
        Columns that represent a combination, that are folded into others, that have no effect.
    fold : ndarray, shape (k, dependent)
    units : tuple of str, length k
    rotors_told : tuple of bool, length n
        Whether motion can distinguish the inertia of a joint's rotor from that of the links.
    """

    names: tuple[str, ...]
    independent: Places
    dependent: Places
    absent: Places
    fold: Array
    units: tuple[str, ...]
    rotors_told: tuple[bool, ...]

    def of(self, theta: Array) -> Array:
        """Return the combinations of parameters (10 n,), shape (k,)."""
        return np.asarray(theta[self.independent] + self.fold @ theta[self.dependent])


@lru_cache(maxsize=16)
def base_parameters(robot: Robot) -> BaseParameters:
    """Return the base parameters of a robot: structural, from random states and no log.

    Raises
    ------
    ValueError
        If the robot has no joints.
    """
    states = np.random.default_rng(0).uniform(-3, 3, (3, len(robot.row_names), STATES))
    Y = regressor(robot, *states)
    A = np.moveaxis(Y, 1, 2).reshape(-1, Y.shape[1])
    length = np.linalg.norm(A, axis=0)
    absent = np.flatnonzero(length < TOLERANCE * length.max())
    rest = np.setdiff1d(np.arange(A.shape[1]), absent)
    # From the tool inwards, so that a combination belongs to the joint nearest to the tool.
    R = np.abs(np.diag(np.linalg.qr(A[:, rest] / length[rest], mode="r")))
    independent, folded = rest[TOLERANCE * R.max() < R], rest[TOLERANCE * R.max() >= R]
    fold = np.asarray(np.linalg.lstsq(A[:, independent], A[:, folded], rcond=None)[0], dtype=float)
    fold[np.abs(fold) < 1e-8] = 0.0
    names = parameter_names(robot)
    combined = tuple(
        _combination(names[column], [names[k] for k in folded], row)
        for column, row in zip(independent, fold, strict=True)
    )
    units = tuple(UNITS[column % 10] for column in independent)
    rotors_told = _tells_rotors(A[:, independent], states[2])
    return BaseParameters(combined, independent, folded, absent, fold, units, rotors_told)


def _tells_rotors(A: Array, qdd: Array) -> tuple[bool, ...]:
    """Return whether the columns I qdd of the rotors are outside the span of the links' columns."""
    n = len(qdd)
    rotors = np.zeros((*qdd.shape, n))
    rotors[range(n), :, range(n)] = qdd
    columns = rotors.reshape(-1, n)
    basis = np.linalg.qr(A)[0]
    residuals = np.linalg.norm(columns - basis @ (basis.T @ columns), axis=0)
    return tuple((residuals > 1e-6 * np.linalg.norm(columns, axis=0)).tolist())


def parameter_names(robot: Robot) -> tuple[str, ...]:
    """Return names of the inertial parameters, (10 n,): ``forearm_link.mx``."""
    return tuple(f"{joint.child}.{name}" for joint in robot.tree_joints for name in NAMES)


def typical_sizes(theta: Array) -> Array:
    """Return typical magnitudes of the parameters of a robot's bodies, (10 n,); none is 0."""
    bodies = theta.reshape(-1, 10)
    mass = np.maximum(bodies[:, :1], 0.01 * bodies[:, 0].max())
    sizes = np.concatenate([mass, *[LENGTH * mass] * 3, *[LENGTH**2 * mass] * 6], axis=1)
    return np.asarray(np.maximum(np.abs(bodies), sizes)).reshape(-1)


def _combination(leading: str, others: list[str], factors: Array) -> str:
    parts = [leading]
    for name, factor in zip(others, factors, strict=True):
        if factor:
            size = "" if abs(abs(factor) - 1) < 1e-9 else f"{abs(factor):.6g} "
            parts.append(f"{'-' if factor < 0 else '+'} {size}{name}")
    return " ".join(parts)
