"""Loads other than drives, gravity and friction, as the equations of motion use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from sim.dynamics.wrench import AppliedWrench
from sim.maths.arrays import Array
from sim.robots.marker import Angle


class LinearLoads(Struct, frozen=True, eq=False):
    """Loads that act in joints with the torque ``at_zero - stiffness q - damping qd``.

    Parameters
    ----------
    at_zero : ndarray, shape (n,)
        [N·m or N]
    stiffness, damping : ndarray, shape (n, n)
        Matrices for the independent joints.
    """

    at_zero: Array
    stiffness: Array
    damping: Array


class Loads(Protocol):
    """All loads other than drives, gravity and friction: the force elements."""

    @property
    def states(self) -> int:
        """Number of the elements' own state variables."""
        ...

    @property
    def start(self) -> Array:
        """Values of z at the first sample, shape (states,)."""
        ...

    @property
    def state_rows(self) -> Mapping[str | Angle, int]:
        """Rows of state variables that motors may read, by angle, or name in capitals."""
        ...

    @property
    def linear(self) -> LinearLoads | None:
        """Linear law of the loads, if they act in joints only and are linear in q and qd."""
        ...

    def __call__(
        self, t: Array, q: Array, qd: Array, z: Array
    ) -> tuple[Array, Sequence[AppliedWrench]]:
        """Return torques on the joints (n, N), and wrenches on links at the N times.

        Parameters
        ----------
        t : ndarray, shape (N,)
            [s]
        q, qd : ndarray, shape (n, N)
            Independent joints [rad or m], [rad/s or m/s].
        z : ndarray, shape (states, N)
        """
        ...

    def on_tree(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return the torques at each tree joint, shape (n_tree, N), for the same arguments."""
        ...

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return dz/dt for the same arguments, shape (states, N)."""
        ...
