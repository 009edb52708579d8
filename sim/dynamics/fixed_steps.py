"""Steps of a fixed Runge-Kutta rule for held motor torques.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from msgspec import Struct

from sim.dynamics.control_loop import StepRule
from sim.dynamics.dormand_prince import STAGES, A, B, C
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.explicit_steps import estimated_error
from sim.dynamics.single_state.machine_code import held_stepper
from sim.dynamics.single_state.rate import rate_of
from sim.dynamics.step_choice import ATOL, RTOL
from sim.dynamics.stick_slip import margins
from sim.maths.arrays import Array


class Tableau(Struct, frozen=True, eq=False):
    """Coefficients of an explicit Runge-Kutta rule with s stages, and whether it has an error."""

    A: Array
    B: Array
    C: Array
    has_error: bool = False


# Time, length, state and memory for the stages' rates -> the state at the end.
OneStep = Callable[[float, float, Array, Array], Array | None]


@cache
def tableau_of(rule: StepRule) -> Tableau:
    """Return the coefficients of a rule."""
    if rule == "RK4":
        A_4 = np.diag([0.5, 0.5, 1.0], -1)
        return Tableau(A_4, np.array([1.0, 2.0, 2.0, 1.0]) / 6, np.array([0.0, 0.5, 0.5, 1.0]))
    return Tableau(A[:STAGES, :STAGES], B, C[:STAGES], has_error=True)


class FixedSteps:
    """`Solver` with a fixed rule and step length, and rates in the current friction modes."""

    def __init__(self, mechanism: Mechanism, rule: StepRule) -> None:
        self.mechanism, self.tableau = mechanism, tableau_of(rule)
        self.is_rough = bool(mechanism.has_dry_friction.any())
        self.h_abs = 0.0
        self.rules: dict[bytes, OneStep] = {}
        self.K = np.empty((self.tableau.B.size, mechanism.layout.size))

    def advance(
        self, modes: FrictionModes, begin: float, end: float, y: Array, parts: int
    ) -> Array | None:
        """Return the state after equal parts; None if the modes change or it is not accurate."""
        self.modes, self.one_step = modes, self._of(modes)
        self.resume(begin, y, (end - begin) / parts)
        for _ in range(parts):
            if self.step() is not None:
                return None
        if modes.stuck.any():
            margin = margins(self.mechanism, modes, np.array([end]), self.y[:, None])
            if not (margin[modes.stuck] >= 0).all():
                return None
        return self.y

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Continue from a state y (size,) at t, with a step length [s] if one is given."""
        self.begin, self.t, self.y, self.n_steps = t, t, y, 0
        self.h_abs = step or self.h_abs

    def step(self) -> str | None:
        """Take one step; return a reason if it failed."""
        new = self.one_step(self.t, self.h_abs, self.y, self.K)
        if new is None or not _is_accurate(self.tableau, self.K, self.h_abs, self.y, new):
            return "the step is not accurate"
        if not self._keeps_sliding(self.modes, self.K, new):
            return "a joint changes its mode"
        self.n_steps += 1
        self.t, self.y = self.begin + self.n_steps * self.h_abs, new
        return None

    def _keeps_sliding(self, modes: FrictionModes, K: Array, new: Array) -> bool:
        """Whether all sliding joints keep their sense in all stages and at the end."""
        if not self.is_rough:
            return True
        layout, free = self.mechanism.layout, self.mechanism.prescription.free
        slide = modes.slide[free]
        moves = slide != 0
        along = np.vstack([K[1:, layout.q], new[layout.qd]])[:, moves] * slide[moves]
        return bool((along > 0).all())

    def _of(self, modes: FrictionModes) -> OneStep:
        key = modes.stuck.tobytes() + modes.slide.tobytes()
        if key not in self.rules:
            self.rules[key] = _one_step(self.mechanism, modes, self.tableau)
        return self.rules[key]


def _one_step(mechanism: Mechanism, modes: FrictionModes, tableau: Tableau) -> OneStep:
    """Return a step of the rule in constant modes, in machine code if that supports all loads."""
    A, B, C = tableau.A, tableau.B, tableau.C
    compiled = held_stepper(mechanism, modes, A, B)
    if compiled is not None:

        def in_machine_code(t: float, h: float, y: Array, K: Array) -> Array | None:
            new = y.copy()
            return new if compiled(new, h, K) else None

        return in_machine_code
    rate = rate_of(mechanism, modes)

    def by_numpy(t: float, h: float, y: Array, K: Array) -> Array:
        K[0] = rate(t, y)
        for s in range(1, len(K)):
            K[s] = rate(t + h * C[s], y + h * (A[s, :s] @ K[:s]))
        return np.asarray(y + h * (B @ K))

    return by_numpy


def _is_accurate(tableau: Tableau, K: Array, h: float, y: Array, new: Array) -> bool:
    """Whether the estimated error of a step is within the tolerances of the solver."""
    if not tableau.has_error:
        return bool(np.isfinite(new).all())
    return estimated_error(K, h, ATOL + RTOL * np.maximum(np.abs(y), np.abs(new))) < 1.0
