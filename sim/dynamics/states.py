"""States: variables with a rate of their own, available to forces and requests as DIF."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim.dynamics.force_element import ElementState, ForceElement
from sim.errors import ScenarioError
from sim.functions.expression import undefined_term
from sim.functions.jet import Jet
from sim.kinematics.forward import require_markers
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.marker import Angle, Marker
from sim.robots.names import Names
from sim.robots.robot import Robot
from sim.showing.one_line import count_text, one_line


@dataclass(frozen=True, eq=False)
class States(ForceElement):
    """``dz/dt = f(t, q, dq/dt, z)``: named states, integrated with the motion.

    It exerts no force: forces and requests read the states by ``DIF(name)``, if they are `shared`
    in their names. Channels are ``dif.<name>``.

    Parameters
    ----------
    names : Names
        Names with `states`, `start`, and all that the rates read.

    Raises
    ------
    ScenarioError
        If there is no state.

    References
    ----------
    MSC Adams Solver, statements DIFF, LSE and TFSISO.
    """

    names: Names

    def __post_init__(self) -> None:
        if not (isinstance(self.names, Names) and self.names.states):
            raise ScenarioError(
                f"States: names must be a sim.Names with states, got {self.names!r}"
            )

    def __repr__(self) -> str:
        return one_line("States:", count_text(len(self.names.states), "state"))

    def read_markers(self) -> tuple[Marker, ...]:
        """Return all markers that the rates need."""
        rates = self.names.rates.values()
        return tuple(marker for one in rates for marker in self.names.markers_read(one))

    def read_angles(self) -> Iterator[Angle]:
        """Yield AX, AY and AZ in the rates."""
        for one in self.names.rates.values():
            yield from self.names.angles_read(one.tree)

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the links of all markers exist; see `ForceElement`."""
        require_markers(robot, self.read_markers(), "States")

    def title(self, robot: Robot) -> str:
        """Return the text for a message."""
        return f"{self!r} are integrated"

    @property
    def is_sudden(self) -> bool:
        """True if a rate switches at some value of the state."""
        return any(rate.switches_with_state for rate in self.names.rates.values())

    @property
    def is_steady(self) -> bool:
        """True: forces read the states, and the element exerts none."""
        return True

    def breaks(self, duration: float) -> Array:
        """Return times where a rate may jump because of time alone [s]."""
        return self.names.breaks(self.names.rates.values(), duration)

    def stops(self, duration: float) -> Array:
        """Return these times and the middles of narrow pulses, where a solver restarts [s]."""
        return self.names.breaks(self.names.rates.values(), duration, has_middles=True)

    def start(self, robot: Robot) -> Array:
        """Return the states at the start, shape (states,)."""
        return np.array(self.names.first_values)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states."""
        return tuple(self.names.states)

    def rate(self, at: ElementState) -> Array:
        """Return the rates, shape (states, N).

        Raises
        ------
        ScenarioError
            If one is not finite; names state and time.
        """
        return np.stack([np.broadcast_to(row, at.t.shape) for row in self._rates(at)])

    def _rates(self, at: ElementState) -> Iterator[Array]:
        state = StateReading(at.t, at.kinematics, self.names)
        for name, rate in zip(self.names.states, self.names.rates.values(), strict=True):
            values = rate.value(at.t, state)
            if not np.isfinite(values).all():
                time = float(at.t[~np.isfinite(values)][0])
                term = undefined_term(rate.tree, Jet.time(at.t), state)
                raise ScenarioError(
                    f"The rate of state {name!r}: it is not finite at t = {time:.6g} s: {term}"
                )
            yield values

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Channels of the states."""
        return tuple(f"dif.{name}" for name in self.names.states)

    def channels(self, at: ElementState) -> dict[str, Array]:
        """Return the values of the states, (N,) each."""
        return dict(zip(self.channel_names, at.z, strict=True))
