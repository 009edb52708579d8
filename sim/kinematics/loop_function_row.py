"""Equation of a loop that constrains a function of two frames to zero; derivatives by jets.

The pose of b seen from a is a jet in time: value, rate and second derivative. The gradient is the
rate for unit velocities and unit angular velocities; the second derivative at zero accelerations is
γ.

An angle that no hinges count has the whole turns of the closed loop: those that bring the function
nearest to zero. They follow from one division if each turn changes the function equally, or not at
all; for other functions they are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.functions import jet
from sim.functions.jet import Jet
from sim.functions.state_expression import StateExpression
from sim.functions.state_functions import ANGLES
from sim.functions.syntax import Reading, evaluate
from sim.kinematics.seen_frames import Seen, SeenRates
from sim.maths.arrays import Array
from sim.maths.rotations import cross, whole_turns

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
                    "join, and where the function is linear in this one angle; turn one frame, or "
                    "say the loop otherwise"
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
