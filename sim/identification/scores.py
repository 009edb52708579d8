"""Unexplained shares of a log's torques, and their dependence on the low-pass."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import numpy as np

from sim.errors import ForeignError
from sim.identification.result import Identification, JointScore
from sim.identification.rotors import fit_model
from sim.identification.signals import require_cutoff
from sim.identification.task import Task, arm_task, fit_task, payload_task
from sim.maths.arrays import Array
from sim.robots.robot import Robot

CUTOFFS = (0.5, 0.7, 1.0, 1.5, 2.5, 4.0)  # relative to the chosen one


def joint_scores(
    robot: Robot, task: Task, columns: Sequence[int], x: Array, by_file: Array
) -> tuple[JointScore, ...]:
    """Return the residual shares; those of the second half come from a fit to the first."""
    equations = task.equations
    t = equations.samples.t
    middle = float(t[0] + t[-1]) / 2
    half = np.zeros_like(x)
    half[columns] = fit_task(task, columns, middle).x
    usable = equations.samples.usable(equations.cutoff)
    everything = np.ones(t.size, bool)
    unseen, sliding = (equations.shares(half, t >= middle, sliding=only) for only in (False, True))
    fitted, file = equations.shares(x, everything), equations.shares(by_file, everything)
    rms = np.sqrt((equations.torques[:, usable] ** 2).mean(axis=1))
    rest = 1 - equations.is_sliding[:, usable].mean(axis=1)
    return tuple(
        JointScore(
            row.name, "N·m" if row.is_angle else "N",
            *(float(numbers[k]) for numbers in (rms, file, fitted, unseen, sliding, rest)),
        )
        for k, row in enumerate(robot.coordinates)
    )  # fmt: skip


def compare_cutoffs(identification: Identification) -> tuple[tuple[float, tuple[float, ...]], ...]:
    """Return cut-offs near that of an identification, and each joint's unseen share with them.

    Cut-offs for which the log is too short or too slow are left out. A payload is the tool's.
    """
    robot, log, samples = identification.robot, identification.log, identification.equations.samples
    rows = []
    for factor in CUTOFFS:
        with contextlib.suppress(ForeignError):
            at = require_cutoff(log, factor * identification.cutoff)
            make = payload_task if identification.is_of_payload else arm_task
            task = make(robot, samples, at)
            model = fit_model(robot, task)
            scores = joint_scores(robot, task, model.columns, model.x, np.zeros_like(model.x))
            rows.append((at, tuple(score.unseen for score in scores)))
    return tuple(rows)
