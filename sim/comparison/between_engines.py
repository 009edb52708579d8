"""Difference of one scenario's results between two engines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.comparison.difference import Compared, compare
from sim.comparison.outcome import Comparison, Difference
from sim.comparison.tolerance import Rule
from sim.recording.files.table_files import Table
from sim.recording.held_tables import recorded_of
from sim.recording.schema.description import Run

# Allowed are rounding and the errors of both methods with respect to the model: both engines solve
# the same equations, and there is no third reason for a difference.
BETWEEN = Rule("*", 0.0, 0.0, "", "*", "two engines of one robot", "between engines")

SMALL = 1e-6  # of the largest peak: least scale of a joint's difference, for joints without load


@dataclass(frozen=True)
class BetweenEngines:
    """Runs of one scenario with two engines.

    Parameters
    ----------
    comparison : Comparison
        Comparison of all channels.
    torque : float or None
        Largest difference of a joint's torque between them, relative to that joint's peak; None if
        no motor has any torque.
    from_model : tuple of float or None
        The same between each run and the model, in the order of the two.
    """

    comparison: Comparison
    torque: float | None
    from_model: tuple[float | None, float | None]

    @property
    def ok(self) -> bool:
        """Whether every channel is within rounding and both methods' limits."""
        return self.comparison.ok

    @property
    def furthest(self) -> Difference | None:
        """Channel that is furthest beyond, or nearest to, its limit."""
        return next(iter(self.comparison.differences), None)


class JudgedRun(Compared, Protocol):
    """A run to be compared, with its checks."""

    @property
    def run(self) -> Run:
        """Description, with the results of the checks."""
        ...


def between_engines(run: JudgedRun, other: JudgedRun) -> BetweenEngines:
    """Compare the curves of `run` with those of `other`, channel by channel.

    Raises
    ------
    RecordingError
        If the two have no time in common.
    """
    comparison = compare(run, other, (), BETWEEN)
    differences = {d.channel: d.worst for d in comparison.differences}
    shares = (_share(recorded_of(side), _from_model(side.run)) for side in (run, other))
    first, second = shares
    return BetweenEngines(comparison, _share(recorded_of(other), differences), (first, second))


def _from_model(run: Run) -> dict[str, float]:
    """Return the difference of each torque from the model, by the run's own checks."""
    return {
        check.channel: math.nan if check.worst is None else check.worst
        for check in run.checks
        if check.name == "torque"
    }


def _share(table: Table, differences: Mapping[str, float]) -> float | None:
    """Return the largest torque difference, relative to the joints' peaks in a table."""
    torques = {name: worst for name, worst in differences.items() if name.startswith("tau.")}
    peaks = {name: float(np.abs(table[name].to_numpy()).max()) for name in torques}
    least = SMALL * max(peaks.values(), default=0.0)
    if least == 0:
        return None
    # None counts as the smallest of the numbers
    return float(np.max([worst / max(peaks[name], least) for name, worst in torques.items()]))
