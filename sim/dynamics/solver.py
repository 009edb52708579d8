"""Solver: what a solver of a motion does, whichever way it steps."""

from __future__ import annotations

from typing import Protocol

from sim.maths.arrays import Array


class DenseSolution(Protocol):
    """The solution within one step, a function of time."""

    @property
    def t_old(self) -> float:
        """Where the step begins [s]."""
        ...

    @property
    def t(self) -> float:
        """Where it ends [s]."""
        ...

    def __call__(self, t: float | Array, /) -> Array:
        """The state at a time (size,), or the states at times (N,), shape (size, N)."""
        ...


class Solver(Protocol):
    """A solver that steps from a state on, in the manner of `scipy.integrate.OdeSolver`.

    1. It stands at a time `t` and a state `y`, and `h_abs` is the length of its next step.
    2. `step` takes one step, not beyond the end that the solver was made for.
    3. A step that fails leads nowhere, and `step` returns the reason; otherwise None.
    4. An error of the rate is raised if no step is short enough to avoid it.
    5. `resume` moves the solver to a state next to its own, with all that it has learnt; or it
       begins anew, at another time too, if the length of the first step is stated.

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
        """Take one step; the reason if there is none."""
        ...

    def resume(self, t: float, y: Array, step: float | None = None) -> None:
        """Go on from a state y (size,) at t; with a `step` [s] as if it began there."""
        ...


class DenseSolver(Solver, Protocol):
    """`Solver` that a solver chooses by its tolerances, with the solution within them.

    6. `dense_output` covers the last step, until the next one.
    7. `settle` gives the samples in it.
    8. `cost` compares its steps with others, and `singular_times` lists the poses behind it.
    9. `prepare`, if it has one, is called with the times of the rates before they are asked for.
    """

    cost: int  # explicit steps that take as long as one of its steps
    singular_times: tuple[float, ...]  # when closed loops passed a singular pose [s]

    def dense_output(self) -> DenseSolution:
        """The solution within the last step."""
        ...

    def settle(self, t: Array) -> Array:
        """The states (size, N) at times (N,) within the last step, as samples are taken."""
        ...
