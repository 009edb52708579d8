"""TimeFunction: interface of a scalar function of time for motions."""

from __future__ import annotations

from numbers import Real
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.maths.arrays import Array


@runtime_checkable
class TimeFunction(Protocol):
    """A scalar function f of time [s] with its derivatives and breaks.

    At a break all values are those from the right, t → t⁺. Undefined values are NaN.
    """

    def value(self, t: Array) -> Array:
        """Return values f(t), of t's shape."""
        ...

    def derivatives(self, t: Array) -> tuple[Array, Array, Array]:
        """Return (f, f′, f″) at t, each of t's shape; exact, not finite differences."""
        ...

    def breaks(self, t0: float, t1: float) -> Array:
        """Return sorted times in [t0, t1] where f or its first three derivatives may jump [s]."""
        ...


def require_finite(function: TimeFunction, t: ArrayLike, what: str) -> None:
    """Check that f, f′ and f″ are finite at all times `t`.

    Parameters
    ----------
    function : TimeFunction
    t : array_like
        Times [s].
    what : str
        Name of the function in a message, e.g. ``motion of joint 'elbow_joint'``.

    Raises
    ------
    ScenarioError
        If a value is not finite; names it, and the first such time.
    """
    times = np.atleast_1d(np.asarray(t, dtype=np.float64))
    names = ("value", "first derivative", "second derivative")
    for name, values in zip(names, function.derivatives(times), strict=True):
        bad = ~np.isfinite(values)
        if np.any(bad):
            first = np.min(times[bad])
            raise ScenarioError(f"{what}: its {name} is not finite at t = {first:.9g} s")


def text_of(function: object) -> str:
    """Return the text of a function as typed, or else the name of its kind."""
    text = getattr(function, "text", function)
    return str(text) if isinstance(text, str | Real) else type(function).__name__.lower()
