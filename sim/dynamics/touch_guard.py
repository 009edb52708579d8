"""TouchGuard: no step of a solver passes over a touch of shapes unseen.

A solver sees forces at a few instants of a step. Where shapes come together and part again between
them it feels nothing. So their distance is looked for at its turning points within a step, on the
solver's own solution, and a step that passes over a touch ends where that begins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.kernels.shape_kinds import FASTER
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.rate import Rate, SingleStateRate
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array

if TYPE_CHECKING:
    from scipy.optimize._minimize import _MinimizeScalarOptionsBounded

PARTS = 8  # of a step, between which a turning point is looked for
FAR = 8.0  # steps, in which shapes cannot touch that are far apart
CLOSE = 1e-9  # of a step, to which a turning point is had
INSIDE = 0.1  # of the time from the touch to the deepest point is the first step behind it

Solution = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Touch:
    """A touch within a step: when it begins, and the length of the step to be tried there [s]."""

    t: float
    step: float


class TouchGuard:
    """The contacts of a mechanism, looked at after each step.

    Parameters
    ----------
    mechanism : Mechanism
    rate : callable
        By which the solver steps; in machine code it has the distances of its latest state.
    """

    def __init__(self, mechanism: Mechanism, rate: Rate) -> None:
        loads = mechanism.loads
        elements = loads.elements if isinstance(loads, ElementSum) else ()
        self.mechanism = mechanism
        self.contacts = [one for one in elements if isinstance(one, Contact)]
        between = rate.between if isinstance(rate, SingleStateRate) else None
        self.latest = None if between is None or between.contacts is None else between.contacts
        self.between, self.are_alone = between, len(self.contacts) == len(elements)

    def cut(
        self, solution: Any, end: float, changed: int | None
    ) -> tuple[float, int | None, float | None]:
        """Where a step ends: at the first touch within it that is over again, or as it did.

        Parameters
        ----------
        solution : callable
            Time [s] -> state within the step, with its beginning `t_old`.
        end, changed
            Of the step without touches.

        Returns
        -------
        end : float
            [s]
        changed : int or None
            The joint that changes its mode there.
        step : float or None
            Length of the first step behind a touch [s].

        Raises
        ------
        ScenarioError
            If a shape is so deep in another that no force follows from it.
        """
        if not self.contacts:
            return end, changed, None
        begin = float(solution.t_old)
        between = self.between
        if between is not None and between.are_apart_for(FASTER * (end - begin)):
            return end, changed, None
        near = self._near(end - begin)
        self._require_shallow(solution, end)
        touches = (self._missed_by(one, solution, begin, end) for one in near)
        first = min((one for one in touches if one), key=lambda one: one.t, default=None)
        return (end, changed, None) if first is None else (first.t, None, first.step)

    def are_far(self, length: float) -> bool:
        """Whether all shapes are so far apart that many steps of a length [s] lead to no touch."""
        if self.latest is None or self.between is None or not self.contacts:
            return False
        if self.between.are_apart:
            return self.between.are_apart_for(FAR * FASTER * length)
        distance, speed = self.latest.totals[:, 14], self.latest.totals[:, 15]
        return bool((distance > FAR * FASTER * length * speed).all())

    def _near(self, length: float) -> list[Contact]:
        """Contacts that may be touched within a step of some length [s] and were not felt in it."""
        if self.latest is None or self.between is None or self.between.are_apart:
            return self.contacts
        distance, speed = self.latest.totals[:, 14], self.latest.totals[:, 15]
        near = (distance > 0.0) & (distance <= FASTER * length * speed)
        return [one for one, is_near in zip(self.contacts, near, strict=True) if is_near]

    def _require_shallow(self, solution: Solution, end: float) -> None:
        t = np.array([end])
        if self.latest is None or self.between is None or self.between.are_apart:
            depths = [self._totals(one, solution, t)[:, 10] for one in self.contacts]
        else:
            depths = list(self.latest.totals[:, 10, None])
        for one, depth in zip(self.contacts, depths, strict=True):
            one.require_shallow(t, depth)

    def _totals(self, contact: Contact, solution: Solution, times: Array) -> Array:
        q, qd, _ = self.mechanism.motion(times, solution(times))
        return contact.totals(Kinematics(self.mechanism.dynamics.robot, q, qd))

    def _missed_by(
        self, contact: Contact, solution: Solution, begin: float, end: float
    ) -> Touch | None:
        def distances(times: Array) -> Array:
            return self._totals(contact, solution, times)[:, 14]

        def distance(t: float) -> float:
            return float(distances(np.array([t]))[0])

        times = np.linspace(begin, end, PARTS + 1)
        gaps = distances(times)
        if gaps[0] <= 0.0 or gaps[-1] <= 0.0:  # the solver feels what begins or ends there
            return None
        for k in range(1, PARTS):
            if gaps[k] > min(gaps[k - 1], gaps[k + 1]):
                continue
            t, low = float(times[k]), float(gaps[k])
            if low > 0.0:
                sides = float(times[k - 1]), float(times[k + 1])
                near: _MinimizeScalarOptionsBounded = {"xatol": CLOSE * (end - begin)}
                least = minimize_scalar(distance, bounds=sides, method="bounded", options=near)
                t, low = float(least.x), float(least.fun)
            if low < 0.0:
                before = float(times[np.flatnonzero(gaps[:k] > 0.0)[-1]])
                touch = float(brentq(distance, before, t, xtol=1e-15))
                return Touch(touch, INSIDE * (t - touch))
        return None
