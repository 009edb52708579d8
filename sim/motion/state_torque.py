"""Motor torques as expressions of the state, such as ``-30*AZ(arm, base)``, with own states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from msgspec import Struct

from sim.errors import ScenarioError
from sim.functions.expression import StateExpression
from sim.kinematics.forward import Kinematics, require_markers
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.actuation import WrittenLaw
from sim.robots.marker import Angle
from sim.robots.names import Names
from sim.robots.robot import Robot


class StateTorque(Struct, frozen=True, eq=False):
    """The torque of one motor as a function of time and state.

    Parameters
    ----------
    expression : StateExpression
    names : Names
        Names in the expression.
    """

    expression: StateExpression
    names: Names

    @property
    def text(self) -> str:
        """Text of the expression as typed."""
        return self.expression.text

    def breaks(self, t0: float, t1: float, has_middles: bool = False) -> Array:
        """Return times in [t0, t1] where it, or a state's rate, may jump by time alone [s]."""
        every = self.names.breaks((self.expression, *self.names.rates.values()), t1, has_middles)
        return every[every >= t0]

    def at(self, t: Array, kinematics: Kinematics, z: Mapping[str, Array] | None = None) -> Array:
        """Evaluate at N times, motions and own states, (N,) [N·m or N]."""
        return self.expression.value(t, StateReading(t, kinematics, self.names, z))


@dataclass(frozen=True, eq=False)
class TorqueOfState:
    """Motor torques as an `Actuation`; some of them are functions of the state.

    Motors whose laws share their names share the states in them.

    Parameters
    ----------
    robot : Robot
    over_time : callable
        Times (N,) [s] -> torques (n, N) of motors that depend on time alone [N·m or N].
    laws : sequence of (int, StateTorque, float)
        Row and law of each other motor, and the ratio that divides its torque.
    other_states : tuple of str or Angle
        States of force elements that the laws also read; in z they follow the laws' own.

    Raises
    ------
    ModelError
        If a marker is on no link of the robot.
    ScenarioError
        If two laws have different states with the same name.
    """

    robot: Robot
    over_time: Callable[[Array], Array]
    laws: Sequence[tuple[int, StateTorque, float]]
    other_states: tuple[str | Angle, ...] = ()
    hold: ClassVar[float | None] = None
    _last: dict[tuple[bytes, ...], list[StateReading]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for row, law, _ in self.laws:
            for expression in (law.expression, *law.names.rates.values()):
                markers = law.names.markers_read(expression)
                require_markers(self.robot, markers, self._title(row))
        names = self.state_names
        twice = [name for name in names if [n.upper() for n in names].count(name.upper()) > 1]
        if twice:
            raise ScenarioError(
                f"Two states of motors' laws are called {twice[0]!r}; rename one of them, or give "
                "both laws the same sim.Names"
            )

    def _title(self, row: int) -> str:
        return f"Torque of joint {self.robot.row_names[row]!r}"

    @cached_property
    def _names(self) -> tuple[Names, ...]:
        """Distinct names of the laws."""
        return tuple({id(law.names): law.names for _, law, _ in self.laws}.values())

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """States of all laws, as named, in order."""
        return tuple(name for names in self._names for name in names.states)

    @cached_property
    def torque_laws(self) -> tuple[WrittenLaw, ...]:
        """Laws of the motors that read the state, see `sim.robots.actuation`."""
        return tuple(WrittenLaw(row, x.expression, x.names, ratio) for row, x, ratio in self.laws)

    @cached_property
    def rate_laws(self) -> tuple[WrittenLaw, ...]:
        """Laws of the rates of all states."""
        every = [(rate, names) for names in self._names for rate in names.rates.values()]
        return tuple(WrittenLaw(row, *one) for row, one in enumerate(every))

    @cached_property
    def states(self) -> int:
        """Number of states."""
        return len(self.state_names)

    @cached_property
    def start(self) -> Array:
        """Values of the states at the first sample, shape (states,)."""
        return np.array([x for names in self._names for x in names.first_values], dtype=float)

    def read_angles(self) -> Iterator[Angle]:
        """Yield AX, AY and AZ in the laws."""
        for law in (*self.torque_laws, *self.rate_laws):
            yield from law.names.angles_read(law.expression.tree)

    @property
    def names_shared(self) -> tuple[str, ...]:
        """States of force elements for DIF, in capitals."""
        return tuple(name.upper() for names in self._names for name in names.shared)

    def _readings(self, t: Array, q: Array, qd: Array, z: Array) -> list[StateReading]:
        """Return readings of the state for each of the names; the last one is cached."""
        key = tuple(np.ascontiguousarray(part).tobytes() for part in (t, q, qd, z))
        if key not in self._last:
            others = dict(zip(self.other_states, z[self.states :], strict=True))
            kinematics = Kinematics(self.robot, q, qd, others)
            by_name = dict(
                zip((name.upper() for name in self.state_names), z[: self.states], strict=True)
            )
            self._last.clear()
            self._last[key] = [StateReading(t, kinematics, one, by_name) for one in self._names]
        return self._last[key]

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return the motor torques, shape (n, N) [N·m or N].

        Raises
        ------
        ScenarioError
            If one is not finite; names joint and time.
        """
        torque = np.array(self.over_time(t))
        readings = self._readings(t, q, qd, z)
        for row, law, ratio in self.laws:
            state = readings[self._names.index(law.names)]
            torque[row] = law.expression.value(t, state) / ratio
            _require_finite(torque[row], t, self._title(row))
        return torque

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return dz/dt for the same arguments, shape (states, N).

        Raises
        ------
        ScenarioError
            If one is not finite; names state and time.
        """
        rates = np.empty((self.states, t.size))
        row = 0
        for state in self._readings(t, q, qd, z) if self.states else ():
            for name, expression in state.names.rates.items():
                rates[row] = expression.value(t, state)
                _require_finite(rates[row], t, f"The rate of state {name.lower()!r}")
                row += 1
        return rates

    def sample(self, t: float, q: Array, qd: Array, z: Array) -> Array:
        """Return the states unchanged: the laws are continuous."""
        return z


def _require_finite(values: Array, t: Array, title: str) -> None:
    if not np.isfinite(values).all():
        time = float(t[~np.isfinite(values)][0])
        raise ScenarioError(f"{title}: it is not finite at t = {time:.6g} s")
