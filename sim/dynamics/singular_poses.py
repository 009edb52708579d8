"""Steps across singular poses of closed loops, where a solver with error control stalls.

If the bars of a mechanism become collinear, a loop equation becomes redundant. At a distance d from
there accelerations have an error of ``eps / d²``, and a solver that requires a smaller one halves
its step for ever. From such a pose a mechanism can continue along two crossing branches. Its motion
is smooth along the branch on which it arrived: the pose is passed in one step of Radau's rule that
begins before the solver slowed down and is so long that the pose is midway between two of its
points. All points are on closed loops, and none is close enough to the pose to change the branch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from sim.dynamics.constrained_dynamics import SINGULAR
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.implicit_steps import Polynomial, radau
from sim.dynamics.single_state.rate import Rate
from sim.dynamics.solver import DenseSolution, DenseSolver
from sim.errors import ScenarioError, SimError
from sim.maths.arrays import Array

SLOWER = 1e-2  # relative to recent steps; a shorter one prompts a check for a singular pose
KEPT = 0.5  # weight of the previous mean step length in the next
REMEMBERED = 64  # past steps among which the beginning is chosen

# Relative least singular values of the loops at which a step across may begin.
BEGINS = SINGULAR * 20.0 / 2.0 ** np.arange(9)
BEHIND = 0.5  # relative to it, least singular value at the end of the step
MIDWAY = 0.5 * float(radau().c[2] + radau().c[3])  # fraction of the step
MOST_ITERATIONS, SOLVED, STALLED = 40, 1e-14, 1e-9  # relative to 1 or the state
WANTED, ALLOWED = 1e-9, 1e-4  # error of the step across, relative to 1 or the state


class SingularPoses:
    """`DenseSolver` for closed loops: wraps another solver, and crosses poses where it stalls.

    Parameters
    ----------
    steps : DenseSolver
        The wrapped solver, at the beginning.
    mechanism : Mechanism
    modes : FrictionModes
    rate : callable
        Rate of the solver's state.
    end : float
        End of the integration [s].
    """

    def __init__(
        self, steps: DenseSolver, mechanism: Mechanism, modes: FrictionModes, rate: Rate, end: float
    ) -> None:
        self.steps, self.mechanism, self.modes = steps, mechanism, modes
        self.rate, self.end, self.cost = rate, end, steps.cost
        self.t, self.y, self.h_abs = steps.t, steps.y, steps.h_abs
        self.across: Polynomial | None = None
        self.singular_times: tuple[float, ...] = ()
        self.length = 0.0  # mean length of recent steps
        self.states = deque([(self.t, self.y)], maxlen=REMEMBERED)

    def step(self) -> str | None:
        """Take one step; return a reason if it failed.

        Raises
        ------
        ScenarioError
            If a pose cannot be passed; names the time.
        """
        message, steps = self.steps.step(), self.steps
        length, self.t, self.y, self.h_abs = steps.t - self.t, steps.t, steps.y, steps.h_abs
        if message is None and self._has_stalled(length):
            self.singular_times = (*self.singular_times, float(self.t))
            self.across = across = self._step_across()
            self.t, self.y = across.t, across.states[-1]
            self.h_abs = self.length if self.t < self.end else across.t - across.t_old
        return message

    def dense_output(self) -> DenseSolution:
        """Return the solution within the last step."""
        return self.steps.dense_output() if self.across is None else self.across

    def settle(self, t: Array) -> Array:
        """Return the states (size, N) at times (N,) within the last step."""
        return self.steps.settle(t) if self.across is None else self.across(t)

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Continue from a state y (size,) at t; if `step` [s] is given, as at the beginning."""
        self.steps.resume(t, y, step if self.across is None else self.length)
        self.t, self.y, self.across = t, y, None

    def _has_stalled(self, step: float) -> bool:
        """Whether the solver has slowed down because of a singular pose, after a step [s]."""
        is_long = step >= KEPT * self.length
        if is_long or not self.mechanism.is_nearly_singular(self.t, self.y):
            self.states.append((self.t, self.y))
            self.length = max(step, KEPT * self.length)
            return False
        return step < SLOWER * self.length

    def _step_across(self) -> Polynomial:
        """Return the step from before the pose to a time behind it, at most to the end."""
        best, missed, now = None, np.inf, self.t
        for t, begin, sigma in self._begins():
            there = self.mechanism.least_singular_value(now, self.y)
            pose = t + (now - t) * sigma / (sigma - there) if there < sigma else now
            try:
                crossing = self._step(t, begin, min(t + (pose - t) / MIDWAY, self.end) - t)
            except SimError:  # from a state that is only tried
                continue
            if crossing is None or not crossing[0].t > now or crossing[1] > missed:
                continue
            solution = crossing[0]
            behind = self.mechanism.least_singular_value(solution.t, solution.states[-1])
            if behind >= BEHIND * sigma or solution.t == self.end:
                best, missed = crossing
                if missed <= WANTED:
                    break
        if best is not None and missed <= ALLOWED:
            self.states.clear()
            self.states.append((best.t, best.states[-1]))
            return best
        raise ScenarioError(
            f"The closed loops of robot {self.mechanism.dynamics.robot.name!r} come to a "
            f"singular pose at t = {now:.6g} s, which the solver cannot pass; {self._advice()}"
        )

    def _begins(self) -> Iterator[tuple[float, Array, float]]:
        """Yield recent times, states and least singular values, closer and closer to the pose."""
        begins = []
        for t, y in reversed(self.states):
            begins.append((t, y, self.mechanism.least_singular_value(t, y)))
            if begins[-1][2] >= BEGINS[0]:
                break
        begins.reverse()
        for least in BEGINS:
            near = [k for k, (_, _, sigma) in enumerate(begins) if sigma >= least]
            if near:
                yield begins[near[-1]]
                begins = begins[near[-1] + 1 :]

    def _step(self, t: float, y: Array, h: float) -> tuple[Polynomial, float] | None:
        """Return one step of Radau's rule with its points on closed loops, or None.

        It comes with an error estimate relative to 1 or the state: h times the error of the
        polynomial's rate at the beginning. The points are first found in sequence by Euler's rule,
        then iterated all at once.
        """
        rule, size = radau(), 1.0 + np.abs(y)
        times = (t + rule.c * h).tolist()
        Z, F = np.empty((2, rule.c.size, y.size))
        before, at, f = y, t, self.rate(t, y)
        first, change = f, np.inf
        for k, time in enumerate(times):
            before = Z[k] = self._close(time, before + (time - at) * f)
            F[k] = f = self.rate(time, before)
            at = time
        for _ in range(MOST_ITERATIONS):
            new = np.array(
                [self._close(*one) for one in zip(times, y + h * rule.A @ F, strict=True)]
            )
            last, change = change, float(np.max(np.abs(new - Z) / size))
            if not change < max(last, STALLED):  # no convergence, or not finite
                return None
            Z = new
            F = np.array([self.rate(*one) for one in zip(times, Z, strict=True)])
            if change <= SOLVED or STALLED >= change >= 0.5 * last:
                break
        else:
            return None
        polynomial = Polynomial(t, t + h, np.vstack([y, Z]))
        missed = h * np.abs(polynomial.rate(np.array([t]))[:, 0] - first) / size
        return polynomial, float(missed.max())

    def _close(self, t: float, y: Array) -> Array:
        closed = self.mechanism.with_closed_loops(np.array([t]), y[:, None], self.modes)
        return np.asarray(closed[:, 0])

    def _advice(self) -> str:
        """Return advice for a pose that cannot be passed."""
        loops, free = self.mechanism.loops, self.mechanism.prescription.free
        decided = () if loops is None else loops.decided
        if len(decided) == np.count_nonzero(free):
            return "use method 'ideal', as the drives decide where all joints are, or 'stepped'"
        return "start it elsewhere, drive a joint, or end the run before"
