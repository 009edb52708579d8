"""Steps across singular poses of closed loops, where a solver with error control stalls.

Where the bars of a mechanism come to lie in one line, a loop equation repeats another one. At a
distance d from there the loops' forces are known to ``eps / d²`` only, and a solver that asks for
more halves its step for ever. The motion itself is smooth: it is taken in one step from the last
state before the solver slowed down, as long as the steps were there, its stages on closed loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.dynamics.constrained_dynamics import ConstrainedDynamics
from sim.dynamics.equations_of_motion import Mechanism, Modes
from sim.dynamics.single_state.rate import Rate
from sim.errors import ScenarioError
from sim.maths.arrays import Array

SLOWER = 1e-2  # of the steps of late; there the solver is looked at
KEPT = 0.5  # of the length of steps of late, from one step to the next
ALLOWED = 1e-6  # error of the step across, absolute and relative


class SingularPoses:
    """The last state that is not nearly singular, and the step across a pose from there.

    Parameters
    ----------
    mechanism : Mechanism
    modes : Modes
    rate : callable
        Rate of the solver's state.
    t : float
        [s]
    y : ndarray, shape (size,)
    """

    def __init__(self, mechanism: Mechanism, modes: Modes, rate: Rate, t: float, y: Array) -> None:
        self.mechanism, self.modes, self.rate = mechanism, modes, rate
        self.t, self.y, self.length = t, y, 0.0

    def has_stalled(self, t: float, y: Array, step: float) -> bool:
        """Whether the solver has slowed down for a singular pose, after a step [s] to y at t."""
        is_long = step >= KEPT * self.length
        if is_long or not self.mechanism.is_nearly_singular(t, y):
            self.t, self.y, self.length = t, y, max(step, KEPT * self.length)
            return False
        return step < SLOWER * self.length

    def step_across(self, now: float, end: float) -> Any:
        """A solver that has made one step to a time after `now`, at most `end`, past the pose.

        Raises
        ------
        ScenarioError
            If it cannot be passed; names the time.
        """
        from scipy.integrate import DOP853

        def on_loops(time: float, y: Array) -> Array:
            closed = self.mechanism.with_closed_loops(np.array([time]), y[:, None], self.modes)
            return self.rate(time, closed[:, 0])

        bound = min(self.t + self.length, end)
        solver = DOP853(
            on_loops, self.t, self.y, bound, first_step=bound - self.t, rtol=ALLOWED, atol=ALLOWED
        )
        solver.step()
        if solver.status == "failed" or solver.t <= now:
            raise ScenarioError(
                f"The closed loops of robot {self.mechanism.dynamics.robot.name!r} come to a "
                f"singular pose at t = {now:.6g} s, which the solver cannot pass; {self._advice()}"
            )
        return solver

    def _advice(self) -> str:
        """What to do where a pose cannot be passed."""
        dynamics, free = self.mechanism.dynamics, self.mechanism.prescription.free
        decided = dynamics.decided if isinstance(dynamics, ConstrainedDynamics) else ()
        if len(decided) == np.count_nonzero(free):
            return "use method 'ideal', as the drives decide where all joints are, or 'stepped'"
        return "start it elsewhere, drive a joint, or end the run before"
