"""ModelCurves: joint curves of many cases at once, by the model alone.

Torques are ``tau = base + x slope`` with one number x a case; motion and ratings are the same for
all. The torque of a given motion is linear in masses, mass moments and inertias, so that a
payload's mass is such an x; `sim.studies.workers.model_workers` proves it before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from sim.checks.limits import RATING_ROUNDING
from sim.checks.ratings import ratings
from sim.checks.run_view import RunView
from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.motion.joint_path import Trajectory
from sim.recording.recording import Recording
from sim.recording.schema.channels import units_of
from sim.recording.schema.verdicts import Check
from sim.simulation.model_answer import prescribed_torque
from sim.simulation.problem import Problem
from sim.simulation.run_description import run_description
from sim.studies.responses import OPTION, Responses, ResponseSpec, margins

GROUPS = ("tau", "power", "q", "qd", "qdd")
BETWEEN = (0.2360679775, 0.5, 0.7639320225)  # shares of the range that must lie on the line
ON_LINE = 1e-9  # of the largest torque: rounding
OF_TORQUE = ("tau", "power")  # what differs between cases


@dataclass(frozen=True, eq=False)
class ModelCurves:
    """The curves of cases that differ in one number.

    Parameters
    ----------
    problem : Problem
        Of one of them.
    motion : Trajectory
    base, slope : ndarray, shape (n, N)
        Torque for x = 0, and for each unit of x [N·m or N].
    factors : mapping of str to float
        What tolerances have made of the robot.
    inputs : mapping of str to str
        What it was built from, as a row keeps it.
    """

    problem: Problem
    motion: Trajectory
    base: Array
    slope: Array
    factors: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_problem(cls, problem: Problem) -> ModelCurves:
        """The curves of one case.

        Raises
        ------
        ScenarioError
            If the model must solve a motion first.
        """
        if problem.is_solved:
            raise ScenarioError(
                f"--analytic requires every joint prescribed, and {problem.robot.name!r} has "
                "joints "
                "that are free or solved; simulate the study"
            )
        motion, tau = prescribed_torque(problem)
        return cls(problem, motion, tau, np.zeros_like(tau))

    @cached_property
    def weights(self) -> Array:
        """Of the trapezoidal rule at the samples, (N,) [s]."""
        h = np.diff(self.problem.t)
        return 0.5 * (np.append(h, 0.0) + np.append(0.0, h))

    @cached_property
    def channels(self) -> dict[str, str]:
        """Units of all channels by name."""
        robot = self.problem.robot
        names = [f"{g}.{j}" for g in OF_TORQUE for j in robot.row_names]
        names += [f"{g}.{j}" for g in ("q", "qd", "qdd") for j in robot.tree_row_names]
        return units_of(names, robot.tree_coordinates)

    @cached_property
    def _tree(self) -> dict[str, Array]:
        rows = self.problem.robot.on_tree(self.motion.q, self.motion.qd, self.motion.qdd)
        names = self.problem.robot.tree_row_names
        return {
            f"{group}.{name}": row
            for group, of_group in zip(("q", "qd", "qdd"), rows, strict=True)
            for name, row in zip(names, of_group, strict=True)
        }

    @cached_property
    def corner_power(self) -> dict[str, float]:
        """Rated torque · rated speed of each joint that has both [W]."""
        torque, speed = (
            {c.channel.partition(".")[2]: c.limit for c in self._checks if c.name == name}
            for name in ("rated torque", "rated speed")
        )
        return {name: (torque[name] or 0.0) * (speed.get(name) or 0.0) for name in torque}

    @cached_property
    def _checks(self) -> tuple[Check, ...]:
        """Ranges and rated speeds, which are the same for all, and torques of one case."""
        table = dict(self._tree)
        for k, name in enumerate(self.problem.robot.row_names):
            table[f"tau.{name}"] = self.base[k]
        frame = pd.DataFrame(table, index=pd.Index(self.problem.t, name="t"))
        run = run_description(self.problem, "model", (), tuple(self.channels))
        view = RunView(Recording(frame, frame, run))
        return tuple(judgement.check for judgement in ratings(view))

    def evaluate(
        self, x: Array, specs: tuple[ResponseSpec, ...]
    ) -> list[tuple[Responses, list[Check]]]:
        """Responses and rating checks of cases by their numbers x (B,).

        Raises
        ------
        ScenarioError
            If the model alone cannot compute a response.
        """
        curves = _Chunk(self, x)
        responses: list[Responses] = [{} for _ in x]
        for one in specs:
            if one.is_margin:
                for found, of_case in zip(responses, curves.margins(one), strict=True):
                    found.update(of_case)
                continue
            for name, (values, unit) in curves.response(one).items():
                for found, value in zip(responses, values, strict=True):
                    found[name] = (float(value), unit)
        return list(zip(responses, curves.checks, strict=True))


class _Chunk:
    """The curves of a few cases, each evaluated once.

    Parameters
    ----------
    model : ModelCurves
    x : ndarray, shape (B,)
    """

    def __init__(self, model: ModelCurves, x: Array) -> None:
        self.model, self.x = model, x
        self._peaks: dict[str, tuple[Array, Array]] = {}
        self._energy: Array = np.zeros(x.size)
        self._power_used: Array | None = None  # of the drive that uses most; None: none is rated
        self._read_torques()

    def _read_torques(self) -> None:
        """Peaks of all torques with their times, and the energy delivered."""
        model, t = self.model, self.model.problem.t
        every = np.arange(self.x.size)
        for name in model.problem.robot.row_names:
            tau = self.curve(f"tau.{name}")
            high, low = tau.argmax(axis=1), tau.argmin(axis=1)
            is_high = tau[every, high] >= -tau[every, low]
            at = np.where(is_high, high, low)
            self._peaks[f"tau.{name}"] = np.abs(tau[every, at]), t[at]
            power = tau * model._tree[f"qd.{name}"]
            if corner := model.corner_power.get(name):
                used = np.maximum(power.max(axis=1), -power.min(axis=1)) / corner
                so_far = used if self._power_used is None else self._power_used
                self._power_used = np.maximum(so_far, used)
            np.maximum(power, 0.0, out=power)
            self._energy += _sum_weighted(power, model.weights)

    def curve(self, channel: str) -> Array:
        """A channel of the cases, (B, N); (1, N) where all have the same."""
        group, _, joint = channel.partition(".")
        if group not in OF_TORQUE:
            return self.model._tree[channel][None]
        k = self.model.problem.robot.row_names.index(joint)
        tau = np.multiply.outer(self.x, self.model.slope[k])
        tau += self.model.base[k]
        if group == "power":
            tau *= self.model._tree[f"qd.{joint}"]
        return tau

    def check_of(self, check: Check, k: int) -> Check:
        """A rating of one of the cases."""
        if check.channel not in self._peaks or check.limit is None:
            return check
        peaks, times = self._peaks[check.channel]
        peak = float(peaks[k])
        if check.limit < peak <= check.limit * (1 + RATING_ROUNDING):
            peak = check.limit
        return Check(
            check.name, check.channel, peak, check.limit, check.unit, float(times[k]),
            ok=peak <= check.limit, used=peak / check.limit if check.limit else None,
        )  # fmt: skip

    def response(self, one: ResponseSpec) -> Mapping[str, tuple[Array, str]]:
        """A response of all cases, by its names."""
        if one.text == "energy":
            return {"energy": (self._energy, "J")}
        if one.function:
            raise ScenarioError(
                f"{OPTION}{one.text}: a function requires a run; --analytic makes none"
            )
        found = {}
        for channel in one.matching_channels(list(self.model.channels)):
            values = self._reduce(one.statistic, channel)
            name = f"{one.statistic} {channel}"
            found[name] = (np.broadcast_to(values, self.x.shape), self.model.channels[channel])
        return found

    @cached_property
    def checks(self) -> list[list[Check]]:
        """The checks of each case."""
        return [[self.check_of(c, k) for c in self.model._checks] for k in range(self.x.size)]

    def margins(self, one: ResponseSpec) -> list[Responses]:
        """The margins of each case."""
        power = [None] * self.x.size if self._power_used is None else self._power_used.tolist()
        return [
            one.require_rated(margins(one.text, checks, used))
            for checks, used in zip(self.checks, power, strict=True)
        ]

    def _reduce(self, statistic: str, channel: str) -> Array:
        if statistic == "peak" and channel in self._peaks:
            return self._peaks[channel][0]
        y, w = self.curve(channel), self.model.weights
        span = float(np.sum(w))
        if statistic == "peak":
            return np.asarray(np.maximum(y.max(axis=1), -y.min(axis=1)))
        if statistic == "rms":
            return np.sqrt(_sum_weighted(y * y, w) / span)
        if statistic == "mean":
            return np.asarray(_sum_weighted(y.copy(), w) / span)
        if statistic in ("min", "max"):
            return np.asarray(y.min(axis=1) if statistic == "min" else y.max(axis=1))
        return np.asarray(y[:, -1])


def _sum_weighted(curves: Array, weights: Array) -> Array:
    """Sums of the samples of each curve by their weights; (B, N) `curves` are overwritten.

    A product of matrices would round otherwise for each B, and so for each way to part the cases.
    """
    curves *= weights
    return np.asarray(curves.sum(axis=1))


def line_through(first: ModelCurves, x0: float, last: ModelCurves, x1: float) -> ModelCurves:
    """The curves of all cases between two of them."""
    slope = (last.base - first.base) / (x1 - x0)
    return replace(first, base=first.base - x0 * slope, slope=slope)


def find_line(at: Callable[[float], ModelCurves], low: float, high: float) -> ModelCurves | None:
    """The curves of all cases from `low` to `high`, where three between lie on the line; else None.

    Parameters
    ----------
    at : callable
        The curves at one number.

    Raises
    ------
    SimError
        If one of the five has none.
    """
    first, last = at(low), at(high)
    if not same_motion(first, last):
        return None
    line = line_through(first, low, last, high)
    size = max(float(np.max(np.abs(curves.base))) for curves in (first, last))
    for share in BETWEEN:
        x = low + share * (high - low)
        true = at(x)
        off = float(np.max(np.abs(line.base + x * line.slope - true.base)))
        if not (same_motion(first, true) and off <= ON_LINE * size):
            return None
    return line


def same_motion(one: ModelCurves, other: ModelCurves) -> bool:
    """Whether two cases have the same motion, to the bit, and the same ratings."""
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
