"""Unknowns of a log as equations: parameters of an arm, or of its payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.curves.spectral_fit import Prior, SpectralFit
from sim.dynamics.inertial_parameters import inertial_parameters
from sim.identification.equations import LogEquations
from sim.identification.payload import PAYLOAD, payload_columns
from sim.identification.prior import are_possible, nearest_possible, possible_bodies, prior_of
from sim.identification.signals import LogSamples
from sim.identification.terms import TorqueTerms, friction_terms, rigid_columns, rotor_terms
from sim.maths.arrays import Array
from sim.robots.robot import Robot

UNTOLD = "not identifiable from this motion"
NEGATIVE = "negative beyond its interval, which is impossible: it compensates another parameter"


@dataclass(frozen=True, eq=False)
class Task:
    """Equations of the unknowns: inertial parameters first, then friction, then rotors.

    Columns after `end` are corrections of the log: they widen the intervals of the others, and are
    part of every fit.
    """

    equations: LogEquations
    friction: TorqueTerms
    rotors: TorqueTerms
    prior_theta: Array | None  # of the arm, if its inertias are identified

    @property
    def first(self) -> int:
        """Number of parameters before those of friction."""
        return len(PAYLOAD) if self.prior_theta is None else self.prior_theta.size

    @property
    def behind(self) -> int:
        """Number of parameters before the rotors."""
        return self.first + len(self.friction.names)

    @property
    def end(self) -> int:
        """Number of parameters without corrections."""
        return self.behind + len(self.rotors.names)


def arm_task(robot: Robot, samples: LogSamples, cutoff: float) -> Task:
    """Set up inertial parameters of the bodies, friction, and rotors in addition to the robot's."""
    friction, rotors = friction_terms(robot, samples), rotor_terms(robot, samples)
    Y = rigid_columns(robot, samples)
    columns = np.concatenate([rotors.columns, Y, friction.columns, rotors.columns], axis=1)
    theta = possible_bodies(inertial_parameters(robot))
    equations = LogEquations.of(samples, columns, cutoff).less(robot.rotor_inertia)
    return Task(equations, friction, rotors, theta)


def payload_task(robot: Robot, samples: LogSamples, cutoff: float) -> Task:
    """Set up ten parameters of a body at the tool, friction and rotors; the arm is its file's."""
    friction, rotors = friction_terms(robot, samples), rotor_terms(robot, samples)
    Y = rigid_columns(robot, samples)
    carried = payload_columns(robot, Y)
    known_columns = (Y, rotors.columns)
    columns = np.concatenate([*known_columns, carried, friction.columns, rotors.columns], axis=1)
    known = np.concatenate([inertial_parameters(robot), robot.rotor_inertia])
    return Task(LogEquations.of(samples, columns, cutoff).less(known), friction, rotors, None)


def fit_task(task: Task, columns: Sequence[int], until: float | None = None) -> SpectralFit:
    """Fit some of the columns, with possible inertias drawn to those of the file."""
    first = task.first
    prior: Prior | None = None
    if task.prior_theta is not None:
        prior = prior_of(task.prior_theta, len(columns) - first)
    fit = task.equations.with_columns(columns).fit(prior, until)
    if prior is None or task.prior_theta is None or are_possible(fit.x[:first]):
        return fit
    x = nearest_possible(fit.rows, fit.right, prior, task.prior_theta)
    return SpectralFit(
        x, fit.half_width, fit.covariance, fit.rows, fit.right, fit.quantile, fit.bins
    )


def fit_friction(
    task: Task, rotors: Sequence[int] = ()
) -> tuple[list[int], SpectralFit, dict[str, str]]:
    """Fit without impossible friction; return columns, fit, and reasons for unidentified ones.

    ``rotors`` are further columns, dropped if they are negative.
    """
    first, names = task.first, (*task.friction.names, *task.rotors.names)
    columns = [*range(task.behind), *rotors, *range(task.end, task.equations.columns.shape[1])]
    why: dict[str, str] = {}
    while True:
        fit = fit_task(task, columns)
        bad: dict[int, str] = {}
        for column, value, width in zip(columns, fit.x, fit.half_width, strict=True):
            if column < first or column >= task.end:
                continue
            name = names[column - first]
            if not np.isfinite(width):
                bad[column] = UNTOLD
            elif value < 0 and not name.endswith(".offset"):
                bad[column] = why_negative(value, width)
        if not bad:
            return columns, fit, why
        why |= {names[column - first]: text for column, text in bad.items()}
        columns = [column for column in columns if column not in bad]


def why_negative(value: float, width: float) -> str:
    """Return the reason to reject a negative number that must not be negative."""
    if value < -width:
        return NEGATIVE
    return "interval contains 0"
