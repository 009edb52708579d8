"""Variation of a study whose cases are on a plane of torques: a parameter, or draws of a robot.

If only the torque depends on a parameter, and linearly, as on a payload's mass, the values within
all torque limits form an interval, whose ends are given by the lines of all samples and joints:
`expected_optimum` is the closed form of a search by the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Protocol

import numpy as np

from sim.errors import SimError
from sim.maths.arrays import Array
from sim.maths.first_root import interval_within
from sim.recording.files.whole_files import json_text
from sim.robots.robot import Robot
from sim.simulation.build_problem import build_problem
from sim.studies.design import Design, StudyCase
from sim.studies.optimum import Search
from sim.studies.study import Plan, Study
from sim.studies.tolerances import Quantities, draw_factors, scale_robot, varied_quantities
from sim.studies.variation import Variation
from sim.studies.workers.case_work import (
    build_case,
    draw_parameters,
    drawn_parameters,
    of_robot,
    track_case_inputs,
)
from sim.studies.workers.model_curves import ModelCurves

BETWEEN = (0.2360679775, 0.5, 0.7639320225)  # fractions of the range that must be on the line
ON_LINE = 1e-9  # of the largest torque: rounding

At = Callable[[Array], ModelCurves]  # curves of the case at x (m,)
MARGINS = ("margin", "margin.torque")  # margins that torque can limit
PEAK = "peak tau."

FEWEST = 6  # cases for which a line, which costs five, is worthwhile
PROVED = 3  # draws that are verified to be on the plane
Factors = dict[str, float]


def find_plane(at: At, origin: Array, ends: Array, between: Array) -> ModelCurves | None:
    """Return the curves of all cases in a box, if those in between are on the plane, else None.

    Parameters
    ----------
    at : callable
    origin, ends : ndarray, shape (m,)
        Opposite corners of a box; `origin` and its neighbouring corners define the plane.
    between : ndarray, shape (K, m)
        Cases that must be on it too.

    Raises
    ------
    SimError
        If one of them has no curves.
    """
    first, slopes = at(origin), []
    size, base = float(np.max(np.abs(first.base))), first.base.copy()
    for k, reach in enumerate(ends - origin):
        x = origin.copy()
        x[k] = ends[k]
        other = at(x)
        if not same_motion(first, other):
            return None
        slopes.append((other.base - first.base) / reach)
        base -= origin[k] * slopes[k]
        size = max(size, float(np.max(np.abs(other.base))))
    plane = replace(first, base=base, slope=np.stack(slopes), low=origin, high=ends)
    for x in between:
        true = at(x)
        if not same_motion(first, true):
            return None
        off = np.max(np.abs(base + np.tensordot(x, plane.slope, 1) - true.base))
        if not off <= ON_LINE * size:
            return None
    return plane


def find_line(at: Callable[[float], ModelCurves], low: float, high: float) -> ModelCurves | None:
    """Return the curves of all cases from `low` to `high`, if three in between are on the line.

    Raises
    ------
    SimError
        If one of the five has none.
    """
    origin, ends = np.array([low]), np.array([high])
    between = origin + np.outer(BETWEEN, ends - origin)
    return find_plane(lambda x: at(float(x[0])), origin, ends, between)


def same_motion(one: ModelCurves, other: ModelCurves) -> bool:
    """Whether two cases have bitwise equal motions, and equal ratings."""
    a, b = one.motion, other.motion
    if a.t.shape != b.t.shape or len(a.q) != len(b.q):
        return False
    same = all(
        np.array_equal(x, y) for x, y in ((a.t, b.t), (a.q, b.q), (a.qd, b.qd), (a.qdd, b.qdd))
    )
    ratings = (
        [(row.name, row.limits) for row in curves.problem.robot.tree_coordinates]
        for curves in (one, other)
    )
    return same and next(ratings) == next(ratings)


class Along(Protocol):
    """The variation between cases that are otherwise equal."""

    def key_of_others(self, case: StudyCase) -> str:
        """Return everything else of a case, as text."""
        ...

    def find_plane(self, case: StudyCase) -> ModelCurves | None:
        """Return the curves of all cases that differ only in this; None if they are not a plane.

        Raises
        ------
        SimError
            If a case on it has no curves.
        """
        ...

    def places(self, plane: ModelCurves, cases: Sequence[StudyCase]) -> tuple[Array, list[Factors]]:
        """Return positions of cases on a plane (B, m), and the tolerance factors of each."""
        ...


def choose_along(study: Study) -> Along | None:
    """Return the variation shared by many cases, if any.

    This depends only on the design, not on missing cases, so that results are bitwise equal after
    an interruption.
    """
    plan, varied = study.plan, _longest_variation(study.design)
    if study.design.draws >= max(FEWEST, len(varied.values) if varied else 0):
        return _Draws(plan, study.design.draws)
    return None if varied is None else _Parameter(plan, varied)


def curves_of(plan: Plan, case: StudyCase, inputs: dict[str, str]) -> ModelCurves:
    """Return the curves of one case; its inputs are added to `inputs` even if it fails."""
    with track_case_inputs(plan, inputs):
        scenario, _, factors = build_case(plan, case)
    curves = ModelCurves.of_problem(build_problem(scenario))
    return replace(curves, factors=factors, inputs=inputs)


def _longest_variation(design: Design) -> Variation | None:
    numeric = [one for one in design.variations if one.ends is not None and not one.is_whole]
    if design.name == "grid":
        longest = max(numeric, key=lambda one: len(one.values), default=None)
        return longest if longest is not None and len(longest.values) >= FEWEST else None
    is_one = len(design.variations) == 1 and len(design.points) >= FEWEST
    return numeric[0] if numeric and is_one else None


@dataclass(frozen=True)
class _Parameter:
    """A parameter of the scenario.

    Parameters
    ----------
    plan : Plan
    varied : Variation
    """

    plan: Plan
    varied: Variation

    def key_of_others(self, case: StudyCase) -> str:
        """Return everything else of a case, as text."""
        others = {k: v for k, v in case.parameters.items() if k != self.varied.name}
        return json_text([others, case.draw])

    def find_plane(self, case: StudyCase) -> ModelCurves | None:
        """Return the curves from the least to the largest value; None if they are not linear."""
        inputs: dict[str, str] = {}

        def at(x: float) -> ModelCurves:
            at_x = replace(case, parameters={**case.parameters, self.varied.name: x})
            return curves_of(self.plan, at_x, inputs)

        line = find_line(at, *self.varied.range)
        return None if line is None else replace(line, inputs=inputs)

    def places(self, plane: ModelCurves, cases: Sequence[StudyCase]) -> tuple[Array, list[Factors]]:
        """Return the values of the cases, and the tolerance factors of each."""
        x = np.array([[float(str(case.parameters[self.varied.name]))] for case in cases])
        return x, [dict(plane.factors) for _ in cases]


class _Draws:
    """Draws of quantities of a robot, and of parameters.

    Parameters
    ----------
    plan : Plan
    draws : int
        Number of draws at each point of the design.
    """

    def __init__(self, plan: Plan, draws: int) -> None:
        self.plan, self.draws = plan, draws
        self._quantities: dict[str, Quantities] = {}

    def key_of_others(self, case: StudyCase) -> str:
        """Return everything else of a case, as text."""
        return json_text(dict(case.parameters))

    def find_plane(self, case: StudyCase) -> ModelCurves | None:
        """Return the curves of all draws; None if they are not a plane, or are too few."""
        plan, inputs, nominal = self.plan, dict[str, str](), replace(case, draw=None)
        with track_case_inputs(plan, inputs):
            robot = build_case(plan, nominal)[0].robot
        quantities = varied_quantities(robot, of_robot(plan))
        self._quantities[self.key_of_others(case)] = quantities
        drawn, parameters = self._draw(case, range(PROVED)), drawn_parameters(plan, case)
        middle, reach = np.ones(len(drawn[0])), np.empty(len(drawn[0]))
        for k, (one, value) in enumerate(parameters.items()):
            middle[k], reach[k] = value, one.size if one.is_absolute else abs(value) * one.size
        reach[len(parameters) :] = [one.size for one, of_one in quantities.items() for _ in of_one]
        if self.draws <= reach.size + 1 + PROVED or not np.all(reach > 0):
            return None

        def at(x: Array) -> ModelCurves:
            values = {one.what: value for one, value in zip(parameters, x.tolist(), strict=False)}
            there = replace(nominal, parameters={**case.parameters, **values})
            with track_case_inputs(plan, inputs):
                scenario, _, _ = build_case(plan, there)
            of_x = dict(zip(drawn[0], x.tolist(), strict=True))
            scenario = replace(scenario, robot=scale_robot(scenario.robot, of_x))
            return ModelCurves.of_problem(build_problem(scenario))

        plane = find_plane(at, middle - reach, middle + reach, _table(drawn))
        return None if plane is None else replace(plane, inputs=inputs)

    def places(self, plane: ModelCurves, cases: Sequence[StudyCase]) -> tuple[Array, list[Factors]]:
        """Return the draws of each case."""
        drawn = self._draw(cases[0], [case.draw or 0 for case in cases])
        return _table(drawn), drawn

    def _draw(self, case: StudyCase, draws: Sequence[int]) -> list[Factors]:
        quantities, seed = self._quantities[self.key_of_others(case)], self.plan.seed
        return [
            {
                **draw_parameters(self.plan, replace(case, draw=draw))[1],
                **draw_factors(quantities, seed, draw),
            }
            for draw in draws
        ]


def _table(drawn: Sequence[Factors]) -> Array:
    return np.array([list(one.values()) for one in drawn])


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
