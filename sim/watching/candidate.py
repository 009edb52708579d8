"""Candidate: a cause that is linear in a few parameters, as columns of joint torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.watching.evidence import Evidence

SCALE = "torque scale"  # of all joints, or a factor a joint
WHOLE = 1e-6  # of a factor 1: its rounding

Steps = NDArray[np.intp]  # indices of steps

# Coefficients and their uncertainties (p,) -> description of the cause, and the line that mends it.
Wording = Callable[[Array, Array], tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A cause with unknown parameters.

    Parameters
    ----------
    kind, where : str
        As in `Cause`.
    columns : ndarray, shape (p, n, K)
        Torque per unit of each parameter, at K steps.
    wording : callable
    is_possible : callable, optional
        Whether parameters (p,) are those of this cause (default: all are).
    """

    kind: str
    where: str
    columns: Array
    wording: Wording
    is_possible: Callable[[Array], bool] = lambda x: True

    @property
    def title(self) -> str:
        """Name among alternatives."""
        return f"{self.kind} of {self.where}" if self.where else self.kind


@dataclass(frozen=True, eq=False)
class LoopStates:
    """States, torques and their neighbours at K of the steps, (n, K) each."""

    q: Array
    q_before: Array
    qd: Array
    q_next: Array
    qd_next: Array
    qdd: Array
    tau: Array
    expected: Array
    earlier: Array
    later: Array
    second: Array  # two steps earlier
    tau_before: Array


def states_at(e: Evidence, expected: Array, steps: Steps) -> LoopStates:
    """States and torques at some steps for candidates; `expected` (n, N) by the engine's robot."""
    before, after = np.maximum(steps - 1, 0), np.minimum(steps + 1, e.count - 1)
    q, qd, q_next, qd_next = (x[:, steps] for x in (e.q, e.qd, e.q_next, e.qd_next))
    qdd, tau = e.qdd[:, steps], e.tau[:, steps]
    second = np.maximum(steps - 2, 0)
    there, earlier, later, second = (expected[:, k] for k in (steps, before, after, second))
    q_before = np.where(e.begins, e.q - e.step_lengths * e.qd, np.roll(e.q, 1, axis=1))
    q_before[:, 0] = e.q[:, 0]
    return LoopStates(
        *(q, q_before[:, steps], qd, q_next, qd_next, qdd, tau, there, earlier, later, second),
        e.tau[:, before],
    )


def constant_wording(text: str, remedy: str) -> Wording:
    """Return the wording of a cause without numbers."""
    return lambda x, within: (text, remedy)


def candidate_of_torques(
    kind: str, torque: Array, at: LoopStates, text: str, remedy: str
) -> Candidate:
    """Return the candidate of torques (n, K) in place of the expected ones."""
    columns, wording = (torque - at.expected)[None], constant_wording(text, remedy)
    return Candidate(kind, "", columns, wording, lambda x: abs(float(x[0]) - 1) < WHOLE)
