"""TouchGuard: prevents the solver's steps from passing over contacts of shapes.

A solver evaluates forces at a few instants of a step, and misses shapes that touch and separate
between them. Therefore turning points of their distance are located within a step, on the solver's
own solution, and a step that passes over a contact ends where the contact begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.kernels.shape_kinds import FASTER
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.rate import Rate, SingleStateRate
from sim.dynamics.smooth_pieces import has_others, shapes_in
from sim.dynamics.solver import DenseSolution
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array

if TYPE_CHECKING:
    from scipy.optimize._minimize import _MinimizeScalarOptionsBounded

PARTS = 8  # parts of a step that are searched for turning points
FAR = 8.0  # number of steps during which far shapes cannot touch
CLOSE = 1e-9  # accuracy of a turning point, relative to a step
INSIDE = 0.1  # first step after a contact begins, relative to the time to the deepest point


class Touch(Struct, frozen=True, eq=False):
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
    longest : float
        Length of a step [s] in which shapes may touch; longer ones end there.
    """

    def __init__(self, mechanism: Mechanism, rate: Rate, longest: float = np.inf) -> None:
        self.mechanism, self.longest = mechanism, longest
        self.contacts = shapes_in(mechanism.loads)
        self.rate = rate if isinstance(rate, SingleStateRate) else None
        self.between = None if self.rate is None else self.rate.between
        self.far_apart = None if self.between is None else self.between.far_apart
        self.are_alone = not has_others(mechanism.loads)

    def cut(
        self, solution: DenseSolution, end: float, changed: int | None
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
        begin = solution.t_old
        near = self._near(solution, begin, end) if self.contacts else []
        step = None
        if near and begin + self.longest < end:
            end, changed, step = begin + self.longest, None, self.longest
        touches = (self._missed_by(one, solution, begin, end) for one in near)
        first = min((one for one in touches if one), key=lambda one: one.t, default=None)
        return (end, changed, step) if first is None else (first.t, None, first.step)

    def are_far(self, t: float, y: Array, length: float) -> bool:
        """Whether the shapes are so far apart that many steps of a length [s] cause no contact."""
        return bool((self._times_left(t, y) > FAR * FASTER * length).all())

    def _times_left(self, t: float, y: Array) -> Array:
        """Return the times without contact from a state on [s]; zero if unknown."""
        if self.far_apart is None or self.rate is None:
            return np.zeros(1)
        return self.far_apart.look(*self.rate.positions(t, y))

    def _near(self, solution: DenseSolution, begin: float, end: float) -> list[Contact]:
        """Return contacts that may begin and end within a step: without force at its end.

        The joints' motion proves that there are none, else the shapes' speeds show it.
        """
        far_apart, rate, between = self.far_apart, self.rate, self.between
        if far_apart is None or rate is None or between is None or between.contacts is None:
            t = np.array([end])
            for one in self.contacts:
                one.require_shallow(t, self._totals(one, solution, t)[:, 10])
            return self.contacts
        if far_apart.is_kept:
            if far_apart.is_due():
                far_apart.look(far_apart.latest, np.zeros_like(far_apart.latest))
            return []
        y = solution(end)
        times = np.minimum(self._times_left(begin, solution(begin)), self._times_left(end, y))
        if (times > FASTER * (end - begin)).all():
            return []
        between.fill(end, *rate.positions(end, y), y[rate.layout.elements])
        near = times <= FASTER * (end - begin)
        if not between.are_apart:
            for one, totals in zip(self.contacts, between.contacts.totals, strict=True):
                one.require_shallow(np.array([end]), totals[10:11])
            near &= between.contacts.totals[:, 14] > 0.0
        return [one for one, is_near in zip(self.contacts, near, strict=True) if is_near]

    def _totals(self, contact: Contact, solution: DenseSolution, times: Array) -> Array:
        q, qd, _ = self.mechanism.motion(times, solution(times))
        return contact.totals(Kinematics(self.mechanism.dynamics.robot, q, qd))

    def _missed_by(
        self, contact: Contact, solution: DenseSolution, begin: float, end: float
    ) -> Touch | None:
        def distances(times: Array) -> Array:
            return self._totals(contact, solution, times)[:, 14]

        def distance(t: float) -> float:
            return float(distances(np.array([t]))[0])

        times = np.linspace(begin, end, PARTS + 1)
        gaps = distances(times)
        if gaps[0] <= 0.0 or gaps[-1] <= 0.0:  # the solver evaluates contacts at its ends
            return None
        from scipy.optimize import brentq, minimize_scalar

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
