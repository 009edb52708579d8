"""Solver: interface of the solvers of a motion."""

from __future__ import annotations

from typing import Protocol

from sim.maths.arrays import Array


class DenseSolution(Protocol):
    """The solution within one step, a function of time."""

    @property
    def t_old(self) -> float:
        """Beginning of the step [s]."""
        ...

    @property
    def t(self) -> float:
        """End of the step [s]."""
        ...

    def __call__(self, t: float | Array, /) -> Array:
        """Return the state at a time (size,), or the states at times (N,), shape (size, N)."""
        ...


class Solver(Protocol):
    """A solver that steps from a state on, similar to `scipy.integrate.OdeSolver`.

    1. It is at a time `t` and a state `y`, and `h_abs` is the length of its next step.
    2. `step` takes one step, not beyond the end that the solver was made for.
    3. `step` returns None, or the reason for a failure, which leaves the state unchanged.
    4. An error of the rate is raised if no step is short enough to avoid it.
    5. `resume` moves the solver to a state close to its own and keeps its history; if the length of
    the first step is given, it restarts, possibly at another time.

    Attributes
    ----------
    t : float
        [s]
    y : ndarray, shape (size,)
    h_abs : float
        [s]
    """

    t: float
    y: Array
    h_abs: float

    def step(self) -> str | None:
        """Take one step; return a reason if it failed."""
        ...

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Continue from a state y (size,) at t; if `step` [s] is given, as at the beginning."""
        ...


class DenseSolver(Solver, Protocol):
    """`Solver` that chooses its steps by tolerances, and interpolates within them.

    6. `dense_output` covers the last step, until the next one.
    7. `settle` returns the samples in it.
    8. `cost` compares its steps with explicit ones; `singular_times` lists the poses passed.
    9. `prepare`, if it exists, is called with the times of the rates before their evaluation.
    """

    cost: int  # number of explicit steps that take as long as one step
    singular_times: tuple[float, ...]  # times at which closed loops passed singular poses [s]

    def dense_output(self) -> DenseSolution:
        """Return the solution within the last step."""
        ...

    def settle(self, t: Array) -> Array:
        """Return the states (size, N) at sample times (N,) within the last step."""
        ...
