"""Explicit steps of Dormand and Prince, order eight, that check all of their stages.

Stages 2 to 5, and the rate at the end, have no weight in the error estimate. If only they meet an
impact (a hard contact that begins within a step), the stages between are thrown past it: the
estimated error vanishes although the body has passed what it should have hit. Therefore the rates
of these stages must be similar to those of the others. Steps are otherwise those of SciPy's DOP853.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.4 (the first
step), section II.10 (DOP853).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.dynamics.dormand_prince import ALL_STAGES, E3, E5, STAGES, A, B, C, D
from sim.dynamics.stiff_motion import LOOKED_AT
from sim.maths.arrays import Array

TIMES = np.append(C[1:STAGES], C[STAGES + 1 :])  # points of a step where rates are evaluated
UNWEIGHED = np.flatnonzero((E3 == 0) & (E5 == 0))
WEIGHED = np.flatnonzero((E3 != 0) | (E5 != 0))

# Allowed ratio of the deviation of these rates from the first to that of the other rates, and an
# allowance for their part of a step, in tolerances. A smooth motion stays far below both.
FARTHER, LOOSE = 10.0, 1e3
# The error estimate vanishes for five places of a kink in a step. Then the slope of the solution,
# times the length of the step, is off by 3 to 50 times the error in its late part. A step is
# shortened if that is more than some tolerances, of which smooth motions have up to 400.
LATE, MOST_DEFECT = 0.9, 1e3
TOO_LARGE = 1e8  # relative error above which a step is retried with a fifth of its length
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # factors of the length of the next step
EXPONENT = -0.125  # of the error in these factors
TOO_SHORT = "Required step size is less than spacing between numbers."


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
    weighted, unweighted = away[WEIGHED].max(axis=0), away[UNWEIGHED].max(axis=0)
    return bool(np.all(h * unweighted <= FARTHER * h * weighted + LOOSE * scale))


class StepSolution:
    """The solution within a step: polynomials of degree seven.

    Parameters
    ----------
    t_old, t : float
        Beginning and end of the step [s].
    y_old : ndarray, shape (size,)
        State at the beginning.
    F : ndarray, shape (7, size)
        Coefficients.
    """

    def __init__(self, t_old: float, t: float, y_old: Array, F: Array) -> None:
        self.t_old, self.t, self.y_old, self.F = t_old, t, y_old, F

    def __call__(self, t: float | Array, /) -> Array:
        """Return the state at a time (size,), or the states at times (N,), shape (size, N)."""
        x = (np.asarray(t)[..., None] - self.t_old) / (self.t - self.t_old)
        y = np.zeros((*x.shape[:-1], self.y_old.size))
        for i, f in enumerate(self.F[::-1]):
            y += f
            y *= x if i % 2 == 0 else 1 - x
        y += self.y_old
        return y.T

    def slope(self, x: float) -> Array:
        """Return the slope by the fraction x of the step, (size,)."""
        y, slope = np.zeros((2, self.y_old.size))
        for i, f in enumerate(self.F[::-1]):
            part, sign = (x, 1.0) if i % 2 == 0 else (1.0 - x, -1.0)
            y, slope = (y + f) * part, slope * part + (y + f) * sign
        return slope


class ExplicitSteps:
    """`DenseSolver` of the rule.

    Parameters
    ----------
    rate : callable
        Time and state -> rate of the state.
    t, end : float
        [s]
    y : ndarray, shape (size,)
    prepare : callable
        Called with the times (N,) of the next rates, for each attempted step.
    adapt : callable, optional
        Time and state -> absolute tolerances (size,) from there on, and whether to adapt them again
        at the next step, not only every `LOOKED_AT` steps.
    first_step : float, optional
        First step to try [s]; by default estimated from the rates.
    max_step : float
        [s]
    rtol, atol : float or ndarray, shape (size,)
        Tolerances of a step.
    kinked : slice, optional
        States whose rates may have kinks; the step is shortened where it misses one.
    """

    cost = 1
    singular_times: tuple[float, ...] = ()

    def __init__(
        self,
        rate: Callable[[float, Array], Array],
        t: float,
        y: Array,
        end: float,
        prepare: Callable[[Array], None] = lambda times: None,
        adapt: Callable[[float, Array], tuple[Array, bool]] | None = None,
        first_step: float | None = None,
        max_step: float = np.inf,
        rtol: float | Array = 1e-12,
        atol: float | Array = 1e-13,
        kinked: slice | None = None,
    ) -> None:
        self.rate, self.end, self.prepare, self.adapt = rate, end, prepare, adapt
        self.max_step, self.rtol, self.atol, self.kinked = max_step, rtol, atol, kinked
        self.n_steps, self.is_noisy = 0, False
        self.K = np.empty((ALL_STAGES, y.size))
        self._begin(t, y, first_step)

    def _begin(self, t: float, y: Array, step: float | None) -> None:
        self.t, self.y, self.f = t, y, self.rate(t, y)
        self.t_old, self.y_old = t, y
        self.solution: StepSolution | None = None
        self.h_abs = self._first_step() if step is None else min(step, self.end - t)

    def _first_step(self) -> float:
        """Return the length of a first step, from the first two derivatives of the state."""
        t, y, f, scale = self.t, self.y, self.f, self.atol + np.abs(self.y) * self.rtol
        if self.end == t:
            return 0.0
        d0, d1 = _mean(y / scale), _mean(f / scale)
        h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, self.end - t)
        d2 = _mean((self.rate(t + h0, y + h0 * f) - f) / scale) / h0
        is_still = d1 <= 1e-15 and d2 <= 1e-15
        h1 = max(1e-6, h0 * 1e-3) if is_still else (0.01 / max(d1, d2)) ** -EXPONENT
        return float(min(100 * h0, h1, self.end - t, self.max_step))

    def step(self) -> str | None:
        """Take one step; return a reason if it failed."""
        t, y, K = self.t, self.y, self.K
        shortest = 10 * abs(np.nextafter(t, np.inf) - t)
        length, most = min(max(self.h_abs, shortest), self.max_step), MOST
        while length >= shortest:
            after = min(t + length, self.end)
            h = after - t
            self.prepare(t + TIMES * h)
            new = self._try(h)
            error = self._error(y, new, h)
            factor = SAFETY * error**EXPONENT if error else MOST
            if error < 1:
                self.t_old, self.y_old, self.solution = t, y, None
                self.t, self.y, self.f = after, new, K[STAGES].copy()
                if self.kinked is not None and self._misses_kink(self.kinked):
                    self.t, self.y, self.f, length, most = t, y, K[0].copy(), h * LEAST, 1.0
                    continue
                self.h_abs = h * min(factor, most)
                self._adapt()
                return None
            length, most = h * max(LEAST, factor), 1.0
        return TOO_SHORT

    def _try(self, h: float) -> Array:
        """Fill in the rates of a step of this length, and return the state at its end."""
        t, y, K = self.t, self.y, self.K
        K[0] = self.f
        for s in range(1, STAGES):
            K[s] = self.rate(t + C[s] * h, y + np.dot(K[:s].T, A[s, :s]) * h)
        new: Array = y + h * np.dot(K[:STAGES].T, B)
        K[STAGES] = self.rate(t + h, new)
        return new

    def _error(self, y: Array, new: Array, h: float) -> float:
        """Return the estimated error of a step, in tolerances."""
        K = self.K[: STAGES + 1]
        scale = self.atol + np.maximum(np.abs(y), np.abs(new)) * self.rtol
        error = estimated_error(K, h, scale)
        return TOO_LARGE if error < 1 and not is_seen(K, h, scale) else error

    def _misses_kink(self, rows: slice) -> bool:
        """Whether the solution within the last step has other slopes than rates of some states."""
        solution, h = self.dense_output(), self.t - self.t_old
        time = self.t_old + LATE * h
        rates = h * self.rate(time, solution(time))
        scale = self.atol + np.maximum(np.abs(self.y_old), np.abs(self.y)) * self.rtol
        defect = np.abs(solution.slope(LATE) - rates)
        return bool((defect > MOST_DEFECT * scale)[rows].any())

    def _adapt(self) -> None:
        """Adapt the tolerances, now and then."""
        self.n_steps += 1
        if self.adapt is not None and (self.n_steps % LOOKED_AT == 0 or self.is_noisy):
            self.atol, self.is_noisy = self.adapt(self.t, self.y)

    def dense_output(self) -> StepSolution:
        """Return the solution within the last step; costs three evaluations, once."""
        if self.solution is None:
            t, y, K, h = self.t_old, self.y_old, self.K, self.t - self.t_old
            for s in range(STAGES + 1, ALL_STAGES):
                K[s] = self.rate(t + C[s] * h, y + np.dot(K[:s].T, A[s, :s]) * h)
            step = self.y - y
            first = step, h * K[0] - step, 2 * step - h * (self.f + K[0])
            F = np.vstack([*first, h * np.dot(D, K)])
            self.solution = StepSolution(t, self.t, y, F)
        return self.solution

    def settle(self, t: Array) -> Array:
        """Return the states (size, N) at times (N,) within the last step."""
        return self.dense_output()(t)

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Continue from a state y (size,) at t; if `step` [s] is given, as at the beginning."""
        if step is not None:
            self._begin(t, y, step)
        elif y is not self.y:
            self.t, self.y, self.f = t, y, self.rate(t, y)


def estimated_error(K: Array, h: float, scale: Array) -> float:
    """Return the error of a step of length h by rates K (s, size) of its stages, in tolerances."""
    five = np.linalg.norm(np.dot(K.T, E5[: len(K)]) / scale) ** 2
    three = np.linalg.norm(np.dot(K.T, E3[: len(K)]) / scale) ** 2
    if not (five or three):
        return 0.0
    return float(h * five / np.sqrt((five + 0.01 * three) * scale.size))


def _mean(values: Array) -> float:
    """Return the root mean square."""
    return float(np.linalg.norm(values) / values.size**0.5)
