"""Actuation: torques of motors at the joints without a prescribed motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from msgspec import Struct

from sim.functions.expression import StateExpression
from sim.maths.arrays import Array
from sim.robots.marker import Angle
from sim.robots.names import Names


class Actuation(Protocol):
    """Motor torques tau(t, q, qd, z), with internal state variables z.

    A sampled law has a `hold` time: at each sample instant `sample` sets z, which keeps the
    commands until the next one. The solver restarts at each sample instant.
    """

    @property
    def states(self) -> int:
        """Number of state variables."""
        ...

    @property
    def start(self) -> Array:
        """Values of the states at the first sample, shape (states,)."""
        ...

    @property
    def hold(self) -> float | None:
        """Time between sample instants, from the start on [s]; None for a continuous law."""
        ...

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Motor torques, zero at joints without a motor, shape (n, N) [N·m or N].

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
        """State variables (states,) right after a sample instant, for a single state q, qd (n,).

        Called only if there is a `hold` time.
        """
        ...


class WrittenLaw(Struct, frozen=True, eq=False):
    """An expression for a motor torque or the rate of a state, with the names that it reads.

    Parameters
    ----------
    row : int
        Row of the motor in q, or of the state in z.
    expression : StateExpression
    names : Names
    ratio : float
        Divisor of the expression's value.
    """

    row: int
    expression: StateExpression
    names: Names
    ratio: float = 1.0


@runtime_checkable
class WrittenActuation(Actuation, Protocol):
    """An actuation whose laws are expressions of the state."""

    @property
    def over_time(self) -> Callable[[Array], Array]:
        """Times (N,) [s] -> torques (n, N) of the motors that depend on time only [N·m or N]."""
        ...

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states z, in order."""
        ...

    @property
    def torque_laws(self) -> tuple[WrittenLaw, ...]:
        """Laws of the motors that depend on the state."""
        ...

    @property
    def rate_laws(self) -> tuple[WrittenLaw, ...]:
        """Laws for the rates of z, in order."""
        ...

    @property
    def other_states(self) -> tuple[str | Angle, ...]:
        """Force-element states read by the laws (in capitals), in z after its own states."""
        ...


STEP = 1e-6  # step of the states for central differences


def fastest_rate(actuation: Actuation, t: Array, q: Array, qd: Array, z: Array) -> float:
    """Largest |λ| of ∂z'/∂z [1/s], by central differences; 0 without states.

    Parameters
    ----------
    t : ndarray, shape (1,)
    q, qd : ndarray, shape (n, 1)
    z : ndarray, shape (states, 1)
        Own states, then the other states that the actuation reads.
    """
    if not (own_states := actuation.states) or actuation.hold is not None:
        return 0.0
    steps = STEP * np.maximum(1.0, np.abs(z[:own_states, 0]))
    aside = np.eye(len(z), own_states) * steps
    states = z + np.hstack([aside, -aside])
    t, q, qd = (np.repeat(x, states.shape[1], axis=-1) for x in (t, q, qd))
    ahead, behind = np.split(actuation.rate(t, q, qd, states), 2, axis=1)
    slopes = (ahead - behind) / (2 * steps)
    return float(np.abs(np.linalg.eigvals(slopes)).max()) if np.isfinite(slopes).all() else 0.0


class TorqueOverTime(Struct, frozen=True, eq=False):
    """Motor torques as functions of time only.

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
        """Empty array of rates, shape (0, N)."""
        return np.empty((0, t.size))

    def sample(self, t: float, q: Array, qd: Array, z: Array) -> Array:
        """Empty array of states, shape (0,)."""
        return z
