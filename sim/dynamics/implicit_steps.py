"""Steps of Radau's implicit Runge-Kutta rule of order 13, for stiff motion.

Modes that decay in microseconds do not limit the step: its length follows from the slow ones. The
stages of a step are a polynomial u of degree seven with

    u(0) = y,      u'(c h) = f(t + c h, u(c h))  at Radau's seven points c,      y(t + h) = u(h)

found by Newton's method. The Jacobian of f comes from differences and only serves corrections, so
it may be that of a similar mechanism, and is kept while convergence is fast. It differs between the
points: if a stiff direction rotates by an angle φ within a step, a constant Jacobian would leave an
error ``h² k φ``. Works follow from the other states and are not iterated.

References
----------
Hairer and Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8 (the rule,
Newton's iterations, estimate of the error, choice of the step).
Hairer and Wanner, Stiff differential equations solved by Radau methods, J. Comput. Appl. Math. 111
(1999), 93-111 (order 13).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.polynomial import legendre

from sim.dynamics.single_state.rate import Rate
from sim.dynamics.stiff_motion import COSTLIER, Eigenvalues
from sim.errors import SimError
from sim.maths.arrays import Array

STAGES = 7
ASIDE = 1e-7  # relative to a state, or to 1: step of the Jacobian's differences
MOST_ITERATIONS = 10
SOLVED = 1e-2  # allowed residual of Newton's method, relative to a step's tolerance
STALLED = 0.1  # allowed residual if rounding prevents convergence
FAST, SLOW = 1e-3, 0.3  # ratio of two corrections: to keep the Jacobian; to abandon the step
SHORTEST = 1e-30  # step relative to a piece's end; near t = 0 every float is distinct
SAFETY, LEAST, MOST = 0.9, 0.2, 6.0  # factors of the step length


class Radau(Struct, frozen=True, eq=False):
    """Coefficients of the rule.

    Parameters
    ----------
    c : ndarray, shape (s,)
        Points, the last at 1.
    A : ndarray, shape (s, s)
        A_ij = ∫ l_j from 0 to c_i, with Lagrange's polynomials l through the points.
    start : float
        Weight of the rate at the beginning of a step in its error estimate.
    error : ndarray, shape (s,)
        Weights of the rates at the points in that estimate.
    """

    c: Array
    A: Array
    start: float
    error: Array


@cache
def radau() -> Radau:
    """Return the rule of seven stages."""
    s = STAGES
    # Roots of P_s - P_s-1 on [-1, 1] without the one at 1, mirrored: Radau's right points.
    difference = np.zeros(s + 1)
    difference[s - 1 :] = -1.0, 1.0
    c = (1.0 + legendre.legroots(difference)) / 2
    c[-1] = 1.0
    x, w = legendre.leggauss(s)
    A = np.array(
        [[end / 2 * (w @ lagrange(c, end * (1 + x) / 2)[:, j]) for j in range(s)] for end in c]
    )
    values = np.linalg.eigvals(A)
    start = float(values[np.argmin(np.abs(values.imag))].real)
    # of order s with a given weight at 0: Σ b c^(k-1) = 1/k
    k = np.arange(1, s + 1)
    weights = np.linalg.solve(c ** (k[:, None] - 1), 1 / k - start * (k == 1))
    return Radau(c, A, start, weights - A[-1])


def lagrange(points: Array, x: Array) -> Array:
    """Return Lagrange's polynomials through points (s,) at places x (N,), shape (N, s)."""
    x = np.atleast_1d(x)
    gaps = points[:, None] - points
    np.fill_diagonal(gaps, 1.0)
    factors = np.repeat((x[:, None] - points)[:, None], points.size, axis=1)
    factors[:, np.arange(points.size), np.arange(points.size)] = 1.0
    return np.asarray(np.prod(factors, axis=2) / np.prod(gaps, axis=1))


class Polynomial(Struct, frozen=True, eq=False):
    """The solution within a step: through the state at its beginning and its stages."""

    t_old: float
    t: float
    states: Array  # (s + 1, size)

    def __call__(self, t: float | Array) -> Array:
        """Return the state at a time, shape (size,), or the states at times (N,), (size, N)."""
        x = (np.asarray(t, dtype=float) - self.t_old) / (self.t - self.t_old)
        rows = lagrange(np.append(0.0, radau().c), x) @ self.states
        return rows[0] if np.ndim(t) == 0 else rows.T

    def rate(self, t: Array) -> Array:
        """Return the polynomial's derivative at times (N,), shape (size, N)."""
        h = self.t - self.t_old
        at_points = np.linalg.solve(radau().A, self.states[1:] - self.states[0]) / h
        return np.asarray((lagrange(radau().c, (t - self.t_old) / h) @ at_points).T)


def jacobian(rate: Rate, t: float, y: Array, moving: int, aside: float = ASIDE) -> Array:
    """Return ∂f/∂y of the first rows of a state y by differences, shape (moving, moving)."""
    J, f = np.empty((moving, moving)), rate(t, y)
    for row in range(moving):
        shifted = y.copy()
        shifted[row] += aside * max(1.0, abs(shifted[row]))
        J[:, row] = (rate(t, shifted) - f)[:moving] / (shifted[row] - y[row])
    return J


def rates_of_motion(
    rate: Rate, t: float, y: Array, moving: int, aside: float = ASIDE
) -> Eigenvalues:
    """Return the eigenvalues of `jacobian` [1/s]; zeros if it is not finite."""
    J = jacobian(rate, t, y, moving, aside)
    return np.linalg.eigvals(J) if np.isfinite(J).all() else np.zeros(moving)


class ImplicitSteps:
    """`DenseSolver` of Radau's rule.

    Parameters
    ----------
    rate : callable
        Time and state -> rate of the state.
    nearby : callable
        Approximation of `rate` for Jacobians.
    prepare : callable
        Called with the times (N,) of the next rates.
    t, end : float
        [s]
    y : ndarray, shape (size,)
    moving : int
        Number of leading rows of y on which rates depend.
    first_step : float or None
        First step to try [s]; None for one in which the fastest motion decays by 1/e.
    max_step : float
        [s]
    rtol, atol : ndarray, shape (size,)
        Tolerances of a step.
    """

    cost = COSTLIER
    singular_times: tuple[float, ...] = ()

    def __init__(
        self,
        rate: Rate,
        nearby: Rate,
        prepare: Callable[[Array], None],
        t: float,
        y: Array,
        end: float,
        moving: int,
        first_step: float | None,
        max_step: float,
        rtol: Array,
        atol: Array,
    ) -> None:
        self.rate, self.nearby, self.prepare, self.end = rate, nearby, prepare, end
        self.moving, self.max_step, self.rtol, self.atol = moving, max_step, rtol, atol
        self._begin(t, y, first_step)

    def _begin(self, t: float, y: Array, step: float | None) -> None:
        self.t, self.y, self.f = t, y, self.rate(t, y)
        self.t_old, self.step_size = t, 0.0
        self.jacobians: Array | None = None
        self.last: Polynomial | None = None
        if step is None:
            fastest = np.abs(rates_of_motion(self.nearby, t, y, self.moving)).max()
            step = 1.0 / max(float(fastest), 1.0 / self.max_step)
        self.h_abs = step

    def step(self) -> str | None:
        """Take one step; return a reason if it failed.

        Raises
        ------
        SimError
            Raised by the rate, if no step is short enough to avoid it.
        """
        is_after_rejection = self.last is None
        refused: SimError | None = None
        extrapolates = self.last is not None
        while True:
            h, rest = min(self.h_abs, self.max_step), self.end - self.t
            h = rest if rest <= 1.01 * h else h  # do not leave a sliver
            if h <= max(10 * np.spacing(self.t), SHORTEST * self.end):
                if refused is not None:
                    raise refused
                return "the step size is below the floating-point resolution"
            is_fresh = self.jacobians is None
            try:
                with np.errstate(over="ignore", invalid="ignore"):
                    stages = self._stages(h, extrapolates=extrapolates)
            except SimError as why:  # from a state tried by Newton's method, or a permanent failure
                stages, refused = None, why
            if stages is None:  # next with fresh Jacobians, then from rest, then in a shorter step
                is_last = is_fresh and not extrapolates
                self.jacobians, self.h_abs = None, h / 4 if is_last else h
                extrapolates = self.last is not None and (is_last or not is_fresh)
                continue
            Z, F, J = stages
            error = self._error(h, Z, F, J, is_doubtful=is_after_rejection)
            factor = SAFETY * error ** (-1 / (STAGES + 1)) if error > 0 else MOST
            self.h_abs = h * min(max(factor, LEAST), MOST)
            if error <= 1.0:
                break
            is_after_rejection = True
        begin, self.t_old, self.step_size = self.y, self.t, h
        self.t = self.end if h == rest else self.t + h
        self.last = Polynomial(self.t_old, self.t, np.vstack([begin, begin + Z]))
        self.y = begin + Z[-1]
        self.f = self.rate(self.t, self.y)
        return None

    def dense_output(self) -> Polynomial:
        """Return the solution within the last step."""
        assert self.last is not None
        return self.last

    def settle(self, t: Array) -> Array:
        """Return the solution at times (N,) within the last step, without rapidly decaying errors.

        Between its points the polynomial u deviates from a stiff motion by up to the tolerance, and
        a force of 1e6 times that would show in accelerations. As u' is hardly affected,
        ``y = u - (∂f/∂y - 1/h)⁻¹ (f(u) - u')``.
        """
        self.prepare(t)
        states, rates = self.dense_output()(t), self.dense_output().rate(t)
        m, still = self.moving, np.eye(self.moving) / self.step_size
        for k, time in enumerate(t.tolist()):
            J = jacobian(self.nearby, time, states[:, k], m)
            residual = (self.rate(time, states[:, k]) - rates[:, k])[:m]
            states[:m, k] -= np.linalg.solve(J - still, residual)
        return states

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Continue from a state y (size,) at t; if `step` [s] is given, as at the beginning."""
        if step is not None:
            self._begin(t, y, step)
        elif y is not self.y:
            self.t, self.y, self.f = t, y, self.rate(t, y)

    def _stages(self, h: float, *, extrapolates: bool) -> tuple[Array, Array, Array] | None:
        """Return stage states less that at the beginning and rates, (s, size) each, and a Jacobian.

        The Jacobian is that at the first point; None if Newton's method fails. It begins with the
        extrapolated last step, whose rounding grows with the seventh power of h, or with zeros.
        """
        from scipy.linalg import lu_factor, lu_solve

        rule, m, y = radau(), self.moving, self.y
        self.prepare(self.t + rule.c * h)
        times = (self.t + rule.c * h).tolist()
        Z = np.zeros((STAGES, y.size))
        if extrapolates and self.last is not None:
            Z[:, :m] = (self.last(np.array(times)).T - self.last.states[-1])[:, :m]
        if self.jacobians is None:
            at = zip(times, Z, strict=True)
            self.jacobians = np.array([jacobian(self.nearby, t, y + z, m) for t, z in at])
        blocks = -h * rule.A[:, None, :, None] * self.jacobians.transpose(1, 0, 2)
        matrix = blocks.reshape(STAGES * m, STAGES * m) + np.eye(STAGES * m)
        if not np.isfinite(matrix).all():
            return None
        factors, scale, before, is_fast = lu_factor(matrix), self._scale(y)[:m], np.inf, True
        for _ in range(MOST_ITERATIONS):
            F = np.array([self.rate(t, y + z) for t, z in zip(times, Z, strict=True)])
            if not np.isfinite(F).all():
                return None
            residual = (h * rule.A @ F - Z)[:, :m]
            step = lu_solve(factors, residual.ravel()).reshape(STAGES, m)
            Z[:, :m] += step
            size = _size(step / scale)
            is_fast = is_fast and (np.isinf(before) or size < FAST * before)
            if size <= SOLVED or STALLED >= size > SLOW * before:
                break
            if size > SLOW * before:
                return None
            before = size
        else:
            return None
        first = self.jacobians[0]
        if not is_fast:
            self.jacobians = None
        Z[:, m:] = h * (rule.A @ F)[:, m:]
        return Z, F, first

    def _error(self, h: float, Z: Array, F: Array, J: Array, *, is_doubtful: bool) -> float:
        """Estimate the error of the step relative to its tolerance."""
        rule, m = radau(), self.moving
        scale = self._scale(np.maximum(np.abs(self.y), np.abs(self.y + Z[-1])))
        damping = np.linalg.inv(np.eye(m) - h * rule.start * J)

        def error(start: Array) -> Array:
            estimate = h * (rule.start * start + rule.error @ F)
            estimate[:m] = damping @ estimate[:m]
            return np.asarray(estimate)

        estimate = error(self.f)
        if _size(estimate / scale) > 1.0 and is_doubtful:  # rapidly decaying parts are no error
            estimate = error(self.rate(self.t, self.y + estimate))
        return _size(estimate / scale)

    def _scale(self, y: Array) -> Array:
        return np.asarray(self.atol + self.rtol * np.abs(y))


def _size(parts: Array) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(parts * parts)))
