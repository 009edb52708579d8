"""Diagnosis of a frame that cannot follow its path: its error, and the joint out of range."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.functions.time_function import TimeFunction
from sim.kinematics.inverse.travel import joint_limits
from sim.maths.arrays import Array
from sim.motion.other_starts import nearest
from sim.motion.target import Constraint
from sim.robots.robot import Robot

CLOSE = 1e-6  # [m, rad]; with less, Newton's method reaches a pose that meets them
AHEAD = 11  # times from the loss of the path at which its error is evaluated


def describe_error(
    constraint: Constraint,
    functions: Mapping[str, TimeFunction],
    near: Array,
    time: float,
    duration: float,
) -> str:
    """Describe the error of the components at a time [s] or later, or else the remedy."""
    times = np.linspace(min(time, duration), duration, AHEAD)
    remedy = (
        "a singular pose (an arm that is stretched or folded) is in the way; give as `start` a "
        "bent pose, one that `sim ik` lists for the place at t = 0, or a path around it"
    )
    try:
        descents = nearest(constraint, functions, near, times)
    except np.linalg.LinAlgError:
        return remedy
    best = np.argmin(descents.miss, axis=0), np.arange(times.size)
    missed = descents.miss[best]
    k = 0 if missed[0] > CLOSE else int(np.argmax(missed))
    if missed[k] <= CLOSE:
        return remedy
    when = "there" if k == 0 else f"at t = {times[k]:.4g} s"
    return (
        f"the nearest joint positions inside the limits are "
        f"{descents.distance[best][k]:.3g} m and {np.degrees(descents.angle[best][k]):.3g}° away "
        f"{when}; bring the path nearer or leave a component free"
    )


def describe_excess(robot: Robot, q: Array) -> str:
    """Describe the joint that would leave its range at positions (n,), and the excess."""
    lower, upper = joint_limits(robot)
    excess = np.maximum(lower - q, q - upper)
    i = int(np.argmax(excess))
    scale, unit = robot.coordinates[i].degrees_or_metres
    return (
        f"joint {robot.row_names[i]!r} would have to be at {q[i] / scale:.6g} {unit}, outside "
        f"its range of {lower[i] / scale:.6g} to {upper[i] / scale:.6g} {unit}"
    )


def jump(robot: Robot, before: Array, after: Array) -> str:
    """Describe the joint that would have to jump from positions (n,) to others."""
    i = int(np.argmax(np.abs(after - before)))
    scale, unit = robot.coordinates[i].degrees_or_metres
    there = ", ".join(f"{value:.9g}" for value in after + 0.0)
    return (
        f"the pose is singular there, and joint {robot.row_names[i]!r} would have to jump from "
        f"{before[i] / scale:.6g} {unit} to {after[i] / scale:.6g} {unit}; begin with a `start` "
        f"from which the path goes on, such as ({there}), or choose a path around the singular pose"
    )
