"""Equations of one loop: constraints on the relative motion of two frames, seen from the first.

With p the position and R the rotation of frame b as seen from frame a, and v, ω, a, α their rates,

    along     e = Dᵀ p          ė = Dᵀ v              ë = Dᵀ a
    square    e = u · z         ė = (z × u) · ω       ë = u · (α × z + ω × (ω × z)),  z = R w
    twist     e = x · R y - y · R x, as two squares
    length    e = |p| - L       ė = p/|p| · v         ë = p/|p| · a + (v² - ė²) / |p|

A row's force D and its moment act on b at its point, each per unit of the multiplier.

Equation of a loop that constrains a function of two frames to zero; derivatives by jets.

The pose of b seen from a is a jet in time: value, rate and second derivative. The gradient is the
rate for unit velocities and unit angular velocities; the second derivative at zero accelerations is
γ.

An angle that no hinges count has the whole turns of the closed loop: those that bring the function
nearest to zero. They follow from one division if each turn changes the function equally, or not at
all; for other functions they are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.functions import jet
from sim.functions.expression import StateExpression
from sim.functions.jet import Jet
from sim.functions.state_functions import ANGLES
from sim.functions.syntax import Call, Node, Reading, constant, evaluate
from sim.kinematics.seen_frames import Seen, SeenRates
from sim.maths.arrays import Array
from sim.maths.rotations import cross, whole_turns
from sim.robots.loop import Loop

HALF_TURN = 1e-2  # rad; distance that an arctangent must keep from it
EVEN = 1e-9  # relative rounding of a function that is linear in whole turns


class FunctionRow(Struct, frozen=True, eq=False):
    """A function of two frames that stays zero."""

    expression: StateExpression
    are_turns: ClassVar[bool] = False
    count: ClassVar[int] = 1

    def error(self, relative: Seen) -> Array:
        """See `sim.kinematics.loop_rows.Rows`."""
        still = np.zeros_like(relative.p)
        return self._row(self._jet(relative, SeenRates(still, still, still, still)).value, relative)

    def gradient(self, relative: Seen) -> tuple[Array, Array]:
        """See `sim.kinematics.loop_rows.Rows`."""
        N = relative.p.shape[1]
        units = np.repeat(np.eye(6), N, axis=1)  # all states for each unit rate
        turns = {axis: np.tile(angle, 6) for axis, angle in (relative.turns or {}).items()}
        p, R_a, R_b = (np.tile(x, 6) for x in (relative.p, relative.R_a, relative.R_b))
        repeated = Seen(p, R_a, R_b, None if relative.turns is None else turns)
        still = np.zeros((3, 6 * N))
        rates = SeenRates(units[:3], still, units[3:], still)
        first = np.broadcast_to(self._jet(repeated, rates).first, (6 * N,)).reshape(2, 1, 3, N)
        return first[0], first[1]

    def bias(self, relative: Seen, rates: SeenRates) -> Array:
        """See `sim.kinematics.loop_rows.Rows`."""
        return self._row(self._jet(relative, rates).second, relative)

    def _row(self, values: Array, relative: Seen) -> Array:
        return np.array(np.broadcast_to(values, (1, relative.p.shape[1])))

    def _jet(self, relative: Seen, rates: SeenRates) -> Jet:
        axes = {"XYZ".index(x.name[1]) for x in self.expression.readings if x.name in ANGLES}
        if relative.turns is None or not axes - {*relative.turns}:
            return self._jet_at(relative, rates)
        return self._jet_at(
            relative, rates, self._turns(relative, rates, sorted(axes - {*relative.turns}))
        )

    def _turns(self, relative: Seen, rates: SeenRates, axes: Sequence[int]) -> Array:
        """Return the whole turns of the angle about an axis that hinges do not count, (N,).

        Raises
        ------
        ScenarioError
            If the function does not determine them, and the angle is near a jump at half a turn.
        """
        f, after, last = (
            self._jet_at(relative, rates, np.array([float(k)])).value for k in range(3)
        )
        least = EVEN * np.maximum(1.0, np.abs(f))
        is_even = (np.abs(last - 2 * after + f) <= least) & (len(axes) == 1)
        for k in axes:
            angle = _FORMULAS[ANGLES[k]](_Jets(relative, rates)).value
            if np.any(~is_even & (np.abs(angle) > np.pi - HALF_TURN)):
                raise ScenarioError(
                    f"{ANGLES[k]} in the function of a loop comes to half a turn, where it jumps: "
                    f"whole turns are counted of frames that hinges along their {'xyz'[k]} axes "
                    "join, and where the function is linear in this one angle; rotate one "
                    "frame, or define the loop differently"
                )
        step = np.where(is_even & (np.abs(after - f) > least), after - f, np.inf)
        return np.asarray(-np.round(f / step))

    def _jet_at(self, relative: Seen, rates: SeenRates, more: Array | float = 0.0) -> Jet:
        def read(reading: Reading) -> Jet:
            return _FORMULAS[reading.name](_Jets(relative, rates, more))

        with np.errstate(all="ignore"):
            return evaluate(self.expression.tree, Jet.time(0.0), read)


class _Jets(Struct, frozen=True, eq=False):
    """Position and rotation of b as seen from a, over time."""

    relative: Seen
    rates: SeenRates
    more: Array | float = 0.0  # whole turns of angles that no hinges count

    def p(self, axis: int) -> Jet:
        return Jet(self.relative.p[axis], self.rates.v[axis], self.rates.a[axis])

    def R(self, row: int, column: int) -> Jet:
        w, z = self.rates.w, self.relative.R[:, column]
        second = cross(self.rates.wd, z) + cross(w, cross(w, z))
        return Jet(z[row], cross(w, z)[row], second[row])

    def angle(self, axis: int, above: Jet, below: Jet) -> Jet:
        """Return an angle with its whole turns, from the hinges of that axis, or `more`."""
        angle, turns = jet.atan2(above, below), self.relative.turns or {}
        is_by_hinges = axis in turns
        whole = whole_turns(turns[axis] - angle.value) if is_by_hinges else 2 * np.pi * self.more
        return Jet(angle.value + whole, angle.first, angle.second)

    def distance(self) -> Jet:
        x, y, z = (self.p(axis) for axis in range(3))
        return jet.sqrt(x * x + y * y + z * z)


_FORMULAS: Mapping[str, Callable[[_Jets], Jet]] = {
    "DM": _Jets.distance,
    "DX": lambda at: at.p(0),
    "DY": lambda at: at.p(1),
    "DZ": lambda at: at.p(2),
    "AX": lambda at: at.angle(0, -at.R(1, 2), at.R(2, 2)),
    "AY": lambda at: at.angle(1, at.R(0, 2), at.R(2, 2)),
    "AZ": lambda at: at.angle(2, at.R(1, 0), at.R(0, 0)),
}


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
