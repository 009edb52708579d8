"""Force elements: values with one law each, which act in joints and on links.

    M qdd + C qd + g = tau + Sᵀ e + Σ Jᵀ F - friction

with the efforts e (n_tree, N) of all elements in the joints and their wrenches F on links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np
from msgspec import Struct

from sim.dynamics.wrench import Acting
from sim.kinematics.forward import Kinematics
from sim.kinematics.moving_frame import Pair
from sim.kinematics.small_change import SmallChange
from sim.maths.arrays import Array, Mask
from sim.robots.marker import Angle, Marker
from sim.robots.robot import Robot


class ElementState(Struct, frozen=True, eq=False):
    """N states at which force elements are evaluated.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    z : ndarray, shape (states, N)
        The element's own state variables.
    kinematics : Kinematics
        Motion of the robot; elements between the same links share its results.
    """

    t: Array
    z: Array
    kinematics: Kinematics

    @property
    def robot(self) -> Robot:
        """The robot on which the elements act."""
        return self.kinematics.robot

    @property
    def q(self) -> Array:
        """Positions of the independent joints, (n, N) [rad or m]."""
        return self.kinematics.q

    @property
    def qd(self) -> Array:
        """Velocities of the independent joints, (n, N) [rad/s or m/s]."""
        return self.kinematics.qd


class Slopes(Struct, frozen=True, eq=False):
    """∂τ/∂q and ∂τ/∂qd of joint torques τ (n, N), each of shape (n, n, N)."""

    q: Array
    qd: Array


class WrenchChange(Struct, frozen=True, eq=False):
    """A wrench on a marker's link at its origin, world axes, and its change for small motions.

    Parameters
    ----------
    marker : Marker
    force, torque : pair of ndarray, each of shape (3, K)
        Value and derivative [N], [N·m].
    """

    marker: Marker
    force: Pair
    torque: Pair


class ForceElement(Protocol):
    """A force element: one law of time, motion and its own state.

    A subclass implements what its law has and inherits the defaults: no effort, no wrench, no own
    state, no stored energy, no channels.
    """

    @property
    def is_sudden(self) -> bool:
        """True if the element acts only in a part of its range, such as a stop or a contact."""
        return False

    @property
    def is_steady(self) -> bool:
        """True if the element acts in all of its range, or only provides values to read."""
        return not self.is_sudden

    @property
    def is_linear(self) -> bool:
        """True if the element acts in joints only, with efforts linear in q and qd."""
        return False

    def title(self, robot: Robot) -> str:
        """Return the text for a message on a robot with this element: "forces act on it"."""
        return f"a {type(self).__name__} acts on it"

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the element can act on a robot during a run of `duration` [s].

        Raises
        ------
        ModelError
            If a frame is unknown; the message lists the frames.
        ScenarioError
            If a number is not finite somewhere in the run.
        """
        return

    def breaks(self, duration: float) -> Array:
        """Return times in the run where the force or a derivative of it may jump [s]."""
        return np.empty(0)

    def stops(self, duration: float) -> Array:
        """Return these times and the middles of narrow pulses, where a solver restarts [s]."""
        return self.breaks(duration)

    def is_on(self, t: Array) -> Mask:
        """Whether the element acts at times t (N,) [s]; always, unless it is switched."""
        return np.ones(np.shape(t), dtype=bool)

    def joint_efforts(self, at: ElementState) -> Array | None:
        """Return efforts on tree joints, (n_tree, N) [N·m or N]; None if it acts on links only."""
        return None

    def wrenches(self, at: ElementState) -> Acting:
        """Return wrenches on links, with their reactions; those on the ground may be omitted."""
        return ()

    def start(self, robot: Robot) -> Array:
        """Return the element's own state variables at the start of a run, shape (states,)."""
        return np.empty(0)

    @property
    def state_names(self) -> tuple[str | Angle, ...]:
        """Names of the states for other expressions: of DIF, or angles; possibly none."""
        return ()

    def read_angles(self) -> Iterable[Angle]:
        """Return AX, AY and AZ in the element's expressions."""
        return ()

    def rate(self, at: ElementState) -> Array:
        """Return the rate of its own state variables, shape (states, N)."""
        return np.empty((0, at.t.size))

    def stored_energy(self, at: ElementState) -> Array | None:
        """Return the elastic energy, shape (N,) [J]; None if the element never stores any."""
        return None

    def slopes(self, at: ElementState) -> Slopes | None:
        """Return slopes of its joint torques; None if these do not depend on the state."""
        return None

    def effort_changes(self, small: SmallChange) -> Pair | None:
        """Return efforts on tree joints and their derivatives, (n_tree, K) each, or None."""
        return None

    def wrench_changes(self, small: SmallChange) -> Iterable[WrenchChange] | None:
        """Return wrenches on links and exact derivatives; None if only differences exist."""
        return None if type(self).wrenches is not ForceElement.wrenches else ()

    def sides(self, small: SmallChange) -> Iterable[Array]:
        """Return numbers (K,) that differ between states on different sides of its switches."""
        return ()

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """Return the recorded channels by name, (N,) each."""
        return {}

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Channels that an element on links records, independent of its state."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the run about the element's numbers."""
        return ()
