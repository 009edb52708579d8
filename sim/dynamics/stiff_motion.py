"""Detection of stiff motion, for which implicit steps are fewer than explicit ones.

An explicit solver is stable for ``h |λ| < STABLE``, whether the mode λ is excited or not, and only
well below this bound do fast modes decay as they should. Implicit steps resolve each mode while it
is excited: until ``e^(Re λ t)`` is below the tolerance. An undamped oscillation remains excited,
and requires a number of steps per period from either solver.
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

# Longest step times the fastest decay and the fastest rate of the motors' own states: at the
# stability bound a mode that should decay within a step persists, and is wrong between steps.
CALM = 3.0

ALIVE = 27.6  # ln 1e12: a mode is above the tolerance for this multiple of 1/|Re λ|
SMALLEST = 1e-300  # s; lower bound of a duration, to divide by
RESOLVED = 0.3  # h |λ| of an implicit step during that time; 0.35 was measured
# After this many steps a solver is checked for whether it will end. The product of steps left and
# steps is limited: 2000 steps with 2e7 left, or 20 000 with 2e6. A short impact of a hard
# contact takes a few hundred; 2e6 steps of an engine take an hour.
JUDGED, HOPELESS = 2000, 4e10
COSTLIER = 10  # an implicit step costs at least as much as this many explicit ones

# Number of explicit steps between checks of their tolerance and of their length.
LOOKED_AT = 100

WORTH_IT, FEWER = 1000.0, 4.0  # least number of explicit steps, and of their ratio to implicit ones


def explicit_rate(values: Eigenvalues) -> float:
    """Return the least number of steps per second of an explicit solver [1/s]."""
    fastest, decay = np.abs(values).max(initial=0.0), -values.real.min(initial=0.0)
    return float(max(fastest / STABLE, decay / CALM))


def explicit_steps(values: Eigenvalues, span: float) -> float:
    """Return the least number of steps of an explicit solver.

    Parameters
    ----------
    values : ndarray
        Eigenvalues λ of the motion [1/s].
    span : float
        Duration [s].
    """
    return explicit_rate(values) * span


def implicit_steps(values: Eigenvalues, span: float) -> float:
    """Return the number of implicit steps that resolve all modes while they are excited."""
    decay = np.maximum(-values.real, 0.0)
    lasts = np.minimum(span, ALIVE / np.maximum(decay, ALIVE / span))
    each_pair_once = values.imag >= 0
    return float(np.sum((np.abs(values) * lasts)[each_pair_once])) / RESOLVED


@dataclass
class Pace:
    """Counter of a solver's steps, which estimates how many are left.

    Parameters
    ----------
    begin : float
        Time at which the first step began [s].
    """

    begin: float
    n_steps: int = 0

    def steps_left(self, steps: int, now: float, end: float) -> float | None:
        """Return the number of steps left to `end` [s] at this pace, if too many; else None.

        To be called after each `steps` further steps, at the time `now` [s]. The pace is that of
        the last 2000 to 20 000 steps.
        """
        self.n_steps += steps
        if self.n_steps < JUDGED:
            return None
        rest = (end - now) / max(now - self.begin, SMALLEST) * self.n_steps
        if rest * self.n_steps > HOPELESS:
            return rest
        if self.n_steps >= 10 * JUDGED:
            self.begin, self.n_steps = now, 0
        return None


def is_stiff(values: Eigenvalues, span: float, step: float = 0.0) -> bool:
    """Whether implicit steps are worthwhile; arguments of `explicit_steps`.

    `step` is the length of preceding implicit steps [s], 0 without any. Decaying modes are then
    below the tolerance, and steps continue at this length, unless a jump excites the modes again,
    for which implicit steps must still be no more than explicit ones.
    """
    many, few = explicit_steps(values, span), implicit_steps(values, span)
    if step > 0.0:
        few = min(few, max(span / step, few / FEWER))
    return many > WORTH_IT and many > FEWER * few


def steps_needed(values: Eigenvalues, span: float) -> float:
    """Return the least number of steps of the better solver; arguments of `explicit_steps`."""
    return (implicit_steps if is_stiff(values, span) else explicit_steps)(values, span)
