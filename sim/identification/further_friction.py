"""Further friction terms of joints, kept if they reduce the residual in held-out blocks of the log.

Beside f sign(qd) + d qd + offset, a term may describe friction that grows with the load of the
gear, that decreases as a joint begins to slide, that is nonlinear in speed, or that differs by
direction. More parameters always reduce the residual of the fitted data. Therefore part of the log
is held out, the joint's friction is fitted to the rest with and without the term, and the term is
kept if it clearly reduces the residual of the held-out part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dynamics.newton_euler import inverse_dynamics
from sim.identification.equations import LogEquations
from sim.identification.task import Task
from sim.identification.terms import FRICTION
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

BLOCKS = 6
EARNS = 0.9  # of the RMS residual in held-out blocks: a kept term must leave less
SLIP = 0.2  # of a joint's RMS speed, over which friction decreases as it begins to slide
_WORDS = {
    "load": "friction proportional to the rigid-body torque",
    "breakaway": "additional friction at the onset of sliding",
    "cubic": "friction with the cube of speed",
    "asymmetry": "viscous friction with opposite signs in the two directions",
}
KINDS = tuple(_WORDS)


@dataclass(frozen=True, eq=False)
class FurtherTerm:
    """A term that is kept.

    Parameters
    ----------
    row : int
        Row of its joint.
    kind : str
        One of `KINDS`.
    column : ndarray, shape (N,)
        Torque of the joint for a unit coefficient, after the low-pass.
    without, by_it : float
        Residual share of the measured torque in held-out blocks.
    """

    row: int
    kind: str
    column: Array
    without: float
    by_it: float

    @property
    def meaning(self) -> str:
        """Description of the term."""
        return _WORDS[self.kind]


def unit_of(kind: str, *, is_angle: bool) -> str:
    """Return the unit of a term's number."""
    angle = {"load": "1", "breakaway": "N·m", "cubic": "N·m·s³/rad³", "asymmetry": "N·m·s/rad"}
    slide = {"load": "1", "breakaway": "N", "cubic": "N·s³/m³", "asymmetry": "N·s/m"}
    return (angle if is_angle else slide)[kind]


def earned_terms(robot: Robot, task: Task, x: Array) -> tuple[FurtherTerm, ...]:
    """Return the best term of each joint, if it clearly reduces the residual of held-out blocks.

    Parameters
    ----------
    robot : Robot
    task : Task
    x : ndarray, shape (p,)
        Fit without further terms, whose inertial torque is subtracted first.
    """
    equations, first = task.equations, task.first
    inertial = np.r_[:first, task.behind : x.size]
    rigid = equations.torques - np.einsum("npN,p->nN", equations.columns[:, inertial], x[inertial])
    candidates = equations.samples.low_pass(_columns(robot, equations), equations.cutoff)
    terms = []
    for row in np.flatnonzero(equations.samples.is_moving):
        mask = equations.samples.usable(equations.cutoff) & equations.is_sliding[row]
        size = float(np.sqrt((equations.torques[row, mask] ** 2).mean())) if mask.any() else 0.0
        if size == 0:
            continue
        at = first + len(FRICTION) * row
        law = equations.columns[row, at : at + len(FRICTION)]
        without = _held_out(rigid[row], law, mask)
        residuals = [
            _held_out(rigid[row], np.vstack([law, one]), mask) for one in candidates[:, row]
        ]
        best = int(np.argmin(residuals))
        if residuals[best] < EARNS * without:
            column = candidates[best, row]
            terms.append(
                FurtherTerm(int(row), KINDS[best], column, without / size, residuals[best] / size)
            )
    return tuple(terms)


def _columns(robot: Robot, equations: LogEquations) -> Array:
    """Return the torques for unit coefficients of each kind, (kinds, n, N), before the low-pass."""
    samples = equations.samples
    sign, speed = np.sign(samples.qd), np.abs(samples.qd)
    rms = np.sqrt((speed**2).mean(axis=1, keepdims=True))
    slip = SLIP * np.where(rms > 0, rms, 1.0)
    load = np.abs(inverse_dynamics(robot, samples.q, samples.qd, samples.qdd))
    return np.stack([sign * load, sign * np.exp(-((speed / slip) ** 2)), samples.qd**3, speed])


def _held_out(torque: Array, rows: Array, mask: Mask) -> float:
    """Return the RMS residual of rows (k, N) to a torque (N,) in blocks outside their fit."""
    places = np.array_split(np.flatnonzero(mask), BLOCKS)
    squares = 0.0
    for k, held in enumerate(places):
        others = np.concatenate([place for j, place in enumerate(places) if j != k])
        x = np.linalg.lstsq(rows[:, others].T, torque[others], rcond=None)[0]
        squares += float(np.sum((torque[held] - x @ rows[:, held]) ** 2))
    return float(np.sqrt(squares / max(sum(place.size for place in places), 1)))
