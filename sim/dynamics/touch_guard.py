"""TouchGuard: prevents the solver's steps from passing over contacts of shapes.

A solver evaluates forces at a few instants of a step, and misses shapes that touch and separate
between them. Therefore turning points of their distance are located within a step, on the solver's
own solution, and a step that passes over a contact ends where the contact begins.
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

PARTS = 8  # parts of a step that are searched for turning points
FAR = 8.0  # number of steps during which far shapes cannot touch
CLOSE = 1e-9  # accuracy of a turning point, relative to a step
INSIDE = 0.1  # first step after a contact begins, relative to the time to the deepest point

Solution = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Touch:
    """A contact within a step: its beginning, and the length of the next step to be tried [s]."""

    t: float
    step: float


class TouchGuard:
    """Contacts of a mechanism, checked after each step.

    Parameters
    ----------
    mechanism : Mechanism
    rate : callable
        Rate used by the solver; in machine code it has the distances at its latest state.
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
        """Return the end of a step: at the first contact that also ends within it, or as it was.

        Parameters
        ----------
        solution : callable
            Time [s] -> state within the step, with its beginning `t_old`.
        end, changed
            Values of the step without contacts.

        Returns
        -------
        end : float
            [s]
        changed : int or None
            Joint that changes its mode there.
        step : float or None
            Length of the first step of the contact [s].

        Raises
        ------
        ScenarioError
            If a shape is too deep in another for a defined force.
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
        """Whether the shapes are so far apart that many steps of a length [s] cause no contact."""
        if self.latest is None or self.between is None or not self.contacts:
            return False
        if self.between.are_apart:
            return self.between.are_apart_for(FAR * FASTER * length)
        distance, speed = self.latest.totals[:, 14], self.latest.totals[:, 15]
        return bool((distance > FAR * FASTER * length * speed).all())

    def _near(self, length: float) -> list[Contact]:
        """Return contacts that may begin within a step of a length [s], without force so far."""
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
        if gaps[0] <= 0.0 or gaps[-1] <= 0.0:  # the solver evaluates contacts at its ends
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
