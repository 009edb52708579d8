"""expected_optimum: closed-form optimum of a search by the model.

If only the torque depends on a parameter, and linearly, as on a payload's mass, the values within
all torque limits form an interval, whose ends are given by the lines of all samples and joints.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np

from sim.errors import SimError
from sim.maths.arrays import Array
from sim.maths.first_root import interval_within
from sim.robots.robot import Robot
from sim.simulation.build_problem import build_problem
from sim.studies.design import StudyCase
from sim.studies.optimum import Search
from sim.studies.study import Plan
from sim.studies.workers.case_work import build_case
from sim.studies.workers.model_curves import ModelCurves
from sim.studies.workers.planes import find_line

MARGINS = ("margin", "margin.torque")  # margins that torque can limit
PEAK = "peak tau."


def expected_optimum(plan: Plan, search: Search) -> float | None:
    """Return the first value at which a torque reaches the limit; None without a closed form."""
    within = search.within
    is_peak = within.response.startswith(PEAK) and within.sign < 0
    is_margin = within.response in MARGINS and within.sign > 0
    if not (is_peak or is_margin):
        return None

    def at(x: float) -> ModelCurves:
        scenario, _, _ = build_case(plan, StudyCase({search.varied.name: x}))
        return ModelCurves.of_problem(build_problem(scenario))

    try:
        line = find_line(at, *search.varied.range)
    except (SimError, ValueError):
        return None  # the cases report errors themselves
    if line is None:
        return None
    limit = _limits(line.problem.robot, search)
    low, high = interval_within(line.base, line.slope[0], limit[:, None])
    end = float(high.min() if search.direction == "largest" else low.max())
    return end if np.isfinite(end) and low.max() <= high.min() else None


def _limits(robot: Robot, search: Search) -> Array:
    """Return the limit of each joint's torque, (n,) [N·m or N]; infinite without one."""
    within = search.within
    if within.response in MARGINS:
        rated = np.array([row.limits.effort for row in robot.coordinates])
        return np.asarray((1.0 - within.bound) * rated)
    pattern = within.response.removeprefix("peak ")
    named = [fnmatchcase(f"tau.{name}", pattern) for name in robot.row_names]
    return np.where(named, within.bound, np.inf)
