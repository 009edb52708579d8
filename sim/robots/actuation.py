"""Actuation: what motors give to the joints that no motion prescribes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from sim.maths.arrays import Array


class Actuation(Protocol):
    """Torques tau(t, q, qd, z) of motors, with state variables z of their own.

    A sampled law has a `hold` time: at each sample instant `sample` sets z, which keeps what it
    commands until the next. The solver begins anew there.
    """

    @property
    def states(self) -> int:
        """Number of state variables."""
        ...

    @property
    def start(self) -> Array:
        """Their values at the first sample, shape (states,)."""
        ...

    @property
    def hold(self) -> float | None:
        """Time between two sample instants from the start on [s]; None of a continuous law."""
        ...

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Torques of the motors, zero where there is none, shape (n, N) [N·m or N].

        Parameters
        ----------
        t : ndarray, shape (N,)
            [s]
        q, qd : ndarray, shape (n, N)
            Independent joints [rad or m], [rad/s or m/s].
        z : ndarray, shape (states, N)
        """
        ...

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """dz/dt at the same arguments, shape (states, N)."""
        ...

    def sample(self, t: float, q: Array, qd: Array, z: Array) -> Array:
        """State variables (states,) right after a sample instant, of one state q, qd (n,).

        Not called without a `hold` time.
        """
        ...


@dataclass(frozen=True, eq=False)
class TorqueOverTime:
    """Torques of motors as functions of time alone.

    Parameters
    ----------
    torque : callable
        Times (N,) [s] -> torques (n, N) [N·m or N].
    """

    torque: Callable[[Array], Array]
    states: ClassVar[int] = 0
    start: ClassVar[Array] = np.empty(0)
    hold: ClassVar[float | None] = None

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Torques of the motors, shape (n, N) [N·m or N]."""
        return self.torque(t)

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Nothing, shape (0, N)."""
        return np.empty((0, t.size))

    def sample(self, t: float, q: Array, qd: Array, z: Array) -> Array:
        """Nothing, shape (0,)."""
        return z
