"""Explicit steps of Dormand and Prince, order eight, that check all of their stages.

Stages 2 to 5, and the rate at the end, have no weight in the error estimate. If only they meet an
impact (a hard contact that begins within a step), the stages between are thrown past it: the
estimated error vanishes although the body has passed what it should have hit. Therefore the rates
of these stages must be similar to those of the others.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853, DenseOutput

from sim.dynamics.stiff_motion import LOOKED_AT
from sim.maths.arrays import Array

STAGES = np.append(DOP853.C[1:], DOP853.C_EXTRA)  # points of a step where rates are evaluated
UNWEIGHED = np.flatnonzero((DOP853.E3 == 0) & (DOP853.E5 == 0))
WEIGHED = np.flatnonzero((DOP853.E3 != 0) | (DOP853.E5 != 0))

# Allowed ratio of the deviation of these rates from the first to that of the other rates, and an
# allowance for their part of a step, in tolerances. A smooth motion stays far below both.
FARTHER, LOOSE = 10.0, 1e3
TOO_LARGE = 1e8  # relative error above which a step is retried with a fifth of its length
SAFETY, LEAST = 0.9, 0.2  # factors of the length of a retried step, as in SciPy


def is_seen(K: Array, h: float, scale: Array) -> bool:
    """Whether the rates without weight in the estimate are similar to those with one.

    Parameters
    ----------
    K : ndarray, shape (13, size)
        Rates at the stages of a step, the last at its end.
    h : float
        Length of the step [s].
    scale : ndarray, shape (size,)
        Tolerances.
    """
    away = np.abs(K - K[0])
    seen, unseen = away[WEIGHED].max(axis=0), away[UNWEIGHED].max(axis=0)
    return bool(np.all(h * unseen <= FARTHER * h * seen + LOOSE * scale))


class ExplicitSteps(DOP853):
    """`scipy.integrate.DOP853` as `DenseSolver`, which rejects steps that `is_seen` does.

    Parameters
    ----------
    rate, t, y, end, first_step, **options
        As in SciPy.
    prepare : callable
        Called with the times (N,) of the next rates, for each attempted step.
    adapt : callable, optional
        Time and state -> absolute tolerances (size,) from there on, and whether to adapt them again
        at the next step, not only every `LOOKED_AT` steps.
    """

    cost = 1
    singular_times: tuple[float, ...] = ()

    def __init__(
        self,
        rate: Callable[..., Array],
        t: float,
        y: Array,
        end: float,
        prepare: Callable[[Array], None] = lambda times: None,
        adapt: Callable[[float, Array], tuple[Array, bool]] | None = None,
        first_step: float | None = None,
        **options: Any,
    ) -> None:
        self.prepare, self.adapt, self.options = prepare, adapt, options
        self.rate, self.end = rate, end
        self.taken, self.is_noisy = 0, False
        self.solution: DenseOutput | None = None
        self._begin(t, y, first_step)

    def _begin(self, t: float, y: Array, step: float | None) -> None:
        step = None if step is None else min(step, self.end - t)
        super().__init__(self.rate, t, y, self.end, first_step=step, **self.options)

    def step(self) -> str | None:
        """Take one step; return a reason if it failed."""
        message = super().step()
        if self.status == "failed":
            return str(message)
        self.taken += 1
        if self.adapt is not None and (self.taken % LOOKED_AT == 0 or self.is_noisy):
            self.atol, self.is_noisy = self.adapt(self.t, self.y)
        self.solution = None
        return None

    def dense_output(self) -> DenseOutput:  # type: ignore[override]  # SciPy's stubs are narrower
        """Return the solution within the last step; costs three evaluations, once."""
        if self.solution is None:
            self.solution = super().dense_output()
        return self.solution

    def settle(self, t: Array) -> Array:
        """Return the states (size, N) at times (N,) within the last step."""
        return np.asarray(self.dense_output()(t))

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Continue from a state y (size,) at t; if `step` [s] is given, as at the beginning."""
        if step is not None:
            self._begin(t, y, step)
        elif y is not self.y:
            self.t, self.y, self.f = t, y, self.rate(t, y)

    def _step_impl(self) -> Any:
        self._prepare(min(self.h_abs, self.max_step))
        return super()._step_impl()  # type: ignore[misc]  # not in SciPy's stubs

    def _estimate_error_norm(self, K: Array, h: float, scale: Array) -> float:
        estimate = super()._estimate_error_norm  # type: ignore[misc]  # nor this
        norm = float(estimate(K, h, scale))
        if norm < 1.0 and not is_seen(K, h, scale):
            norm = TOO_LARGE
        if norm >= 1.0:
            self._prepare(h * max(LEAST, SAFETY * norm**self.error_exponent))
        return norm

    def _prepare(self, length: float) -> None:
        end = min(self.t + length, self.t_bound)
        self.prepare(self.t + STAGES * (end - self.t))
