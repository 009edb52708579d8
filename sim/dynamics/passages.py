"""Conditions of time and state, and the events at which a motion satisfies them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.functions.expression import StateExpression
from sim.kinematics.forward import Kinematics, require_markers
from sim.kinematics.robot_markers import with_robot_markers
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.marker import Angle
from sim.robots.names import Names
from sim.robots.robot import Robot

COMPARISON = re.compile(r"([<>=]=|[<>=])")

# Difference of the two sides below which a condition is neither true nor false.
EQUAL = 1e-13

PLACES = 16  # points per step at which conditions are evaluated, besides the samples
BESIDE = 1e-4  # fraction of a step from its ends, evaluated to find turning points there

# Allowed ratio of a curve's slope next to its turning point to that of its chords.
STEEPER = 4.0

# Steps of the differences for slopes of a condition [rad, m and per second].
ASIDE = 1e-6


class Condition(Struct, frozen=True, eq=False, dict=True):
    """Comparison of two functions of time and state, for one robot.

    Parameters
    ----------
    label : str
        Beginning of messages.
    sides : pair of StateExpression
        Left and right side.
    sense : int
        1 if the left side must reach the right one from below, -1 from above, 0 from either.
    names : Names
        Names in the functions, with the markers of the robot.
    includes_equal : bool
        Whether the condition is true where both sides are equal.
    """

    label: str
    sides: tuple[StateExpression, StateExpression]
    sense: int
    names: Names
    includes_equal: bool = True

    @classmethod
    def of(cls, label: str, text: str, names: Names, robot: Robot) -> Condition:
        """Parse a condition.

        Raises
        ------
        ScenarioError
            If the text has no comparison or several.
        ExpressionError, ModelError
            If a side cannot be read, or a marker is on no link of the robot.
        """
        parts = COMPARISON.split(text)
        if len(parts) != 3:
            count = "no" if len(parts) == 1 else "more than one"
            raise ScenarioError(
                f"{label}: it has {count} comparison; write one of >=, <= and = between two "
                "functions, such as DZ(tip) <= 0.2"
            )
        names = with_robot_markers(names, robot)
        left, right = (names.parse(label, part.strip()) for part in (parts[0], parts[2]))
        sense = {">": 1, "<": -1, "=": 0}[parts[1][0]]
        require_markers(robot, (*names.markers_read(left), *names.markers_read(right)), label)
        return cls(label, (left, right), sense, names, parts[1].endswith("="))

    @cached_property
    def reads_state(self) -> bool:
        """True if the condition depends on more than time."""
        return any(side.readings for side in self.sides)

    def read_angles(self) -> Iterator[Angle]:
        """Yield AX, AY and AZ in the condition."""
        for side in self.sides:
            yield from self.names.angles_read(side.tree)

    def breaks(self, duration: float) -> Array:
        """Return times where a side may jump, or have a narrow pulse, by time alone [s]."""
        return self.names.breaks(self.sides, duration, has_middles=True)

    def sensitivity(self, robot: Robot, at: Passage) -> tuple[float, float]:
        """Return its largest changes if all positions, or all speeds, change by up to a unit."""
        n, count = at.q.size, 4 * at.q.size
        aside = ASIDE * np.hstack([np.eye(2 * n), -np.eye(2 * n)])
        rows = np.concatenate([at.q, at.qd])[:, None] + aside
        states = {name: np.full(count, value) for name, value in at.states.items()}
        kinematics = Kinematics(robot, rows[:n], rows[n:], states)
        ahead, behind = np.split(self.difference(np.full(count, at.t), kinematics), 2)
        slopes = np.abs(ahead - behind) / (2 * ASIDE)
        return float(slopes[:n].sum()), float(slopes[n:].sum())

    def difference(self, t: Array, kinematics: Kinematics) -> Array:
        """Return a difference that rises through zero as the condition becomes true, shape (N,).

        Raises
        ------
        ScenarioError
            If it is not finite; names the time.
        """
        state = StateReading(t, kinematics, self.names)
        left, right = (side.value(t, state) for side in self.sides)
        values = np.asarray((-1.0 if self.sense < 0 else 1.0) * (left - right))
        if not np.isfinite(values).all():
            time = float(t[~np.isfinite(values)][0])
            raise ScenarioError(f"{self.label}: a side is not finite at t = {time:.6g} s")
        return values


class Passage(Struct, frozen=True, eq=False):
    """Event at which a condition becomes true.

    Parameters
    ----------
    number : int
        Index of the condition.
    t : float
        [s]
    rate : float
        Rate of the difference of its two sides there.
    q, qd : ndarray, shape (n,)
        Motion there.
    states : mapping
        States there that expressions read, by name or angle.
    """

    number: int
    t: float
    rate: float
    q: Array
    qd: Array
    states: Mapping[str | Angle, float]


# States at times (N,) where conditions are evaluated.
States = Callable[[Array], Kinematics]


class Watch:
    """Conditions, and the last known side of each.

    Parameters
    ----------
    conditions : sequence of Condition
    may_hold : sequence of bool
        Whether each may be true at the start; its event is then at the start.
    waits : sequence of bool
        Whether each may be true at the start, and then waits until it has been false.
    breaks : ndarray
        Times at which a condition may jump because of time alone [s].
    """

    def __init__(
        self,
        conditions: Sequence[Condition],
        may_hold: Sequence[bool],
        waits: Sequence[bool],
        breaks: Array,
    ) -> None:
        self.conditions, self.breaks = tuple(conditions), breaks
        self.may_hold, self.waits = tuple(may_hold), tuple(waits)
        self.waiting: tuple[int, ...] = ()  # conditions that are true at the start, and wait
        self.since = -np.inf  # end of the watched motion [s]
        # -1 below and 1 above, if the motion was clearly on a side where the condition is false
        self.side = [0] * len(self.conditions)
        self.is_over = [False] * len(self.conditions)

    def _begin(self, t: float, states: States) -> None:
        """Trigger conditions that are true at the start if allowed; check that no other is true.

        Raises
        ------
        ScenarioError
            If another is; names the condition and both sides.
        """
        at = np.array([t])
        kinematics = states(at)
        for k, condition in enumerate(self.conditions):
            excess = float(condition.difference(at, kinematics)[0])
            begins = condition.includes_equal and abs(excess) <= EQUAL
            begins = begins and (self.may_hold[k] or not condition.reads_state)
            if not condition.sense or not (begins or excess > EQUAL):
                continue
            if begins or self.may_hold[k]:
                self.side[k] = -1
            elif self.waits[k]:
                self.waiting += (k,)
            else:
                state = StateReading(at, kinematics, condition.names)
                left, right = (float(side.value(at, state)[0]) for side in condition.sides)
                raise ScenarioError(
                    f"{condition.label} is true at the start already ({left:.6g} against "
                    f"{right:.6g}); an event happens when its condition becomes true"
                )

    def first_passage(
        self, begin: float, end: float, samples: Array, states: States
    ) -> Passage | None:
        """Return the first event in a step; None without one.

        Conditions are evaluated at `PLACES` points, the samples (N,) and turning points between.
        """
        if not self.conditions or not begin < end:
            return None
        length = end - begin
        inside = samples[(samples > begin) & (samples < end)]
        ends = begin + length * np.array([0.0, BESIDE, 1.0 - BESIDE, 1.0])
        places = np.unique([*ends, *np.linspace(begin, end, PLACES + 1), *inside])
        kinematics, passages = states(places), []
        if self.since == -np.inf:
            self._begin(float(places[0]), states)
        self.since = end
        sides = list(self.side)
        for k, condition in enumerate(self.conditions):
            if self.is_over[k]:
                continue
            values = condition.difference(places, kinematics)
            time, sides[k] = _passage(condition, self.side[k], places, values, states)
            if time is not None:
                passages.append((time, k))
        if not passages:
            self.side = sides
            return None
        time, first = min(passages)
        self.since = time
        self._pass(time, first, states)
        before = time - BESIDE * length
        pair = np.array([before, time] if before > begin else [time, time + BESIDE * length])
        change = np.diff(self.conditions[first].difference(pair, states(pair)))
        at = states(np.array([time]))
        own_states = {name: float(row[0]) for name, row in at.states.items()}
        return Passage(
            first, time, float(change[0] / np.diff(pair)[0]), at.q[:, 0], at.qd[:, 0], own_states
        )

    def _pass(self, time: float, first: int, states: States) -> None:
        """Record the side of all conditions at the event of one of them."""
        at = np.array([time])
        kinematics = states(at)
        for k, condition in enumerate(self.conditions):
            value = float(condition.difference(at, kinematics)[0])
            if k == first:
                self.side[k] = 0
            elif not self.side[k]:
                self.side[k] = _clear_side(condition, value)


def _clear_side(condition: Condition, value: float) -> int:
    """Return the side of a value on which the condition is clearly false; 0 if it is not."""
    if abs(value) <= EQUAL or (condition.sense and value > 0):
        return 0
    return int(np.sign(value))


def _passage(
    condition: Condition, side: int, places: Array, values: Array, states: States
) -> tuple[float | None, int]:
    """Return the time of an event between points (N,), if any, and the side after it."""

    def off(time: float, side: int) -> float:  # negative while the condition is false
        at = np.array([time])
        return -side * float(condition.difference(at, states(at))[0])

    for k in range(places.size):
        if side and k == 0 and -side * values[0] >= -EQUAL:  # another event is at this instant
            return float(places[0]), 0
        if side and -side * values[k] >= 0:
            return _root(off, float(places[k - 1]), float(places[k]), side), 0
        if side and 0 < k < places.size - 1:
            top = _turning_point(off, places[k - 1 : k + 2], -side * values[k - 1 : k + 2], side)
            if top is not None:
                return _root(off, float(places[k - 1]), top, side), 0
        side = side or _clear_side(condition, float(values[k]))
    return None, side


def _turning_point(
    off: Callable[[float, int], float], places: Array, values: Array, side: int
) -> float | None:
    """Return the time at which a curve, negative at three points, reaches zero between; or None."""
    before, here, after = values.tolist()
    if not before <= here >= after or here >= 0:
        return None
    step_before, step_after = np.diff(places).tolist()
    # a concave curve between two points stays below the extended neighbouring chords
    above = max(
        (here - before) / step_before * step_after, (here - after) / step_after * step_before
    )
    if here + STEEPER * above < 0:
        return None
    from scipy.optimize import minimize_scalar

    low, high = float(places[0]), float(places[2])
    peak = minimize_scalar(
        lambda time: -off(float(time), side),
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-9 * (high - low)},
    )
    return float(peak.x) if -peak.fun >= 0 else None


def _root(off: Callable[[float, int], float], low: float, high: float, side: int) -> float:
    """Return the time between `low` and `high` at which a condition becomes true [s]."""
    from scipy.optimize import brentq

    if off(low, side) >= 0:
        return low
    if (above := off(high, side)) < 0:  # due to rounding
        return high
    if above > 0:
        root = float(brentq(off, low, high, args=(side,), xtol=1e-15, rtol=1e-15))
        if off(root, side) >= -EQUAL:
            return root
        low = root
    # a jump, as of IF, possibly to equality: take the first instant at which it is true
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if off(middle, side) >= 0 else (middle, high)
    return high
