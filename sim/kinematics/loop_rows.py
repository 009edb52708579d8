"""Equations of one loop: constraints on the relative motion of two frames, seen from the first.

With p the position and R the rotation of frame b as seen from frame a, and v, ω, a, α their rates,

    along     e = Dᵀ p          ė = Dᵀ v              ë = Dᵀ a
    square    e = u · z         ė = (z × u) · ω       ë = u · (α × z + ω × (ω × z)),  z = R w
    twist     e = x · R y - y · R x, as two squares
    length    e = |p| - L       ė = p/|p| · v         ë = p/|p| · a + (v² - ė²) / |p|

A row's force D and its moment act on b at its point, each per unit of the multiplier.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from msgspec import Struct

from sim.functions.syntax import Call, Node, Reading, constant
from sim.kinematics.loop_function_row import FunctionRow
from sim.kinematics.seen_frames import Seen, SeenRates
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.loop import Loop


class Rows(Protocol):
    """Equations of one form."""

    @property
    def count(self) -> int:
        """Number of rows."""
        ...

    @property
    def are_turns(self) -> bool:
        """Whether the errors are angles [rad], not lengths [m]."""
        ...

    def error(self, relative: Seen) -> Array:
        """Return e, shape (k, N) [m or rad]."""
        ...

    def gradient(self, relative: Seen) -> tuple[Array, Array]:
        """Return the rates of e per v and per ω, shape (k, 3, N) each."""
        ...

    def bias(self, relative: Seen, rates: SeenRates) -> Array:
        """Return ë for given rates, shape (k, N)."""
        ...


class AlongRows(Struct, frozen=True, eq=False):
    """Point b stays at point a along the axes D (k, 3) of a."""

    D: Array
    are_turns: ClassVar[bool] = False

    @property
    def count(self) -> int:
        """See `Rows`."""
        return len(self.D)

    def error(self, relative: Seen) -> Array:
        """See `Rows`."""
        return np.asarray(self.D @ relative.p)

    def gradient(self, relative: Seen) -> tuple[Array, Array]:
        """See `Rows`."""
        force = np.repeat(self.D[:, :, None], relative.p.shape[1], axis=2)
        return force, np.zeros_like(force)

    def bias(self, relative: Seen, rates: SeenRates) -> Array:
        """See `Rows`."""
        return np.asarray(self.D @ rates.a)


class SquareRows(Struct, frozen=True, eq=False):
    """Axes u (k, 3) of a and w (k, 3) of b stay perpendicular."""

    u: Array
    w: Array
    are_turns: ClassVar[bool] = True

    @property
    def count(self) -> int:
        """See `Rows`."""
        return len(self.u)

    def _axes(self, relative: Seen) -> tuple[Array, Array]:
        """Return u and R w as seen from a, shape (k, 3, N) each."""
        z = np.einsum("abN,kb->kaN", relative.R, self.w)
        return np.broadcast_to(self.u[:, :, None], z.shape), z

    def error(self, relative: Seen) -> Array:
        """See `Rows`."""
        u, z = self._axes(relative)
        return np.asarray(np.sum(u * z, axis=1))

    def gradient(self, relative: Seen) -> tuple[Array, Array]:
        """See `Rows`."""
        u, z = self._axes(relative)
        moment = cross(z, u, axis=1)
        return np.zeros_like(moment), moment

    def bias(self, relative: Seen, rates: SeenRates) -> Array:
        """See `Rows`."""
        u, z = self._axes(relative)
        w, wd = (np.broadcast_to(x, z.shape) for x in (rates.w, rates.wd))
        turned = cross(wd, z, axis=1) + cross(w, cross(w, z, axis=1), axis=1)
        return np.asarray(np.sum(u * turned, axis=1))


class TwistRow(Struct, frozen=True, eq=False):
    """``x · R y = y · R x``: b rotates about an axis perpendicular to z of a, and of b."""

    squares: ClassVar[SquareRows] = SquareRows(np.eye(3)[:2] * [[1.0], [-1.0]], np.eye(3)[1::-1])
    are_turns: ClassVar[bool] = True
    count: ClassVar[int] = 1

    def error(self, relative: Seen) -> Array:
        """See `Rows`."""
        return self.squares.error(relative).sum(axis=0, keepdims=True)

    def gradient(self, relative: Seen) -> tuple[Array, Array]:
        """See `Rows`."""
        force, moment = (
            part.sum(axis=0, keepdims=True) for part in self.squares.gradient(relative)
        )
        return force, moment

    def bias(self, relative: Seen, rates: SeenRates) -> Array:
        """See `Rows`."""
        return self.squares.bias(relative, rates).sum(axis=0, keepdims=True)


class LengthRow(Struct, frozen=True, eq=False):
    """The points stay at a distance [m]."""

    length: float
    are_turns: ClassVar[bool] = False
    count: ClassVar[int] = 1

    def _direction(self, relative: Seen) -> tuple[Array, Array]:
        """Return distance (N,) and direction (3, N) from a to b; NaN if the points coincide."""
        distance = np.sqrt(np.sum(relative.p**2, axis=0))
        return distance, relative.p / np.where(distance > 0.0, distance, 1.0)

    def error(self, relative: Seen) -> Array:
        """See `Rows`."""
        return np.asarray(self._direction(relative)[0][None] - self.length)

    def gradient(self, relative: Seen) -> tuple[Array, Array]:
        """See `Rows`."""
        direction = self._direction(relative)[1][None]
        return direction, np.zeros_like(direction)

    def bias(self, relative: Seen, rates: SeenRates) -> Array:
        """See `Rows`."""
        distance, direction = self._direction(relative)
        rate = np.sum(direction * rates.v, axis=0)
        across = np.sum(rates.v**2, axis=0) - rate**2
        along = np.sum(direction * rates.a, axis=0)
        return np.asarray((along + across / np.where(distance > 0.0, distance, 1.0))[None])


def rows_of(loop: Loop) -> tuple[Rows, ...]:
    """Return the equations of a loop, in its frames a and b."""
    closure, axis = loop.closure, dict(zip("xyz", np.eye(3), strict=True))
    rows: list[Rows] = []
    if closure.along:
        rows.append(AlongRows(np.stack([axis[c] for c in closure.along])))
    if closure.square:
        u, w = (np.stack([axis[pair[side]] for pair in closure.square]) for side in (0, 1))
        rows.append(SquareRows(u, w))
    if closure.is_untwisted:
        rows.append(TwistRow())
    if loop.length is not None:
        rows.append(LengthRow(loop.length))
    if loop.expression is not None:
        length = _length_of(loop.expression.tree)
        rows.append(FunctionRow(loop.expression) if length is None else LengthRow(length))
    return tuple(rows)


def _length_of(tree: Node) -> float | None:
    """Return the length of a rod given by a function ``DM(b,a) - 0.5``; None for any other."""
    if not (isinstance(tree, Call) and tree.name == "+"):
        return None
    first, *rest = tree.arguments
    numbers = [constant(term) for term in rest]
    if not (isinstance(first, Reading) and first.name == "DM") or None in numbers:
        return None
    return -sum(number for number in numbers if number is not None)
