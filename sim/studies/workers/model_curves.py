"""ModelCurves: joint curves of many cases at once, by the model only.

Torques are ``tau = base + Σ x_j slope_j`` with a few numbers x per case; motion and ratings are
equal for all. The torque of a given motion is linear in masses, mass moments and inertias, so that
x may be a payload's mass or draws of link masses; `sim.studies.workers.model_workers` verifies the
linearity before using it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from sim.checks.limits import RATING_ROUNDING
from sim.checks.ratings import ratings
from sim.checks.run_view import RunView
from sim.errors import ScenarioError
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array
from sim.recording.recording import Recording
from sim.recording.schema.channels import units_of
from sim.recording.schema.verdicts import Check
from sim.simulation.model_answer import prescribed_torque
from sim.simulation.problem import Problem
from sim.simulation.run_description import run_description
from sim.studies.responses import (
    OPTION,
    POWER,
    Responses,
    ResponseSpec,
    checks_of,
    least_margin,
    margins,
)
from sim.studies.workers.affine_cells import (
    AffineCell,
    AffineRows,
    cell_of,
    ends_of,
    in_blocks,
    sum_weighted,
)

GROUPS = ("tau", "power", "q", "qd", "qdd")
OF_TORQUE = ("tau", "power")  # quantities that differ between cases
TORQUE_RATING = "rated torque"  # name of the checks that differ between cases


@dataclass(frozen=True, eq=False)
class ModelCurves:
    """Curves of cases that differ in m numbers x with given ranges.

    Parameters
    ----------
    problem : Problem
        Problem of one of them.
    motion : Trajectory
    base : ndarray, shape (n, N)
        Torque for x = 0 [N·m or N].
    slope : ndarray, shape (m, n, N)
        Torque per unit of x.
    low, high : ndarray, shape (m,)
        Range of each.
    factors : mapping of str to float
        Tolerance factors of the robot, equal for all.
    inputs : mapping of str to str
        Inputs of the curves, as stored in rows.
    """

    problem: Problem
    motion: Trajectory
    base: Array
    slope: Array
    low: Array
    high: Array
    factors: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    _cells: dict[int, AffineCell] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of_problem(cls, problem: Problem) -> ModelCurves:
        """Return the curves of one case.

        Raises
        ------
        ScenarioError
            If the motion must be solved for.
        """
        if problem.is_solved:
            raise ScenarioError(
                f"--analytic requires every joint prescribed, and {problem.robot.name!r} has "
                "joints that are free or solved; simulate the study"
            )
        motion, tau = prescribed_torque(problem)
        return cls(problem, motion, tau, np.empty((0, *tau.shape)), np.empty(0), np.empty(0))

    @cached_property
    def weights(self) -> Array:
        """Weights of the trapezoidal rule at the samples, (N,) [s]."""
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
        """Rated torque · rated speed of each joint with both [W]."""
        torque, speed = (
            {c.channel.partition(".")[2]: c.limit for c in self.checks if c.name == name}
            for name in (TORQUE_RATING, "rated speed")
        )
        return {name: (torque[name] or 0.0) * (speed.get(name) or 0.0) for name in torque}

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """Ranges and rated speeds, which are equal for all, and torques of one case."""
        table = dict(self._tree)
        for k, name in enumerate(self.problem.robot.row_names):
            table[f"tau.{name}"] = self.base[k]
        frame = pd.DataFrame(table, index=pd.Index(self.problem.t, name="t"))
        run = run_description(self.problem, "model", (), tuple(self.channels))
        view = RunView(Recording(frame, frame, run))
        return tuple(judgement.check for judgement in ratings(view))

    def with_torque_ratings(self, own: Sequence[Check]) -> list[Check]:
        """Return the checks of a case from those of its rated torques."""
        of_case = iter(own)
        return [next(of_case) if c.name == TORQUE_RATING else c for c in self.checks]

    @cached_property
    def torques(self) -> tuple[AffineRows, ...]:
        """Torques of each joint row."""
        return tuple(AffineRows(base, self.slope[:, k]) for k, base in enumerate(self.base))

    @cached_property
    def powers(self) -> tuple[AffineRows, ...]:
        """Powers of each joint row."""
        names = self.problem.robot.row_names
        speeds = (self._tree[f"qd.{name}"] for name in names)
        return tuple(row.times(qd) for row, qd in zip(self.torques, speeds, strict=True))

    def cell(self, number: int) -> AffineCell:
        """Return a cell of the ranges, cached."""
        if number not in self._cells:
            ends = ends_of(number, self.low, self.high)
            self._cells[number] = AffineCell(self.torques, self.powers, self.weights, *ends)
        return self._cells[number]

    def evaluate(
        self, x: Array, specs: tuple[ResponseSpec, ...]
    ) -> list[tuple[Responses, list[Check]]]:
        """Return responses and checks of rated torques of cases x (B, m).

        Raises
        ------
        ScenarioError
            If the model alone cannot compute a response.
        """
        cells, answers = cell_of(x, self.low, self.high), dict[int, tuple[Responses, list[Check]]]()
        for number in np.unique(cells).tolist():
            (here,) = np.nonzero(cells == number)
            of_cell = self._evaluate_in(self.cell(number), x[here], specs)
            answers |= zip(here.tolist(), of_cell, strict=True)
        return [answers[k] for k in range(len(x))]

    def _evaluate_in(
        self, cell: AffineCell, x: Array, specs: tuple[ResponseSpec, ...]
    ) -> list[tuple[Responses, list[Check]]]:
        curves = _Chunk(self, cell, x)
        responses: list[Responses] = [{} for _ in x]
        for one in specs:
            of_cases = curves.margins(one) if one.is_margin else curves.response(one)
            for name, (values, unit) in of_cases.items():
                for of_row, value in zip(responses, values, strict=True):
                    of_row[name] = (value, unit)
        return list(zip(responses, curves.of_torque, strict=True))


class _Chunk:
    """Quantities derived from the curves of cases in one cell.

    Parameters
    ----------
    model : ModelCurves
    cell : AffineCell
    x : ndarray, shape (B, m)
    """

    def __init__(self, model: ModelCurves, cell: AffineCell, x: Array) -> None:
        self.model, self.cell, self.x = model, cell, x
        t, names = model.problem.t, model.problem.robot.row_names
        self._peaks: dict[str, tuple[Array, Array]] = {}
        for name, peaks in zip(names, cell.torque_peaks, strict=True):
            sizes, samples = peaks.evaluate(x)
            self._peaks[f"tau.{name}"] = sizes, t[samples]

    @cached_property
    def energy(self) -> Array:
        """Energy delivered by all drives [J], (B,)."""
        energy = np.zeros(len(self.x))
        for delivery in self.cell.deliveries:
            energy += delivery.evaluate(self.x)
        return energy

    @cached_property
    def power_shares(self) -> list[float] | list[None]:
        """Largest fraction of power at rated torque and speed of each case; None if not rated."""
        names, corners = self.model.problem.robot.row_names, self.model.corner_power
        shares = [
            peaks.evaluate(self.x)[0] / corner
            for name, peaks in zip(names, self.cell.power_peaks, strict=True)
            if (corner := corners.get(name))
        ]
        return np.max(shares, axis=0).tolist() if shares else [None] * len(self.x)

    def curves(self, channel: str) -> AffineRows:
        """Return a channel of the cases."""
        group, _, joint = channel.partition(".")
        if group not in OF_TORQUE:
            row = self.model._tree[channel]
            return AffineRows(row, np.empty((0, row.size)))
        rows = self.model.torques if group == "tau" else self.model.powers
        return rows[self.model.problem.robot.row_names.index(joint)]

    def response(self, one: ResponseSpec) -> Mapping[str, tuple[list[float], str]]:
        """Return a response of all cases, by name."""
        if one.text == "energy":
            return {"energy": (self.energy.tolist(), "J")}
        if one.function:
            raise ScenarioError(
                f"{OPTION}{one.text}: a function requires a run; --analytic makes none"
            )
        responses = {}
        for channel in one.matching_channels(list(self.model.channels)):
            values = self._reduce(one.statistic, channel)
            name = f"{one.statistic} {channel}"
            responses[name] = (values.tolist(), self.model.channels[channel])
        return responses

    @cached_property
    def of_torque(self) -> list[list[Check]]:
        """Checks of each case that differ: those of rated torques."""
        columns = []
        for check in (check for check in self.model.checks if check.name == TORQUE_RATING):
            limit, channel, unit = check.limit or 0.0, check.channel, check.unit
            peaks, times = self._peaks[channel]
            is_rounding = (limit < peaks) & (peaks <= limit * (1 + RATING_ROUNDING))
            worst = np.where(is_rounding, limit, peaks).tolist()
            used = [one / limit if limit else None for one in worst]
            columns.append([
                Check(TORQUE_RATING, channel, one, limit, unit, at, one <= limit, share)
                for one, at, share in zip(worst, times.tolist(), used, strict=True)
            ])  # fmt: skip
        return list(map(list, zip(*columns, strict=True))) if columns else [[] for _ in self.x]

    def margins(self, one: ResponseSpec) -> Mapping[str, tuple[list[float | None], str]]:
        """Return the margins of all cases, by name."""
        of_first = margins(one.text, self.model.checks, self.power_shares[0])
        return {
            name: (self._margin(name), unit)
            for name, (_, unit) in one.require_rated(of_first).items()
        }

    def _margin(self, name: str) -> list[float | None]:
        """Return a margin of each case: of the checks that differ, or the least of the others."""
        if name == POWER:
            return [None if share is None else 1.0 - share for share in self.power_shares]
        names = checks_of(name)
        others = [c for c in self.model.checks if c.name in names and c.name != TORQUE_RATING]
        same = least_margin(others)
        if TORQUE_RATING not in names or not self.of_torque[0]:
            return [same] * len(self.x)
        own = map(least_margin, self.of_torque)
        if not others:
            return list(own)
        return [None if same is None or one is None else min(same, one) for one in own]

    def _reduce(self, statistic: str, channel: str) -> Array:
        if statistic == "peak" and channel in self._peaks:
            return self._peaks[channel][0]
        curves, w = self.curves(channel), self.model.weights

        def reduce(x: Array) -> tuple[Array]:
            return (reduce_curves(statistic, curves.at(x), w),)

        (reduced,) = in_blocks(reduce, self.x, w.size)
        return reduced


def reduce_curves(statistic: str, y: Array, weights: Array) -> Array:
    """Return a statistic of each curve, (B,); (B, N) `y` may be overwritten."""
    span = float(np.sum(weights))
    if statistic == "peak":
        return np.asarray(np.maximum(y.max(axis=1), -y.min(axis=1)))
    if statistic == "rms":
        return np.sqrt(sum_weighted(y * y, weights) / span)
    if statistic == "mean":
        return np.asarray(sum_weighted(y, weights) / span)
    if statistic in ("min", "max"):
        return np.asarray(y.min(axis=1) if statistic == "min" else y.max(axis=1))
    return np.asarray(y[:, -1])
