"""Whether free joints move stiffly, so that implicit steps are fewer than explicit ones.

A solver that is explicit is stable while ``h |λ| < STABLE``, whether the motion λ is alive or not,
and only far below that end does it let decay what should. Implicit steps follow each motion while
it is alive: until ``e^(Re λ t)`` is below the tolerance. What swings without damping is alive for
ever, and costs either solver its period's share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Eigenvalues = NDArray[np.inexact[Any]]

# An explicit solver of order eight is stable up to about h |λ| = 6 (Hairer, Nørsett and Wanner,
# Solving Ordinary Differential Equations II, section IV.2: the size of its region).
STABLE = 6.0

# A step is at most so long, times the fastest decay and the fastest rate of motors' own states: at
# the end of stability what should decay within a step stays alive, and is wrong between steps.
CALM = 3.0

ALIVE = 27.6  # ln 1e12: so many times 1/|Re λ| a motion lasts above the tolerance
SMALLEST = 1e-300  # s; what takes no time is as far from its end as can be
RESOLVED = 0.3  # h |λ| of an implicit step while it does; 0.35 was seen
# A solver that has taken so many steps is looked at whether it will end. Steps left times steps
# taken are at most so many: 2000 steps that show 2e7 more, or 20 000 that show 2e6. A blow of a
# hard contact, which is short, takes a few hundred; 2e6 steps of an engine take an hour.
JUDGED, HOPELESS = 2000, 4e10
COSTLIER = 10  # an implicit step takes as long as so many explicit ones, or longer

# Every so many explicit steps their tolerance is adapted, and it is looked at whether they are too
# short for the motion.
LOOKED_AT = 100

WORTH_IT, FEWER = 1000.0, 4.0  # so many explicit steps, and so many times the implicit ones


def explicit_rate(values: Eigenvalues) -> float:
    """Least number of steps per second of an explicit solver [1/s]; as `explicit_steps`."""
    fastest, decay = np.abs(values).max(initial=0.0), -values.real.min(initial=0.0)
    return float(max(fastest / STABLE, decay / CALM))


def explicit_steps(values: Eigenvalues, span: float) -> float:
    """Least number of steps of an explicit solver.

    Parameters
    ----------
    values : ndarray
        Eigenvalues λ of the motion [1/s].
    span : float
        How long it lasts [s].
    """
    return explicit_rate(values) * span


def implicit_steps(values: Eigenvalues, span: float) -> float:
    """Number of implicit steps that follow all motions while they last; as `explicit_steps`."""
    decay = np.maximum(-values.real, 0.0)
    lasts = np.minimum(span, ALIVE / np.maximum(decay, ALIVE / span))
    each_pair_once = values.imag >= 0
    return float(np.sum((np.abs(values) * lasts)[each_pair_once])) / RESOLVED


@dataclass
class Pace:
    """Counts the steps of a solver and estimates how many are left.

    Parameters
    ----------
    begin : float
        When the first step began [s].
    """

    begin: float
    taken: int = 0

    def steps_left(self, steps: int, now: float, end: float) -> float | None:
        """Steps that are left up to `end` [s] at this pace, if they are too many; else None.

        For each `steps` more, at the time `now` [s]. The pace is that of the last 2000 to 20 000.
        """
        self.taken += steps
        if self.taken < JUDGED:
            return None
        rest = (end - now) / max(now - self.begin, SMALLEST) * self.taken
        if rest * self.taken > HOPELESS:
            return rest
        if self.taken >= 10 * JUDGED:
            self.begin, self.taken = now, 0
        return None


def is_stiff(values: Eigenvalues, span: float, step: float = 0.0) -> bool:
    """Whether implicit steps are worth it; as `explicit_steps`.

    `step` is the length of the implicit steps that the motion goes on from [s], 0 without any. What
    decays has done so there, and steps go on at this length; unless a jump excites it again, for
    which all that may be alive still takes no more implicit steps than explicit ones.
    """
    many, few = explicit_steps(values, span), implicit_steps(values, span)
    if step > 0.0:
        few = min(few, max(span / step, few / FEWER))
    return many > WORTH_IT and many > FEWER * few


def steps_needed(values: Eigenvalues, span: float) -> float:
    """Least number of steps of the solver; as `explicit_steps`."""
    return (implicit_steps if is_stiff(values, span) else explicit_steps)(values, span)
