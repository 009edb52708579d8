"""Order of the solver's state: free q, free qd, element states, actuator states, works."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sim.maths.arrays import Array


class StateLayout(Struct, frozen=True, dict=True):
    """Slice of each quantity in the solver's state y, shape (size,) or (size, N).

    Parameters
    ----------
    joints, free : int
        Number n of independent joints, and number of those that are solved for.
    element_states, actuator_states : int
        Number of state variables of the force elements and of the actuation.
    """

    joints: int
    free: int
    element_states: int = 0
    actuator_states: int = 0

    @cached_property
    def q(self) -> slice:
        """Positions of the free joints [rad or m]."""
        return slice(0, self.free)

    @cached_property
    def qd(self) -> slice:
        """Velocities of the free joints [rad/s or m/s]."""
        return _after(self.q, self.free)

    @cached_property
    def elements(self) -> slice:
        """State variables of the force elements."""
        return _after(self.qd, self.element_states)

    @cached_property
    def actuators(self) -> slice:
        """State variables of the actuation."""
        return _after(self.elements, self.actuator_states)

    @cached_property
    def motor_work(self) -> slice:
        """∫ tau qd dt of each joint [J]."""
        return _after(self.actuators, self.joints)

    @cached_property
    def friction_loss(self) -> slice:
        """∫ friction qd dt of each joint [J]."""
        return _after(self.motor_work, self.joints)

    @cached_property
    def external_work(self) -> int:
        """Row of the work of the loads [J]."""
        return self.friction_loss.stop

    @property
    def moving(self) -> int:
        """Number of leading rows on which rates depend: all but the works."""
        return self.actuators.stop

    @property
    def works(self) -> slice:
        """Works of the motors, losses to friction, work of the loads [J]."""
        return slice(self.motor_work.start, self.size)

    @cached_property
    def size(self) -> int:
        """Length of the state."""
        return self.external_work + 1

    def state(
        self, q: ArrayLike, qd: ArrayLike, elements: ArrayLike = (), actuators: ArrayLike = ()
    ) -> Array:
        """Return a state (size,) of free joints and state variables, with zero works."""
        y = np.zeros(self.size)
        y[self.q], y[self.qd], y[self.elements], y[self.actuators] = q, qd, elements, actuators
        return y


def _after(part: slice, length: int) -> slice:
    return slice(part.stop, part.stop + length)
