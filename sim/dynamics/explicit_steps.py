"""Explicit steps of Dormand and Prince, order eight, none of whose stages goes unseen.

Stages 2 to 5, and the rate at the end, have no weight in the estimate of the error. Where only they
meet a blow (a hard contact that begins within a step), those between are thrown past it: the step
agrees with itself to the last digit, and the body is behind what it should have hit. So the rates
of these stages must lie about where those of the others do.

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

STAGES = np.append(DOP853.C[1:], DOP853.C_EXTRA)  # where rates are asked for, of a step
UNWEIGHED = np.flatnonzero((DOP853.E3 == 0) & (DOP853.E5 == 0))
WEIGHED = np.flatnonzero((DOP853.E3 != 0) | (DOP853.E5 != 0))

# How much farther than the others these rates may be from the first; and what a step of them may be
# off besides, in tolerances. A smooth motion stays far below both.
FARTHER, LOOSE = 10.0, 1e3
TOO_LARGE = 1e8  # an error after which a step is tried again with a fifth of its length
SAFETY, LEAST = 0.9, 0.2  # by which a step that is tried again is shorter, as SciPy has it


def is_seen(K: Array, h: float, scale: Array) -> bool:
    """Whether the rates without weight are about where those with one are.

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
    """`scipy.integrate.DOP853` as `DenseSolver`: it takes no step that is not seen whole.

    Parameters
    ----------
    rate, t, y, end, first_step, **options
        As SciPy has them.
    prepare : callable
        Told the times (N,) at which rates are asked for next, of each step that is tried.
    adapt : callable, optional
        Time and state -> absolute tolerances (size,) from there on, and whether they are to be
        adapted at the next step again, not only every `LOOKED_AT` steps.
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
        """Take one step; the reason if there is none."""
        message = super().step()
        if self.status == "failed":
            return str(message)
        self.taken += 1
        if self.adapt is not None and (self.taken % LOOKED_AT == 0 or self.is_noisy):
            self.atol, self.is_noisy = self.adapt(self.t, self.y)
        self.solution = None
        return None

    def dense_output(self) -> DenseOutput:  # type: ignore[override]  # SciPy's stubs are narrower
        """The solution within the last step, which takes three rates, once."""
        if self.solution is None:
            self.solution = super().dense_output()
        return self.solution

    def settle(self, t: Array) -> Array:
        """The states (size, N) at times (N,) within the last step."""
        return np.asarray(self.dense_output()(t))

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Go on from a state y (size,) at t; with a `step` [s] as if it began there."""
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
